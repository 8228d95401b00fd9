"""Search inside a gate, within a view; and indexes outside the store that propose what to look at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Candidate
from kataribe.ports.models import Vector


class VectorSearch(Protocol):
    """Finds memories by likeness, inside a gate.

    Exact: similarities are cosines in [-1, 1], each computed row by row in float64 and
    rounded to 6 decimals; ties are broken by the slice's part, then position, then fact id,
    then holder.
    """

    def nearest(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the `top_k` most similar live memories the gate admits, best first.

        `DENY_ALL` gives nothing and reads nothing. Raises `EmbedderMismatchError` when the
        vector's length is not that of the memories.
        """

    def similarities(self, vector: Vector, keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the similarity of each of these memories by key; those outside the gate are left out."""

    def vectors_of(self, keys: Collection[int], *, gate: Gate) -> Mapping[int, Vector]:
        """Give the vector of each of these memories by key; those outside the gate are left out."""

    def size(self, gate: Gate) -> int:
        """Count the memories that can be found behind the gate."""


class KeywordIndex(Protocol):
    """Finds memories by their words, inside a gate, ranked by BM25.

    Every count (documents, lengths, how many hold a term) is taken inside the gate (P2).
    """

    def matching(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the `top_k` best live memories that hold any of the terms, best first.

        Scores are positive BM25 scores rounded to 6 decimals; ties as in `VectorSearch`.
        """

    def scores(self, terms: Sequence[str], keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the score of each of these memories by key, 0 for one that holds none of the terms.

        Those outside the gate are left out.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundByBoth:
    """What a search by likeness and one by words found: each memory once, in no order.

    `similarity` and `keyword` are the two scores of each of the `keys`. `near` and `wordy` count what
    each search found, `least` is the likeness of the last of those found by likeness (1: there is none).
    """

    keys: Sequence[int] = ()
    similarity: Sequence[float] = ()
    keyword: Sequence[float] = ()
    near: int = 0
    wordy: int = 0
    least: float = 1.0


class Consistency(StrEnum):
    """When an index finds what was written to it."""

    AT_ONCE = "at once"
    """The next question finds it."""
    EVENTUAL = "eventual"
    """A question asked soon after may not find it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexCapabilities:
    """What an outside index declares of itself.

    `filters`: it keeps to the gate it is asked behind; one that does not is asked by collection
    alone. `exact`: it gives what `VectorSearch.nearest` gives, ties in the same order, and leaves
    nothing out. `max_dimensions` is the longest vector it takes (None: any length); spaces
    with longer ones are neither fed to it nor asked of it.
    """

    filters: bool
    exact: bool
    consistency: Consistency
    max_dimensions: int | None = None

    @property
    def misses_nothing(self) -> bool:
        """Whether its answers are as good as those of the store itself."""
        return self.filters and self.exact and self.consistency is Consistency.AT_ONCE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexEntry:
    """One memory as an outside index is given it: no text, and its space by a random name alone.

    `entry_id` is unique within a collection. `revision` is that of the change log it was read at.
    """

    entry_id: str
    holder: str
    position: int
    fact_id: str
    revision: int
    vector: Vector


class Proposal(NamedTuple):
    """What an outside index says may be near: the id of an entry, and its collection."""

    collection: str
    entry_id: str


class VectorIndex(Protocol):
    """An index outside the store, fed from the change log and asked before a view opens.

    Nothing it says is trusted: what it proposes is read again behind the gate and scored by the
    store. It holds a collection for each space. Its calls block; each raises
    `VectorIndexError` when it cannot be reached. It may be called from several threads.
    """

    @property
    def index_id(self) -> str:
        """Which index it is: under another id everything is fed to it anew."""

    @property
    def capabilities(self) -> IndexCapabilities:
        """What it can do."""

    def upsert(self, collection: str, entries: Sequence[IndexEntry]) -> None:
        """Put entries in the place of those with the same ids.

        What has a higher revision already stays as it is. Twice put is once put.
        """

    def delete(self, collection: str, ids: Collection[str]) -> None:
        """Remove entries by id, whatever their length; those that are not there are passed over."""

    def nearest(self, vector: Vector, *, gate: Gate, top_k: int) -> tuple[Proposal, ...]:
        """Propose the `top_k` entries most like a vector behind a gate, best first.

        The spaces of the gate are collections. Entries with vectors of another length are passed
        over. `DENY_ALL` gives nothing.
        """

    def close(self) -> None:
        """Let go of it; closing twice is closing."""
