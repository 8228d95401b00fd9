"""The viewer's verbs, and the traces they leave."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

import numpy as np

from kataribe.domain.asking import KnownKeys, RecallKeys, ViewerKeys
from kataribe.domain.conversation import User
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import AnyViewer, UserViewer
from kataribe.domain.memory import Recollection
from kataribe.domain.planning import SearchPlan
from kataribe.domain.records import Trace
from kataribe.domain.story import RULES, Story
from kataribe.engine.noting import Noting
from kataribe.engine.rerank import reranked
from kataribe.engine.viewers import trace_of, viewer_of
from kataribe.engine.wanted import NO_PLANNER, Wanted, wanted
from kataribe.engine.watched import watched
from kataribe.errors import EmbedderMismatchError
from kataribe.read.path import Question, words_to_embed
from kataribe.read.path import known as known_to
from kataribe.read.path import recall as recall_for
from kataribe.read.prints import story_of, user_of


class RecallVerbs(Noting):
    """Recalling behind a viewer's gate."""

    @watched("recall")
    async def recall(self, question: str, **asked: Unpack[RecallKeys]) -> Recollection:
        """Give what a viewer remembers that answers the question, best first.

        A viewer is `character` at episode `at` of a story: nothing from that episode on and no
        secret of others is read. Or it is `persona` in a user's space as of a moment: what was
        said later, or to other personas, is not read. Nothing is searched for when the plan
        says that nothing is needed, and `note` says so then; `planner="none"` always searches.
        Raises `NotFoundError`, `InputError`, `FilterError`, and `ModelError` when a reranker
        that was named cannot answer.
        """
        viewer = self._viewer(asked)
        told = wanted(question, asked, self._engines.recall_policy)
        try:
            found = await self._recall(viewer, question, told)
        except EmbedderMismatchError:
            # The story may have been made anew by another process since we looked.
            self._stories.clear()
            found = await self._recall(viewer, question, told)
        self._trace("recall", found, asked.get("where"))
        return found

    def _viewer(self, asked: ViewerKeys) -> AnyViewer:
        return viewer_of(asked, now=self._engines.clock.now())

    async def check_viewer(self, asked: ViewerKeys) -> None:
        """Raise `InputError` when these words make no viewer."""
        self._viewer(asked)

    async def _home(self, viewer: AnyViewer) -> Story | User:
        """Give the story or user whose space is read. Raises `NotFoundError`."""
        if isinstance(viewer, UserViewer):
            return await self._read(lambda ledger: user_of(ledger, viewer.user))
        story = self._stories.get(viewer.story) or await self.story(viewer.story)
        self._stories[viewer.story] = story
        return story

    async def _recall(self, viewer: AnyViewer, question: str, told: Wanted) -> Recollection:
        """Plan, embed, search in one view, and reorder; no model is asked while a view is open."""
        home = await self._home(viewer)
        embedder = self._engines.embedder(home.embedder)
        policy = self._engines.recall_policy_for(embedder.embedder_id)
        reranker = None if told.reranker is None else self._engines.reranker(told.reranker)
        vector, searched = np.zeros(embedder.dimensions, dtype=np.float32), SearchPlan(made_by="none")
        if isinstance(viewer, UserViewer) or viewer.cutoff >= 1:
            searched = await self._plan(question, told, home)
        if searched.needed and (isinstance(viewer, UserViewer) or viewer.cutoff >= 1):
            words = question
            if isinstance(viewer, UserViewer):
                words = await self._read(lambda ledger: words_to_embed(ledger, viewer, question, policy))
            vector = await embedder.embed_query(words)
        asked = Question(
            text=question,
            vector=vector,
            embedder_id=embedder.embedder_id,
            top_k=told.top_k if reranker is None else max(told.top_k, policy.rerank_pool),
            where=told.where,
            explain=told.explain,
            searched=searched,
            min_similarity=told.min_similarity,
            recent=told.recent,
            policy=policy,
        )
        found = await self._read(lambda ledger: recall_for(ledger, viewer, asked, self._backend(home)))
        return found if reranker is None else await reranked(found, question, reranker, top_k=told.top_k)

    async def _plan(self, question: str, told: Wanted, home: Story | User) -> SearchPlan:
        """Plan the search. An intent that was told is not asked for (S4-85), and wins over the planner's."""
        plan = told.plan or SearchPlan(made_by="none")
        name = told.planner if told.plan is None else NO_PLANNER
        if name is None and told.intent is None and self._engines.plans:
            name = RULES
        if name not in (None, NO_PLANNER):
            planner = self._engines.planner(name)
            plan = await planner.plan(question, language=home.language, recent=told.recent)
        return plan if told.intent is None else replace(plan, intent=told.intent, detected=True)

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
        self._note(trace_of(found, verb=verb, where=where, at=self._engines.clock.now().isoformat()))

    async def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing."""
        await self._writes.finish()
        if self._flushing is not None:
            await self._flushing
        await self.flush()
        await asyncio.to_thread(self._ledger.close)
