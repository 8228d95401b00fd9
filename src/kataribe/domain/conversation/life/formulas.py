"""The published formulas of conversation memory in tiers (docs/tiers.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kataribe.domain.conversation.life.policy import (
    DAY,
    DEFAULT_TIERS,
    Decay,
    ImportanceWeights,
    Promotion,
)
from kataribe.domain.conversation.life.values import TierState, TurnState
from kataribe.domain.similarity import DECIMALS

_WEIGHTS = DEFAULT_TIERS.importance


def importance(
    *,
    valence: float = 0.0,
    novelty: float,
    relatedness: float,
    mention_count: int = 1,
    weights: ImportanceWeights = _WEIGHTS,
) -> float:
    """Give min(1, 0.4 |valence| + 0.3 novelty + 0.2 relatedness + 0.1 min(1, mentions / 10)) (S3-27).

    `valence` is -1 to 1, 0 where no model judged it (S3-28); `novelty` is the graded one, 0 to 1.
    """
    total = (
        weights.valence * abs(valence)
        + weights.novelty * novelty
        + weights.relatedness * relatedness
        + weights.mentions * min(1.0, mention_count / weights.full_mentions)
    )
    return round(min(1.0, total), DECIMALS)


def graded_novelty(likenesses: Sequence[float], weights: ImportanceWeights = _WEIGHTS) -> float:
    """Give 1 - n / 5, n being how many of the five nearest are 0.8 or more alike (S3-29).

    `likenesses` are those of the other memories: the item itself is not among them.
    """
    nearest = sorted(likenesses, reverse=True)[: weights.nearest]
    return round(1.0 - sum(one >= weights.alike for one in nearest) / weights.nearest, DECIMALS)


def relatedness(likenesses: Sequence[float], weights: ImportanceWeights = _WEIGHTS) -> float:
    """Give min(1, linked / 5), linked being how many other memories are 0.6 or more alike (S3-30)."""
    linked = sum(one >= weights.linked for one in likenesses)
    return round(min(1.0, linked / weights.full_links), DECIMALS)


def is_novel(best: float | None, promotion: Promotion = DEFAULT_TIERS.promotion) -> bool:
    """Whether the nearest long-term memory is less than 0.62 alike; None: there is none (S2-7, U-5)."""
    return best is None or best < promotion.novelty


def usefulness(uses: int, promotion: Promotion = DEFAULT_TIERS.promotion) -> float:
    """Give uses / (uses + 4), uses being answers of the last 30 days that used a source (S2-8).

    0 without any (cold start), 0.2 after one, 0.5 after four, below 1 always. Answers of one moment
    are one use.
    """
    return round(uses / (uses + promotion.usefulness_half), DECIMALS)


def kept_count(candidates: int, keep: float = DEFAULT_TIERS.consolidation.keep) -> int:
    """Give max(1, floor(0.7 n)): how many of n candidates a consolidation keeps (S3-31); 0 of none."""
    # 0.7 * 90 is 62.99... in floating point, and 63 in S3-31.
    return max(1, math.floor(round(keep * candidates, 9))) if candidates else 0


def state_after(unused: int, decay: Decay, delete_days: int | None) -> TierState:
    """Give the state of the life-cycle after `unused` milliseconds without use (S2-10, U-7).

    A border belongs to the later state: warm from 30 days on. `EXPIRED` is deleted; `delete_days` None:
    never.
    """
    if delete_days is not None and unused >= delete_days * DAY:
        return TierState.EXPIRED
    if unused >= decay.archive_days * DAY:
        return TierState.ARCHIVED
    if unused >= decay.cool_days * DAY:
        return TierState.COOL
    return TierState.WARM if unused >= decay.warm_days * DAY else TierState.HOT


def next_change(unused: int, decay: Decay, delete_days: int | None) -> int | None:
    """Give after how many milliseconds without use the state changes next, or None when it does not."""
    steps = [decay.warm_days, decay.cool_days, decay.archive_days]
    if delete_days is not None:
        steps = [*(one for one in steps if one < delete_days), delete_days]
    return next((one * DAY for one in steps if one * DAY > unused), None)


def factor_of(state: TurnState, decay: Decay = DEFAULT_TIERS.decay) -> float | None:
    """Give what the score of a turn in a state is multiplied by; None: it is not searched (S2-22)."""
    factors = {
        TurnState.HOT: decay.hot_factor,
        TurnState.WARM: decay.warm_factor,
        TurnState.COOL: decay.cool_factor,
    }
    return factors.get(state)
