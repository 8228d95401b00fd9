"""A block: many segments of one shelf laid together, sorted by position and fact id, never changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeAlias

from kataribe.arena.segment import Counts, Hashes, Ints, Segment
from kataribe.domain.arrays import np, npt
from kataribe.ports import Matrix

Bools: TypeAlias = "npt.NDArray[np.bool_]"
Units: TypeAlias = "npt.NDArray[np.int32]"

FEW_POSTINGS = 1 << 13
"""Fewer postings than this are sorted in the plain way, which needs fewer steps."""


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
    units: Sequence[str]
    """The names of the units, each once."""
    unit_of: Units
    """Shape (rows,): the place of each row's unit in `units`. The rows of a unit may stand apart."""

    def __len__(self) -> int:
        return len(self.positions)

    def upto(self, position: int) -> int:
        """Count the rows up to and including a position."""
        return int(self.positions.searchsorted(position, side="right"))

    def of_units(self, units: Collection[str]) -> Bools | None:
        """Tell which rows are of these units; None when the block has none of these units."""
        named = [self._unit_places[unit] for unit in units if unit in self._unit_places]
        if not named:
            return None
        if len(named) == 1:
            # What is usual after a change, and ten times as quick.
            return np.equal(self.unit_of, named[0])
        is_named = np.zeros(len(self.units), dtype=np.bool_)
        is_named[named] = True
        return is_named[self.unit_of]

    @cached_property
    def _unit_places(self) -> Mapping[str, int]:
        return {unit: at for at, unit in enumerate(self.units)}

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
        at = np.minimum(ordered.searchsorted(keys), len(ordered) - 1)
        here = (ordered[at] == keys).nonzero()[0]
        return order[at[here]], here

    @property
    def nbytes(self) -> int:
        """About how much memory it takes, in bytes."""
        arrays: tuple[npt.NDArray[Any], ...] = (
            self.positions,
            self.keys,
            self.matrix,
            self.lengths,
            self.unit_of,
            self.terms,
            self.rows,
            self.counts,
        )
        return sum(array.nbytes for array in arrays) + 100 * len(self) + 200 * len(self.units)


class _Heap(NamedTuple):
    """Rows part after part, each part sorted by (position, fact id) as a segment and a block are.

    `matrices` are those of the parts, not yet copied together. `rows` are those of the heap.
    """

    positions: Ints
    keys: Ints
    fact_ids: list[str]
    pinned: Bools
    matrices: Sequence[Matrix]
    lengths: Ints
    unit_of: Units
    hashes: Hashes
    rows: Counts
    counts: Counts


def block_of(segments: Sequence[Segment]) -> Block:
    """Lay segments together, whose vectors must be of one length."""
    ordered = sorted(segments, key=lambda s: s.position)
    places: dict[str, int] = {}
    units = [places.setdefault(s.unit, len(places)) for s in ordered]
    starts = list(accumulate((len(s) for s in ordered[:-1]), initial=0))
    heap = _Heap(
        positions=_joined([s.positions for s in ordered], np.int64),
        keys=_joined([s.keys for s in ordered], np.int64),
        fact_ids=list(chain.from_iterable(s.fact_ids for s in ordered)),
        pinned=_joined([s.pinned for s in ordered], np.bool_),
        matrices=[s.matrix for s in ordered],
        lengths=_joined([s.postings.lengths for s in ordered], np.int64),
        unit_of=np.repeat(np.array(units, dtype=np.int32), [len(s) for s in ordered]),
        hashes=_joined([s.postings.hashes for s in ordered], np.uint64),
        rows=_joined(
            [s.postings.rows + np.uint32(at) for s, at in zip(ordered, starts, strict=False)], np.uint32
        ),
        counts=_joined([s.postings.counts for s in ordered], np.uint32),
    )
    return _laid(heap, tuple(places))


def merged(blocks: Sequence[tuple[Block, Bools | None]]) -> Block:
    """Lay the live rows of blocks together; a mask of None means that all rows live."""
    kept = [(b, slice(None) if live is None else np.flatnonzero(live)) for b, live in blocks]
    places: dict[str, int] = {}
    unit_of = [_renamed(b, b.unit_of[at], places) for b, at in kept]
    hashes, rows, counts = _live_postings(kept)
    heap = _Heap(
        positions=np.concatenate([b.positions[at] for b, at in kept]),
        keys=np.concatenate([b.keys[at] for b, at in kept]),
        fact_ids=[fact_id for b, at in kept for fact_id in _picked(b.fact_ids, at)],
        pinned=np.concatenate([b.pinned[at] for b, at in kept]),
        matrices=[b.matrix[at] for b, at in kept],
        lengths=np.concatenate([b.lengths[at] for b, at in kept]),
        unit_of=np.concatenate(unit_of),
        hashes=hashes,
        rows=rows,
        counts=counts,
    )
    return _laid(heap, tuple(places))


def _laid(heap: _Heap, units: Sequence[str]) -> Block:
    order = _order(heap)
    terms, starts, rows, counts = _sorted_postings(heap, order)
    by = slice(None) if order is None else order
    return Block(
        positions=heap.positions[by],
        keys=heap.keys[by],
        fact_ids=_picked(heap.fact_ids, by),
        pinned=heap.pinned[by],
        matrix=_stacked(heap.matrices, order),
        lengths=heap.lengths[by],
        terms=terms,
        starts=starts,
        rows=rows,
        counts=counts,
        units=units,
        unit_of=heap.unit_of[by],
    )


