"""Fourth step: one score for each candidate, higher is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kataribe.domain.memory import Memory
from kataribe.domain.ranking import DECIMALS, RecallPolicy, fuse
from kataribe.read.candidates import Candidates


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory, its score and the parts it is made of."""

    memory: Memory
    score: float
    parts: Mapping[str, float]

    def order(self) -> tuple[float, int, str, str]:
        """Sort best first, ties by position, then fact id, then holder (P2)."""
        return (-self.score, self.memory.position, self.memory.fact_id, self.memory.holder)


def score(candidates: Candidates, memories: Mapping[int, Memory], policy: RecallPolicy) -> tuple[Scored, ...]:
    """Fuse the searches convexly and put the best first."""
    fused = fuse(
        candidates.similarity,
        candidates.keyword,
        best_similarity=candidates.best_similarity,
        best_keyword=candidates.best_keyword,
        policy=policy,
    )
    scored: list[Scored] = []
    for key, memory in memories.items():
        parts = fused[key]
        bonus = policy.pinned_bonus if memory.pinned else 0.0
        parts["pinned"] = bonus
        scored.append(Scored(memory, round(parts["fused"] + bonus, DECIMALS), parts))
    return tuple(sorted(scored, key=Scored.order))
