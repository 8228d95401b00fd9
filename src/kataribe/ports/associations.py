"""The ledger's part for what goes with what in conversations: what each turn names, for who holds it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from kataribe.domain.conversation.associations.graph import MarkedTurn
from kataribe.domain.conversation.associations.marks import TurnMarks
from kataribe.domain.gate import Gate


class HeldMarks(NamedTuple):
    """What a turn names, for one who holds it, from a position on."""

    holder: str
    turn_id: str
    position: int
    marks: TurnMarks


class AssociationsView(Protocol):
    """What is read of it within one view."""

    def marked_upto(self, gate: Gate) -> Gate:
        """Give the gate with each slice cut back to the last turn in it that is marked; empty slices go.

        Gates that admit the same turns are cut back to the same.
        """

    def marked_turns(self, gate: Gate) -> tuple[MarkedTurn, ...]:
        """Give the turns in memory that a gate admits with what they name, each once, by position."""

    def marks(self, space: str, unit: str) -> Mapping[tuple[str, str], HeldMarks]:
        """Give what is kept of a unit, by holder and turn (author)."""


class AssociationsTransaction(AssociationsView, Protocol):
    """What is written of it within one transaction."""

    def put_marks(self, space: str, unit: str, held: Sequence[HeldMarks]) -> None:
        """Put this in the place of all that is kept of a unit."""

    def add_marks(self, space: str, unit: str, held: Sequence[HeldMarks]) -> None:
        """Add this to what is kept of a unit; of the same turn and holder it takes the place."""

    def forget_marks(self, space: str, turn_ids: Collection[str]) -> None:
        """Remove what these turns name, whoever holds them (P6)."""
