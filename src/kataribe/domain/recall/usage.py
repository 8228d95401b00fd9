"""Use: a memory that was used in an answer comes a little sooner to whoever used it (S2-39)."""

from __future__ import annotations

import math

from kataribe.domain.recall.ranking import RecallPolicy
from kataribe.domain.similarity import DECIMALS

HALF_TIMES = 2.0
"""After so many uses the bonus is half of what it can become."""
FADES_IN_DAYS = 90.0
"""After so many days without use a bonus is a third (1/e) of what it was (U-7: first step at 90 days)."""


def uses_bonus(times: int, days_since_last: float, policy: RecallPolicy) -> float:
    """Give what uses add to a score, 0 up to `policy.uses_bonus` and never that much.

    uses_bonus * times / (times + 2) * exp(-days / 90), rounded to six decimals: it grows with
    every use by less and less (S2-39), and fades with the days since the last one. Days before
    0 count as 0.
    """
    if times <= 0:
        return 0.0
    faded = math.exp(-max(days_since_last, 0.0) / FADES_IN_DAYS)
    return round(policy.uses_bonus * times / (times + HALF_TIMES) * faded, DECIMALS)
