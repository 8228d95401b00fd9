"""The ledger's part for spaces: what each is told in and by whom it is embedded."""

from __future__ import annotations

from typing import Protocol

from kataribe.domain.records import ChangeLog, SpaceState


class SpacesView(Protocol):
    """What is read of spaces within one view."""

    def space(self, space: str) -> SpaceState | None:
        """Give one space."""

    def space_token(self, space: str) -> str | None:
        """Give what tells a space from one of its name that is made once it was deleted (author).

        It is random, and a rename keeps it. None: there is no such space.
        """

    def spaces(self, *, story: str | None = None, user: str | None = None) -> tuple[SpaceState, ...]:
        """Give all spaces, or those of a story, of a user, or of both, by name (author)."""

    def changes(self, since: int, *, story: str | None = None) -> ChangeLog:
        """Give the units of which memory has changed after the revision `since`, in all spaces or a story's.

        The cursor is the store's revision now. A deleted space is in it no more (author).
        """


class SpacesTransaction(SpacesView, Protocol):
    """What is written of spaces within one transaction.

    Stories, users and libraries make and delete the spaces of their own; a talk's is made here.
    """

    def put_space(self, space: SpaceState) -> None:
        """Add a space, or replace what is recorded of it. Its story and user must be there."""
