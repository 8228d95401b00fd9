"""Exact search over shelves: `VectorIndex` and `KeywordIndex` behind a gate."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Protocol

import numpy as np
import numpy.typing as npt

from kataribe.arena.arena import Arena
from kataribe.arena.feed import Feed
from kataribe.arena.segment import Counts, Hashes, Ints
from kataribe.arena.shelf import Leaf, Shelf, shelf_of
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.memory import Candidate
from kataribe.domain.ranking import K1, B, Floats, exact_similarities, rounded
from kataribe.domain.tokens import term_hash
from kataribe.errors import EmbedderMismatchError
from kataribe.ports import Vector

_SLACK = 1e-4
"""How far the fast float32 product of unit vectors may be off; far more than it is."""


class Shelves(Protocol):
    """Where an index takes its shelves from."""

    def of(self, part: Slice) -> Iterator[Shelf]:
        """Give the shelves that hold a slice; rows beyond it are cut by the search."""

    def admitted_keys(self, gate: Gate, where: Filter) -> Collection[int]:
        """Give the keys that pass gate and filter."""


@dataclass(frozen=True)
class ArenaShelves:
    """Plan A (S0-33): one shelf for a holder, kept in the arena; a slice is a prefix of it."""

    arena: Arena
    feed: Feed

    def of(self, part: Slice) -> Iterator[Shelf]:
        """Give the one shelf of the slice's holder."""
        yield self.arena.shelf(self.feed, part.space, part.holder)

    def admitted_keys(self, gate: Gate, where: Filter) -> Collection[int]:
        """Ask the feed."""
        return self.feed.admitted_keys(gate, where)


@dataclass(frozen=True)
class EpisodeShelves:
    """Plan B (S0-34): an index for each episode, made as it is read, searched and merged."""

    feed: Feed

    def of(self, part: Slice) -> Iterator[Shelf]:
        """Give a shelf for each episode up to the slice's end."""
        for segment in self.feed.segments(part.space, part.holder, upto=part.upto):
            yield shelf_of([segment])

    def admitted_keys(self, gate: Gate, where: Filter) -> Collection[int]:
        """Ask the feed."""
        return self.feed.admitted_keys(gate, where)


@dataclass(frozen=True, eq=False)
class _Span:
    """The rows of one leaf that a slice admits: the first `size`, less the dead."""

    part: Slice
    leaf: Leaf
    size: int

    @cached_property
    def dead(self) -> Ints:
        """The dead rows among them."""
        dead = self.leaf.dead
        return dead[: np.searchsorted(dead, self.size)]

    @property
    def live(self) -> int:
        """How many rows are admitted."""
        return self.size - len(self.dead)

    @property
    def length(self) -> int:
        """How many terms the admitted rows have."""
        return int(self.leaf.block.length_before[self.size] - self.leaf.dead_length_before[len(self.dead)])

    def rows_of(self, keys: Ints) -> tuple[Ints, Ints]:
        """Give the admitted rows of those of these keys that are here, and these keys."""
        rows, at = self.leaf.block.rows_of(keys)
        inside = rows < self.size
        if self.leaf.live is not None:
            inside &= self.leaf.live[rows]
        return rows[inside], keys[at[inside]]

    def candidates(self, rows: Ints, scores: Floats) -> Iterator[Candidate]:
        """Make candidates of rows with these scores."""
        block = self.leaf.block
        return map(
            Candidate,
            block.keys[rows].tolist(),
            block.positions[rows].tolist(),
            [block.fact_ids[row] for row in rows.tolist()],
            repeat(self.part.holder),
            scores.tolist(),
            block.pinned[rows].tolist(),
            repeat(self.part.part),
        )


class Gated:
    """The spans of a gate, as the searches of one recall ask for them one after the other."""

    def __init__(self, shelves: Shelves) -> None:
        self._shelves = shelves
        self._gate: Gate | None = None
        self._spans: list[_Span] = []

    def spans(self, gate: Gate) -> list[_Span]:
        """Give what a gate admits, leaf by leaf; empty ones are left out."""
        if gate != self._gate:
            self._spans = [span for part in gate.slices for span in self._of(part)]
            self._gate = gate
        return self._spans

    def _of(self, part: Slice) -> Iterator[_Span]:
        for shelf in self._shelves.of(part):
            for leaf in shelf:
                size = leaf.block.upto(part.upto)
                if size:
                    yield _Span(part, leaf, size)

    def allowed(self, gate: Gate, where: Filter | None) -> Ints | None:
        """Give the keys that a filter lets pass, in order; None when there is no filter."""
        if where is None:
            return None
        return np.array(sorted(self._shelves.admitted_keys(gate, where)), dtype=np.int64)


