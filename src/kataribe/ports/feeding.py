"""The ledger's part for an index outside it: what it was fed, what it lacks, what its answers lead to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from kataribe.domain.feeding import FedUnit, FeedState
from kataribe.domain.gate import Gate
from kataribe.ports.indexes import IndexEntry


class FeedingView(Protocol):
    """What is read for an outside index within one view.

    A unit lags when the change log names a revision of it that the index was not fed. The
    collection of a space is its random name in the change log.
    """

    def feed_state(self, index_id: str, space: str) -> FeedState | None:
        """Tell how far an index was fed of a space; None when there is no such space."""

    def lagging_units(self, index_id: str, space: str) -> Mapping[str, int]:
        """Give the units of a space that lag, each with the revision it has now."""

    def entries_of(self, space: str, unit: str, *, revision: int) -> tuple[IndexEntry, ...]:
        """Give what is to be held of a unit: its live memories, by holder, position and fact id."""

    def fed_unit(self, index_id: str, space: str, unit: str) -> FedUnit | None:
        """Give what the index was fed of a unit."""

    def fed_to_none(self, index_id: str) -> tuple[FedUnit, ...]:
        """Give what the index was fed of spaces that are gone."""

    def proposed_keys(self, gate: Gate, ids: Mapping[str, Collection[str]]) -> frozenset[int]:
        """Give the keys of those live memories, named by space and id, that the gate admits."""

    def unit_keys(self, gate: Gate, units: Mapping[str, Collection[str]]) -> frozenset[int]:
        """Give the keys of the live memories of these units, by space, that the gate admits."""

    def changed_units(self, space: str, since: int) -> Collection[str] | None:
        """Give the units whose memories changed after a revision; None when all may have."""


class FeedingTransaction(FeedingView, Protocol):
    """What is written of the feeding of an index within one transaction."""

    def put_fed(self, index_id: str, fed: FedUnit) -> None:
        """Record what an index holds of a unit, or may hold while it is being fed."""

    def drop_fed(self, index_id: str, collection: str) -> None:
        """Forget what an index was fed of one collection."""

    def doubt_fed(self, index_id: str) -> None:
        """Take everything an index was fed for unfed; the ids it may hold stay known."""

    def settle_feed(self, index_id: str, space: str, *, upto: int) -> bool:
        """Record that a space was fed up to a revision; False, and nothing done, while a unit lags."""
