"""Fourth step: one score for each candidate, higher is better."""

from __future__ import annotations

import numpy as np

from kataribe.domain.ranking import DECIMALS, RecallPolicy, fuse
from kataribe.ports.telemetry import step
from kataribe.read.values import Candidates, Scored


@step("score")
def score(candidates: Candidates, policy: RecallPolicy) -> tuple[Scored, ...]:
    """Fuse the searches convexly and put the best first."""
    found = candidates.found
    fused = fuse(
        np.array([candidates.similarity[key] for key in found], dtype=np.float64),
        np.array([candidates.keyword[key] for key in found], dtype=np.float64),
        np.array([candidate.pinned for candidate in found.values()], dtype=np.bool_),
        policy,
    )
    scored = (Scored(one, value) for one, value in zip(found.values(), fused.tolist(), strict=True))
    return tuple(sorted(scored, key=Scored.order))


def parts(candidates: Candidates, scored: Scored, policy: RecallPolicy) -> dict[str, float]:
    """Tell what a candidate's score is made of."""
    key, pinned = scored.candidate.key, scored.candidate.pinned
    bonus = policy.pinned_bonus if pinned else 0.0
    return {
        "similarity": candidates.similarity[key],
        "keyword": candidates.keyword[key],
        "fused": round(scored.score - bonus, DECIMALS),
        "pinned": bonus,
    }
