"""Verbs for what is said with users."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from kataribe.domain.conversation import StoredTurns, Turn, User, UserState, position_of
from kataribe.domain.ids import WORLD
from kataribe.domain.story import Language
from kataribe.engine.base import Base
from kataribe.engine.watched import watched
from kataribe.errors import ConflictError
from kataribe.ports import Reading, Writing
from kataribe.read.prints import check_embedder, user_of
from kataribe.write.talk import TalkProgress, TalkReport, rebuild, remember, store


class TalkVerbs(Base):
    """Users, their turns, and what is remembered of them."""

    async def add_user(self, user_id: str, *, language: Language, embedder: str | None = None) -> User:
        """Make a user's space. Without `embedder` the language's default is taken and recorded.

        Raises `ConflictError` when there is one of this id.
        """
        name = embedder or self._engines.default_embedder(language)
        user = User(
            user_id=user_id,
            language=language,
            embedder=name,
            embedder_id=self._engines.embedder(name).embedder_id,
        )

        def act(ledger: Writing) -> User:
            if ledger.user(user_id) is not None:
                raise ConflictError(f"there is a user {user_id!r} already")
            ledger.put_user(user)
            return user

        return await self._write(act)

    async def users(self) -> tuple[User, ...]:
        """Give all users, by id (author)."""
        return await self._read(lambda ledger: ledger.users())

    async def user(self, user_id: str) -> User:
        """Give one user (author). Raises `NotFoundError`."""
        return await self._read(lambda ledger: user_of(ledger, user_id))

    async def user_state(self, user_id: str) -> UserState:
        """Tell how a user's space stands (author). Raises `NotFoundError`."""

        def ask(ledger: Reading) -> UserState:
            user, turns = user_of(ledger, user_id), ledger.turns(user_id)
            holders = {holder for turn in turns for holder in turn.audience.holders()}
            last = max((turn.at for turn in turns), default=0)
            return UserState(
                user=user,
                turns=len(turns),
                sessions=len({turn.session for turn in turns}),
                personas=tuple(sorted(holders - {WORLD})),
                pending_turns=ledger.pending_turns(user_id, holders=holders, upto=last),
            )

        return await self._read(ask)

    async def delete_user(self, user_id: str) -> None:
        """Remove a user with all that was said and is remembered. Raises `NotFoundError`."""

        def act(ledger: Writing) -> None:
            user_of(ledger, user_id)
            ledger.delete_user(user_id)

        await self._write(act)

    async def put_turns(self, user_id: str, turns: Sequence[Turn]) -> StoredTurns:
        """Store turns; durable when this returns, in memory after `sync_user`.

        Returns how many are new or changed, and which are dated later than the clock. Raises
        `NotFoundError`.
        """
        now = position_of(self._engines.clock.now())
        changed = await self._write(lambda ledger: store(ledger, user_id, turns))
        return StoredTurns(changed=changed, ahead=tuple(turn.turn_id for turn in turns if turn.at > now))

    async def delete_turns(self, user_id: str, turn_ids: Collection[str]) -> int:
        """Remove turns, and what is remembered of them at once; returns how many there were."""

        def act(ledger: Writing) -> int:
            user_of(ledger, user_id)
            return ledger.delete_turns(user_id, turn_ids)

        return await self._write(act)

    async def turns(self, user_id: str, *, session: str | None = None) -> tuple[Turn, ...]:
        """Give what was said, in order (author). Raises `NotFoundError`."""
        return await self._read(
            lambda ledger: (user_of(ledger, user_id), ledger.turns(user_id, session=session))[1]
        )

    @watched("sync")
    async def sync_user(
        self, user_id: str | None = None, *, progress: TalkProgress | None = None
    ) -> TalkReport:
        """Bring what is remembered up to what was said, of one user or of all; may be stopped and resumed.

        Raises `NotFoundError`, `EmbedderMismatchError`.
        """
        report = TalkReport()
        for user in await self._users(user_id):
            embedder = self._engines.embedder(user.embedder)
            check_embedder(user, embedder.embedder_id)
            await remember(self._ledger, user, embedder, report, progress=progress)
        return report

    async def rebuild_user(
        self, user_id: str | None = None, *, progress: TalkProgress | None = None
    ) -> TalkReport:
        """Make what is remembered again from what was said, of one user or of all, with equal ids.

        It also moves a user to the release of its embedder that is installed now. Raises
        `NotFoundError`.
        """
        report = TalkReport()
        for user in await self._users(user_id):
            embedder = self._engines.embedder(user.embedder)
            current = replace(user, embedder_id=embedder.embedder_id)
            await self._write(partial(rebuild, user=current))
            await remember(self._ledger, current, embedder, report, anew=True, progress=progress)
        return report

    async def _users(self, user_id: str | None) -> tuple[User, ...]:
        return await self.users() if user_id is None else (await self.user(user_id),)
