"""Searching memories behind a gate: the shelves of a view, and both ways to search them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from kataribe.adapters.sql.base import SqlPart
from kataribe.adapters.sql.segments import (
    SqlFeed,
)
from kataribe.arena.both import search_both
from kataribe.arena.gated import ArenaShelves, EpisodeShelves, Gated
from kataribe.arena.keywords import ShelfKeywordIndex
from kataribe.arena.vectors import ShelfVectorIndex
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Place
from kataribe.ports import FoundByBoth, KeywordIndex, Vector, VectorSearch


class SqlSearchView(SqlPart):
    """What searches a view."""

    @cached_property
    def _feed(self) -> SqlFeed:
        return SqlFeed(self._driver, self.once, warm=self._warm)

    @cached_property
    def _gated(self) -> Gated:
        feed, arena = self._feed, self._caches.arena
        return Gated(
            EpisodeShelves(feed) if arena is None else ArenaShelves(arena, feed), self._caches.tables
        )

    @cached_property
    def _indexes(self) -> tuple[Gated, ShelfVectorIndex, ShelfKeywordIndex]:
        # Made once: a recall asks for the same words twice, and the index keeps what it looked up.
        return self._gated, ShelfVectorIndex(self._gated), ShelfKeywordIndex(self._gated)

    def _searching(self) -> tuple[Gated, ShelfVectorIndex, ShelfKeywordIndex]:
        return self._indexes

    @property
    def vectors(self) -> VectorSearch:
        """Search by likeness within this view."""
        return self._searching()[1]

    @property
    def keywords(self) -> KeywordIndex:
        """Search by words within this view."""
        return self._searching()[2]

    def search(
        self, vector: Vector, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> FoundByBoth:
        """Search by likeness and by words."""
        return search_both(*self._searching(), vector, terms, gate=gate, top_k=top_k, where=where)

    def places(self, gate: Gate) -> tuple[Place, ...]:
        """Give the places of all live memories the gate admits."""
        return self.once(("places", gate), lambda: self._gated.places(gate))
