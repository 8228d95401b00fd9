"""The items of a context are given what stands around them, as far as there is room: each sentence once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kataribe.domain.around import SentencePlace, StorySentence
from kataribe.domain.memory import FactHit, Hit

Sentences = tuple[StorySentence, ...]


@dataclass(frozen=True, slots=True)
class Widened:
    """What became of items, by their place among the hits.

    `sentences` are those that an item is written with instead of its own alone; `within` says of a
    hit that is no item of its own which item it stands in.
    """

    sentences: Mapping[int, Sentences] = field(default_factory=dict)
    within: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WideningRules:
    """What it costs to write the item at a place with these sentences, and what has been said just now."""

    cost: Callable[[int, Sentences], int]
    was_said: Callable[[str], bool]


def widen(
    hits: Sequence[Hit], kept: Sequence[int], costs: Sequence[int], room: int, rules: WideningRules
) -> Widened:
    """Give the items at the places `kept`, best first, what stands around them, while `room` lasts.

    `costs` are those of the hits by themselves. A later one that comes to stand within an item gives
    up its own place, and its room.
    """
    own = {place: at for at, hit in enumerate(hits) if (place := _place(hit)) is not None}
    shown: set[SentencePlace] = set()
    sentences: dict[int, Sentences] = {}
    within: dict[int, int] = {}
    for at in kept:
        hit = hits[at]
        if at in within or not isinstance(hit, FactHit) or hit.place is None:
            continue
        shown.add(hit.place)
        told = _fresh(hit, shown, rules)
        inside = [own[one.place] for one in told if own.get(one.place, at) != at]
        freed = sum(costs[other] for other in inside if other in kept)
        more = rules.cost(at, told) - costs[at] - freed if len(told) > 1 else room + 1
        if more <= room:
            room -= more
            shown.update(one.place for one in told)
            sentences[at] = told
            within.update(dict.fromkeys(inside, at))
    return Widened(sentences, within)


def _fresh(hit: FactHit, shown: set[SentencePlace], rules: WideningRules) -> Sentences:
    """Give a hit among what stands around it and is neither shown yet nor was said just now."""
    return tuple(
        one
        for one in hit.sentences
        if one.place == hit.place or (one.place not in shown and not rules.was_said(one.text))
    )


def _place(hit: Hit) -> SentencePlace | None:
    return hit.place if isinstance(hit, FactHit) else None
