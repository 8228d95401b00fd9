"""What a gate admits of the shelves: spans of rows, and the best of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Protocol

from kataribe.arena.arena import Arena
from kataribe.arena.feed import Feed
from kataribe.arena.segment import Ints
from kataribe.arena.shelf import Leaf, Shelf, shelf_of
from kataribe.domain.arrays import np
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Place, Slice
from kataribe.domain.memory import Candidate
from kataribe.domain.similarity import Floats

_Ordered = tuple[float, int, int, str, str, int, bool]
"""What `Candidate.order` sorts by (the score below zero, part, position, fact id, holder), key, pinned."""


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
        yield self.arena.shelf(self.feed, part.space, part.holder, upto=part.upto)

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


class Gated:
    """The spans of a gate, as the searches of one recall ask for them one after the other."""

    def __init__(self, shelves: Shelves) -> None:
        self._shelves = shelves
        self._gate: Gate | None = None
        self._spans: list[RowSpan] = []

    def spans(self, gate: Gate) -> list[RowSpan]:
        """Give what a gate admits, leaf by leaf; empty ones are left out."""
        if gate != self._gate:
            self._spans = [span for part in gate.slices for span in self._of(part)]
            self._gate = gate
        return self._spans

    def _of(self, part: Slice) -> Iterator[RowSpan]:
        for shelf in self._shelves.of(part):
            for leaf in shelf:
                size = leaf.block.upto(part.upto)
                if size:
                    yield RowSpan(part, leaf, size)

    def places(self, gate: Gate) -> tuple[Place, ...]:
        """Give the places (part, position) of what a gate admits, each once, in order."""
        found: set[Place] = set()
        for span in self.spans(gate):
            found.update((span.part.part, position) for position in span.positions)
        return tuple(sorted(found))

    def allowed(self, gate: Gate, where: Filter | None) -> Ints | None:
        """Give the keys that a filter lets pass, in order; None when there is no filter."""
        if where is None:
            return None
        return np.array(sorted(self._shelves.admitted_keys(gate, where)), dtype=np.int64)


def best(found: Sequence[tuple[RowSpan, Ints, Floats]], top_k: int) -> tuple[Candidate, ...]:
    """Make candidates of the best of these rows (in order) and rounded scores.

    Of many that tie only as many are made as can be wanted: the rows of a span are in the
    order that breaks ties.
    """
    every = np.concatenate([scores for _, _, scores in found]) if found else np.empty(0)
    # Of few more than are wanted sorting all is quicker than looking for the least.
    if len(every) > 2 * top_k:
        least = np.partition(every, len(every) - top_k)[len(every) - top_k]
        ties = top_k - int((every > least).sum())
        found = [_cut(span, rows, scores, least, ties) for span, rows, scores in found]
    ordered = [one for span, rows, scores in found for one in span.in_order(rows, scores)]
    ordered.sort()
    return tuple(
        [
            Candidate(key, position, fact_id, holder, -worse, pinned, part)
            for worse, part, position, fact_id, holder, key, pinned in ordered[:top_k]
        ]
    )


def _cut(span: RowSpan, rows: Ints, scores: Floats, least: float, ties: int) -> tuple[RowSpan, Ints, Floats]:
    is_kept = scores > least
    is_kept[(scores == least).nonzero()[0][:ties]] = True
    return span, rows[is_kept], scores[is_kept]
