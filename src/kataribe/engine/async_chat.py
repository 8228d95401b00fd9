"""A chat: one conversation with one user, bound to its viewer once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, Unpack

from kataribe.domain.conversation.turns import TurnReceipt
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.context import Context
from kataribe.domain.recall.requests import ContextKeys, RecallKeys
from kataribe.domain.terms import Language
from kataribe.engine.chat_thread import ChatThread, check_unbound


class ChatStore(Protocol):
    """The verbs of a store that a chat stands on."""

    async def said(
        self,
        user_id: str,
        text: str,
        *,
        speaker: str,
        persona: str | Sequence[str] | None = None,
        session: str | None = None,
        time: datetime | None = None,
        caption: str | None = None,
        arousal: float | None = None,
        story_id: str | None = None,
        at: int | None = None,
        language: Language | None = None,
        embedder: str | None = None,
    ) -> TurnReceipt:
        """Store one turn."""

    async def context(self, question: str, **asked: Unpack[ContextKeys]) -> Context:
        """Put together what a model should be told."""

    async def recall(self, question: str, **asked: Unpack[RecallKeys]) -> Recollection:
        """Give what a viewer remembers."""


class AsyncChat:
    """A conversation with one user: as a persona or as nobody, outside every story or at an episode of one.

    Whatever is asked through it is asked as that viewer, as of now. Without a session it is of
    that of the day on which it begins. It keeps its last messages, and is made for one conversation.
    """

    def __init__(self, store: ChatStore, thread: ChatThread) -> None:
        self._store = store
        self._thread = thread

    @property
    def session(self) -> str | None:
        """The session; None where none was named and nothing was said yet."""
        return self._thread.session

    async def said(
        self, text: str, *, speaker: str | None = None, time: datetime | None = None
    ) -> TurnReceipt:
        """Store what the user said, or what `speaker` did; durable, and in memory, when this returns.

        Raises what `said` of the store raises.
        """
        thread = self._thread
        told = await self._store.said(
            thread.user, text, speaker=speaker or thread.user, time=time, **thread.turn()
        )
        thread.note(told, text)
        return told

    async def replied(
        self, text: str, *, speaker: str | None = None, time: datetime | None = None
    ) -> TurnReceipt:
        """Store what the persona said, under its id or as `speaker`. Raises `InputError` without either."""
        return await self.said(text, speaker=speaker or self._thread.replier, time=time)

    async def context(self, text: str, **asked: Unpack[ContextKeys]) -> Context:
        """Put together what a model should be told to answer `text`, the last messages with it.

        Takes what `context` of the store takes, but no viewer.
        """
        check_unbound(asked)
        keys: ContextKeys = {"recent": self._thread.recent, **asked, **self._thread.viewer()}
        return await self._store.context(text, **keys)

    async def recall(self, question: str, **asked: Unpack[RecallKeys]) -> Recollection:
        """Give what is remembered that answers; what was said in the last messages is left out.

        Takes what `recall` of the store takes, but no viewer.
        """
        check_unbound(asked)
        keys: RecallKeys = {"recent": self._thread.recent, **asked, **self._thread.viewer()}
        return await self._store.recall(question, **keys)
