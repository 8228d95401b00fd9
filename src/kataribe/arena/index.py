"""Exact search over shelves: `VectorIndex` and `KeywordIndex` behind a gate."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from kataribe.arena.arena import Arena
from kataribe.arena.feed import Feed
from kataribe.arena.segment import Ints
from kataribe.arena.shelf import Leaf, Shelf, shelf_of
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.memory import Candidate
from kataribe.domain.ranking import DECIMALS, K1, B, exact_similarities
from kataribe.domain.tokens import term_hash
from kataribe.errors import EmbedderMismatchError
from kataribe.ports import Vector

_SLACK = 1e-4
"""How far the fast float32 product of unit vectors may be off; far more than it is."""

Floats = npt.NDArray[np.float64]


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

    def candidate(self, row: int, score: float) -> Candidate:
        """Make a candidate of a row."""
        block = self.leaf.block
        return Candidate(
            int(block.keys[row]),
            int(block.positions[row]),
            block.fact_ids[row],
            self.part.holder,
            score,
            bool(block.pinned[row]),
            self.part.part,
        )


def _spans(shelves: Shelves, gate: Gate) -> list[_Span]:
    found: list[_Span] = []
    for part in gate.slices:
        for shelf in shelves.of(part):
            for leaf in shelf:
                size = leaf.block.upto(part.upto)
                if size:
                    found.append(_Span(part, leaf, size))
    return found


def _best(found: list[Candidate], top_k: int) -> tuple[Candidate, ...]:
    return tuple(sorted(found, key=Candidate.order)[:top_k])


def _allowed(shelves: Shelves, gate: Gate, where: Filter | None) -> Ints | None:
    if where is None:
        return None
    return np.array(sorted(shelves.admitted_keys(gate, where)), dtype=np.int64)


class ShelfVectorIndex:
    """`VectorIndex` over shelves: BLAS preselects with a margin, each candidate is scored by itself (P2)."""

    def __init__(self, shelves: Shelves) -> None:
        self._shelves = shelves

    def nearest(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the most similar memories the gate admits."""
        if gate.is_closed or top_k < 1:
            return ()
        spans = _spans(self._shelves, gate)
        _check_dimensions(spans, vector)
        allowed = _allowed(self._shelves, gate, where)
        scores = [_products(span, vector, allowed) for span in spans]
        least = _least(scores, top_k)
        found: list[Candidate] = []
        for span, products in zip(spans, scores, strict=True):
            rows = np.flatnonzero(products >= least)
            exact = exact_similarities(span.leaf.block.matrix[rows], vector)
            found += [span.candidate(row, score) for row, score in zip(rows.tolist(), exact, strict=True)]
        return _best(found, top_k)

    def similarities(self, vector: Vector, keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the similarity of each of these memories behind the gate."""
        found: dict[int, float] = {}
        wanted = np.array(sorted(keys), dtype=np.int64)
        if not len(wanted):
            return found
        spans = _spans(self._shelves, gate)
        _check_dimensions(spans, vector)
        for span in spans:
            rows, at = span.leaf.block.rows_of(wanted)
            inside = rows < span.size
            if span.leaf.live is not None:
                inside &= span.leaf.live[rows]
            exact = exact_similarities(span.leaf.block.matrix[rows[inside]], vector)
            found.update(zip(wanted[at[inside]].tolist(), exact, strict=True))
        return found


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

    def __init__(self, shelves: Shelves) -> None:
        self._shelves = shelves

    def matching(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the memories that hold any of the terms, best first."""
        if gate.is_closed or not terms or top_k < 1:
            return ()
        spans = _spans(self._shelves, gate)
        scores = _bm25(spans, sorted(set(terms)))
        allowed = _allowed(self._shelves, gate, where)
        picked = [_matched(span, totals, allowed) for span, totals in zip(spans, scores, strict=True)]
        least = _least_positive([totals[rows] for rows, totals in zip(picked, scores, strict=True)], top_k)
        found: list[Candidate] = []
        for span, totals, rows in zip(spans, scores, picked, strict=True):
            best = rows[totals[rows] >= least]
            found += [
                span.candidate(row, round(score, DECIMALS))
                for row, score in zip(best.tolist(), totals[best].tolist(), strict=True)
            ]
        return _best([candidate for candidate in found if candidate.score > 0], top_k)


def _matched(span: _Span, totals: Floats, allowed: Ints | None) -> Ints:
    rows = np.flatnonzero(totals)
    return rows if allowed is None else rows[np.isin(span.leaf.block.keys[rows], allowed)]


def _least_positive(scores: Sequence[Floats], count: int) -> float:
    every = np.concatenate([*scores, np.empty(0)])
    if len(every) <= count:
        return 0.0
    # Rounding may tie a score with one a little lower.
    return float(np.partition(every, len(every) - count)[len(every) - count]) - 2 * 10.0**-DECIMALS


def _bm25(spans: Sequence[_Span], terms: Sequence[str]) -> list[Floats]:
    """Score the rows of each span; the counts are of all spans together.

    Terms are added in the order given: float sums depend on it.
    """
    documents = sum(span.live for span in spans)
    average = sum(span.length for span in spans) / documents if documents else 1.0
    average = average or 1.0
    totals = [np.zeros(span.size) for span in spans]
    hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
    places = [np.searchsorted(span.leaf.block.terms, hashes).tolist() for span in spans]
    for at, hashed in enumerate(hashes):
        found = [_holding(span, place[at], hashed) for span, place in zip(spans, places, strict=True)]
        holding = sum(len(rows) for rows, _ in found)
        idf = math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
        for span, total, (rows, counts) in zip(spans, totals, found, strict=True):
            if len(rows):
                norms = K1 * (1 - B + B * span.leaf.block.lengths[rows] / average)
                total[rows] += idf * counts * (K1 + 1) / (counts + norms)
    return totals


_NONE = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def _holding(span: _Span, place: int, hashed: np.uint64) -> tuple[npt.NDArray[np.integer], Ints]:
    """Give the admitted rows that hold a term, and how often each does."""
    block = span.leaf.block
    if place == len(block.terms) or block.terms[place] != hashed:
        return _NONE
    start, end = int(block.starts[place]), int(block.starts[place + 1])
    rows, counts = block.rows[start:end], block.counts[start:end]
    inside = int(np.searchsorted(rows, span.size))
    rows, counts = rows[:inside], counts[:inside]
    if span.leaf.live is not None:
        lives = span.leaf.live[rows]
        rows, counts = rows[lives], counts[lives]
    return rows, counts.astype(np.int64)