def _best(found: Sequence[tuple[_Span, Ints, Floats]], top_k: int) -> tuple[Candidate, ...]:
    """Make candidates of the best of these rows (in order) and rounded scores.

    Of many that tie only as many are made as can be wanted: the rows of a span are in the
    order that breaks ties.
    """
    every = np.concatenate([scores for _, _, scores in found]) if found else np.empty(0)
    if len(every) > top_k:
        least = np.partition(every, len(every) - top_k)[len(every) - top_k]
        ties = top_k - int((every > least).sum())
        found = [_cut(span, rows, scores, least, ties) for span, rows, scores in found]
    candidates = [one for span, rows, scores in found for one in span.candidates(rows, scores)]
    return tuple(sorted(candidates, key=Candidate.order)[:top_k])


def _cut(span: _Span, rows: Ints, scores: Floats, least: float, ties: int) -> tuple[_Span, Ints, Floats]:
    kept = np.union1d(np.flatnonzero(scores > least), np.flatnonzero(scores == least)[:ties])
    return span, rows[kept], scores[kept]


class ShelfVectorIndex:
    """`VectorIndex` over shelves: BLAS preselects with a margin, each candidate is scored by itself (P2)."""

    def __init__(self, gated: Gated) -> None:
        self._gated = gated

    def nearest(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the most similar memories the gate admits."""
        if gate.is_closed or top_k < 1:
            return ()
        spans = self._gated.spans(gate)
        _check_dimensions(spans, vector)
        allowed = self._gated.allowed(gate, where)
        scores = [_products(span, vector, allowed) for span in spans]
        least = _least(scores, top_k)
        found: list[tuple[_Span, Ints, Floats]] = []
        for span, products in zip(spans, scores, strict=True):
            rows = np.flatnonzero(products >= least)
            found.append((span, rows, _similarities(span, rows, vector)))
        return _best(found, top_k)

    def similarities(self, vector: Vector, keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the similarity of each of these memories behind the gate."""
        found: dict[int, float] = {}
        wanted = np.array(sorted(keys), dtype=np.int64)
        if not len(wanted):
            return found
        spans = self._gated.spans(gate)
        _check_dimensions(spans, vector)
        for span in spans:
            rows, named = span.rows_of(wanted)
            found.update(zip(named.tolist(), _similarities(span, rows, vector).tolist(), strict=True))
        return found


def _similarities(span: _Span, rows: Ints, vector: Vector) -> Floats:
    if not vector.any():
        # A question with nothing in it is like nothing; all rows would tie.
        return np.zeros(len(rows))
    return exact_similarities(span.leaf.block.matrix[rows], vector)


def _check_dimensions(spans: Sequence[_Span], vector: Vector) -> None:
    if any(span.leaf.width != len(vector) for span in spans):
        raise EmbedderMismatchError(
            f"the question has {len(vector)} dimensions, the memories have others; run `kataribe rebuild`"
        )


def _products(span: _Span, vector: Vector, allowed: Ints | None) -> npt.NDArray[np.float32]:
    """Give the fast products of a span's rows; minus infinity for those that are out."""
    products = span.leaf.block.matrix[: span.size] @ vector
    if len(span.dead):
        products[span.dead] = -np.inf
    if allowed is not None:
        products[~np.isin(span.leaf.block.keys[: span.size], allowed)] = -np.inf
    return products


def _least(scores: Sequence[npt.NDArray[np.float32]], count: int) -> float:
    """Give the product from which on a row may be among the best `count`."""
    # Zero vectors give zero; only what is out is below every cosine.
    lowest = -2.0
    every = scores[0] if len(scores) == 1 else np.concatenate([*scores, np.empty(0, np.float32)])
    if len(every) <= count:
        return lowest
    return max(lowest, float(np.partition(every, len(every) - count)[len(every) - count]) - _SLACK)


class ShelfKeywordIndex:
    """`KeywordIndex` over shelves: BM25 whose every count is taken inside the gate (P2)."""

    def __init__(self, gated: Gated) -> None:
        self._gated = gated
        self._last: tuple[tuple[tuple[str, ...], Gate], tuple[list[_Span], list[Floats]]] | None = None

    def matching(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the memories that hold any of the terms, best first."""
        if gate.is_closed or not terms or top_k < 1:
            return ()
        spans, totals = self._totals(terms, gate)
        allowed = self._gated.allowed(gate, where)
        found: list[tuple[_Span, Ints, Floats]] = []
        for span, total in zip(spans, totals, strict=True):
            rows = np.flatnonzero(total)
            if allowed is not None:
                rows = rows[np.isin(span.leaf.block.keys[rows], allowed)]
            scores = rounded(total[rows])
            found.append((span, rows[scores > 0], scores[scores > 0]))
        return _best(found, top_k)

    def scores(self, terms: Sequence[str], keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the score of each of these memories behind the gate."""
        found: dict[int, float] = {}
        wanted = np.array(sorted(keys), dtype=np.int64)
        if not len(wanted):
            return found
        for span, total in zip(*self._totals(terms, gate), strict=True):
            rows, named = span.rows_of(wanted)
            found.update(zip(named.tolist(), rounded(total[rows]).tolist(), strict=True))
        return found

    def _totals(self, terms: Sequence[str], gate: Gate) -> tuple[list[_Span], list[Floats]]:
        """Score all rows of the gate; the last answer is kept, since the same is asked twice in a recall."""
        asked = (tuple(sorted(set(terms))), gate)
        if self._last is None or self._last[0] != asked:
            spans = self._gated.spans(gate)
            self._last = (asked, (spans, _bm25(spans, asked[0])))
        return self._last[1]


def _bm25(spans: Sequence[_Span], terms: Sequence[str]) -> list[Floats]:
    """Score the rows of each span; the counts are of all spans together.

    Terms are added in the order given: float sums depend on it.
    """
    documents = sum(span.live for span in spans)
    average = sum(span.length for span in spans) / documents if documents else 1.0
    average = average or 1.0
    hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
    found = [_holding(span, hashes) for span in spans]
    idf = [_idf(documents, sum(len(held[at][0]) for held in found)) for at in range(len(terms))]
    return [_totals(span, held, idf, average) for span, held in zip(spans, found, strict=True)]


def _idf(documents: int, holding: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


_Held = tuple[Counts, Counts]
"""The rows that hold a term, and how often each does."""


def _totals(span: _Span, held: Sequence[_Held], idf: Sequence[float], average: float) -> Floats:
    sizes = [len(rows) for rows, _ in held]
    if not any(sizes):
        return np.zeros(span.size)
    rows = np.concatenate([rows for rows, _ in held])
    counts = np.concatenate([counts for _, counts in held]).astype(np.float64)
    norms = K1 * (1 - B + B * span.leaf.block.lengths[rows] / average)
    weights = np.repeat(np.array(idf), sizes) * counts * (K1 + 1) / (counts + norms)
    # Adds in the order of the array, which is that of the terms.
    totals: Floats = np.bincount(rows, weights=weights, minlength=span.size).astype(np.float64, copy=False)
    return totals


def _holding(span: _Span, hashes: Hashes) -> list[_Held]:
    """Give for each term the admitted rows that hold it."""
    block, live = span.leaf.block, span.leaf.live
    last = len(block.terms) - 1
    places = np.searchsorted(block.terms, hashes)
    is_there = block.terms[np.minimum(places, last)] == hashes if last >= 0 else np.zeros(len(hashes), bool)
    found: list[_Held] = []
    for place, there in zip(places.tolist(), is_there.tolist(), strict=True):
        start, end = (int(block.starts[place]), int(block.starts[place + 1])) if there else (0, 0)
        rows, counts = block.rows[start:end], block.counts[start:end]
        if span.size < len(block):
            inside = int(np.searchsorted(rows, span.size))
            rows, counts = rows[:inside], counts[:inside]
        if live is not None:
            lives = live[rows]
            rows, counts = rows[lives], counts[lives]
        found.append((rows, counts))
    return found
