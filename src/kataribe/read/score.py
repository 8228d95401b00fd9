"""Fourth step: one score for each candidate, higher is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kataribe.domain.memory import Candidate
from kataribe.domain.ranking import DECIMALS, RecallPolicy, fuse
from kataribe.read.candidates import Candidates


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate, its score and the parts it is made of."""

    candidate: Candidate
    score: float
    parts: Mapping[str, float]

    def order(self) -> tuple[float, int, str, str]:
        """Sort best first, ties by position, then fact id, then holder (P2)."""
        return (-self.score, *self.candidate.order()[1:])


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
