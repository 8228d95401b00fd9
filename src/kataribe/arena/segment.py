"""A segment: one holder's share of one episode, as it is stored and as it is searched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kataribe.domain.tokens import term_hash
from kataribe.ports import Matrix

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Which rows hold which terms how often: parallel arrays sorted by term hash, then row.

    A term is known by its 64-bit hash (`domain.tokens.term_hash`), so that no list of words
    is kept beside the memories.
    """

    hashes: Hashes
    rows: Counts
    counts: Counts
    lengths: Counts
    """Shape (rows of the segment,): how many terms each row has, repeats counted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segment:
    """The live memories of one holder from one unit (an episode), sorted by fact id.

    All of them have the same position. `matrix` has shape (rows, dimensions), float32.
    """

    unit: str
    position: int
    keys: Ints
    fact_ids: tuple[str, ...]
    pinned: npt.NDArray[np.bool_]
    matrix: Matrix
    postings: Postings

    def __len__(self) -> int:
        return len(self.fact_ids)


def postings_of(documents: Sequence[Sequence[str]]) -> Postings:
    """Count the terms of each document; the row of a document is its place."""
    found: list[tuple[int, int, int]] = []
    for row, terms in enumerate(documents):
        found += [(term_hash(term), row, count) for term, count in Counter(terms).items()]
    found.sort()
    hashes, rows, counts = zip(*found, strict=True) if found else ((), (), ())
    return Postings(
        hashes=np.array(hashes, dtype=np.uint64),
        rows=np.array(rows, dtype=np.uint32),
        counts=np.array(counts, dtype=np.uint32),
        lengths=np.array([len(terms) for terms in documents], dtype=np.uint32),
    )
