"""Replaying what happened: everything a holder keeps of one space, at every moment, from its inputs alone.

A row depends on inputs at or before its position only; a decision to forget, and a turn that is not
there any more, act on every moment. The order in which inputs are handed in does not matter.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from kataribe.domain.conversation.life.deciding import decide, effective_forgets, taken_by_forgetting
from kataribe.domain.conversation.life.events import (
    Flush,
    HandDecision,
    HandVerb,
    Night,
    SaidTurn,
    UsedAt,
)
from kataribe.domain.conversation.life.night import pass_night
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, HOUR, PolicyTimes, TierPolicy
from kataribe.domain.conversation.life.state import ItemLife, LifeState, TurnLife
from kataribe.domain.conversation.life.talking import memories_of, say, touch, uncount, use
from kataribe.domain.conversation.life.values import Cause, Life, Tier
from kataribe.domain.terms import Language
from kataribe.errors import InputError


def replay(
    turns: Iterable[SaidTurn],
    flushes: Iterable[Flush] = (),
    nights: Iterable[Night] = (),
    uses: Iterable[UsedAt] = (),
    decisions: Iterable[HandDecision] = (),
    policy: TierPolicy = DEFAULT_TIERS,
    *,
    space: str,
    holder: str,
    language: Language,
) -> Life:
    """Give all rows of memories and turns of one holder in one space.

    Each night has its own numbers, which hold from it on; `policy` holds before the first.
    Turns are those of persons that the holder's gate admits in this space. Uses, flushes and decisions
    that name a turn or memory that is not there are passed over. Where two texts have no vectors to
    compare, their likeness is unknown: the share of content words that they have in common stands for it.
    Raises `InputError` when two turns have one id, or vectors cannot be compared.
    """
    happened = _Happened(
        turns=sorted(turns, key=lambda one: one.order),
        flushes=sorted(flushes, key=lambda one: (one.at, one.thread_id, one.turn_ids)),
        nights=sorted({one.at: one for one in nights}.values(), key=lambda one: one.at),
        uses=sorted(set(uses), key=lambda one: (one.at, one.turn_id)),
        decisions=sorted(decisions, key=lambda one: (one.at, one.memory_id, one.what, one.text)),
    )
    _check_ids(happened.turns)
    times = PolicyTimes(((one.at, one.policy) for one in happened.nights), policy)
    fresh = partial(LifeState, happened.turns, times, space=space, holder=holder, language=language)
    forgets = effective_forgets(happened.decisions, times)
    forgotten = _found_to_forget(happened, fresh(), forgets) if forgets else {}
    return _Replay(happened, fresh(), forgotten).run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happened:
    """The inputs, each in the order in which they act."""

    turns: Sequence[SaidTurn]
    flushes: Sequence[Flush]
    nights: Sequence[Night]
    uses: Sequence[UsedAt]
    decisions: Sequence[HandDecision]


def _check_ids(turns: Sequence[SaidTurn]) -> None:
    twice = [turn_id for turn_id, count in Counter(one.turn_id for one in turns).items() if count > 1]
    if twice:
        raise InputError(f"two turns have the id {min(twice)!r}; give each its own")


_Forgotten = dict[int, str]
"""By number of an item: the memory with which it was forgotten."""


def _found_to_forget(happened: _Happened, state: LifeState, forgets: list[HandDecision]) -> _Forgotten:
    """Find what each decision to forget takes, replaying with each one holding from its own moment on."""
    trial = _Replay(happened, state, {}, forgets)
    trial.run()
    return trial.forgotten


class _Replay:
    """One run through all that happened.

    With `forgets` it finds what they take, in the place of giving what is left of the past.
    """

    def __init__(
        self,
        happened: _Happened,
        state: LifeState,
        forgotten: _Forgotten,
        forgets: Sequence[HandDecision] = (),
    ) -> None:
        self._happened = happened
        self._state = state
        self.forgotten = forgotten
        self._forgets = forgets
        self._ageing: list[tuple[int, str]] = []
        for number, memory_id in sorted(forgotten.items()):
            self._strike(state.items[number], memory_id)

    def _strike(self, one: ItemLife, memory_id: str) -> None:
        one.is_forgotten = True
        one.said.hidden_by = one.said.hidden_by or memory_id

    def run(self) -> Life:
        state = self._state
        for at, _, act in self._events():
            self._age(at)
            act(at)
        self._age(None)
        return state.life()

    def _events(self) -> list[tuple[int, int, Callable[[int], None]]]:
        """Give what happens in its order; at one position: turns, uses, flushes, decisions, the night."""
        happened, acts = self._happened, self._state.turns
        found: list[tuple[int, int, Callable[[int], None]]] = []
        found += [(one.at, 0, partial(self._say, acts[one.turn_id])) for one in happened.turns]
        found += [(one.at, 1, partial(self._use, one)) for one in happened.uses]
        found += [(one.at, 2, partial(self._flush, one)) for one in happened.flushes]
        found += [(one.at, 3, partial(self._decide, one)) for one in happened.decisions]
        found += [(one.at, 4, partial(self._forget, one)) for one in self._forgets]
        found += [(one.at, 5, partial(self._night, one)) for one in happened.nights]
        # Sorting keeps the order of what is equal.
        return sorted(found, key=lambda one: one[:2])

    def _say(self, said: TurnLife, at: int) -> None:
        say(self._state, said)
        if any(one.is_forgotten for one in said.items):
            self._state.show(said, at, said.hidden_by or "", Cause("forgotten"))
        self._await_ageing()

    def _use(self, one: UsedAt, at: int) -> None:
        said = self._state.turns.get(one.turn_id)
        if said is not None and said.is_said:
            use(self._state, said, at)

    def _flush(self, one: Flush, at: int) -> None:
        known = (self._state.turns.get(turn_id) for turn_id in dict.fromkeys(one.turn_ids))
        leaving = [said for said in known if said is not None and said.is_said and not said.is_flushed]
        for said in sorted(leaving, key=lambda each: each.number):
            said.is_flushed = True
            for item in said.items:
                if item.is_in_force and item.held is None:
                    _keep(self._state, item, at)
        self._await_ageing()

    def _await_ageing(self) -> None:
        for held in self._state.newly_made():
            heapq.heappush(self._ageing, (held.recent_until, held.memory_id))

    def _decide(self, one: HandDecision, _: int) -> None:
        if one.what is not HandVerb.FORGET:
            decide(self._state, one)

    def _forget(self, one: HandDecision, at: int) -> None:
        taken = taken_by_forgetting(self._state, one.memory_id)
        for item in taken:
            uncount(self._state, item)
            self.forgotten.setdefault(item.item.number, one.memory_id)
            self._strike(item, one.memory_id)
        for held in memories_of(taken):
            self._state.remake(held, at, Cause("forgotten"))

    def _night(self, one: Night, at: int) -> None:
        if one.policy is not None:
            self._state.go_by(one.policy)
        pass_night(self._state, at)

    def _age(self, upto: int | None) -> None:
        """Write the rows by which memories of the mid term stop being recent, up to a position."""
        while self._ageing and (upto is None or self._ageing[0][0] <= upto):
            at, memory_id = heapq.heappop(self._ageing)
            held = self._state.held[memory_id]
            if held.end is None and held.tier is Tier.MID:
                hours = (at - held.created_at) // HOUR
                self._state.write(held, at, Cause("kept", (("hours", hours),)))


def _keep(state: LifeState, one: ItemLife, at: int) -> None:
    """Make an item that leaves the buffer a memory, or a mention of the memory that says the same words."""
    item = one.item
    before = state.same.get((item.turn.speaker, item.kind, item.same))
    held = None if before is None or not before.is_in_force else before.held
    if held is None or held.end is not None:
        held = state.make(one, at)
        state.write(held, at, Cause("said"))
        return
    one.held = held
    held.items = sorted([*held.items, one], key=lambda each: each.item.number)
    held.refreshed_at = at
    held.explicit |= one.explicit
    touch(state, held, item.turn.at)
    state.await_expiry(held)
    state.write(held, at, Cause("said_again", (("turns", len({each.said.number for each in held.live})),)))
