"""Fourth step: one score for each candidate, higher is better."""

from __future__ import annotations

from kataribe.domain.ranking import DECIMALS, RecallPolicy, fuse
from kataribe.read.values import Candidates, Scored


def score(candidates: Candidates, policy: RecallPolicy) -> tuple[Scored, ...]:
    """Fuse the searches convexly and put the best first."""
    fused = fuse(
        candidates.similarity,
        candidates.keyword,
        best_similarity=candidates.best_similarity,
        best_keyword=candidates.best_keyword,
        policy=policy,
    )
    scored: list[Scored] = []
    for key, candidate in candidates.found.items():
        bonus = policy.pinned_bonus if candidate.pinned else 0.0
        parts = {**fused[key], "pinned": bonus}
        scored.append(Scored(candidate, round(parts["fused"] + bonus, DECIMALS), parts))
    return tuple(sorted(scored, key=Scored.order))
