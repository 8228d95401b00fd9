"""One user: what was said with it, outside every story and under them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from kataribe.conversation.bound_chat import BoundChat
from kataribe.domain.conversation.places import talk_episode
from kataribe.domain.conversation.turns import (
    LogImport,
    RememberReport,
    Role,
    StoredTurns,
    TalkProgress,
    TalkReport,
    Turn,
    TurnReceipt,
    User,
    UserState,
)
from kataribe.domain.gate import Viewer
from kataribe.domain.privacy.erasure import ErasureReceipt
from kataribe.domain.records import Verification
from kataribe.domain.story.views import Why
from kataribe.domain.terms import Language
from kataribe.engine import Engine
from kataribe.errors import InputError
from kataribe.face.aio.associations import AsyncAssociationsHandle
from kataribe.face.aio.chat import AsyncChat
from kataribe.face.aio.memory import AsyncMemoryHandle
from kataribe.face.aio.privacy import AsyncPrivacyHandle
from kataribe.face.aio.profile import AsyncProfileHandle
from kataribe.face.marks import author_read, upkeep, write
from kataribe.face.spaces import space_named


class AsyncUserHandle:
    """One user of the store; there may be none of this id yet.

    All reads here are the author's: they see across personas.
    """

    def __init__(self, engine: Engine, user_id: str) -> None:
        self._engine = engine
        self.user_id = user_id

    @property
    def memory(self) -> AsyncMemoryHandle:
        """What is made of what was said with it."""
        return AsyncMemoryHandle(self._engine, self.user_id)

    @property
    def profile(self) -> AsyncProfileHandle:
        """What it agreed to be kept of it, and its consents."""
        return AsyncProfileHandle(self._engine, self.user_id)

    @property
    def privacy(self) -> AsyncPrivacyHandle:
        """What a person may ask of all that is kept of it."""
        return AsyncPrivacyHandle(self._engine, self.user_id)

    @property
    def associations(self) -> AsyncAssociationsHandle:
        """What goes with what in what was said with it."""
        return AsyncAssociationsHandle(self._engine, self.user_id)

    @write
    async def create(
        self, *, language: Language, embedder: str | None = None, model: str | None = None
    ) -> User:
        """Make the user's space; `model` sums up what is said (None: the one that is set for all).

        Raises `ConflictError`, and `InputError` for a model that sums up nothing.
        """
        return await self._engine.add_user(self.user_id, language=language, embedder=embedder, model=model)

    @author_read
    async def info(self) -> User:
        """Give what was chosen for the user. Raises `NotFoundError`."""
        return await self._engine.user(self.user_id)

    @author_read
    async def state(self) -> UserState:
        """Tell how the user's space stands: turns, sessions, personas. Raises `NotFoundError`."""
        return await self._engine.user_state(self.user_id)

    @write
    async def delete(self, token: str | None = None) -> ErasureReceipt:
        """Erase the user with all that was said and is kept of it, everywhere; gives a receipt.

        `privacy.request("delete")` gives the token. Raises `NotFoundError`, and `NotPermittedError`
        without a good token: nothing is done then.
        """
        return await self._engine.delete_user(self.user_id, token)

    @write
    async def put_turns(
        self, turns: Sequence[Turn], *, story: str | None = None, at: int | None = None
    ) -> StoredTurns:
        """Store turns, durable when this returns; tells how many changed and which are ahead of the clock.

        With `story` and `at` they are talk held at that episode of the story.
        """
        return await self._engine.put_turns(self.user_id, turns, talk_episode(story, at))

    @write
    async def delete_turns(
        self, turn_ids: Collection[str], *, story: str | None = None, at: int | None = None
    ) -> int:
        """Remove turns, and what is remembered of them at once; returns how many there were.

        Without `story` and `at` those said outside every story.
        """
        return await self._engine.delete_turns(self.user_id, turn_ids, talk_episode(story, at))

    @author_read
    async def turns(
        self, *, session: str | None = None, story: str | None = None, at: int | None = None
    ) -> tuple[Turn, ...]:
        """Give what was said, in order: outside every story, or at an episode of one.

        Raises `NotFoundError`, `InputError`.
        """
        return await self._engine.turns(self.user_id, session=session, held=talk_episode(story, at))

    @write
    async def import_log(
        self,
        turns: Sequence[Turn],
        *,
        language: Language | None = None,
        guess: Language | None = None,
        embedder: str | None = None,
        story: str | None = None,
        at: int | None = None,
    ) -> LogImport:
        """Store the turns of a log; the user is made when it is missing. Tells what is new.

        `language` (else `guess`) and `embedder` are what the user is made with. Raises
        `ConflictError`, `NotFoundError`, `InputError`; nothing is stored then.
        """
        return await self._engine.import_log(
            self.user_id,
            turns,
            language=language,
            guess=guess,
            embedder=embedder,
            held=talk_episode(story, at),
        )

    @write
    async def said(
        self,
        text: str,
        *,
        speaker: str,
        persona: str | Sequence[str] | None = None,
        session: str | None = None,
        time: datetime | None = None,
        caption: str | None = None,
        arousal: float | None = None,
        role: Role | None = None,
        turn_id: str | None = None,
        story: str | None = None,
        at: int | None = None,
        language: Language | None = None,
        embedder: str | None = None,
    ) -> TurnReceipt:
        """Store one turn; durable before anything else happens, and in memory when this returns.

        `persona` names who was there, one or several; without it `world` holds the turn. Without a
        `role` the speaker's name tells it. `turn_id` is the id it is to have (None: one is made): said
        again under it, it is stored once. With
        `story` and `at` it is talk held at that episode. A missing user is made. Raises
        `InputError`, `NotFoundError`, `ConflictError`; nothing is stored then.
        """
        return await self._engine.said(
            self.user_id,
            text,
            speaker=speaker,
            persona=persona,
            session=session,
            time=time,
            caption=caption,
            arousal=arousal,
            role=role,
            turn_id=turn_id,
            held=talk_episode(story, at),
            language=language,
            embedder=embedder,
        )

    @write
    async def remember(
        self,
        messages: Sequence[object],
        *,
        persona: str | Sequence[str] | None = None,
        speaker: str | None = None,
        session: str | None = None,
        story: str | None = None,
        at: int | None = None,
        language: Language | None = None,
        embedder: str | None = None,
        replace: bool = False,
    ) -> RememberReport:
        """Store what is new of a list of messages, and bring it into memory; all of it or nothing.

        A message has `role` and `content`, or `speaker` and `text`, or is a text that the user said.
        Within a session a list that is sent again adds only what has come to it. Raises
        `ConflictError` for a message that says something else than it did, unless `replace` is
        True; `InputError`, `NotFoundError`.
        """
        return await self._engine.remember(
            messages,
            user=self.user_id,
            persona=persona,
            speaker=speaker,
            session=session,
            held=talk_episode(story, at),
            language=language,
            embedder=embedder,
            replace=replace,
        )

    @upkeep
    def chat(
        self,
        *,
        persona: str | None = None,
        story: str | None = None,
        at: int | None = None,
        session: str | None = None,
        language: Language | None = None,
        embedder: str | None = None,
    ) -> AsyncChat:
        """Bind a conversation to its viewer: a persona, or nobody, at an episode or nowhere.

        `language` and `embedder` are what a missing user is made with by the first turn. Raises
        `InputError`.
        """
        thread = BoundChat(
            self.user_id,
            persona=persona,
            held=talk_episode(story, at),
            session=session,
            language=language,
            embedder=embedder,
        )
        return AsyncChat(self._engine, thread)

    @write
    async def sync(
        self, *, retry: bool = False, waits: bool = True, progress: TalkProgress | None = None
    ) -> TalkReport:
        """Bring what is remembered up to what was said.

        What fails is tried again after a while, unless `waits` is False; `retry` tries dead letters again.
        """
        return await self._engine.sync_user(self.user_id, retry=retry, waits=waits, progress=progress)

    @write
    async def rebuild(self, *, progress: TalkProgress | None = None) -> TalkReport:
        """Make what is remembered again from what was said, with equal ids."""
        return await self._engine.rebuild_user(self.user_id, progress=progress)

    @author_read
    async def verify(self) -> Verification:
        """Compare what is remembered with what was said. Raises `NotFoundError`."""
        return await self._engine.verify(space_named(user=self.user_id))

    @author_read
    async def why(
        self, viewer: Viewer, *, fact_id: str | None = None, text: str | None = None, top_k: int = 3
    ) -> tuple[Why, ...]:
        """Tell why a viewer does or does not remember a turn. Raises `InputError`, `NotFoundError`."""
        if viewer.user != self.user_id:
            raise InputError(f"the viewer is of {viewer.user!r}, and this is {self.user_id!r}")
        return await self._engine.why(viewer, fact_id=fact_id, text=text, top_k=top_k)
