"""The ledger's part for memories: what is derived, by (space, unit), and what a gate admits of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from kataribe.domain.around import StorySentence, TextStretch
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Place
from kataribe.domain.memory import Memory, Trait
from kataribe.domain.records import MemoryState
from kataribe.domain.story.views import Share
from kataribe.ports.indexes import FoundByBoth, KeywordIndex, VectorSearch
from kataribe.ports.models import Vector


class GatedView(Protocol):
    """What a gate admits of the memories, within one view."""

    @property
    def vectors(self) -> VectorSearch:
        """Search by likeness within this view."""

    @property
    def keywords(self) -> KeywordIndex:
        """Search by words within this view."""

    def search(
        self, vector: Vector, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> FoundByBoth:
        """Give what `vectors.nearest` and `keywords.matching` give, each memory once and scored by both."""

    def admitted(
        self, gate: Gate, *, keys: Collection[int] | None = None, where: Filter | None = None
    ) -> tuple[Memory, ...]:
        """Give the live memories the gate admits (of these keys), `Memory.key` filled.

        In order: by part of the gate, then by position.
        """

    def traits(
        self, gate: Gate, keys: Collection[int], *, where: Filter | None = None
    ) -> Mapping[int, Trait]:
        """Give what ranking looks at of those of these live memories that the gate admits, by key.

        Only of those the filter lets pass, where there is one. A key without a live memory is left out.
        """

    def places(self, gate: Gate) -> tuple[Place, ...]:
        """Give the places of all live memories the gate admits, each once, in order."""

    def neighbours(self, gate: Gate, keys: Collection[int]) -> Mapping[int, tuple[int, ...]]:
        """Give for each of these memories the keys of those before and after it in its session.

        Only what the gate admits is a neighbour: what lies outside is as if it were not there.
        A memory without a session has none.
        """

    def voices(self, gate: Gate) -> Mapping[str, int]:
        """Give each speaker of a turn that the gate admits with the first position it speaks at."""

    def successions(
        self, gate: Gate, *, of: Iterable[str] | None = None
    ) -> tuple[tuple[str, str, Place], ...]:
        """Give (fact id, id of the fact it supersedes, place) of the live memories the gate admits.

        Only those with one of the facts `of` at either end, where that is asked.
        """

    def sentences(
        self, gate: Gate, stretches: Collection[TextStretch], *, where: Filter | None = None
    ) -> Mapping[TextStretch, tuple[StorySentence, ...]]:
        """Give the live memories the gate admits whose words are sentences that begin in these stretches.

        In the words of their episode's text, that is, whoever made them; in the order of the text.
        A stretch without any is left out, and so is what a filter does not let pass.
        """

    def admitted_facts(self, gate: Gate, fact_ids: Collection[str]) -> Mapping[str, Place]:
        """Give the places of those of these facts that the gate admits."""


class MemoryView(Protocol):
    """What is kept of a space's memories, behind no gate (author)."""

    def memories(
        self, space: str, *, unit: str | None = None, fact_id: str | None = None
    ) -> tuple[Memory, ...]:
        """Give the memories of a space, a unit or a fact in order, hidden ones too.

        Here and below a unit is asked for with the shares of it that holders have of their own.
        """

    def memory_states(self, space: str, unit: str) -> Mapping[str, MemoryState]:
        """Give what is derived for each memory of a unit, by memory id."""

    def units(self, space: str) -> tuple[str, ...]:
        """Give the units that hold memories or packed rows, in order of name."""

    def packed(self, space: str, unit: str) -> Mapping[tuple[str, str], bool]:
        """Give what the search index holds of a unit: whether each (holder, fact id) is shown."""

    def gains(self, space: str) -> tuple[tuple[str, int, int], ...]:
        """Give (holder, position, how many memories) of all live memories, by holder and position.

        The empty holder's are those in review, of hidden and deleted episodes too.
        """

    def shares(
        self, space: str, *, upto: int | None = None, holders: Collection[str] | None = None
    ) -> Iterator[Share]:
        """Stream the live memories, and those in review, up to a position in order.

        `holders` asks for theirs alone. Read it to the end before this view closes.
        """


class MemoryTransaction(MemoryView, GatedView, Protocol):
    """What is written of memories within one transaction."""

    def replace_memories(
        self,
        space: str,
        unit: str,
        memories: Sequence[Memory],
        *,
        terms: Mapping[str, Sequence[str]],
        vectors: Mapping[str, bytes],
        embedder_id: str,
        shown: bool,
    ) -> None:
        """Put these memories in the place of the unit's, with what finds them.

        `terms` go by memory id, or by fact id where all copies say the same; `vectors` by text
        hash (float32, little endian). A memory whose text has no vector is found by words, and is
        like nothing, until the unit is replaced. What was
        derived from a memory that is gone or says something else now goes with it (P6).
        """

    def take_out(self, space: str, fact_ids: Collection[str]) -> None:
        """Remove every copy of these facts or turns; the others of their units stay as they are."""

    def forget_units(self, space: str, units: Collection[str] | None = None) -> None:
        """Remove all that is remembered of these units, or of the whole space."""

    def forget_share(self, space: str, unit: str, holder: str) -> None:
        """Remove what one holder remembers of a unit; all others remember on."""

    def show(self, space: str, units: Mapping[str, bool]) -> None:
        """Show or hide what is remembered of units."""

    def sweep(self) -> None:
        """Remove derived rows whose memory is gone; there are none unless somebody meddled."""
