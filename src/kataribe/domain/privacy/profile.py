"""A person's profile: keys with values that a user agreed to be kept, and what the agreement rests on.

A value stands with the words that are its evidence, in a turn of the user's own, or was written down by
hand. The newest value of a key counts, and none once that has expired: an older one does not come back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from kataribe.domain.gate import EPOCH
from kataribe.domain.ids import check_id, check_text
from kataribe.domain.privacy.find import find
from kataribe.domain.terms import Language
from kataribe.errors import InputError

MAX_VALUE = 4000
"""The most characters of a value, written as JSON."""
FIRST_VERSION = "1.0.0"
EFFECTS = ("style", "honorific", "tone", "policy")
"""The keys that say how to speak, and nothing of who the user is: they come into contexts (S2-12)."""
PERSONALISE = "personalise"
"""The consent without which no topics are counted."""
IDENTIFYING = frozenset(
    {"name", "email", "telephone", "phone", "address", "birthday", "contact", "account", "age", "gender"}
)
"""The keys whose values say who the user is, whatever they are."""


class ConsentStep(StrEnum):
    """What a user did with a consent."""

    GIVEN = "given"
    WITHDRAWN = "withdrawn"
    REQUIRED = "required"
    """The user is to be asked first."""
    ASKED = "asked"
    REFUSED = "refused"
    WAIVED = "waived"
    """The user is to be asked no more."""


_ORDER = {
    step: place
    for place, step in enumerate(
        (
            ConsentStep.REQUIRED,
            ConsentStep.ASKED,
            ConsentStep.WAIVED,
            ConsentStep.GIVEN,
            ConsentStep.REFUSED,
            ConsentStep.WITHDRAWN,
        )
    )
}


@dataclass(frozen=True, slots=True)
class ConsentEvidence:
    """What a consent rests on: a turn of the user's own and its space, or nothing but a person's hand."""

    turn_id: str | None = None
    space: str | None = None

    @property
    def is_by_hand(self) -> bool:
        """Whether somebody wrote it down, and no words are there for it."""
        return self.turn_id is None


BY_HAND = ConsentEvidence()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentEvent:
    """One step of a consent: the `number`th of its key, at a position (milliseconds since 1970, UTC).

    `days` is for how long what is said is kept, where the consent is to that (None: for good), and
    `spares` that what the user asked to be remembered stays all the same.
    """

    key: str
    number: int
    at: int
    step: ConsentStep
    evidence: ConsentEvidence = BY_HAND
    days: int | None = None
    spares: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        """Its place among steps that count from their own moments: at one moment a refusal comes last."""
        by_hand = self.evidence.is_by_hand
        return (self.at, by_hand, self.number if by_hand else 0, _ORDER[self.step])

    @property
    def time(self) -> datetime:
        """When it was."""
        return EPOCH + timedelta(milliseconds=self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedValue:
    """A value of a profile as it is stored: all but the value itself is open.

    `number` counts the values of its key; `at` and `expires` are positions.
    """

    key: str
    number: int
    version: str
    at: int
    is_personal: bool
    evidence: ConsentEvidence
    expires: int | None
    sealed: bytes

    @property
    def row(self) -> str:
        """What the seal is bound to, beside the space."""
        return sealed_row(self.key, self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileItem:
    """A value of a profile, with the consent it rests on.

    `is_personal` says that it tells who the user is. `value` is None and `is_locked` True where the
    user's key is not at hand. `expires` is when it ends (None: never).
    """

    key: str
    value: object
    version: str
    updated_at: datetime
    is_personal: bool
    evidence: ConsentEvidence
    expires: datetime | None = None
    is_locked: bool = False


def sealed_row(key: str, number: int) -> str:
    """Name the row of a value for its seal."""
    return f"profile {key} {number}"


def check_key(key: str) -> str:
    """Give a key of a profile back. Raises `InputError`."""
    return check_id(key, "the key")


def written(value: object) -> str:
    """Write a value as JSON. Raises `InputError` for what is none, or longer than `MAX_VALUE`."""
    try:
        found = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the value cannot be written as JSON: {error}") from error
    if len(found) > MAX_VALUE:
        raise InputError(f"the value has {len(found)} characters as JSON; at most {MAX_VALUE} are kept")
    return check_text(found, "the value")


def next_version(before: str | None) -> str:
    """Give the version after one: the last number goes up with each value (S2-40)."""
    if before is None:
        return FIRST_VERSION
    major, minor, patch = before.split(".")
    return f"{major}.{minor}.{int(patch) + 1}"


def is_personal(key: str, value: object, language: Language) -> bool:
    """Whether a value tells who the user is: by its key, or because personal data is found in it."""
    return key.casefold() in IDENTIFYING or any(find(text, language) for text in _texts(value))


def _texts(value: object) -> Iterable[str]:
    """Give every text in a value, as it stands there; numbers as they are written."""
    match value:
        case str():
            yield value
        case Mapping():
            for key, inside in value.items():
                yield from (str(key), *_texts(inside))
        case Sequence():
            for inside in value:
                yield from _texts(inside)
        case int() | float() if not isinstance(value, bool) and math.isfinite(value):
            yield str(value)


def consents(
    events: Iterable[ConsentEvent], by_time: Callable[[str], bool] = lambda _: False
) -> Mapping[str, ConsentEvent]:
    """Give the last step of each key, by key: that written down last, or of keys `by_time` that of last."""
    last: dict[str, ConsentEvent] = {}
    for event in sorted(events, key=lambda one: (one.key, one.order if by_time(one.key) else (one.number,))):
        last[event.key] = event
    return last


def is_given(events: Iterable[ConsentEvent], key: str) -> bool:
    """Whether a consent stands."""
    found = consents(events).get(key)
    return found is not None and found.step is ConsentStep.GIVEN


def newest(rows: Iterable[SealedValue], *, at: int) -> tuple[SealedValue, ...]:
    """Give the value of each key that counts at a position, by key: the newest, unless it has expired."""
    last: dict[str, SealedValue] = {}
    for row in sorted(rows, key=lambda one: (one.key, one.at, one.number)):
        if row.at <= at:
            last[row.key] = row
    return tuple(row for row in last.values() if not is_expired(row, at=at))


def is_expired(row: SealedValue, *, at: int) -> bool:
    """Whether a value has ended at a position."""
    return row.expires is not None and row.expires <= at
