"""The conversations' part of the ledger: users, their turns, and what is remembered of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from kataribe.domain.conversation import Turn, User
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Memory
from kataribe.domain.records import MemoryState, Trace, Use


class TalkReading(Protocol):
    """What is read of conversations within one view."""

    def users(self) -> tuple[User, ...]:
        """Give all users, by id (author)."""

    def user(self, user_id: str) -> User | None:
        """Give one user."""

    def turn(self, user_id: str, turn_id: str) -> Turn | None:
        """Give one turn (author)."""

    def turns(self, user_id: str, *, session: str | None = None, page: str | None = None) -> tuple[Turn, ...]:
        """Give turns in the order they were said: by time, session, ordinal, id (author)."""

    def lagging_pages(self, user_id: str) -> tuple[str, ...]:
        """Give the pages whose memory is not of their turns, the oldest first."""

    def pending_turns(self, user_id: str, *, holders: Collection[str], upto: int) -> int:
        """Count the turns of lagging pages held by one of these, up to a position, not in memory yet."""

    def turn_memories(self, user_id: str, *, page: str | None = None) -> tuple[Memory, ...]:
        """Give the memories of a user's turns, hidden ones too (author)."""

    def turn_states(self, user_id: str, page: str) -> Mapping[str, MemoryState]:
        """Give what is derived for each memory of a page, by memory id (author)."""

    def remembered_pages(self, user_id: str) -> tuple[str, ...]:
        """Give the pages that hold memories, the oldest first (author)."""

    def neighbours(self, gate: Gate, keys: Collection[int]) -> Mapping[int, tuple[int, ...]]:
        """Give for each of these memories the keys of the turns before and after it in its session.

        Only what the gate admits is a neighbour: what lies outside is as if it had not been said.
        What is no turn has none.
        """

    def speakers(self, gate: Gate) -> tuple[str, ...]:
        """Give who says a turn that the gate admits, each once, in order."""

    def user_traces(self, user_id: str, *, last: int) -> tuple[Trace, ...]:
        """Give the last traces of a user's space, newest first (author)."""

    def uses(self, space: str, viewer: str, fact_ids: Collection[str], *, upto: int) -> Mapping[str, Use]:
        """Give how often and when last this viewer used these, as far as it had come to `upto`."""

    def embeddings(self, embedder_id: str, text_hashes: Collection[str]) -> Mapping[str, bytes]:
        """Give the vectors made ahead of a change of embedder (float32, little endian)."""


class TalkWriting(Protocol):
    """What is written of conversations within one transaction."""

    def put_user(self, user: User) -> None:
        """Add a user, or replace what is recorded of it."""

    def rename_user(self, user_id: str, new_id: str) -> None:
        """Give a user another id."""

    def delete_user(self, user_id: str) -> None:
        """Remove a user and all that belongs to it."""

    def put_turns(self, user_id: str, turns: Sequence[Turn]) -> int:
        """Add turns or replace those of the same id; returns how many are new or others than before.

        Their pages lag from now on. A page that loses what it held (a turn that is another
        now, or was moved away) is not remembered until it is made again.
        """

    def delete_turns(self, user_id: str, turn_ids: Collection[str]) -> int:
        """Remove turns and what is remembered of their pages, until that is made again."""

    def lag_pages(self, user_id: str, *, forget: bool) -> int:
        """Mark every page to be made again; returns how many.

        `forget` takes out at once what is remembered of them: for when it cannot be read with
        what is made from now on.
        """

    def replace_page(
        self,
        user_id: str,
        page: str,
        memories: Sequence[Memory],
        *,
        terms: Mapping[str, Sequence[str]],
        vectors: Mapping[str, bytes],
        embedder_id: str,
    ) -> None:
        """Put these memories in the place of the page's, shown at once; the page lags no more.

        `terms` go by turn id: the same words on another day are other terms. `vectors` go by
        text hash.
        """

    def put_user_traces(self, traces: Sequence[Trace], *, keep: int | None = None) -> None:
        """Append traces of users' spaces, of each the last `keep` stay (None: all).

        Those of users that are gone are dropped.
        """

    def put_uses(self, space: str, viewer: str, fact_ids: Sequence[str], *, upto: int, at: str) -> None:
        """Count one more use of each of these by a viewer that has come to `upto`."""

    def put_embeddings(self, embedder_id: str, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors made ahead of a change of embedder."""

    def clear_embeddings(self, embedder_id: str) -> None:
        """Forget the vectors made ahead for this embedder."""
