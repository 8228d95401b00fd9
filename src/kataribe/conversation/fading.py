"""How what was said stands for a viewer: what is forgotten, and what fades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from kataribe.domain.conversation.life.formulas import factor_of
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, Decay
from kataribe.domain.conversation.life.values import Fates, TurnState
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import Gate
from kataribe.domain.text.without import without
from kataribe.ports import View
from kataribe.ports.kinds import Fading, Told

T = TypeVar("T")

Places = tuple[tuple[int, int], ...]

GONE = frozenset({TurnState.HIDDEN, TurnState.SUPERSEDED, TurnState.LOG_ONLY})
"""States in which no viewer is given a turn in any way; what is only old stays in the log."""


def fading(view: View, user_id: str, gate: Gate) -> Fading:
    """Look up how turns stand behind a gate, by the numbers of the last night within it (S2-22)."""
    upto = max((part.upto for part in gate.slices), default=0)
    recorded = view.once(("nights", user_id), lambda: view.nights(user_id))
    nights = [night for night in recorded if night.at <= upto]
    decay = nights[-1].policy.decay if nights else DEFAULT_TIERS.decay
    found = [fates.once(decay, partial(_standing, fates, decay)) for fates in view.fates(gate) if fates.rows]
    if len(found) == 1:
        return found[0]
    return Fading(
        gone=_joined(one.gone for one in found),
        unsearched=_joined(one.unsearched for one in found),
        cut=_joined(one.cut for one in found),
        factors=_joined(one.factors for one in found),
        usual=decay.hot_factor,
        archived=_joined(one.archived for one in found),
    )


def _standing(fates: Fates, decay: Decay) -> Fading:
    """Work out how the turns of one space stand by these numbers."""
    factors = {state: factor_of(state, decay) for state in TurnState}
    gone, unsearched, cut = dict[Told, str](), dict[Told, str](), dict[Told, Places]()
    searched, archived = dict[Told, float](), dict[Told, float]()
    for turn_id, fate in fates.rows.items():
        told, state = (fates.space, turn_id), fate.state
        factor = factors[state]
        if factor is None:
            unsearched[told] = f"{state}: {fate.reason}"
        else:
            searched[told] = factor
        if state in GONE:
            gone[told] = f"{state}: {fate.reason}"
        elif state is TurnState.ARCHIVED:
            # It is nearer to what is cool than to anything else that is searched.
            archived[told] = decay.cool_factor
        if fate.cut:
            cut[told] = fate.cut
    return Fading(gone, unsearched, searched, decay.hot_factor, archived, cut)


def _joined(parts: Iterable[Mapping[Told, T]]) -> Mapping[Told, T]:
    return {told: value for part in parts for told, value in part.items()}


def in_force(turn: Turn, space: str, fading: Fading) -> Turn:
    """Give a turn without what of its text is no longer so."""
    places = fading.cut.get((space, turn.turn_id))
    return turn if places is None else replace(turn, text=without(turn.text, places))
