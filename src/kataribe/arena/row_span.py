"""The rows of one leaf that a slice admits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

from kataribe.arena.segment import Ints
from kataribe.arena.shelf import Leaf
from kataribe.domain.gate import Slice
from kataribe.domain.similarity import Floats

_Ordered = tuple[float, int, int, str, str, int, bool]
"""What `Candidate.order` sorts by (the score below zero, part, position, fact id, holder), key, pinned."""


@dataclass(frozen=True, eq=False)
class RowSpan:
    """The rows of one leaf that a slice admits: the first `size`, less the dead."""

    part: Slice
    leaf: Leaf
    size: int

    @cached_property
    def dead(self) -> Ints:
        """The dead rows among them."""
        dead = self.leaf.dead
        return dead[: dead.searchsorted(self.size)]

    @property
    def positions(self) -> list[int]:
        """The positions of the admitted rows, each once."""
        positions, live = self.leaf.block.positions, self.leaf.live
        if live is None:
            steps = self.leaf.block.steps
            rows = steps[: steps.searchsorted(self.size)]
        else:
            rows = live[: self.size].nonzero()[0]
        return list(dict.fromkeys(positions[rows].tolist()))

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

    def in_order(self, rows: Ints, scores: Floats) -> Iterator[_Ordered]:
        """Give rows with these scores as what they are sorted by, and what else a candidate is made of."""
        block = self.leaf.block
        return zip(
            (-scores).tolist(),
            repeat(self.part.part),
            block.positions[rows].tolist(),
            [block.fact_ids[row] for row in rows.tolist()],
            repeat(self.part.holder),
            block.keys[rows].tolist(),
            block.pinned[rows].tolist(),
            strict=False,
        )
