"""Scores: similarity, keywords and their fusion, as pure functions of what lies inside a gate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

DECIMALS = 6
"""Scores are rounded to this many decimals before they are compared (P2)."""

Floats = npt.NDArray[np.float64]


def rounded(scores: Floats) -> Floats:
    """Round scores of any shape to `DECIMALS`; each by itself, whatever stands beside it."""
    return np.round(scores, DECIMALS)


def exact_similarities(matrix: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> Floats:
    """Give the rounded cosine of `vector` (dimensions,) with each row of `matrix` (rows, dimensions).

    Rows and vector are of unit length or zero. Each row is multiplied and summed by itself
    in float64, so that its score does not depend on which rows stand beside it.
    """
    products = matrix.astype(np.float64) * vector.astype(np.float64)
    return rounded(products.sum(axis=1))


K1 = 1.2
B = 0.75
"""BM25 as usual: a score is idf * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average)),
idf is ln(1 + (N - n + 0.5) / (n + 0.5)), and N, n and average are taken inside the gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    """The numbers of recall.

    `keyword_weight` is the share of the keyword score in the convex fusion: half found most
    of what was wanted in four stories in two languages. `pool` is how many candidates each
    search hands on at least, three times `top_k` when that is more; with 200 nothing else was
    found than with 48.
    """

    keyword_weight: float = 0.5
    pinned_bonus: float = 0.1
    uses_bonus: float = 0.02
    pool: int = 48
    max_top_k: int = 1000


DEFAULT_RECALL = RecallPolicy()


def fuse(similarity: Floats, keyword: Floats, pinned: npt.NDArray[np.bool_], policy: RecallPolicy) -> Floats:
    """Give the rounded score of each candidate; all shapes are (candidates,), a missing score is 0.

    Both scores are scaled by the best one inside the gate, so that they can be added.
    """
    like = np.maximum(similarity, 0.0) / (similarity.max(initial=0.0) or 1.0)
    words = keyword / (keyword.max(initial=0.0) or 1.0)
    fused = rounded((1 - policy.keyword_weight) * like + policy.keyword_weight * words)
    return rounded(fused + policy.pinned_bonus * pinned)
