"""Kinds of personal data, and one finding of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PersonalKind(StrEnum):
    """What kind of personal datum a text holds."""

    EMAIL = "email"
    PHONE = "phone"
    POSTCODE = "postcode"
    ADDRESS = "address"
    MY_NUMBER = "mynumber"
    CARD = "card"
    ACCOUNT = "account"
    IBAN = "iban"
    PASSPORT = "passport"
    LICENCE = "licence"
    INSURANCE = "insurance"
    SOCIAL_SECURITY = "ssn"
    BIRTH_DATE = "birthdate"
    IP = "ip"
    SECRET = "secret"
    CODE = "code"
    LINK = "link"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class PersonalFinding:
    """A personal datum in a text: characters [start, end) of the text as it was given.

    `value` is the datum in its normal form: however it is written, it is the same.
    """

    kind: PersonalKind
    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A span of a page that a pattern takes for personal data."""

    kind: PersonalKind
    start: int
    end: int
    value: str
