"""A shelf: what one holder may remember of one space, as of one revision. Never changed, only replaced."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from kataribe.arena.block import Block, Bools, block_of, merged
from kataribe.arena.segment import Ints, Segment
from kataribe.domain.arrays import np

FOLD_ROWS = 2048
"""Blocks up to this size together are folded into one at once: about a millisecond's work."""

DEAD_SHARE = 0.25
"""A block is laid anew when more than this share of its rows is dead."""

MAX_BLOCKS = 48
"""More blocks than this are all folded into one: each costs every search a little."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """A block, and which of its rows still live (None: all)."""

    block: Block
    live: Bools | None = None

    @cached_property
    def dead(self) -> Ints:
        """The rows that live no more, in order."""
        return np.empty(0, dtype=np.int64) if self.live is None else np.flatnonzero(~self.live)

    @cached_property
    def dead_length_before(self) -> Ints:
        """Shape (dead rows + 1,): how many terms the dead rows before one have."""
        return np.concatenate(([0], np.cumsum(self.block.lengths[self.dead])))

    @property
    def size(self) -> int:
        """How many rows live."""
        return len(self.block) - len(self.dead)

    @property
    def width(self) -> int:
        """How many dimensions the vectors have."""
        return int(self.block.matrix.shape[1])

    def without(self, units: Collection[str]) -> Leaf:
        """Give the leaf with the rows of these units dead, wherever they stand."""
        gone = self.block.of_units(units)
        if gone is None:
            return self
        return Leaf(self.block, ~gone if self.live is None else self.live & ~gone)


@dataclass(frozen=True, eq=False)
class Shelf:
    """Leaves of one (space, holder), the oldest first."""

    leaves: tuple[Leaf, ...] = ()

    @property
    def nbytes(self) -> int:
        """About how much memory it takes, in bytes."""
        return sum(leaf.block.nbytes for leaf in self.leaves)

    def replaced(self, units: Collection[str], segments: Sequence[Segment]) -> Shelf:
        """Give the shelf with these units taken out and these segments put in."""
        leaves = [leaf.without(units) for leaf in self.leaves]
        leaves = [_refreshed(leaf) for leaf in leaves if leaf.size]
        # No vectors yet have a length of 0. Any other length is of another embedder: an error inside a gate,
        # nothing outside it.
        for width in sorted({segment.matrix.shape[1] for segment in segments}):
            fresh = [segment for segment in segments if segment.matrix.shape[1] == width]
            leaves.append(Leaf(block_of(fresh)))
        return Shelf(tuple(_folded(leaves)))

    def __iter__(self) -> Iterator[Leaf]:
        return iter(self.leaves)


def shelf_of(segments: Sequence[Segment]) -> Shelf:
    """Lay a whole shelf."""
    return Shelf().replaced((), segments)


def _refreshed(leaf: Leaf) -> Leaf:
    if len(leaf.dead) > max(DEAD_SHARE * len(leaf.block), FOLD_ROWS / 8):
        return Leaf(merged([(leaf.block, leaf.live)]))
    return leaf


def _folded(leaves: list[Leaf]) -> list[Leaf]:
    """Fold the youngest leaves together while they are small, each into one at least half its size."""
    while len(leaves) > 1:
        older, younger = leaves[-2], leaves[-1]
        is_small = older.size + younger.size <= FOLD_ROWS and older.size <= 2 * younger.size
        if not is_small or older.width != younger.width:
            break
        leaves[-2:] = [Leaf(merged([(older.block, older.live), (younger.block, younger.live)]))]
    if len(leaves) > MAX_BLOCKS:
        widths = sorted({leaf.width for leaf in leaves})
        return [_one([leaf for leaf in leaves if leaf.width == width]) for width in widths]
    return leaves


def _one(leaves: Sequence[Leaf]) -> Leaf:
    """Fold leaves of one width into one."""
    return Leaf(merged([(leaf.block, leaf.live) for leaf in leaves]))
