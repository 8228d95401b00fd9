"""Who learns one fact when, and through which telling of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kataribe.domain.ids import WORLD
from kataribe.domain.story.views import Event, Learned, Share, Timeline, Way, pending_of
from kataribe.ports import View
from kataribe.story.views.fact_history import trails
from kataribe.story.views.story_view import StoryView, see, shares_of


@dataclass(slots=True)
class _Links:
    """How the facts of a story lead to each other, and the other way round."""

    told_from: dict[str, str] = field(default_factory=dict)
    tellings: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    supersedes: dict[str, str] = field(default_factory=dict)
    successors: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, share: Share) -> None:
        """Take in what a share links to."""
        if share.told_from is not None:
            self.told_from[share.fact_id] = share.told_from
            self.tellings[share.told_from].add(share.fact_id)
        if share.supersedes is not None:
            self.supersedes[share.fact_id] = share.supersedes
            self.successors[share.supersedes].add(share.fact_id)


def timeline(view: View, story_id: str, fact_id: str) -> Timeline:
    """Follow a fact from where it comes up to everybody who learns it. Raises `NotFoundError`.

    Tellings are followed both ways: asked of a telling, the answer is that of the secret told.
    """
    seen = see(view, story_id)
    text = trails(view, seen, fact_id)[0].text
    links = _Links()
    for _, share in shares_of(view, seen):
        links.add(share)
    ways = _ways(links, fact_id)
    events = _events(view, seen, ways)
    return Timeline(
        story_id=story_id,
        fact_id=fact_id,
        text=text,
        events=events,
        learned=_learned(seen, events),
        pending=pending_of(seen.episodes()),
    )


def _ways(links: _Links, fact_id: str) -> dict[str, tuple[Way, str | None]]:
    """How each fact of the timeline belongs to it, and by which link."""
    one = frozenset({fact_id})
    roots = _closure(one, lambda each: _one(links.told_from.get(each)))
    told = _closure(roots, lambda each: links.tellings.get(each, ()))
    ways: dict[str, tuple[Way, str | None]] = {}
    for each in told:
        teller = links.told_from.get(each)
        ways[each] = (Way.FACT, None) if teller is None else (Way.TELLING, teller)
    for each in _closure(told, lambda each: links.successors.get(each, ())) - told:
        ways[each] = (Way.REPLACES, links.supersedes[each])
    for each in _closure(told, lambda each: _one(links.supersedes.get(each))) - ways.keys():
        newer = links.successors[each] & ways.keys()
        ways[each] = (Way.REPLACED, min(newer) if newer else None)
    return ways


def _one(fact_id: str | None) -> tuple[str, ...]:
    return () if fact_id is None else (fact_id,)


def _closure(start: Iterable[str], step: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """Everything that can be reached; circles end where they began."""
    found = set(start)
    waiting = list(found)
    while waiting:
        for each in step(waiting.pop()):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return frozenset(found)


def _events(view: View, seen: StoryView, ways: Mapping[str, tuple[Way, str | None]]) -> tuple[Event, ...]:
    grouped: dict[tuple[str, str], list[tuple[int, Share]]] = {}
    for no, share in shares_of(view, seen):
        if share.fact_id in ways:
            grouped.setdefault((share.fact_id, share.episode_id), []).append((no, share))
    found = [_event(copies, *ways[fact_id]) for (fact_id, _), copies in grouped.items()]
    # Sorting is stable: within an episode they stay as they were told.
    return tuple(sorted(found, key=lambda event: event.episode_no))


def _event(copies: list[tuple[int, Share]], way: Way, linked: str | None) -> Event:
    no, first = copies[0]
    holders = tuple(sorted({share.holder for _, share in copies if share.holder}))
    return Event(
        episode_no=no,
        episode_id=first.episode_id,
        fact_id=first.fact_id,
        text=first.text,
        way=way,
        linked=linked,
        holders=holders,
        in_review=not holders,
    )


def _learned(seen: StoryView, events: tuple[Event, ...]) -> tuple[Learned, ...]:
    """When each of the cast learns it: at the first telling that is its own, or the world's."""
    first: dict[str, Event] = {}
    for event in events:
        if event.way in (Way.FACT, Way.TELLING):
            for holder in event.holders:
                first.setdefault(holder, event)
    return tuple(_when(seen, character.character_id, first) for character in seen.cast)


def _when(seen: StoryView, character_id: str, first: Mapping[str, Event]) -> Learned:
    own, world = first.get(character_id), first.get(WORLD)
    event = own
    if own is None or (world is not None and world.episode_no < own.episode_no):
        event = world
    return Learned(
        character_id=character_id,
        name=seen.name_of(character_id),
        episode_no=None if event is None else event.episode_no,
        fact_id=None if event is None else event.fact_id,
        through=None if event is None else character_id if event is own else WORLD,
    )
