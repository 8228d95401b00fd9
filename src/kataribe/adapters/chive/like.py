"""Words by their vectors: which are in a text, and which are near enough to mean about the same."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from kataribe.adapters.chive.table import WordTable
from kataribe.domain.similarity import exact_similarities, fast_products

WORD = "@"
"""Begins the name of a word: its row in the table, which rare words share with a near common one."""
_NEAR = 0.45
"""The cosine from which on two words are looked up together."""
_MOST = 10
"""So many words are looked up beside one."""
_SLACK = 1e-4
"""How far the fast product of two unit vectors may be off; far more than it is."""


class LikeWords:
    """The rows of a table, and those near each; what was asked last is kept."""

    def __init__(self, table: WordTable) -> None:
        self._vectors = table.vectors
        lengths = np.sqrt((table.vectors.astype(np.float64) ** 2).sum(axis=1))
        self._lengths = np.where(lengths > 0, lengths, 1.0).astype(np.float32)
        self.near = lru_cache(maxsize=4096)(self._near)

    def _near(self, row: int) -> tuple[int, ...]:
        """Give a row and those nearest to it, nearest first."""
        own = self._unit(np.array([row]))[0]
        fast = fast_products(self._vectors, own) / self._lengths
        rows = np.flatnonzero(fast >= _NEAR - _SLACK)
        # The fast product only preselects: its last bits differ from machine to machine (P8).
        exact = exact_similarities(self._unit(rows), own)
        ordered = sorted(zip((-exact).tolist(), rows.tolist(), strict=True))
        others = [other for cosine, other in ordered if -cosine >= _NEAR and other != row]
        return (row, *others[:_MOST])

    def _unit(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        return np.asarray(self._vectors[rows] / self._lengths[rows][:, None])


def named(rows: Iterable[int]) -> tuple[str, ...]:
    """Name words as keywords."""
    return tuple(f"{WORD}{row}" for row in rows)
