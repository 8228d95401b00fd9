"""What has become of memory since a webhook's receiver was told of it, unit by unit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from kataribe.domain.conversation.life.events import HandVerb
from kataribe.domain.conversation.life.values import ENDED, TierState
from kataribe.domain.feeding import UNFED, FedUnit, FeedState
from kataribe.domain.hooks import ChangedKind, ChangedMemory, MemoryChange, Telling
from kataribe.domain.records import Outcome
from kataribe.domain.space import episode_of, parse_space
from kataribe.domain.work import WorkKind
from kataribe.engine.kinds import TELLINGS
from kataribe.ports import View
from kataribe.ports.tiers import TierStanding

_TELLINGS = {one.space: one for one in TELLINGS}

Key = tuple[str, str]
"""Who holds a memory, and its id."""


@dataclass(frozen=True, slots=True)
class StandingMemory:
    """What there is of a memory: what it supersedes (empty: nothing), and its position."""

    supersedes: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class HookDue:
    """A unit that has changed: what was told of it, what there is now, and the changes in between."""

    index_id: str
    fed: FedUnit
    now: Mapping[Key, StandingMemory]
    revision: int
    episode_id: str | None
    changes: tuple[ChangedMemory, ...]


def is_told_of(space: str) -> bool:
    """Tell whether a webhook is told of a space's memory: documents of libraries are nobody's."""
    return _telling(space) is not None


def unit_due(view: View, hook_id: str, state: FeedState, unit: str, revision: int) -> HookDue:
    """Compare what there is of a unit with what was told of it."""
    telling = _telling(state.space)
    assert telling is not None
    fed = view.fed_unit(hook_id, state.space, unit) or _nothing(state, unit)
    entries = view.entries_of(state.space, unit, revision=revision)
    supersedes = _supersedes(view, state.space, unit) if telling.by_episode else {}
    now = {
        key: StandingMemory(supersedes.get(key, ""), one.position)
        for one in entries
        if (key := (one.holder, one.fact_id))[0]
    }
    return HookDue(
        index_id=hook_id,
        fed=fed,
        now=now,
        revision=revision,
        episode_id=episode_of(unit) if telling.by_episode else None,
        changes=tuple(_between(memories_fed(fed), now, telling.kind)),
    )


def tier_due(view: View, kept_by: str, state: FeedState, holder: str) -> HookDue:
    """Compare what nights keep for a holder with what was told of it."""
    fed = view.fed_unit(kept_by, state.space, holder) or _nothing(state, holder)
    states = view.tier_states(state.space, holder)
    now = {
        (holder, memory_id): StandingMemory("", one.position)
        for memory_id, one in states.items()
        if one.state not in ENDED
    }
    hidden = {
        one.memory_id for one in view.hand_decisions(state.space, holder) if one.what is HandVerb.FORGET
    }
    changes = [
        _ended(one, states.get(one.memory_id), by_hand=one.memory_id in hidden)
        for one in _between(memories_fed(fed), now, ChangedKind.KEPT_MEMORY)
    ]
    return HookDue(
        index_id=kept_by,
        fed=fed,
        now=now,
        revision=state.revision,
        episode_id=None,
        changes=tuple(changes),
    )


def put_off(view: View, hook_id: str, space: str) -> frozenset[str]:
    """Name units that lag and are to be made anew: hidden until then, they are told of afterwards."""
    waiting = _being_made(view, space)
    if not waiting:
        return frozenset()
    lagging = view.lagging_units(hook_id, space)
    return frozenset(unit for unit in lagging if _whole(space, unit) in waiting)


def settled_tiers(view: View, space: str) -> dict[str, str]:
    """Give by holder what its tiers are made from, of those that are made."""
    if not parse_space(space).is_personal:
        return {}
    work = view.work(space, WorkKind.TIERS)
    return {
        holder: one.fingerprint
        for holder, one in work.items()
        if one.outcome is Outcome.DONE and not one.lags
    }


def as_fed(fed: FedUnit, now: Mapping[Key, StandingMemory], revision: int) -> FedUnit:
    """Write down that these memories of a unit were told, up to a revision."""
    ids = (json.dumps([*key, one.supersedes], ensure_ascii=False) for key, one in now.items())
    return replace(fed, revision=revision, ids=tuple(sorted(ids)))


def memories_fed(fed: FedUnit) -> dict[Key, StandingMemory]:
    """Give the memories of a unit that were told; where they stand is not kept."""
    found: dict[Key, StandingMemory] = {}
    for one in fed.ids:
        holder, memory_id, supersedes = json.loads(one)
        found[holder, memory_id] = StandingMemory(supersedes)
    return found


def _telling(space: str) -> Telling | None:
    return _TELLINGS.get(parse_space(space).type)


def _being_made(view: View, space: str) -> frozenset[str]:
    """Name the units whose memory is to be made anew, and is not given up."""
    telling = _telling(space)
    assert telling is not None
    return frozenset(_whole(space, unit) for unit in view.due(space, telling.made_by))


def _whole(space: str, unit: str) -> str:
    telling = _telling(space)
    return episode_of(unit) if telling is not None and telling.by_episode else unit


def _supersedes(view: View, space: str, unit: str) -> dict[Key, str]:
    return {
        (one.holder, one.fact_id): one.supersedes
        for one in view.memories(space, unit=unit)
        if one.supersedes is not None
    }


def _nothing(state: FeedState, unit: str) -> FedUnit:
    return FedUnit(collection=state.collection, unit=unit, revision=UNFED, ids=())


def _between(
    before: Mapping[Key, StandingMemory], now: Mapping[Key, StandingMemory], kind: ChangedKind
) -> Iterator[ChangedMemory]:
    """Give what has changed: what is gone, what is there anew, and after it what it took the place of."""
    for holder, memory_id in sorted(before.keys() - now.keys()):
        yield ChangedMemory(change=MemoryChange.DELETED, kind=kind, memory_id=memory_id, holder=holder)
    for key in _in_order(now):
        (holder, memory_id), there, known = key, now[key], before.get(key)
        if known is None:
            yield ChangedMemory(
                change=MemoryChange.KEPT,
                kind=kind,
                memory_id=memory_id,
                holder=holder,
                position=there.position,
            )
        if there.supersedes and (known is None or known.supersedes != there.supersedes):
            yield ChangedMemory(
                change=MemoryChange.SUPERSEDED,
                kind=kind,
                memory_id=there.supersedes,
                holder=holder,
                position=there.position,
                by=memory_id,
            )


def _in_order(now: Mapping[Key, StandingMemory]) -> Iterable[Key]:
    return sorted(now, key=lambda key: (now[key].position or 0, key))


def _ended(one: ChangedMemory, last: TierStanding | None, *, by_hand: bool) -> ChangedMemory:
    """Say how what nights kept has ended: its last row says so, or that somebody had it forgotten."""
    if one.change is not MemoryChange.DELETED or (last is None and not by_hand):
        return one
    if last is None:
        return replace(one, change=MemoryChange.FORGOTTEN)
    if last.state is TierState.SUPERSEDED:
        return replace(one, change=MemoryChange.SUPERSEDED, position=last.position, by=last.superseded_by)
    return replace(one, change=MemoryChange.FORGOTTEN, position=last.position)
