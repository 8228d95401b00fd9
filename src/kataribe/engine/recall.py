"""The viewer's verbs, and the traces they leave."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Unpack

import numpy as np

from kataribe.domain.asking import KnownKeys, RecallKeys, ViewerKeys
from kataribe.domain.conversation import User
from kataribe.domain.filters import Filter
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import AnyViewer, UserViewer
from kataribe.domain.memory import Recollection
from kataribe.domain.ranking import DEFAULT_RECALL
from kataribe.domain.records import Trace
from kataribe.domain.story import Story
from kataribe.engine.base import TRACES_KEPT, Base
from kataribe.engine.viewers import trace_of, viewer_of
from kataribe.engine.watched import watched
from kataribe.errors import EmbedderMismatchError, InputError, StoreError
from kataribe.read.path import Question
from kataribe.read.path import known as known_to
from kataribe.read.path import recall as recall_for
from kataribe.read.prints import story_of, user_of

_TRACES_TOGETHER = 64


class RecallVerbs(Base):
    """Recalling behind a viewer's gate."""

    @watched("recall")
    async def recall(self, question: str, **asked: Unpack[RecallKeys]) -> Recollection:
        """Give what a viewer remembers that answers the question, best first.

        A viewer is `character` at episode `at` of a story: nothing from that episode on and no
        secret of others is read. Or it is `persona` in a user's space as of a moment: what was
        said later, or to other personas, is not read. Raises `NotFoundError`, `InputError`,
        `FilterError`.
        """
        viewer = self._viewer(asked)
        if not question.strip():
            raise InputError("the question must not be empty")
        top_k, where, most = asked.get("top_k", 10), asked.get("where"), DEFAULT_RECALL.max_top_k
        if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= most:
            raise InputError(f"top_k must be a whole number from 1 to {most}, not {top_k!r}")
        parsed = None if where is None else parse_filter(where)
        explain = asked.get("explain", False)
        try:
            found = await self._recall(viewer, question, top_k, parsed, explain)
        except EmbedderMismatchError:
            # The story may have been made anew by another process since we looked.
            self._stories.clear()
            found = await self._recall(viewer, question, top_k, parsed, explain)
        self._trace("recall", found, where)
        return found

    def _viewer(self, asked: ViewerKeys) -> AnyViewer:
        return viewer_of(asked, now=self._engines.clock.now())

    async def _home(self, viewer: AnyViewer) -> Story | User:
        """Give the story or user whose space is read. Raises `NotFoundError`."""
        if isinstance(viewer, UserViewer):
            return await self._read(lambda ledger: user_of(ledger, viewer.user))
        story = self._stories.get(viewer.story) or await self.story(viewer.story)
        self._stories[viewer.story] = story
        return story

    async def _recall(
        self, viewer: AnyViewer, question: str, top_k: int, where: Filter | None, explain: bool
    ) -> Recollection:
        home = await self._home(viewer)
        embedder = self._engines.embedder(home.embedder)
        vector = np.zeros(embedder.dimensions, dtype=np.float32)
        if isinstance(viewer, UserViewer) or viewer.cutoff >= 1:
            vector = await embedder.embed_query(question)
        asked = Question(
            text=question,
            vector=vector,
            embedder_id=embedder.embedder_id,
            top_k=top_k,
            where=where,
            explain=explain,
            policy=self._engines.recall_policy_for(embedder.embedder_id),
        )
        return await self._read(lambda ledger: recall_for(ledger, viewer, asked, self._backend(home)))

    @watched("known")
    async def known(self, **asked: Unpack[KnownKeys]) -> Recollection:
        """Give everything a viewer may know, in story order or as it was said; viewers as in `recall`.

        Facts that a newer one supersedes are there, marked `superseded_by`.
        """
        viewer, where = self._viewer(asked), asked.get("where")
        parsed = None if where is None else parse_filter(where)
        home = await self._home(viewer)
        found = await self._read(lambda ledger: known_to(ledger, viewer, self._backend(home), parsed))
        self._trace("known", found, where)
        return found

    async def traces(self, story_id: str, *, last: int = 50) -> tuple[Trace, ...]:
        """Give the last searches: who asked behind which slices, and which ids came back (author)."""
        await self.flush()
        return await self._read(
            lambda ledger: (story_of(ledger, story_id), ledger.traces(story_id, last=last))[1]
        )

    async def user_traces(self, user_id: str, *, last: int = 50) -> tuple[Trace, ...]:
        """Give the last searches in a user's space (author). Raises `NotFoundError`."""
        await self.flush()
        return await self._read(
            lambda ledger: (user_of(ledger, user_id), ledger.user_traces(user_id, last=last))[1]
        )

    def _trace(self, verb: str, found: Recollection, where: Mapping[str, object] | None) -> None:
        now = self._engines.clock.now().isoformat()
        self._traces.append(trace_of(found, verb=verb, where=where, at=now))
        if len(self._traces) >= _TRACES_TOGETHER and (self._flushing is None or self._flushing.done()):
            self._flushing = asyncio.create_task(self.flush())

    async def flush(self) -> None:
        """Write the traces that wait; when the store is busy they wait on, the oldest dropped first."""
        waiting = list(self._traces)
        if not waiting:
            return
        self._traces.clear()
        try:
            await asyncio.to_thread(self._put_traces, waiting)
        except StoreError:
            self._traces.extendleft(reversed(waiting[-(TRACES_KEPT - len(self._traces)) :]))

    def _put_traces(self, waiting: list[Trace]) -> None:
        with self._ledger.writing(patience=0.2) as ledger:
            ledger.put_traces([trace for trace in waiting if trace.user is None])
            ledger.put_user_traces([trace for trace in waiting if trace.user is not None])

    async def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing."""
        await self._writes.finish()
        if self._flushing is not None:
            await self._flushing
        await self.flush()
        await asyncio.to_thread(self._ledger.close)
