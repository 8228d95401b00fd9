"""Plain exact search: every live row of the gate is read and scored.

The gate is the WHERE clause: a slice is a prefix of the index (space, holder, live,
position), so what lies outside it is not read at all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import sqlalchemy as sa

from kataribe.adapters.sql.schema import episodes, memories, memory_vectors
from kataribe.adapters.sql.where import compile_filter
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Candidate
from kataribe.domain.ranking import bm25, exact_similarities
from kataribe.errors import EmbedderMismatchError
from kataribe.ports import Vector

_MARGIN = 64
"""How many rows beyond `top_k` the fast float32 product hands on to the exact one."""

_BATCH = 500


def gate_clause(gate: Gate) -> sa.ColumnElement[bool]:
    """Say the gate in SQL: live rows of its slices only."""
    return sa.or_(
        *(
            sa.and_(
                memories.c.space == s.space,
                memories.c.holder == s.holder,
                memories.c.live == sa.true(),
                memories.c.position <= s.upto,
            )
            for s in gate.slices
        )
    )


def number_of_episode() -> sa.ScalarSelect[int]:
    """Look up the number of a memory's episode."""
    return (
        sa.select(episodes.c.no)
        .where(episodes.c.story_id == memories.c.story_id, episodes.c.episode_id == memories.c.episode_id)
        .scalar_subquery()
    )


def filter_clause(where: Filter) -> sa.ColumnElement[bool]:
    """Say a caller's filter in SQL, over a memory's fields and its episode's number."""
    document = sa.func.json_set(memories.c.fields, "$.episode_no", number_of_episode())
    return compile_filter(where, document)


def _matches(where: Filter | None) -> sa.ColumnElement[bool]:
    return sa.true() if where is None else filter_clause(where)


class SqlVectorIndex:
    """`VectorIndex` over the rows of one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def nearest(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the most similar memories the gate admits."""
        if gate.is_closed or top_k < 1:
            return ()
        query = (
            sa.select(
                memories.c.key,
                memories.c.position,
                memories.c.fact_id,
                memories.c.holder,
                memory_vectors.c.vector,
            )
            .join(memory_vectors, memory_vectors.c.memory_key == memories.c.key)
            .where(gate_clause(gate), _matches(where))
            .order_by(memories.c.position, memories.c.fact_id, memories.c.holder)
        )
        rows = self._connection.execute(query).all()
        if not rows:
            return ()
        matrix = _matrix([row.vector for row in rows], vector)
        picked = _preselect(matrix @ vector, top_k + _MARGIN)
        scores = exact_similarities(matrix[picked], vector)
        found = [
            Candidate(rows[at].key, rows[at].position, rows[at].fact_id, rows[at].holder, score)
            for at, score in zip(picked.tolist(), scores, strict=True)
        ]
        return tuple(sorted(found, key=Candidate.order)[:top_k])

    def similarities(self, vector: Vector, keys: Collection[int]) -> Mapping[int, float]:
        """Give the similarity of each of these memories."""
        found: dict[int, float] = {}
        wanted = sorted(keys)
        for at in range(0, len(wanted), _BATCH):
            query = sa.select(memory_vectors.c.memory_key, memory_vectors.c.vector).where(
                memory_vectors.c.memory_key.in_(wanted[at : at + _BATCH])
            )
            rows = self._connection.execute(query).all()
            if rows:
                scores = exact_similarities(_matrix([row.vector for row in rows], vector), vector)
                found.update(zip((row.memory_key for row in rows), scores, strict=True))
        return found


def _matrix(blobs: Sequence[bytes], vector: Vector) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    dimensions = vector.shape[0]
    if any(len(blob) != 4 * dimensions for blob in blobs):
        raise EmbedderMismatchError(
            f"the question has {dimensions} dimensions, the memories have others; run `kataribe rebuild`"
        )
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimensions)


def _preselect(
    scores: np.ndarray[tuple[int], np.dtype[np.float32]], count: int
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.sort(np.argpartition(-scores, count)[:count])


class SqlKeywordIndex:
    """`KeywordIndex` over the rows of one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def matching(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the memories that hold any of the terms, best first."""
        if gate.is_closed or not terms or top_k < 1:
            return ()
        # Counts are of the whole gate, whatever the caller filters away.
        query = sa.select(
            memories.c.key,
            memories.c.position,
            memories.c.fact_id,
            memories.c.holder,
            memories.c.terms,
            _matches(where).label("matches"),
        ).where(gate_clause(gate))
        rows = self._connection.execute(query).all()
        scores = bm25(terms, [row.terms.split("\n") if row.terms else [] for row in rows])
        found = [
            Candidate(row.key, row.position, row.fact_id, row.holder, score)
            for row, score in zip(rows, scores, strict=True)
            if score > 0 and row.matches
        ]
        return tuple(sorted(found, key=Candidate.order)[:top_k])
