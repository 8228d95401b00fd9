"""A block: many segments of one shelf laid together, sorted by position, never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from kataribe.arena.segment import Counts, Hashes, Ints, Segment
from kataribe.ports import Matrix

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Block:
    """Rows sorted by (position, fact id); what lies up to a position is a prefix.

    Postings are sorted by term, then row: those of `terms[i]` are `starts[i]` to `starts[i + 1]`,
    and those inside a prefix of rows are a prefix of these.
    """

    positions: Ints
    keys: Ints
    fact_ids: Sequence[str]
    pinned: Bools
    matrix: Matrix
    lengths: Ints
    terms: Hashes
    starts: Ints
    rows: Counts
    counts: Counts
    units: Mapping[str, tuple[int, int]]
    """The rows [start, end) of each unit."""

    def __len__(self) -> int:
        return len(self.positions)

    def upto(self, position: int) -> int:
        """Count the rows up to and including a position."""
        return int(np.searchsorted(self.positions, position, side="right"))

    @cached_property
    def length_before(self) -> Ints:
        """Shape (rows + 1,): how many terms all rows before a row have."""
        return np.concatenate(([0], np.cumsum(self.lengths)))

    @cached_property
    def steps(self) -> Ints:
        """The first row of each position."""
        return np.flatnonzero(np.diff(self.positions, prepend=self.positions[:1] - 1))

    @cached_property
    def by_key(self) -> tuple[Ints, Ints]:
        """The keys in order, and the row of each."""
        order = np.argsort(self.keys)
        return self.keys[order], order

    def rows_of(self, keys: Ints) -> tuple[Ints, Ints]:
        """Give (rows, places in `keys`) of those of these keys that are here."""
        ordered, order = self.by_key
        if not len(ordered):
            return order, order
        at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
        here = np.flatnonzero(ordered[at] == keys)
        return order[at[here]], here

    @property
    def nbytes(self) -> int:
        """About how much memory it takes, in bytes."""
        arrays = (self.positions, self.keys, self.matrix, self.lengths, self.terms, self.rows, self.counts)
        return sum(array.nbytes for array in arrays) + 100 * len(self) + 200 * len(self.units)


def block_of(segments: Sequence[Segment]) -> Block:
    """Lay segments together, whose vectors must be of one length."""
    ordered = sorted(segments, key=lambda s: s.position)
    ends = list(accumulate((len(s) for s in ordered), initial=0))
    hashes = _joined([s.postings.hashes for s in ordered], np.uint64)
    rows = _joined([s.postings.rows + np.uint32(at) for s, at in zip(ordered, ends, strict=False)], np.uint32)
    counts = _joined([s.postings.counts for s in ordered], np.uint32)
    terms, starts, rows, counts = _sorted_postings(hashes, rows, counts)
    return Block(
        positions=_joined([s.positions for s in ordered], np.int64),
        keys=_joined([s.keys for s in ordered], np.int64),
        fact_ids=[fact_id for s in ordered for fact_id in s.fact_ids],
        pinned=_joined([s.pinned for s in ordered], np.bool_),
        matrix=_stacked([s.matrix for s in ordered]),
        lengths=_joined([s.postings.lengths for s in ordered], np.int64),
        terms=terms,
        starts=starts,
        rows=rows,
        counts=counts,
        units={s.unit: span for s, span in zip(ordered, pairwise(ends), strict=True)},
    )


def merged(blocks: Sequence[tuple[Block, Bools | None]]) -> Block:
    """Lay the live rows of blocks together; a mask of None means that all rows live."""
    kept = [(b, np.arange(len(b)) if live is None else np.flatnonzero(live)) for b, live in blocks]
    positions = np.concatenate([b.positions[rows] for b, rows in kept])
    # Rows of one position are of one unit, which lives in one block: a stable sort keeps them.
    order = np.argsort(positions, kind="stable")
    new_row = np.empty(len(order), dtype=np.uint32)
    new_row[order] = np.arange(len(order), dtype=np.uint32)
    hashes, rows, counts = _moved_postings(kept, new_row)
    terms, starts, rows, counts = _sorted_postings(hashes, rows, counts, sort_rows=True)
    every = [fact_id for b, at in kept for fact_id in _picked(b.fact_ids, at)]
    units = [unit for b, at in kept for unit in _units_of(b, at)]
    ordered_units = [units[at] for at in order.tolist()]
    return Block(
        positions=positions[order],
        keys=np.concatenate([b.keys[at] for b, at in kept])[order],
        fact_ids=_picked(every, order),
        pinned=np.concatenate([b.pinned[at] for b, at in kept])[order],
        matrix=np.concatenate([b.matrix[at] for b, at in kept])[order],
        lengths=np.concatenate([b.lengths[at] for b, at in kept])[order],
        terms=terms,
        starts=starts,
        rows=rows,
        counts=counts,
        units=_spans(ordered_units),
    )


def _picked(values: Sequence[str], at: Ints) -> list[str]:
    return [values[row] for row in at.tolist()]


def _units_of(block: Block, at: Ints) -> list[str]:
    """Name the unit of each of these rows."""
    named = [""] * len(block)
    for unit, (start, end) in block.units.items():
        named[start:end] = [unit] * (end - start)
    return _picked(named, at)


def _spans(units: Sequence[str]) -> dict[str, tuple[int, int]]:
    spans: dict[str, tuple[int, int]] = {}
    for row, unit in enumerate(units):
        start, _ = spans.get(unit, (row, row))
        spans[unit] = (start, row + 1)
    return spans


def _moved_postings(kept: Sequence[tuple[Block, Ints]], new_row: Counts) -> tuple[Hashes, Counts, Counts]:
    hashes, rows, counts = [], [], []
    before = 0
    for block, at in kept:
        # Where each old row went; -1 for one that is dead.
        moved = np.full(len(block), -1, dtype=np.int64)
        moved[at] = new_row[before : before + len(at)]
        before += len(at)
        target = moved[block.rows]
        lives = target >= 0
        hashes.append(np.repeat(block.terms, np.diff(block.starts))[lives])
        rows.append(target[lives].astype(np.uint32))
        counts.append(block.counts[lives])
    return np.concatenate(hashes), np.concatenate(rows), np.concatenate(counts)


def _sorted_postings(
    hashes: Hashes, rows: Counts, counts: Counts, *, sort_rows: bool = False
) -> tuple[Hashes, Ints, Counts, Counts]:
    """Sort postings by term, then row; rows that come in order need no sorting of their own."""
    order = np.lexsort((rows, hashes)) if sort_rows else np.argsort(hashes, kind="stable")
    hashes, rows, counts = hashes[order], rows[order], counts[order]
    first = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1]))) if len(hashes) else order
    return hashes[first], np.append(first, len(hashes)).astype(np.int64), rows, counts


def _joined(arrays: Sequence[Any], kind: type) -> Any:
    return np.concatenate(arrays).astype(kind, copy=False) if arrays else np.empty(0, dtype=kind)


def _stacked(arrays: Sequence[Matrix]) -> Matrix:
    return np.concatenate(arrays) if arrays else np.empty((0, 0), dtype=np.float32)
