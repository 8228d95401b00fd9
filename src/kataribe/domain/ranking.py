"""Scores: similarity, keywords and their fusion, as pure functions of what lies inside a gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

DECIMALS = 6
"""Scores are rounded to this many decimals before they are compared (P2)."""

K1 = 1.2
B = 0.75
"""BM25 as usual: a score is idf * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average)),
idf is ln(1 + (N - n + 0.5) / (n + 0.5)), and N, n and average are taken inside the gate."""


def exact_similarities(matrix: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> list[float]:
    """Give the cosine of `vector` (dimensions,) with each row of `matrix` (rows, dimensions).

    Rows and vector are of unit length or zero. Each row is multiplied and summed by itself
    in float64, so that its score does not depend on which rows stand beside it.
    """
    products = matrix.astype(np.float64) * vector.astype(np.float64)
    return [round(value, DECIMALS) for value in products.sum(axis=1).tolist()]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    """The numbers of recall.

    `keyword_weight` is the share of the keyword score in the convex fusion: half found most
    of what was wanted in four stories in two languages. `pool` is how many candidates each
    search hands on at least; twice `top_k` when that is more.
    """

    keyword_weight: float = 0.5
    pinned_bonus: float = 0.1
    pool: int = 200
    max_top_k: int = 1000


DEFAULT_RECALL = RecallPolicy()


def fuse(
    similarity: Mapping[int, float],
    keyword: Mapping[int, float],
    *,
    best_similarity: float,
    best_keyword: float,
    policy: RecallPolicy,
) -> dict[int, dict[str, float]]:
    """Give the parts of each candidate's score by key; a missing score counts as 0.

    Both scores are scaled by the best one inside the gate, so that they can be added.
    """
    fused: dict[int, dict[str, float]] = {}
    for key in similarity.keys() | keyword.keys():
        like = max(similarity.get(key, 0.0), 0.0) / best_similarity if best_similarity > 0 else 0.0
        words = keyword.get(key, 0.0) / best_keyword if best_keyword > 0 else 0.0
        fused[key] = {
            "similarity": similarity.get(key, 0.0),
            "keyword": keyword.get(key, 0.0),
            "fused": round((1 - policy.keyword_weight) * like + policy.keyword_weight * words, DECIMALS),
        }
    return fused
