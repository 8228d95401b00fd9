"""Plain exact search: every live row of the gate is read and scored.

A slice is a prefix of the index (space, holder, live, position), so what lies outside the
gate is not read at all.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kataribe.adapters.sql import hot
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Candidate
from kataribe.domain.ranking import bm25, exact_similarities
from kataribe.errors import EmbedderMismatchError
from kataribe.ports import Matrix, Vector

_SLACK = 1e-4
"""How far the fast float32 product of unit vectors may be off; far more than it is."""

_BATCH = 500
_WITH_VECTORS = "memories JOIN memory_vectors v ON v.memory_key = memories.key"


class SqlVectorIndex:
    """`VectorIndex` over the rows of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def nearest(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the most similar memories the gate admits."""
        if gate.is_closed or top_k < 1:
            return ()
        condition, values = hot.said(where)
        sql, given = hot.from_gate(
            "v.vector, key, position, fact_id, holder, pinned",
            gate,
            tables=_WITH_VECTORS,
            extra=(f" AND {condition}", values),
        )
        rows = hot.tuples(self._connection, sql, given)
        if not rows:
            return ()
        matrix = _matrix([row[0] for row in rows], vector)
        picked = _preselect(matrix @ vector, top_k)
        scores = exact_similarities(matrix[picked], vector)
        found = [_candidate(rows[at][1:], score) for at, score in zip(picked.tolist(), scores, strict=True)]
        return tuple(sorted(found, key=Candidate.order)[:top_k])

    def similarities(self, vector: Vector, keys: Collection[int]) -> Mapping[int, float]:
        """Give the similarity of each of these memories."""
        found: dict[int, float] = {}
        wanted = sorted(keys)
        for at in range(0, len(wanted), _BATCH):
            batch = wanted[at : at + _BATCH]
            sql = (
                f"SELECT memory_key, vector FROM memory_vectors WHERE memory_key IN ({hot.marks(len(batch))})"
            )
            rows = hot.ask(self._connection, sql, batch)
            if rows:
                scores = exact_similarities(_matrix([row.vector for row in rows], vector), vector)
                found.update(zip((row.memory_key for row in rows), scores, strict=True))
        return found


def _candidate(row: tuple[Any, ...], score: float) -> Candidate:
    key, position, fact_id, holder, pinned, part = row
    return Candidate(key, position, fact_id, holder, score, bool(pinned), part)


def _matrix(blobs: Sequence[bytes], vector: Vector) -> Matrix:
    dimensions = vector.shape[0]
    if any(len(blob) != 4 * dimensions for blob in blobs):
        raise EmbedderMismatchError(
            f"the question has {dimensions} dimensions, the memories have others; run `kataribe rebuild`"
        )
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimensions)


def _preselect(scores: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.intp]:
    """Give the rows that may be among the best `count`: all that the fast product cannot tell apart."""
    if len(scores) <= count:
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores >= least - _SLACK)


class SqlKeywordIndex:
    """`KeywordIndex` over the rows of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def matching(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the memories that hold any of the terms, best first."""
        if gate.is_closed or not terms or top_k < 1:
            return ()
        # Counts are of the whole gate, whatever the caller filters away.
        condition, values = hot.said(where)
        columns = f"terms, {condition}, key, position, fact_id, holder, pinned"
        sql, given = _with_values_first(columns, gate, values)
        rows = hot.tuples(self._connection, sql, given)
        scores = bm25(terms, [row[0] for row in rows])
        # As `Candidate.order` has it; only the best become candidates.
        ranked = (
            (-score, row[7], row[3], row[4], row[5], at)
            for at, (row, score) in enumerate(zip(rows, scores, strict=True))
            if score > 0 and row[1]
        )
        best = heapq.nsmallest(top_k, ranked)
        return tuple(_candidate(rows[at][2:], scores[at]) for *_, at in best)


def _with_values_first(columns: str, gate: Gate, values: tuple[object, ...]) -> hot.Said:
    """Select from a gate where the columns themselves have question marks."""
    parts = [hot.from_gate(columns, Gate((one,))) for one in gate.slices]
    return (
        " UNION ALL ".join(sql for sql, _ in parts),
        tuple(value for _, given in parts for value in (*values, *given)),
    )
