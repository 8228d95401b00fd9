"""The ledger's part for conversations: users, and the turns of what was said with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from kataribe.domain.conversation.life.stubs import TurnStub
from kataribe.domain.conversation.turns import SaidOrder, Turn, User
from kataribe.domain.records import TalkState, TurnChanges


class ConversationsView(Protocol):
    """What is read of conversations within one view. A space is a user's own, or a talk's."""

    def users(self) -> tuple[User, ...]:
        """Give all users, by id (author)."""

    def user(self, user_id: str) -> User | None:
        """Give one user."""

    def turn(self, space: str, turn_id: str) -> Turn | None:
        """Give one turn (author)."""

    def turns(self, space: str, *, session: str | None = None, unit: str | None = None) -> tuple[Turn, ...]:
        """Give turns in the order they were said: by time, session, ordinal, id (author)."""

    def said_after(
        self,
        space: str,
        after: SaidOrder,
        *,
        limit: int,
        upto: int | None = None,
        session: str | None = None,
    ) -> tuple[Turn, ...]:
        """Give the first `limit` turns behind a place in the order, up to a position (author).

        Of one session, where that is asked.
        """

    def last_said(self, space: str, session: str, *, since: int) -> int | None:
        """Give the position of a session's last turn; None where it has none at or after `since`."""

    def last_turns(
        self, space: str, *, holders: Collection[str], upto: int, limit: int, session: str | None = None
    ) -> tuple[Turn, ...]:
        """Give the last turns of people that one of these holds, up to a position.

        In the order they were said; of one session, where that is asked. The system's are left out.
        """

    def listeners(self, user_id: str | None = None) -> frozenset[str]:
        """Name the personas that hold turns said outside every story, by a user or by any (author)."""

    def stubs(self, space: str) -> Mapping[str, TurnStub]:
        """Give by id what is kept of turns whose text has expired."""

    def turn_units(self, space: str) -> tuple[str, ...]:
        """Give the units that turns are remembered in, in order of name (author)."""

    def pending_turns(self, space: str, *, holders: Collection[str], upto: int) -> int:
        """Count the turns held by one of these, up to a position, that are not in memory as they stand.

        The system's turns are never remembered, and so not waited for.
        """

    def talks(
        self, story_id: str, user_id: str, *, holder: str | None = None, upto: int = 0
    ) -> tuple[TalkState, ...]:
        """Give where talk was held with a user under a story, with the number of each live episode.

        What was held at a deleted episode, or after one, is left out. With a `holder` only where it
        holds a turn up to the position `upto`.
        """


class ConversationsTransaction(ConversationsView, Protocol):
    """What is written of conversations within one transaction."""

    def put_user(self, user: User) -> None:
        """Add a user and its space, or replace what is recorded of it."""

    def rename_user(self, user_id: str, new_id: str) -> None:
        """Give a user another id."""

    def delete_user(self, user_id: str) -> None:
        """Remove a user and all that belongs to it: its space, and talk with it under stories."""

    def put_turns(self, space: str, turns: Sequence[Turn]) -> TurnChanges:
        """Add turns or replace those of the same id; tells which are new or changed.

        Each new turn is given a unit of its day with room in it. What is remembered of a turn that
        has changed is taken out; the rest of its unit stays.
        """

    def put_stubs(self, space: str, left: Sequence[tuple[Turn, TurnStub]]) -> TurnChanges:
        """Put what is left of turns in their place, to be remembered as that.

        A turn that is put again just as it was said stays what is left of it.
        """

    def delete_turns(self, space: str, turn_ids: Collection[str]) -> TurnChanges:
        """Remove turns and what is remembered of them; tells which were there."""
