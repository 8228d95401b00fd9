"""A table: the rows of a small gate laid together, so that a search takes each step once for all of them."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from weakref import ref

from kataribe.arena.row_span import RowSpan
from kataribe.arena.segment import Counts, Hashes, Ints
from kataribe.arena.shelf import Leaf
from kataribe.domain.arrays import np
from kataribe.domain.recall.ranking import K1, B
from kataribe.domain.similarity import Floats, rounded
from kataribe.domain.text.tokens import term_hash
from kataribe.ports import FoundByBoth, Vector

MOST_ROWS = 256
"""Of so few rows likeness is worked out exactly at once: to look for those that may win costs more."""
_MOST_LAID = 1 << 14
"""Rows of blocks that are gone through to lay a table."""


@dataclass(frozen=True, eq=False)
class GateTable:
    """What a gate admits, sorted as ties are broken: by part, position, fact id and holder.

    Postings are sorted by term, then row, as those of a block. `norms` is what BM25 adds to a count.
    """

    keys: Ints
    matrix: Floats
    """Shape (rows, dimensions): the vectors as they are multiplied."""
    norms: Floats
    terms: Hashes
    starts: Ints
    rows: Ints
    counts: Counts

    @property
    def width(self) -> int:
        """How many dimensions the vectors have."""
        return int(self.matrix.shape[1])

    @property
    def nbytes(self) -> int:
        """About how much memory it takes, in bytes."""
        return self.matrix.nbytes + 8 * len(self.keys) * 2 + 20 * len(self.rows) + 16 * len(self.terms)

    def rows_of(self, keys: Collection[int]) -> tuple[list[int], list[int]]:
        """Give those of these keys that are here, and the row of each."""
        row_of = self.row_of
        here = [key for key in keys if key in row_of]
        return here, [row_of[key] for key in here]

    @cached_property
    def row_of(self) -> Mapping[int, int]:
        """The row of each key."""
        return {key: row for row, key in enumerate(self.keys.tolist())}

    def vectors_of(self, keys: Collection[int]) -> dict[int, Vector]:
        """Give the vectors of those of these keys that are here."""
        here, rows = self.rows_of(keys)
        return dict(zip(here, self.matrix[rows].astype(np.float32), strict=True))

    def best(self, likeness: Floats, words: Floats, *, top_k: int) -> FoundByBoth:
        """Give the best by either of these scores of all rows."""
        near, wordy = _first(likeness, top_k), _first_above(words, top_k)
        is_found = np.zeros(len(self.keys), dtype=np.bool_)
        is_found[near] = True
        is_found[wordy] = True
        rows = is_found.nonzero()[0]
        return FoundByBoth(
            keys=self.keys[rows].tolist(),
            similarity=likeness[rows].tolist(),
            keyword=words[rows].tolist(),
            near=len(near),
            wordy=len(wordy),
            least=float(likeness[near].min(initial=1.0)),
        )

    def likeness(self, vector: Vector) -> Floats:
        """Give what `exact_similarities` gives of each row."""
        if not vector.any():
            return np.zeros(len(self.keys))
        return rounded((self.matrix * vector.astype(np.float64)).sum(axis=1))

    def words(self, terms: Sequence[str]) -> Floats:
        """Give the rounded BM25 score of each row for terms that are sorted, and each there once.

        They are added in their order, as float sums depend on it.
        """
        size = len(self.keys)
        held = [slice(*span) for span in self._postings(terms) if span[0] < span[1]]
        if not held:
            return np.zeros(size)
        rows = np.concatenate([self.rows[span] for span in held])
        counts = np.concatenate([self.counts[span] for span in held]).astype(np.float64)
        many = [span.stop - span.start for span in held]
        idf = np.array([math.log(1 + (size - n + 0.5) / (n + 0.5)) for n in many])
        weights = np.repeat(idf, many) * counts * (K1 + 1) / (counts + self.norms[rows])
        return rounded(np.bincount(rows, weights=weights, minlength=size).astype(np.float64, copy=False))

    def _postings(self, terms: Sequence[str]) -> list[tuple[int, int]]:
        """Give where the postings of each term begin and end."""
        if not len(self.terms):
            return []
        hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
        places = np.minimum(self.terms.searchsorted(hashes), len(self.terms) - 1)
        there = places[self.terms[places] == hashes]
        return list(zip(self.starts[there].tolist(), self.starts[there + 1].tolist(), strict=True))


def _first(scores: Floats, top_k: int) -> Ints:
    """Give the rows of the best; of those that tie the first ones."""
    if len(scores) <= top_k:
        return np.arange(len(scores))
    return (-scores).argsort(kind="stable")[:top_k]


def _first_above(scores: Floats, top_k: int) -> Ints:
    rows = (scores > 0).nonzero()[0]
    return rows if len(rows) <= top_k else rows[_first(scores[rows], top_k)]


def table_of(spans: Sequence[RowSpan]) -> GateTable:
    """Lay the rows of these spans together; there is at least one, and their vectors are of one length."""
    lived = [_live_rows(span) for span in spans]
    told = [
        (one.part.part, position, fact_id, one.part.holder)
        for one, rows in zip(spans, lived, strict=True)
        for position, fact_id in zip(
            one.leaf.block.positions[rows].tolist(),
            (one.leaf.block.fact_ids[row] for row in rows.tolist()),
            strict=True,
        )
    ]
    order = np.array(sorted(range(len(told)), key=told.__getitem__), dtype=np.int64)
    lengths = np.concatenate([one.leaf.block.lengths[rows] for one, rows in zip(spans, lived, strict=True)])
    average = sum(one.length for one in spans) / len(order)
    norms = K1 * (1 - B + B * lengths[order].astype(np.float64) / (average or 1.0))
    matrix = np.concatenate([one.leaf.block.matrix[rows] for one, rows in zip(spans, lived, strict=True)])
    keys = np.concatenate([one.leaf.block.keys[rows] for one, rows in zip(spans, lived, strict=True)])
    terms, starts, rows, counts = _postings(spans, lived, order)
    return GateTable(keys[order], matrix[order].astype(np.float64), norms, terms, starts, rows, counts)


def _live_rows(span: RowSpan) -> Ints:
    live = span.leaf.live
    return np.arange(span.size) if live is None else live[: span.size].nonzero()[0]


def _postings(
    spans: Sequence[RowSpan], lived: Sequence[Ints], order: Ints
) -> tuple[Hashes, Ints, Ints, Counts]:
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    hashes, rows, counts, before = [], [], [], 0
    for span, kept in zip(spans, lived, strict=True):
        block = span.leaf.block
        moved = np.full(len(block), -1, dtype=np.int64)
        moved[kept] = place[before : before + len(kept)]
        before += len(kept)
        target = moved[block.rows]
        is_kept = target >= 0
        hashes.append(np.repeat(block.terms, np.diff(block.starts))[is_kept])
        rows.append(target[is_kept])
        counts.append(block.counts[is_kept])
    every, at, many = np.concatenate(hashes), np.concatenate(rows), np.concatenate(counts)
    by_term = np.lexsort((at, every))
    every = every[by_term]
    terms, starts = np.unique(every, return_index=True)
    return terms, np.append(starts, len(every)), at[by_term], many[by_term]


_Shape = tuple[tuple[int, int, int, str], ...]


@dataclass(slots=True)
class _LaidGate:
    """A table, once it was asked for again, and the leaves it was laid of, if they are still there."""

    leaves: Sequence[ref[Leaf]]
    table: GateTable | None = None


class Tables:
    """Tables of the gates that are asked again and again, the oldest dropped first.

    Shared by threads. A gate is laid when it is asked for the second time: of one that changes with
    each question, as what is said comes in between, none is.
    """

    def __init__(self, most_bytes: int = 1 << 25) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[_Shape, _LaidGate] = OrderedDict()
        self._lock = Lock()

    def of(self, spans: Sequence[RowSpan]) -> GateTable | None:
        """Give the table of what a gate admits; None where it is to be searched span by span."""
        if not 0 < sum(span.size for span in spans) <= MOST_ROWS:
            return None
        shape = tuple([(id(one.leaf), one.size, one.part.part, one.part.holder) for one in spans])
        kept = self._kept.get(shape)
        if kept is None or any(at() is not one.leaf for at, one in zip(kept.leaves, spans, strict=True)):
            self._keep(shape, _LaidGate([ref(one.leaf) for one in spans]))
            return None
        if kept.table is None and _can_be_laid(spans):
            self._keep(shape, _LaidGate(kept.leaves, table_of(spans)))
        return self._kept.get(shape, kept).table

    def clear(self) -> None:
        """Forget all tables."""
        with self._lock:
            self._kept.clear()

    def _keep(self, shape: _Shape, kept: _LaidGate) -> None:
        with self._lock:
            self._kept[shape] = kept
            self._kept.move_to_end(shape)
            total = sum(_size_of(one) for one in self._kept.values())
            while total > self._most_bytes and len(self._kept) > 1:
                total -= _size_of(self._kept.popitem(last=False)[1])


_SHAPE_BYTES = 1000


def _size_of(kept: _LaidGate) -> int:
    return _SHAPE_BYTES + (0 if kept.table is None else kept.table.nbytes)


def _can_be_laid(spans: Sequence[RowSpan]) -> bool:
    widths = {span.leaf.width for span in spans}
    laid = sum(len(span.leaf.block) for span in spans)
    return len(widths) == 1 and 0 not in widths and laid <= _MOST_LAID and any(span.live for span in spans)
