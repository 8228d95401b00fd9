"""What a gate admits of the shelves: spans of rows, and the best of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from kataribe.arena.arena import Arena
from kataribe.arena.block import Bools
from kataribe.arena.feed import Feed
from kataribe.arena.row_span import RowSpan
from kataribe.arena.segment import Ints
from kataribe.arena.shelf import Shelf, shelf_of
from kataribe.arena.table import GateTable, Tables
from kataribe.domain.arrays import np
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Place, Slice
from kataribe.domain.memory import Candidate
from kataribe.domain.similarity import Floats


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


class Gated:
    """The spans of a gate, as the searches of one recall ask for them one after the other."""

    def __init__(self, shelves: Shelves, tables: Tables | None = None) -> None:
        self._shelves = shelves
        self._tables = tables
        self._gate: Gate | None = None
        self._spans: list[RowSpan] = []
        self._table: GateTable | None = None

    def spans(self, gate: Gate) -> list[RowSpan]:
        """Give what a gate admits, leaf by leaf; empty ones are left out."""
        if gate != self._gate:
            self._spans = [span for part in gate.slices for span in self._of(part)]
            self._table = None if self._tables is None else self._tables.of(self._spans)
            self._gate = gate
        return self._spans

    def table(self, gate: Gate) -> GateTable | None:
        """Give what a gate admits as one table, where it is small and asked for again and again."""
        self.spans(gate)
        return self._table

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


SpanRows = tuple[RowSpan, Ints, Floats]
"""Rows of a span, in order, and their scores."""


def best(found: Sequence[SpanRows], top_k: int) -> tuple[Candidate, ...]:
    """Make candidates of the best of these rows (in order) and rounded scores.

    Of many that tie only as many are made as can be wanted: the rows of a span are in the
    order that breaks ties.
    """
    every = _joined(found)
    # Of few more than are wanted sorting all is quicker than looking for the least.
    if len(every) > 2 * top_k:
        least, ties = _least_of(every, top_k)
        found = [_cut(one, least, ties) for one in found]
    ordered = [one for span, rows, scores in found for one in span.in_order(rows, scores)]
    ordered.sort()
    return tuple(
        [
            Candidate(key, position, fact_id, holder, -worse, pinned, part)
            for worse, part, position, fact_id, holder, key, pinned in ordered[:top_k]
        ]
    )


def foremost(found: Sequence[SpanRows], top_k: int) -> list[SpanRows]:
    """Cut these rows (in order) down to those that `best` would make candidates of, span by span."""
    every = _joined(found)
    if len(every) <= top_k:
        return list(found)
    least, ties = _least_of(every, top_k)
    if ties == int((every == least).sum()):
        return [_from(one, one[2] >= least) for one in found]
    # Ties across spans are broken by what the rows are.
    tied = [_from(one, one[2] == least) for one in found]
    places = [(at, row) for at, (_, rows, _) in enumerate(tied) for row in rows.tolist()]
    ordered = [one for span, rows, scores in tied for one in span.in_order(rows, scores)]
    kept = {places[at] for at in sorted(range(len(places)), key=ordered.__getitem__)[:ties]}
    return [_from(one, (one[2] > least) | _among(kept, at, one[1])) for at, one in enumerate(found)]


def _among(kept: Collection[tuple[int, int]], at: int, rows: Ints) -> Bools:
    return np.array([(at, row) in kept for row in rows.tolist()], dtype=np.bool_)


def _joined(found: Sequence[SpanRows]) -> Floats:
    return np.concatenate([scores for _, _, scores in found]) if found else np.empty(0)


def _least_of(every: Floats, top_k: int) -> tuple[float, int]:
    """Give the score of the `top_k`-th best, and how many of that very score are among the best."""
    least = float(np.partition(every, len(every) - top_k)[len(every) - top_k])
    return least, top_k - int((every > least).sum())


def _cut(one: SpanRows, least: float, ties: int) -> SpanRows:
    scores = one[2]
    is_kept = scores > least
    is_kept[(scores == least).nonzero()[0][:ties]] = True
    return _from(one, is_kept)


def _from(one: SpanRows, is_kept: Bools) -> SpanRows:
    span, rows, scores = one
    return span, rows[is_kept], scores[is_kept]
