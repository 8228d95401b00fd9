"""What opens what is somebody's: it is told on to nobody to whom it was not said (S2-13)."""

from __future__ import annotations

from kataribe.domain.privacy.find import find
from kataribe.domain.privacy.kinds import PersonalKind
from kataribe.domain.privacy.page import TOKEN
from kataribe.domain.terms import Language

SENSITIVE = frozenset(
    {
        PersonalKind.CARD,
        PersonalKind.ACCOUNT,
        PersonalKind.IBAN,
        PersonalKind.SECRET,
        PersonalKind.CODE,
        PersonalKind.LINK,
        PersonalKind.MY_NUMBER,
        PersonalKind.PASSPORT,
        PersonalKind.LICENCE,
        PersonalKind.INSURANCE,
        PersonalKind.SOCIAL_SECURITY,
    }
)
"""The kinds of personal data that are kept from whoever they were not said to."""


def is_sensitive(text: str, language: Language) -> bool:
    """Whether a text holds such a datum, as a token or in words."""
    return has_sensitive_token(text) or any(one.kind in SENSITIVE for one in find(text, language))


def has_sensitive_token(text: str) -> bool:
    """Whether a text holds the token of such a datum."""
    return any(PersonalKind(found[0][1:].partition(":")[0]) in SENSITIVE for found in TOKEN.finditer(text))