def _order(heap: _Heap) -> Ints | None:
    """Give the rows of a heap by (position, fact id); None when they stand so.

    Most parts lie one behind the other. Fact ids are compared only where two parts have one position.
    """
    if len(heap.matrices) < 2:
        return None
    positions = heap.positions
    is_sorted = bool((positions[1:] >= positions[:-1]).all())
    # Equals stay as they stand: those of one part beside each other, by fact id.
    order = np.arange(len(positions)) if is_sorted else np.argsort(positions, kind="stable")
    part_of = np.repeat(np.arange(len(heap.matrices)), [len(matrix) for matrix in heap.matrices])
    sorted_positions, parts = positions[order], part_of[order]
    is_shared = (sorted_positions[1:] == sorted_positions[:-1]) & (parts[1:] != parts[:-1])
    if not is_shared.any():
        return None if is_sorted else order
    at = np.flatnonzero(np.isin(sorted_positions, sorted_positions[1:][is_shared]))
    rows = order[at].tolist()
    named = zip(sorted_positions[at].tolist(), _picked(heap.fact_ids, order[at]), rows, strict=True)
    order[at] = [row for _, _, row in sorted(named)]
    return order


def _picked(values: Sequence[str], at: Ints | slice) -> list[str]:
    return list(values[at]) if isinstance(at, slice) else [values[row] for row in at.tolist()]


def _renamed(block: Block, unit_of: Units, places: dict[str, int]) -> Units:
    """Give each of these rows the place of its unit among `places`, which takes in what is new."""
    table = np.zeros(len(block.units), dtype=np.int32)
    for unit in np.flatnonzero(np.bincount(unit_of, minlength=len(table))).tolist():
        table[unit] = places.setdefault(block.units[unit], len(places))
    return table[unit_of]


def _live_postings(kept: Sequence[tuple[Block, Ints | slice]]) -> tuple[Hashes, Counts, Counts]:
    """Give the postings of the rows that are kept, numbered as they are laid behind each other."""
    hashes, rows, counts = [], [], []
    before = 0
    for block, at in kept:
        # Where each old row goes; -1 for one that is dead.
        moved = np.full(len(block), -1, dtype=np.int64)
        size = len(moved[at])
        moved[at] = np.arange(before, before + size)
        before += size
        target = moved[block.rows]
        lives = target >= 0
        hashes.append(np.repeat(block.terms, np.diff(block.starts))[lives])
        rows.append(target[lives].astype(np.uint32))
        counts.append(block.counts[lives])
    return np.concatenate(hashes), np.concatenate(rows), np.concatenate(counts)


def _sorted_postings(heap: _Heap, order: Ints | None) -> tuple[Hashes, Ints, Counts, Counts]:
    """Sort postings by term, then row; `order` are the rows of the heap as they will stand."""
    by_term = _by_term(heap.hashes)
    hashes, rows, counts = heap.hashes[by_term], heap.rows[by_term], heap.counts[by_term]
    first = np.flatnonzero(hashes[1:] != hashes[:-1]) + 1
    starts = np.concatenate(([0], first, [len(hashes)])) if len(hashes) else np.zeros(1, np.int64)
    if order is not None:
        rows = _places_in(order)[rows].astype(np.uint32)
        _sort_rows(starts, rows, counts)
    return hashes[starts[:-1]], starts, rows, counts


def _by_term(hashes: Hashes) -> Ints:
    """Give the places of postings by term, those of one term as they stand."""
    if len(hashes) < FEW_POSTINGS:
        return np.argsort(hashes, kind="stable")
    # A hash whose low bits make room for its place is one number; sorting numbers is three times
    # as quick as sorting places by number.
    low = np.uint64((1 << len(hashes).bit_length()) - 1)
    numbers = (hashes & ~low) | np.arange(len(hashes), dtype=np.uint64)
    numbers.sort()
    places = (numbers & low).astype(np.int64)
    found = hashes[places]
    if (found[1:] < found[:-1]).any():
        # Two terms that differ in the low bits alone: hardly ever.
        return np.argsort(hashes, kind="stable")
    return places


def _sort_rows(starts: Ints, rows: Counts, counts: Counts) -> None:
    """Sort the postings of each term by row, in place; most stand so already and are not touched."""
    falls = np.flatnonzero(rows[1:] < rows[:-1]) + 1
    terms = np.searchsorted(starts, falls, side="right") - 1
    is_wrong = np.zeros(len(starts) - 1, dtype=np.bool_)
    # A term may begin with a lower row than the one before it ended with.
    is_wrong[terms[falls > starts[terms]]] = True
    sizes = np.diff(starts)
    at = np.flatnonzero(np.repeat(is_wrong, sizes))
    term_of = np.repeat(np.flatnonzero(is_wrong), sizes[is_wrong])
    by_row = at[np.argsort((term_of << 32) | rows[at], kind="stable")]
    rows[at], counts[at] = rows[by_row], counts[by_row]


def _places_in(order: Ints) -> Ints:
    """Give for each row its place in an order."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places


def _joined(arrays: Sequence[Any], kind: type) -> Any:
    return np.concatenate(arrays).astype(kind, copy=False) if arrays else np.empty(0, dtype=kind)


def _stacked(matrices: Sequence[Matrix], order: Ints | None) -> Matrix:
    """Copy matrices together once, whatever the order: they are by far the most there is to copy."""
    if not matrices:
        return np.empty((0, 0), dtype=np.float32)
    if order is None:
        return np.concatenate(matrices)
    places = _places_in(order)
    stacked = np.empty((len(order), matrices[0].shape[1]), dtype=np.float32)
    before = 0
    for matrix in matrices:
        stacked[places[before : before + len(matrix)]] = matrix
        before += len(matrix)
    return stacked
