"""Plainly right search over a list of rows: slow, short, and what every index is held against."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Candidate
from kataribe.domain.space import MemoryAddress
from kataribe.errors import EmbedderMismatchError
from kataribe.ports import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """One memory, as far as an index sees it.

    `vector` is of unit length or all zeros. `live` is the same for all rows of one space and
    position, as episodes are shown and hidden whole. `fields` are what a filter may ask. Rows of
    one `unit` are stored and replaced together, where a store has units of any rows: theirs may
    stand among those of another, and at the same position.
    """

    space: str
    holder: str
    position: int
    fact_id: str
    vector: tuple[float, ...]
    terms: tuple[str, ...] = ()
    live: bool = True
    fields: Mapping[str, object] = field(default_factory=dict)
    unit: str = ""


Keyed = tuple[int, IndexRow]


class ReferenceVectorIndex:
    """`VectorSearch` that looks at every row."""

    def __init__(self, rows: Sequence[IndexRow]) -> None:
        self._rows = rows

    def nearest(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Score every row behind the gate, sort, cut."""
        found = [
            _candidate(key, row, _cosine(row, vector), gate)
            for key, row in _admitted(self._rows, gate)
            if where is None or where.matches(row.fields)
        ]
        return _best(found, top_k)

    def similarities(self, vector: Vector, keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Score these rows."""
        return {key: _cosine(row, vector) for key, row in _admitted(self._rows, gate) if key in keys}

    def vectors_of(self, keys: Collection[int], *, gate: Gate) -> Mapping[int, Vector]:
        """Give the vectors of these rows."""
        return {key: as_vector(row.vector) for key, row in _admitted(self._rows, gate) if key in keys}

    def size(self, gate: Gate) -> int:
        """Count the rows behind the gate."""
        return len(_admitted(self._rows, gate))


class ReferenceKeywordIndex:
    """`KeywordIndex` that looks at every row: Okapi BM25 with k1 = 1.2 and b = 0.75."""

    def __init__(self, rows: Sequence[IndexRow]) -> None:
        self._rows = rows

    def matching(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Count behind the gate, score what the filter leaves, sort, cut."""
        admitted = _admitted(self._rows, gate)
        documents = [row.terms for _, row in admitted]
        found = [
            _candidate(key, row, _bm25(terms, row.terms, documents), gate)
            for key, row in admitted
            if where is None or where.matches(row.fields)
        ]
        return _best([candidate for candidate in found if candidate.score > 0], top_k)

    def scores(self, terms: Sequence[str], keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Count behind the gate, score these rows."""
        admitted = _admitted(self._rows, gate)
        documents = [row.terms for _, row in admitted]
        return {key: _bm25(terms, row.terms, documents) for key, row in admitted if key in keys}


class ReferenceWorld:
    """An `IndexWorld` in memory."""

    def __init__(self) -> None:
        self._rows: list[IndexRow] = []

    def load(self, rows: Iterable[IndexRow]) -> None:
        """Make these rows all there is."""
        self._rows = list(rows)

    @property
    def vectors(self) -> ReferenceVectorIndex:
        """Search by likeness."""
        return ReferenceVectorIndex(self._rows)

    @property
    def keywords(self) -> ReferenceKeywordIndex:
        """Search by words."""
        return ReferenceKeywordIndex(self._rows)

    def key_of(self, fact_id: str, holder: str) -> int:
        """Give the key of one row."""
        places = [at for at, row in enumerate(self._rows) if (row.fact_id, row.holder) == (fact_id, holder)]
        return places[0]


def as_vector(numbers: Sequence[float]) -> Vector:
    """Make a vector out of plain numbers."""
    return np.array(numbers, dtype=np.float32)


def _admitted(rows: Sequence[IndexRow], gate: Gate) -> list[Keyed]:
    return [
        (key, row)
        for key, row in enumerate(rows)
        if row.live and gate.admits(MemoryAddress(row.space, row.holder, row.position))
    ]


def _candidate(key: int, row: IndexRow, score: float, gate: Gate) -> Candidate:
    part = next(s.part for s in gate.slices if (s.space, s.holder) == (row.space, row.holder))
    return Candidate(key, row.position, row.fact_id, row.holder, score, part=part)


def _best(found: list[Candidate], top_k: int) -> tuple[Candidate, ...]:
    ranked = sorted(found, key=lambda c: (-c.score, c.part, c.position, c.fact_id, c.holder))
    return tuple(ranked[: max(top_k, 0)])


def _cosine(row: IndexRow, vector: Vector) -> float:
    if len(row.vector) != len(vector):
        raise EmbedderMismatchError(f"{len(vector)} dimensions asked of {len(row.vector)}")
    # Lengths are one or zero, so the product is the cosine. The sum is exact.
    pairs = zip(as_vector(row.vector).tolist(), vector.tolist(), strict=True)
    return round(math.fsum(one * other for one, other in pairs), 6)


def _bm25(terms: Sequence[str], document: Sequence[str], documents: Sequence[Sequence[str]]) -> float:
    average = sum(len(other) for other in documents) / len(documents)
    parts: list[float] = []
    for term in set(terms):
        times = list(document).count(term)
        if times == 0:
            continue
        holding = sum(term in other for other in documents)
        rarity = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        length = 1 - 0.75 + 0.75 * len(document) / average
        parts.append(rarity * times * (1.2 + 1) / (times + 1.2 * length))
    return round(math.fsum(parts), 6)
