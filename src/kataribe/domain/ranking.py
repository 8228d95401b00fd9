"""Scores: similarity, keywords and their fusion, as pure functions of what lies inside a gate."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

DECIMALS = 6
"""Scores are rounded to this many decimals before they are compared (P2)."""

_K1 = 1.2
_B = 0.75


def exact_similarities(matrix: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> list[float]:
    """Give the cosine of `vector` (dimensions,) with each row of `matrix` (rows, dimensions).

    Rows and vector are of unit length or zero. Each row is multiplied and summed by itself
    in float64, so that its score does not depend on which rows stand beside it.
    """
    products = matrix.astype(np.float64) * vector.astype(np.float64)
    return [round(value, DECIMALS) for value in products.sum(axis=1).tolist()]


def bm25(terms: Sequence[str], documents: Sequence[Sequence[str]]) -> list[float]:
    """Score each document (a list of terms) against the distinct `terms`, higher is better.

    Counts are taken over `documents` alone: hand in what the gate admits and nothing else.
    A term that stands nowhere adds nothing; idf is ln(1 + (N - n + 0.5) / (n + 0.5)).
    """
    asked = sorted(set(terms))
    if not documents:
        return []
    average = sum(len(document) for document in documents) / len(documents) or 1.0
    counts = [
        Counter(t for t in document if t in set_of)
        for set_of in (frozenset(asked),)
        for document in documents
    ]
    holding = Counter(term for count in counts for term in count)
    idf = {
        term: math.log(1 + (len(documents) - holding[term] + 0.5) / (holding[term] + 0.5))
        for term in asked
        if holding[term]
    }
    scores: list[float] = []
    for count, document in zip(counts, documents, strict=True):
        norm = _K1 * (1 - _B + _B * len(document) / average)
        # Terms are added in one fixed order: float sums depend on it.
        total = sum(idf[t] * count[t] * (_K1 + 1) / (count[t] + norm) for t in asked if t in count)
        scores.append(round(total, DECIMALS))
    return scores


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    """The numbers of recall.

    `keyword_weight` is the share of the keyword score in the convex fusion: half found most
    of what was wanted in four stories in two languages. `pool` is how many candidates each
    search hands on; it is fixed, so that asking for more never changes how things are ranked.
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
