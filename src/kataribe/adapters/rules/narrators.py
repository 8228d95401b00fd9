"""Who tells: the narrators that the cast or a mark names, and first persons that nobody names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kataribe.adapters.rules.passages import QuotedPassage
from kataribe.domain.story.inputs import Character

_LEAST = 3
"""First persons of one character in a text's narration from which on it tells the text."""


@dataclass(frozen=True, slots=True)
class Teller:
    """Who tells a part of a text, and to whom (nobody in particular: it is no telling)."""

    who: frozenset[str] = frozenset()
    told_to: frozenset[str] = frozenset()
    is_named: bool = True
    """True when the cast or a mark says so; else the first person tells it."""


NOBODY_TELLS = Teller()


def named_teller(cast: Iterable[Character]) -> Teller:
    """Give the narrators that the cast names; it holds only narrations of the episode in question."""
    tells = [one for one in cast if one.narrates]
    who = frozenset(one.character_id for one in tells)
    told = frozenset(each for one in tells for narration in one.narrates for each in narration.told_to)
    return Teller(who, told - who) if who else NOBODY_TELLS


def first_person_teller(passages: Sequence[QuotedPassage]) -> Teller:
    """Give the one of the cast whose first person the narration is in, if it is in one's alone."""
    owners: Counter[frozenset[str]] = Counter(
        mention.ids for passage in passages for mention in passage.told if mention.first_person
    )
    if len(owners) != 1:
        return NOBODY_TELLS
    (who, count), *_ = owners.items()
    return Teller(who, is_named=False) if len(who) == 1 and count >= _LEAST else NOBODY_TELLS
