"""Letting the texts of turns expire, so that what was replayed of them stays what it is (S3-32)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kataribe.conversation.life_inputs import Expired, LifeInputs, life_inputs, life_of
from kataribe.conversation.store import leave_stubs
from kataribe.domain.conversation.life.events import SaidTurn, TurnVerb
from kataribe.domain.conversation.life.stubs import stub_of
from kataribe.domain.conversation.life.values import Life
from kataribe.domain.records import SpaceState
from kataribe.domain.work import WorkKind
from kataribe.ports import Transaction, View


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedExpiry:
    """What is left of the turns of a space whose text is to expire, as long as nothing happens meanwhile."""

    space: str
    left: tuple[Expired, ...]
    wanted: Mapping[str, str]
    """By holder: for what state of what happened it was found that the replay stays equal."""


def plan_expiry(view: View, space: str, user_id: str, *, before: int) -> PlannedExpiry:
    """Find the turns said at or before a position whose text can expire without moving a replay.

    What could not be taken by its stub alone keeps its text, and is looked at again the next night.
    """
    state = view.space(space)
    work = view.work(space, WorkKind.TIERS)
    nothing = PlannedExpiry(space=space, left=(), wanted={})
    if state is None or any(one.lags for one in work.values()):
        return nothing
    planner = _Planner(view, state, user_id, tuple(sorted(work)))
    left = planner.left(before)
    wanted = {holder: one.wanted for holder, one in work.items()}
    return PlannedExpiry(space=space, left=tuple(left), wanted=wanted) if left else nothing


def expire(tx: Transaction, planned: PlannedExpiry) -> int:
    """Do what was planned, and count the turns; 0 where something happened meanwhile."""
    work = tx.work(planned.space, WorkKind.TIERS)
    if not planned.left or {holder: one.wanted for holder, one in work.items()} != planned.wanted:
        return 0
    leave_stubs(tx, planned.space, planned.left)
    return len(planned.left)


class _Planner:
    """Tries what the replay of each holder makes of stubs."""

    def __init__(self, view: View, state: SpaceState, user_id: str, holders: Sequence[str]) -> None:
        self._view, self._state, self._user_id = view, state, user_id
        self._inputs: dict[str, LifeInputs] = {}
        for holder in holders:
            inputs = life_inputs(view, state, user_id, holder)
            if inputs is not None:
                self._inputs[holder] = inputs
        self._lives: dict[str, Life] = {}

    def left(self, before: int) -> list[Expired]:
        """Give what is left of each turn that can expire."""
        found = self._equal(list(self._stubs(before)))
        # Each part was tried by itself.
        return found if self._is_equal(found) else []

    def _stubs(self, before: int) -> Iterator[Expired]:
        said: dict[str, SaidTurn] = {}
        for inputs in self._inputs.values():
            said |= {turn.turn_id: turn for turn in inputs.turns}
        forgets = [one for one in said.values() if any(ask.verb is TurnVerb.FORGET for ask in one.asks)]
        there = self._view.stubs(self._state.space)
        for turn in self._view.turns(self._state.space):
            if turn.at > before or turn.turn_id in there:
                continue
            if turn.is_system or turn.turn_id in said:
                yield stub_of(
                    turn,
                    said.get(turn.turn_id),
                    language=self._state.language,
                    embedder_id=self._state.embedder_id,
                    forgets=forgets,
                )

    def _equal(self, tried: list[Expired]) -> list[Expired]:
        if not tried or self._is_equal(tried):
            return tried
        half = len(tried) // 2
        return [] if not half else [*self._equal(tried[:half]), *self._equal(tried[half:])]

    def _is_equal(self, tried: Sequence[Expired]) -> bool:
        expiring = {turn.turn_id: (turn, stub) for turn, stub in tried}
        for holder, inputs in self._inputs.items():
            after = life_inputs(self._view, self._state, self._user_id, holder, expiring=expiring)
            if holder not in self._lives:
                self._lives[holder] = life_of(inputs)
            if after is None or life_of(after) != self._lives[holder]:
                return False
        return True
