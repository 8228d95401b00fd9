"""A chat: one conversation with one user, bound to its viewer once."""

from __future__ import annotations

from datetime import datetime
from typing import Unpack

from kataribe.conversation.bound_chat import BoundChat
from kataribe.domain.conversation.turns import Role, TurnReceipt
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.context import Context
from kataribe.domain.recall.requests import ContextKeys, ContextOptions, RecallKeys, RecallOptions
from kataribe.engine import Engine
from kataribe.face.marks import viewer_read, write


class AsyncChat:
    """A conversation with one user: as a persona or as nobody, outside every story or at an episode of one.

    Whatever is asked through it is asked as that viewer, as of now. Without a session it is of
    that of the day on which it begins. It keeps its last messages, and is made for one conversation.
    """

    def __init__(self, engine: Engine, thread: BoundChat) -> None:
        self._engine = engine
        self._thread = thread

    @property
    def session(self) -> str | None:
        """The session; None where none was named and nothing was said yet."""
        return self._thread.session

    @write
    async def said(
        self, text: str, *, speaker: str | None = None, time: datetime | None = None
    ) -> TurnReceipt:
        """Store what the user said, or what `speaker` did; durable, and in memory, when this returns.

        Raises what `said` of the store raises.
        """
        thread = self._thread
        role = Role.USER if speaker is None else None
        return await self._told(text, speaker or thread.user, role, time)

    async def _told(self, text: str, speaker: str, role: Role | None, time: datetime | None) -> TurnReceipt:
        thread = self._thread
        told = await self._engine.said(
            thread.user, text, speaker=speaker, role=role, time=time, **thread.turn()
        )
        thread.note(told, text)
        return told

    @write
    async def replied(
        self, text: str, *, speaker: str | None = None, time: datetime | None = None
    ) -> TurnReceipt:
        """Store what the persona said, under its id or as `speaker`. Raises `InputError` without either."""
        return await self._told(text, speaker or self._thread.replier, Role.PERSONA, time)

    @viewer_read
    async def context(self, text: str, **asked: Unpack[ContextOptions]) -> Context:
        """Put together what a model should be told to answer `text`, what is at hand of the chat with it.

        Takes what `context` of the store takes, but no viewer.
        """
        keys: ContextKeys = {"session": self._thread.session, **asked, **self._thread.viewer()}
        return await self._engine.context(text, **keys)

    @viewer_read
    async def recall(self, question: str, **asked: Unpack[RecallOptions]) -> Recollection:
        """Give what is remembered that answers; what was said in the last messages is left out.

        Takes what `recall` of the store takes, but no viewer.
        """
        keys: RecallKeys = {"recent": self._thread.recent, **asked, **self._thread.viewer()}
        return await self._engine.recall(question, **keys)
