"""The words that every kind of memory shares: languages, origins, importance, and who may remember."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from kataribe.domain.ids import WORLD, check_id
from kataribe.errors import InputError

Language = Literal["ja", "en"]


LANGUAGES: tuple[Language, ...] = ("ja", "en")


def check_language(language: str) -> None:
    """Raise `InputError` unless it is a language that is read here."""
    if language not in LANGUAGES:
        raise InputError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")


Extra = Mapping[str, object]
"""Fields of a file that kataribe does not know: kept, exported again, never interpreted."""


DEFAULT_IMPORTANCE = 3


RULES = "rules"
"""The extractor that asks no model; every other is named `provider:model`."""


class FactSource(StrEnum):
    """Where an episode's facts come from."""

    SUPPLIED = "supplied"
    EXTRACTED = "extracted"


class FactOrigin(StrEnum):
    """Where one fact comes from."""

    SUPPLIED = "supplied"
    EXTRACTED = "extracted"
    HAND = "hand"


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may remember something: the world, one or more characters, or (waiting in review) nobody yet."""

    world: bool = False
    members: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.world and self.members:
            raise InputError("an audience is either the world or named characters, not both")

    @property
    def is_empty(self) -> bool:
        """Whether nobody is in it."""
        return not self.world and not self.members

    def includes(self, holder: str) -> bool:
        """Whether all that this holder stands for is in it; the world is in no list of names."""
        return self.world or holder in self.members

    def holders(self) -> tuple[str, ...]:
        """Give the holders in a fixed order: `("world",)` or the sorted character ids."""
        return (WORLD,) if self.world else tuple(sorted(self.members))


PUBLIC = Audience(world=True)


NOBODY = Audience()


def known_by(*members: str) -> Audience:
    """Make the audience of these characters; raise `InputError` for a bad or missing id."""
    if not members:
        raise InputError("a secret needs at least one character who knows it; name them or make it public")
    return Audience(members=frozenset(check_id(member, "character id") for member in members))


def check_arousal(value: float | None) -> float | None:
    """Give `value` back when it is from 0 to 1 or None, else raise `InputError`."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(f"arousal must be a number from 0 to 1, not {value!r}")
    return value
