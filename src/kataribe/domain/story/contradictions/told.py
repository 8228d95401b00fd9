"""What the rules read: sentences in story order, prepared once for all of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from kataribe.domain.ids import normalise
from kataribe.domain.story.contradictions.unreal import HEARSAY, MOVED_ON, UNREAL
from kataribe.domain.terms import Language

SELF_JA = ("俺", "私", "僕", "わたし", "あたし", "おれ", "ぼく")
SELF = "\0self"
"""Who tells, where a sentence says `I` or 俺."""


class ClashKind(StrEnum):
    """What two sentences disagree about."""

    AGE = "age"
    DATE = "date"
    DEAD = "dead"
    BODY = "body"
    THING = "thing"
    KIN = "kin"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the story: `key` names it, and is handed back."""

    key: str
    episode_no: int
    text: str


@dataclass(frozen=True, slots=True)
class Clash:
    """Two sentences that cannot both be true, it seems: their keys in story order, and why."""

    one: str
    other: str
    kind: ClashKind
    says: str


@dataclass(frozen=True)
class ToldLine:
    """A statement as the rules read it: `text` folded, `told` the same with quotations blanked out."""

    place: int
    key: str
    episode_no: int
    text: str
    told: str
    language: Language

    @cached_property
    def is_unreal(self) -> bool:
        """Whether it tells of a dream, a rumour, a lie, a likeness or what might be."""
        return UNREAL[self.language].search(self.text) is not None

    @cached_property
    def is_hearsay(self) -> bool:
        """Whether it tells what somebody only says, believes or dreams; memories are told for true."""
        return HEARSAY[self.language].search(self.text) is not None

    @cached_property
    def moves_on(self) -> bool:
        """Whether it says that much time goes by, or looks back."""
        return MOVED_ON[self.language].search(self.told) is not None


@dataclass(frozen=True)
class ToldStory:
    """All lines of a story, and the names of its cast."""

    language: Language
    lines: Sequence[ToldLine]
    names: Mapping[str, str]
    """Whom each text that names somebody names."""

    @cached_property
    def name(self) -> str:
        """A pattern of every name; one that matches nothing where there is none."""
        if not self.names:
            return "(?!)"
        listed = sorted(self.names, key=lambda name: (-len(name), name))
        joined = "|".join(map(re.escape, listed))
        return f"(?:{joined})" if self.language == "ja" else rf"\b(?:{joined})\b"

    @cached_property
    def naming(self) -> tuple[ToldLine, ...]:
        """The lines that name anybody."""
        pattern = re.compile(self.name)
        return tuple(line for line in self.lines if pattern.search(line.text))

    @cached_property
    def leaps(self) -> Sequence[int]:
        """How many lines up to each place say that much time goes by; one more than there are lines."""
        counted = [0]
        for line in self.lines:
            counted.append(counted[-1] + line.moves_on)
        return counted

    def leaps_between(self, one: ToldLine, other: ToldLine) -> bool:
        """Whether time is told to go by from one line to the other, both included."""
        return self.leaps[other.place + 1] > self.leaps[one.place]


def tell(
    statements: Sequence[Statement], language: Language, names: Mapping[str, Collection[str]]
) -> ToldStory:
    """Prepare statements in story order; `names` gives what each of the cast is called.

    A name that two share names nobody.
    """
    folded = [
        _line(place, one, normalise(one.text).replace("’", "'"), language)
        for place, one in enumerate(statements)
    ]
    return ToldStory(language, folded, _owners(names))


def _line(place: int, one: Statement, text: str, language: Language) -> ToldLine:
    return ToldLine(place, one.key, one.episode_no, text, _blanked(text, language), language)


def _owners(names: Mapping[str, Collection[str]]) -> dict[str, str]:
    owners: dict[str, str] = {}
    shared: set[str] = set()
    for owner, called in names.items():
        for name in {normalise(each).replace("’", "'") for each in called} - {""}:
            if owners.setdefault(name, owner) != owner:
                shared.add(name)
    return {name: owner for name, owner in owners.items() if name not in shared}


_QUOTED_JA = re.compile("「[^」]*(?:」|$)|『[^』]*(?:』|$)|^[^「」]*」")
_QUOTED_EN = re.compile(r"“[^”]*(?:”|$)|^[^“”]*”|\"[^\"]*(?:\"|$)")


def _blanked(text: str, language: Language) -> str:
    quoted = _QUOTED_JA if language == "ja" else _QUOTED_EN
    return quoted.sub(lambda match: "␣" * len(match.group()), text)
