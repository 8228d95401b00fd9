"""A chat: one conversation with one user, bound to its viewer once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from kataribe.conversation.bound_chat import BoundChat
from kataribe.domain.conversation.histories import FollowReport
from kataribe.domain.conversation.turns import Role, Turn, TurnReceipt
from kataribe.domain.ids import normalise
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.context import Answer, Context
from kataribe.domain.recall.requests import (
    AnswerKeys,
    ContextKeys,
    ContextOptions,
    RecallKeys,
    RecallOptions,
)
from kataribe.engine import Engine
from kataribe.engine.following import TokenTexts
from kataribe.engine.off_record import off_the_record
from kataribe.face.marks import upkeep, viewer_read, write
from kataribe.ports import Heard


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

    @write
    async def follow(self, messages: Sequence[object], *, beginning: str = "") -> FollowReport:
        """Bring the chat up to the whole of its messages as a client holds them, that sends all each time.

        What is new becomes turns, durable and in memory when this returns; what the client says no more is
        removed: a last reply that it asks for again, and what followed on a message that it changed. Of a
        client that leaves out the oldest messages these stay. Without a session it is the conversation that
        begins as this one does and was begun under the same `beginning`. Raises `InputError`,
        `NotFoundError`, `FormatError`; nothing is changed then.
        """
        thread = self._thread
        keys = thread.turn()
        done = await self._engine.follow(
            messages,
            user=thread.user,
            persona=thread.replier,
            session=keys["session"],
            beginning=beginning,
            held=keys["held"],
            language=keys["language"],
            embedder=keys["embedder"],
            goes_on=keys["goes_on"],
        )
        thread.session = done.session
        if thread.begun_in is None:
            thread.begun_in = await self._engine.token_of(thread.user)
        return done

    async def _told(self, text: str, speaker: str, role: Role | None, time: datetime | None) -> TurnReceipt:
        thread = self._thread
        told = await self._engine.said(
            thread.user, text, speaker=speaker, role=role, time=time, **thread.turn()
        )
        thread.note(told, text)
        if thread.begun_in is None:
            thread.begun_in = await self._engine.token_of(thread.user)
        return told

    @write
    async def replied(
        self, text: str, *, speaker: str | None = None, time: datetime | None = None
    ) -> TurnReceipt:
        """Store what the persona said, under its id or as `speaker`. Raises `InputError` without either."""
        return await self._told(text, speaker or self._thread.replier, Role.PERSONA, time)

    @viewer_read
    async def in_tokens(self, texts: Sequence[str], *, raw: bool = False) -> TokenTexts:
        """Write tokens in place of personal data, in texts for a model of your own; says what they stand for.

        With `raw` the texts stay as they are, and the audit record says so. Where the reply names tokens of
        a context, `with_words` writes the words back.
        """
        return await self._engine.in_tokens(texts, user=self._thread.user, raw=raw)

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

    @viewer_read
    async def with_words(self, text: str) -> str:
        """Write the words back in place of tokens: in the reply of a model of your own to a context."""
        return await self._engine.with_words(text, **self._thread.viewer())

    @viewer_read
    async def reply(
        self, text: str, *, model: str, heard: Heard | None = None, **asked: Unpack[ContextOptions]
    ) -> Answer:
        """Let a model reply to `text` as the persona; store `text` with `said` before, so that it lasts.

        `heard` is told the words as they come, from another thread. What the reply used is noted. The
        reply is stored by `replied` alone. Raises `ModelError` when the model does not reply.
        """
        keys: AnswerKeys = {"session": self._thread.session, **asked, **self._thread.viewer(), "model": model}
        return await self._engine.reply(text, heard=heard, **keys)

    @upkeep
    def off_the_record(self) -> AsyncUnrecordedChat:
        """Go on where nothing is kept: what is said there is in no store and is gone with what this gives."""
        return AsyncUnrecordedChat(self._engine, self._thread)


class AsyncUnrecordedChat:
    """A conversation off the record: the same viewer as its chat, and a buffer in this process alone.

    What is said is written nowhere: no turn, trace, use or log line comes of it. It is told to a
    model that replies. Only as much stays as a buffer holds.
    """

    def __init__(self, engine: Engine, thread: BoundChat) -> None:
        self._engine = engine
        self._thread = thread
        self._turns: tuple[Turn, ...] = ()

    @upkeep
    def said(self, text: str, *, speaker: str | None = None) -> None:
        """Hear what the user said, or what `speaker` did. Raises `InputError`."""
        turn = self._engine.said_unrecorded(speaker or self._thread.user, text)
        self._turns = self._engine.still_at_hand((*self._turns, turn))

    @upkeep
    def replied(self, text: str, *, speaker: str | None = None) -> None:
        """Hear what the persona said. Raises `InputError` without a persona or a speaker."""
        self.said(text, speaker=speaker or self._thread.replier)

    @viewer_read
    async def context(self, text: str, **asked: Unpack[ContextOptions]) -> Context:
        """Put together what a model should be told to answer `text`, what was said here with it."""
        keys: ContextKeys = {**self._at_hand(text), **asked, **self._thread.viewer()}
        with off_the_record():
            return await self._engine.context(text, **keys)

    @viewer_read
    async def recall(self, question: str, **asked: Unpack[RecallOptions]) -> Recollection:
        """Give what is remembered that answers; nothing that was said here is."""
        keys: RecallKeys = {**asked, **self._thread.viewer()}
        with off_the_record():
            return await self._engine.recall(question, **keys)

    @viewer_read
    async def reply(
        self, text: str, *, model: str, heard: Heard | None = None, **asked: Unpack[ContextOptions]
    ) -> Answer:
        """Let a model reply to `text` as the persona; nothing of it is noted. Raises `ModelError`."""
        keys: AnswerKeys = {**self._at_hand(text), **asked, **self._thread.viewer(), "model": model}
        with off_the_record():
            return await self._engine.reply(text, heard=heard, **keys)

    def _at_hand(self, text: str) -> ContextOptions:
        """Give the messages still at hand but for the last where it is `text` itself."""
        turns = self._turns = self._engine.still_at_hand(self._turns)
        if turns and normalise(turns[-1].text) == normalise(text):
            turns = turns[:-1]
        return {"session": self._thread.session, "recent": [f"{turn.speaker}: {turn.text}" for turn in turns]}
