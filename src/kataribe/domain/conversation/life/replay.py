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
from kataribe.domain.conversation.life.held import ItemLife, TurnLife
from kataribe.domain.conversation.life.night import pass_night
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, HOUR, PolicyTimes, TierPolicy
from kataribe.domain.conversation.life.state import LifeState
from kataribe.domain.conversation.life.summed import NO_MODEL, ModelWord
from kataribe.domain.conversation.life.summing import (
    keep,
    keep_summed,
    otherwise_of,
    settle,
    tell_otherwise,
)
from kataribe.domain.conversation.life.talking import memories_of, say, uncount, use
from kataribe.domain.conversation.life.values import NO_ROWS, Cause, Life, LifeCounts, Tier
from kataribe.domain.terms import Language
from kataribe.errors import InputError

BEFORE_ALL = -(1 << 62)
"""Earlier than anything can happen."""


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
    model: ModelWord = NO_MODEL,
) -> Life:
    """Give all rows of memories and turns of one holder in one space.

    Each night has its own numbers, which hold from it on; `policy` holds before the first.

    Turns are those of persons that the holder's gate admits in this space. Uses, flushes and decisions
    that name a turn or memory that is not there are passed over. Where two texts have no vectors to
    compare, their likeness is unknown: the share of content words that they have in common stands for it.
    What a `model` made of a thread stands in the place of its turns' statements once the thread is over.
    Raises `InputError` when two turns have one id, or vectors cannot be compared.
    """
    happened = Happened.of(turns, flushes, nights, uses, decisions, model)
    return RunningLife(policy, space=space, holder=holder, language=language).begin(happened).life


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Inputs, each in the order in which they act."""

    turns: Sequence[SaidTurn]
    flushes: Sequence[Flush]
    nights: Sequence[Night]
    uses: Sequence[UsedAt]
    decisions: Sequence[HandDecision]
    model: ModelWord = NO_MODEL

    @classmethod
    def of(
        cls,
        turns: Iterable[SaidTurn],
        flushes: Iterable[Flush] = (),
        nights: Iterable[Night] = (),
        uses: Iterable[UsedAt] = (),
        decisions: Iterable[HandDecision] = (),
        model: ModelWord = NO_MODEL,
    ) -> Happened:
        """Sort inputs, and leave out what is there twice."""
        return cls(
            turns=sorted(turns, key=lambda one: one.order),
            flushes=sorted(flushes, key=lambda one: (one.at, one.thread_id, one.turn_ids)),
            nights=sorted({one.at: one for one in nights}.values(), key=lambda one: one.at),
            uses=sorted(set(uses), key=lambda one: (one.at, one.turn_id)),
            decisions=sorted(decisions, key=lambda one: (one.at, one.memory_id, one.what, one.text)),
            model=model,
        )

    @property
    def moments(self) -> Iterable[int]:
        """When anything happened that was not the end of a thread: that may be still to come."""
        for found in (self.turns, self.nights, self.uses, self.decisions):
            yield from (one.at for one in found)

    @property
    def reaches_back(self) -> bool:
        """Whether anything in it acts on moments before."""
        return any(one.what in _REACHING for one in self.decisions)


_REACHING = frozenset({HandVerb.FORGET, HandVerb.RESTORE})

_Forgotten = dict[int, str]
"""By number of an item: the memory with which it was forgotten."""


@dataclass(frozen=True, slots=True)
class LifeStep:
    """The rows that come of what happened: those behind the first `since` of each sort are these."""

    since: LifeCounts
    life: Life


class RunningLife:
    """A life that goes on: what happens later is replayed without replaying what was before.

    Rows up to `upto` stay, whatever is handed in by `go_on`. Those after it, of threads that nobody may
    go on with and of what stops being recent, are given anew each time. What a model has said acts on
    threads of the past: such a life is replayed whole, and cannot be gone on with.
    """

    def __init__(
        self, policy: TierPolicy = DEFAULT_TIERS, *, space: str, holder: str, language: Language
    ) -> None:
        self._first = policy
        self._fresh = partial(LifeState, space=space, holder=holder, language=language)
        self._run: _Replay | None = None
        self._count = NO_ROWS
        self.upto = BEFORE_ALL

    def begin(self, happened: Happened) -> LifeStep:
        """Replay all that happened. Raises `InputError` as `replay` does."""
        _check_ids(happened.turns)
        times = PolicyTimes(((one.at, one.policy) for one in happened.nights), self._first)
        forgets = effective_forgets(happened.decisions, times)
        fresh = partial(self._fresh, happened.turns, times, model=happened.model)
        forgotten: _Forgotten = {}
        if forgets:
            trial = _Replay(fresh(), {}, forgets, happened.model)
            trial.settle(happened, max(happened.moments, default=BEFORE_ALL))
            forgotten = trial.forgotten
        run = _Replay(fresh(), forgotten, model=happened.model)
        self._count, self.upto = NO_ROWS, BEFORE_ALL
        if happened.model != NO_MODEL:
            self._run = None
            run.settle(happened, None)
            return LifeStep(NO_ROWS, run.state.hand_out())
        self._run = run
        return self._advance(run, happened)

    def follows(self, happened: Happened) -> bool:
        """Whether this can be gone on with: all of it comes later, and nothing of it acts on what was."""
        if self._run is None or happened.reaches_back:
            return False
        known = self._run.state.turns
        return all(at > self.upto for at in happened.moments) and not any(
            turn.turn_id in known for turn in happened.turns
        )

    def go_on(self, happened: Happened) -> LifeStep:
        """Replay what came later; its flushes are all those later than `upto`, of the past too.

        It must follow. Gives the rows after those that stay.
        """
        assert self._run is not None
        _check_ids(happened.turns)
        state = self._run.state
        for night in happened.nights:
            state.times.add(night.at, night.policy)
        state.take(happened.turns)
        return self._advance(self._run, happened)

    def _advance(self, run: _Replay, happened: Happened) -> LifeStep:
        since = self._count
        self.upto = max(happened.moments, default=self.upto)
        run.settle(happened, self.upto)
        settled = run.state.hand_out()
        self._count = since.plus(settled)
        tail = run.foreseen([one for one in happened.flushes if one.at > self.upto])
        return LifeStep(since, settled.then(tail))


def _check_ids(turns: Sequence[SaidTurn]) -> None:
    twice = [turn_id for turn_id, count in Counter(one.turn_id for one in turns).items() if count > 1]
    if twice:
        raise InputError(f"two turns have the id {min(twice)!r}; give each its own")


class _Replay:
    """One run through what happened.

    With `forgets` it finds what they take, each holding from its own moment on, in the place of giving
    what is left of the past.
    """

    def __init__(
        self,
        state: LifeState,
        forgotten: _Forgotten,
        forgets: Sequence[HandDecision] = (),
        model: ModelWord = NO_MODEL,
    ) -> None:
        self.state = state
        self.forgotten = forgotten
        self._forgets = forgets
        self._ageing: list[tuple[int, str]] = []
        self._summed = {one.thread_id: one.turn_ids for one in model.threads}
        self._otherwise = otherwise_of(model)
        for number, memory_id in sorted(forgotten.items()):
            self._strike(state.items[number], memory_id)

    def _strike(self, one: ItemLife, memory_id: str) -> None:
        one.is_forgotten = True
        for said in one.rests_on or (one.said,):
            said.hidden_by = said.hidden_by or memory_id
            self.state.unsettled.append((said, Cause("forgotten")))

    def settle(self, happened: Happened, upto: int | None) -> None:
        """Let happen what happened up to a position; None: all of it, and what will come of it."""
        for at, _, act in self._events(happened):
            if upto is not None and at > upto:
                break
            self._age(at)
            act(at)
            if self.state.unsettled:
                settle(self.state, at)
                self._await_ageing()
        self._age(upto)

    def foreseen(self, flushes: Sequence[Flush]) -> Life:
        """Give the rows that will come when nothing else happens; nothing is changed by it."""
        items = [one for flush in flushes for said in self._leaving(flush) for one in said.items]
        undo = self.state.remember(items, (memory_id for _, memory_id in self._ageing))
        ageing = list(self._ageing)
        for flush in flushes:
            self._age(flush.at)
            self._flush(flush, flush.at)
        self._age(None)
        found = self.state.hand_out()
        self._ageing = ageing
        undo()
        return found

    def _events(self, happened: Happened) -> list[tuple[int, int, Callable[[int], None]]]:
        """Give what happens in its order; at one position: turns, uses, flushes, decisions, the night."""
        acts = self.state.turns
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
        is_struck = said.hidden_by is not None
        say(self.state, said)
        tell_otherwise(self.state, said, self._otherwise.get(said.turn.turn_id, ()))
        if is_struck:
            self.state.show(said, at, said.hidden_by or "", Cause("forgotten"))
        self._await_ageing()

    def _use(self, one: UsedAt, at: int) -> None:
        said = self.state.turns.get(one.turn_id)
        if said is not None and said.is_said:
            use(self.state, said, at)

    def _leaving(self, one: Flush) -> list[TurnLife]:
        known = (self.state.turns.get(turn_id) for turn_id in dict.fromkeys(one.turn_ids))
        leaving = [said for said in known if said is not None and said.is_said and not said.is_flushed]
        return sorted(leaving, key=lambda each: each.number)

    def _flush(self, one: Flush, at: int) -> None:
        leaving = self._leaving(one)
        for said in leaving:
            said.is_flushed = True
        shown = self._summed.get(one.thread_id, frozenset())
        for item in (item for said in leaving for item in said.items if said.turn.turn_id not in shown):
            if item.is_in_force and item.held is None:
                keep(self.state, item, at)
        keep_summed(self.state, [said for said in leaving if said.turn.turn_id in shown], at)
        self._await_ageing()

    def _await_ageing(self) -> None:
        for held in self.state.newly_made():
            heapq.heappush(self._ageing, (held.recent_until, held.memory_id))

    def _decide(self, one: HandDecision, _: int) -> None:
        if one.what is not HandVerb.FORGET:
            decide(self.state, one)

    def _forget(self, one: HandDecision, at: int) -> None:
        taken = taken_by_forgetting(self.state, one.memory_id)
        for item in taken:
            uncount(self.state, item)
            self.forgotten.setdefault(item.item.number, one.memory_id)
            self._strike(item, one.memory_id)
        for held in memories_of(taken):
            self.state.remake(held, at, Cause("forgotten"))

    def _night(self, one: Night, at: int) -> None:
        if one.policy is not None:
            self.state.go_by(one.policy)
        pass_night(self.state, at)

    def _age(self, upto: int | None) -> None:
        """Write the rows by which memories of the mid term stop being recent, up to a position."""
        while self._ageing and (upto is None or self._ageing[0][0] <= upto):
            at, memory_id = heapq.heappop(self._ageing)
            held = self.state.held[memory_id]
            if held.end is None and held.tier is Tier.MID:
                hours = (at - held.created_at) // HOUR
                self.state.write(held, at, Cause("kept", (("hours", hours),)))
