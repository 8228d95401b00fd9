"""The viewer's verbs, and the traces they leave."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import numpy as np

from kataribe.domain.filters import Filter
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Recollection
from kataribe.domain.ranking import DEFAULT_RECALL
from kataribe.domain.records import Trace
from kataribe.engine.base import TRACES_KEPT, Base
from kataribe.errors import EmbedderMismatchError, InputError, StoreError
from kataribe.read.path import Question
from kataribe.read.path import known as known_to
from kataribe.read.path import recall as recall_for
from kataribe.read.prints import story_of

_TRACES_TOGETHER = 64


class RecallVerbs(Base):
    """Recalling behind a viewer's gate."""

    async def recall(
        self,
        question: str,
        *,
        story_id: str,
        character: str,
        at: int,
        top_k: int = 10,
        where: Mapping[str, object] | None = None,
        explain: bool = False,
    ) -> Recollection:
        """Give what `character` remembers at episode `at` that answers the question, best first.

        Nothing from episode `at` on and no secret of others is read. `where` is a filter
        AND-ed with the gate. Raises `NotFoundError`, `InputError`, `FilterError`.
        """
        viewer = Viewer(story=story_id, character=character, at=at)
        if not question.strip():
            raise InputError("the question must not be empty")
        most = DEFAULT_RECALL.max_top_k
        if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= most:
            raise InputError(f"top_k must be a whole number from 1 to {most}, not {top_k!r}")
        parsed = None if where is None else parse_filter(where)
        try:
            found = await self._recall(viewer, question, top_k, parsed, explain)
        except EmbedderMismatchError:
            # The story may have been made anew by another process since we looked.
            self._stories.pop(story_id, None)
            found = await self._recall(viewer, question, top_k, parsed, explain)
        self._trace("recall", found, where)
        return found

    async def _recall(
        self, viewer: Viewer, question: str, top_k: int, where: Filter | None, explain: bool
    ) -> Recollection:
        story = self._stories.get(viewer.story) or await self.story(viewer.story)
        self._stories[viewer.story] = story
        embedder = self._engines.embedder(story.embedder)
        vector = np.zeros(embedder.dimensions, dtype=np.float32)
        if viewer.cutoff >= 1:
            vector = await embedder.embed_query(question)
        asked = Question(
            text=question,
            vector=vector,
            embedder_id=embedder.embedder_id,
            top_k=top_k,
            where=where,
            explain=explain,
        )
        return await self._read(lambda ledger: recall_for(ledger, viewer, asked, self._backend(story)))

    async def known(
        self,
        *,
        story_id: str,
        character: str,
        at: int,
        where: Mapping[str, object] | None = None,
    ) -> Recollection:
        """Give everything `character` may know at episode `at`, in story order.

        Facts that a newer one supersedes are there, marked `superseded_by`.
        """
        viewer = Viewer(story=story_id, character=character, at=at)
        parsed = None if where is None else parse_filter(where)
        story = await self.story(story_id)
        found = await self._read(lambda ledger: known_to(ledger, viewer, self._backend(story), parsed))
        self._trace("known", found, where)
        return found

    async def traces(self, story_id: str, *, last: int = 50) -> tuple[Trace, ...]:
        """Give the last searches: who asked behind which slices, and which ids came back (author)."""
        await self.flush()
        return await self._read(
            lambda ledger: (story_of(ledger, story_id), ledger.traces(story_id, last=last))[1]
        )

    def _trace(self, verb: str, found: Recollection, where: Mapping[str, object] | None) -> None:
        viewer = found.viewer
        holders = ["world", viewer.character] if found.in_cast else ["world"]
        self._traces.append(
            Trace(
                at=self._engines.clock.now().isoformat(),
                story=viewer.story,
                character=viewer.character,
                episode_no=viewer.at,
                verb=verb,
                filter=where,
                slices=tuple(f"{holder} up to {viewer.cutoff}" for holder in holders if viewer.cutoff >= 1),
                ids=tuple(hit.id for hit in found.hits),
            )
        )
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
            ledger.put_traces(waiting)

    async def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing."""
        await self._writes.finish()
        if self._flushing is not None:
            await self._flushing
        await self.flush()
        await asyncio.to_thread(self._ledger.close)
