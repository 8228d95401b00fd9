"""How much of what answers a question was found, and how near the top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

DEPTHS = (5, 10, 25)
"""Recall is told at these depths."""


@dataclass(slots=True)
class FoundEvidence:
    """What the answers to many questions came to.

    Recall at k is the share of a question's evidence among its first k hits, averaged over
    questions; MRR averages 1 / the rank of the first hit that is evidence.
    """

    asked: int = 0
    recalled: dict[int, float] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0.0))
    reciprocal: float = 0.0
    milliseconds: list[float] = field(default_factory=list)

    def add(self, hits: Sequence[str], evidence: frozenset[str], milliseconds: float) -> None:
        """Judge the hits of one question, best first."""
        self.asked += 1
        for depth in DEPTHS:
            self.recalled[depth] += len(evidence & set(hits[:depth])) / len(evidence)
        rank = next((at for at, hit in enumerate(hits, start=1) if hit in evidence), None)
        self.reciprocal += 0.0 if rank is None else 1 / rank
        self.milliseconds.append(milliseconds)

    def recall(self, depth: int) -> float:
        """Give recall at one of `DEPTHS`, 0 to 1."""
        return self.recalled[depth] / max(self.asked, 1)

    @property
    def mrr(self) -> float:
        """Mean reciprocal rank, 0 to 1."""
        return self.reciprocal / max(self.asked, 1)

    @property
    def median_ms(self) -> float:
        """Median time of a question in milliseconds."""
        ordered = sorted(self.milliseconds)
        return ordered[len(ordered) // 2] if ordered else 0.0


def together(parts: Iterable[FoundEvidence]) -> FoundEvidence:
    """Sum up, each question counting as much as any other."""
    whole = FoundEvidence()
    for part in parts:
        whole.asked += part.asked
        whole.reciprocal += part.reciprocal
        whole.milliseconds += part.milliseconds
        for depth in DEPTHS:
            whole.recalled[depth] += part.recalled[depth]
    return whole
