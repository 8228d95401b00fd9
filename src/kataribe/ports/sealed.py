"""The ledger's part for what is sealed of turns: opaque here, and worth nothing without a key."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from kataribe.domain.privacy.sealed import SealedTurn


class SealedView(Protocol):
    """What is read of it within one view."""

    def sealed_turns(
        self, space: str, *, turn_ids: Collection[str] | None = None, upto: int | None = None
    ) -> tuple[SealedTurn, ...]:
        """Give the turns of which something is sealed, in the order they were said (author).

        Of these ids only, and up to a position, where that is asked.
        """

    def plain_units(self) -> tuple[tuple[str, str], ...]:
        """Give the spaces and units whose turns an earlier release stored, as they were said then."""


class SealedTransaction(SealedView, Protocol):
    """What is written of it within one transaction."""

    def seal_turns(self, space: str, sealed: Mapping[str, bytes]) -> None:
        """Set what is sealed of turns that are there, by id; a turn that is put again has nothing sealed."""

    def settle_plain(self, space: str, unit: str) -> None:
        """Note that a unit was looked through: nothing stands in it that is to be sealed."""
