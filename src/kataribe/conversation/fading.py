"""How what was said fadings for a viewer: what is forgotten, and what fades."""

from __future__ import annotations

from kataribe.domain.conversation.life.policy import DEFAULT_TIERS
from kataribe.domain.conversation.life.values import TurnState
from kataribe.domain.gate import Gate
from kataribe.ports import View
from kataribe.ports.kinds import NOTHING_FADED, Fading

GONE = frozenset({TurnState.HIDDEN, TurnState.SUPERSEDED, TurnState.LOG_ONLY})
"""States in which no viewer is given a turn in any way."""
UNSEARCHED = GONE | {TurnState.ARCHIVED, TurnState.DELETED}
"""States in which a turn is not recalled; what is archived or deleted by age stays in the log."""


def fading(view: View, user_id: str, gate: Gate) -> Fading:
    """Look up how turns stand behind a gate; scores fade as the last night within it was told to (S2-22)."""
    fates = view.fates(gate)
    if not fates:
        return NOTHING_FADED
    upto = max(part.upto for part in gate.slices)
    nights = [night for night in view.nights(user_id) if night.at <= upto]
    decay = nights[-1].policy.decay if nights else DEFAULT_TIERS.decay
    factors = {TurnState.WARM: decay.warm_factor, TurnState.COOL: decay.cool_factor}
    why = {told: f"{fate.state}: {fate.reason}" for told, fate in fates.items()}
    return Fading(
        gone={told: why[told] for told, fate in fates.items() if fate.state in GONE},
        unsearched={told: why[told] for told, fate in fates.items() if fate.state in UNSEARCHED},
        factors={told: factors[fate.state] for told, fate in fates.items() if fate.state in factors},
    )
