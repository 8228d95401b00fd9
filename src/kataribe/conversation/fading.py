"""How what was said stands for a viewer: what is forgotten, and what fades."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.conversation.life.formulas import factor_of
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS
from kataribe.domain.conversation.life.values import TurnState
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import Gate
from kataribe.domain.text.without import without
from kataribe.ports import View
from kataribe.ports.kinds import Fading

GONE = frozenset({TurnState.HIDDEN, TurnState.SUPERSEDED, TurnState.LOG_ONLY})
"""States in which no viewer is given a turn in any way; what is only old stays in the log."""


def fading(view: View, user_id: str, gate: Gate) -> Fading:
    """Look up how turns stand behind a gate, by the numbers of the last night within it (S2-22)."""
    upto = max((part.upto for part in gate.slices), default=0)
    recorded = view.once(("nights", user_id), lambda: view.nights(user_id))
    nights = [night for night in recorded if night.at <= upto]
    decay = nights[-1].policy.decay if nights else DEFAULT_TIERS.decay
    fates = view.fates(gate)
    why = {told: f"{fate.state}: {fate.reason}" for told, fate in fates.items()}
    factors = {told: factor_of(fate.state, decay) for told, fate in fates.items()}
    return Fading(
        gone={told: why[told] for told, fate in fates.items() if fate.state in GONE},
        unsearched={told: why[told] for told, factor in factors.items() if factor is None},
        cut={told: fate.cut for told, fate in fates.items() if fate.cut},
        factors={told: factor for told, factor in factors.items() if factor is not None},
        usual=decay.hot_factor,
        # It is nearer to what is cool than to anything else that is searched.
        archived={
            told: decay.cool_factor for told, fate in fates.items() if fate.state is TurnState.ARCHIVED
        },
    )


def in_force(turn: Turn, space: str, fading: Fading) -> Turn:
    """Give a turn without what of its text is no longer so."""
    places = fading.cut.get((space, turn.turn_id))
    return turn if places is None else replace(turn, text=without(turn.text, places))
