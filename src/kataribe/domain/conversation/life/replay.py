"""Replaying what happened: everything a holder keeps of one space, at every moment, from its inputs alone.

A row depends on inputs at or before its position only; a decision to forget, and a turn that is not
there any more, act on every moment. The order in which inputs are handed in does not matter.
"""

from __future__ import annotations

from collections import Counter, deque
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
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, HOUR, TierPolicy
from kataribe.domain.conversation.life.state import HeldMemory, ItemLife, LifeState, TurnLife
from kataribe.domain.conversation.life.summed import NO_MODEL, ModelWord
from kataribe.domain.conversation.life.summing import (
    keep,
    keep_summed,
    otherwise_of,
    settle,
    tell_otherwise,
)
from kataribe.domain.conversation.life.talking import memories_of, say, uncount, use
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
    model: ModelWord = NO_MODEL,
) -> Life:
    """Give all rows of memories and turns of one holder in one space.

    Turns are those of persons that the holder's gate admits in this space. Uses, flushes and decisions
    that name a turn or memory that is not there are passed over. Where two texts have no vectors to
    compare, their likeness is unknown: the share of content words that they have in common stands for it.
    What a `model` made of a thread stands in the place of its turns' statements once the thread is over.
    Raises `InputError` when two turns have one id, or vectors cannot be compared.
    """
    happened = _Happened(
        turns=sorted(turns, key=lambda one: one.order),
        flushes=sorted(flushes, key=lambda one: (one.at, one.thread_id, one.turn_ids)),
        nights=sorted(set(nights)),
        uses=sorted(set(uses), key=lambda one: (one.at, one.turn_id)),
        decisions=sorted(decisions, key=lambda one: (one.at, one.memory_id, one.what, one.text)),
        model=model,
    )
    _check_ids(happened.turns)
    fresh = partial(
        LifeState, happened.turns, policy, space=space, holder=holder, language=language, model=model
    )
    forgets = effective_forgets(happened.decisions, policy.forgetting.restore_days)
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
    model: ModelWord


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
        self._ageing: deque[HeldMemory] = deque()
        self._summed = {one.thread_id: one.turn_ids for one in happened.model.threads}
        self._otherwise = otherwise_of(happened.model)
        for number, memory_id in sorted(forgotten.items()):
            self._strike(state.items[number], memory_id)

    def _strike(self, one: ItemLife, memory_id: str) -> None:
        one.is_forgotten = True
        for said in one.rests_on or (one.said,):
            said.hidden_by = said.hidden_by or memory_id
            self._state.unsettled.append((said, Cause("forgotten")))

    def run(self) -> Life:
        state = self._state
        for at, _, act in self._events():
            self._age(at)
            act(at)
            if state.unsettled:
                settle(state, at)
                self._ageing.extend(state.newly_made())
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
        found += [(one.at, 5, self._night) for one in happened.nights]
        # Sorting keeps the order of what is equal.
        return sorted(found, key=lambda one: one[:2])

    def _say(self, said: TurnLife, at: int) -> None:
        is_struck = said.hidden_by is not None
        say(self._state, said)
        tell_otherwise(self._state, said, self._otherwise.get(said.turn.turn_id, ()))
        if is_struck:
            self._state.show(said, at, said.hidden_by or "", Cause("forgotten"))
        self._ageing.extend(self._state.newly_made())

    def _use(self, one: UsedAt, at: int) -> None:
        said = self._state.turns.get(one.turn_id)
        if said is not None and said.is_said:
            use(self._state, said, at)

    def _flush(self, one: Flush, at: int) -> None:
        known = (self._state.turns.get(turn_id) for turn_id in dict.fromkeys(one.turn_ids))
        leaving = [said for said in known if said is not None and said.is_said and not said.is_flushed]
        leaving.sort(key=lambda each: each.number)
        for said in leaving:
            said.is_flushed = True
        shown = self._summed.get(one.thread_id, frozenset())
        for item in (item for said in leaving for item in said.items if said.turn.turn_id not in shown):
            if item.is_in_force and item.held is None:
                keep(self._state, item, at)
        keep_summed(self._state, [said for said in leaving if said.turn.turn_id in shown], at)
        self._ageing.extend(self._state.newly_made())

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

    def _night(self, at: int) -> None:
        pass_night(self._state, at)

    def _age(self, upto: int | None) -> None:
        """Write the rows by which memories of the mid term stop being recent, up to a position."""
        hours = self._state.policy.mid.recent_hours
        while self._ageing and (upto is None or self._ageing[0].created_at + hours * HOUR <= upto):
            held = self._ageing.popleft()
            if held.end is None and held.tier is Tier.MID:
                self._state.write(held, held.created_at + hours * HOUR, Cause("kept", (("hours", hours),)))
