"""One viewer, bound once: every read gives what it may remember and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from kataribe.conversation.associations import Associations
from kataribe.conversation.threads import HeldThreads
from kataribe.conversation.tiers import KeptMemories
from kataribe.domain.conversation.buffer import Buffer
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.context import Answer, Context
from kataribe.domain.recall.log_search import LogSearch
from kataribe.domain.recall.requests import (
    AnswerOptions,
    AroundOptions,
    AssociateOptions,
    BufferOptions,
    ContextOptions,
    KnownOptions,
    MemoriesOptions,
    RecallOptions,
    SearchOptions,
    ViewerKeys,
)
from kataribe.engine import Engine
from kataribe.face.marks import viewer_read
from kataribe.tools import AsyncReadTool, AsyncRecallTool, AsyncSearchTool


class AsyncViewerHandle:
    """A persona at an episode of a story, one that talks with a user, or both together."""

    def __init__(self, engine: Engine, viewer: ViewerKeys) -> None:
        self._engine = engine
        self.viewer = viewer

    @viewer_read
    async def recall(self, question: str, **asked: Unpack[RecallOptions]) -> Recollection:
        """Give what the viewer remembers that answers the question, best first."""
        return await self._engine.recall(question, **self.viewer, **asked)

    @viewer_read
    async def known(self, **asked: Unpack[KnownOptions]) -> Recollection:
        """Give everything the viewer may know, in story order or as it was said."""
        return await self._engine.known(**self.viewer, **asked)

    @viewer_read
    async def context(self, question: str, **asked: Unpack[ContextOptions]) -> Context:
        """Put together what a model should be told to answer as the viewer, within a budget of tokens."""
        return await self._engine.context(question, **self.viewer, **asked)

    @viewer_read
    async def answer(self, question: str, **asked: Unpack[AnswerOptions]) -> Answer:
        """Answer as the viewer out of what it remembers; without `model` that itself, labelled evidence."""
        return await self._engine.answer(question, **self.viewer, **asked)

    @viewer_read
    async def search_log(self, keywords: Sequence[str], **asked: Unpack[SearchOptions]) -> LogSearch:
        """Find turns in which one of 0 to 3 distinctive keywords stands exactly, newest first."""
        return await self._engine.search_log(keywords, **self.viewer, **asked)

    @viewer_read
    async def read_turn(self, turn_id: str, **asked: Unpack[AroundOptions]) -> Recollection:
        """Give a turn in full with those said before and after it in its session. Raises `NotFoundError`."""
        return await self._engine.read_turn(turn_id, **self.viewer, **asked)

    @viewer_read
    async def threads(self) -> HeldThreads:
        """Give the threads of what the viewer may remember, by space, as they were begun."""
        return await self._engine.threads(**self.viewer)

    @viewer_read
    async def buffer(self, **asked: Unpack[BufferOptions]) -> Buffer:
        """Give what the viewer has at hand of what was just said, oldest first."""
        return await self._engine.buffer(**self.viewer, **asked)

    @viewer_read
    async def memories(self, **asked: Unpack[MemoriesOptions]) -> KeptMemories:
        """Give what the viewer keeps of what was said, in tiers."""
        return await self._engine.memories(**self.viewer, **asked)

    @viewer_read
    async def associate(self, text: str, **asked: Unpack[AssociateOptions]) -> Associations:
        """Give what a text brings to the viewer's mind of what was said, and how it leads there."""
        return await self._engine.associate(text, **self.viewer, **asked)

    @viewer_read
    async def with_words(self, text: str) -> str:
        """Write the words back in place of tokens in a text, as far as the viewer may be given them."""
        return await self._engine.with_words(text, **self.viewer)

    @viewer_read
    async def report_use(self, ids: Sequence[str]) -> int:
        """Say which memories the viewer used; they come a little sooner to it from now on."""
        return await self._engine.report_use(ids, **self.viewer)

    @viewer_read
    def recall_tool(self, *, detail: bool = False) -> AsyncRecallTool:
        """Make a tool for an agent that recalls as this viewer, and as no one else.

        It gives of each hit the text, where it is from and its id; with `detail` all that is known of it.
        """
        return AsyncRecallTool(
            self.viewer,
            lambda query, top_k: self._engine.recall_in_tokens(query, **self.viewer, top_k=top_k),
            detail=detail,
        )

    @viewer_read
    def search_tool(self) -> AsyncSearchTool:
        """Make a tool for an agent that searches past logs for exact words, as this viewer alone."""
        return AsyncSearchTool(
            self.viewer, lambda words: self._engine.search_log_in_tokens(words, **self.viewer)
        )

    @viewer_read
    def read_tool(self) -> AsyncReadTool:
        """Make a tool for an agent that reads on around a turn, as this viewer alone."""
        return AsyncReadTool(
            self.viewer,
            lambda turn, around: self._engine.read_turn_in_tokens(turn, **self.viewer, around=around),
        )
