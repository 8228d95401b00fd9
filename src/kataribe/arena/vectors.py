"""Exact search by likeness over shelves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kataribe.arena.gated import Gated, SpanRows, best
from kataribe.arena.row_span import RowSpan
from kataribe.arena.segment import Ints
from kataribe.arena.table import GateTable
from kataribe.domain.arrays import np, npt
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Candidate
from kataribe.domain.similarity import Floats, exact_similarities, fast_products
from kataribe.errors import EmbedderMismatchError
from kataribe.ports import Vector

_SLACK = 1e-4
"""How far the fast float32 product of unit vectors may be off; far more than it is."""


class ShelfVectorIndex:
    """`VectorSearch` over shelves: BLAS preselects with a margin, each candidate is scored by itself (P2)."""

    def __init__(self, gated: Gated) -> None:
        self._gated = gated
        self._last: tuple[GateTable, Vector, Floats] | None = None

    def nearest(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the most similar memories the gate admits."""
        if gate.is_closed or top_k < 1:
            return ()
        return best(self.promising(vector, gate=gate, top_k=top_k, where=where), top_k)

    def promising(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> list[SpanRows]:
        """Give for each span of a gate the rows that may be among the best, with their exact scores."""
        spans = self._gated.spans(gate)
        _check_dimensions(spans, vector)
        allowed = self._gated.allowed(gate, where)
        scores = [_products(span, vector, allowed) for span in spans]
        least = _least(scores, top_k)
        found: list[SpanRows] = []
        for span, products in zip(spans, scores, strict=True):
            rows = (products >= least).nonzero()[0]
            found.append((span, rows, similarities_of(span, rows, vector)))
        return found

    def likeness(self, table: GateTable, vector: Vector) -> Floats:
        """Give the similarity of each row of a table; the last answer is kept, since a recall asks twice."""
        if self._last is None or self._last[0] is not table or self._last[1] is not vector:
            self._last = (table, vector, table.likeness(vector))
        return self._last[2]

    def similarities(self, vector: Vector, keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the similarity of each of these memories behind the gate."""
        found: dict[int, float] = {}
        if not keys:
            return found
        table = self._gated.table(gate)
        if table is not None and table.width == len(vector):
            here, at = table.rows_of(keys)
            return dict(zip(here, self.likeness(table, vector)[at].tolist(), strict=True))
        wanted = np.array(sorted(keys), dtype=np.int64)
        spans = self._gated.spans(gate)
        _check_dimensions(spans, vector)
        for span in spans:
            rows, named = span.rows_of(wanted)
            found.update(zip(named.tolist(), similarities_of(span, rows, vector).tolist(), strict=True))
        return found

    def vectors_of(self, keys: Collection[int], *, gate: Gate) -> Mapping[int, Vector]:
        """Give the vectors of these memories behind the gate."""
        found: dict[int, Vector] = {}
        if not keys:
            return found
        table = self._gated.table(gate)
        if table is not None:
            return table.vectors_of(keys)
        wanted = np.array(sorted(keys), dtype=np.int64)
        for span in self._gated.spans(gate):
            if span.leaf.width:
                rows, named = span.rows_of(wanted)
                found.update(zip(named.tolist(), span.leaf.block.matrix[rows], strict=True))
        return found

    def size(self, gate: Gate) -> int:
        """Count the memories behind the gate."""
        return sum(span.live for span in self._gated.spans(gate))


def similarities_of(span: RowSpan, rows: Ints, vector: Vector) -> Floats:
    """Give the exact similarity of each of these rows of a span."""
    if not span.leaf.width or not vector.any():
        # A question with nothing in it, or a memory without a vector yet, is like nothing.
        return np.zeros(len(rows))
    return exact_similarities(span.leaf.block.matrix[rows], vector)


def _check_dimensions(spans: Sequence[RowSpan], vector: Vector) -> None:
    if any(span.leaf.width not in (0, len(vector)) for span in spans):
        raise EmbedderMismatchError(
            f"the question has {len(vector)} dimensions, the memories have others; run `kataribe rebuild`"
        )


def _products(span: RowSpan, vector: Vector, allowed: Ints | None) -> npt.NDArray[np.float32]:
    """Give the fast products of a span's rows; minus infinity for those that are out."""
    block = span.leaf.block
    rows = block.matrix[: span.size]
    products = fast_products(rows, vector) if span.leaf.width else np.zeros(span.size, np.float32)
    if len(span.dead):
        products[span.dead] = -np.inf
    if allowed is not None:
        products[~np.isin(block.keys[: span.size], allowed)] = -np.inf
    return products


def _least(scores: Sequence[npt.NDArray[np.float32]], count: int) -> float:
    """Give the product from which on a row may be among the best `count`."""
    # Zero vectors give zero; only what is out is below every cosine.
    lowest = -2.0
    every = scores[0] if len(scores) == 1 else np.concatenate([*scores, np.empty(0, np.float32)])
    if len(every) <= count:
        return lowest
    return max(lowest, float(np.partition(every, len(every) - count)[len(every) - count]) - _SLACK)
