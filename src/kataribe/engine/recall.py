"""The viewer's verbs, and the traces they leave."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Unpack, cast

from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.recall.ranking import RecallPolicy
from kataribe.domain.recall.requests import KnownKeys, RecallKeys, ViewerKeys
from kataribe.domain.records import Trace
from kataribe.domain.space import Space
from kataribe.domain.terms import RULES, Language
from kataribe.engine.base import Hint, Hints, check_installed
from kataribe.engine.kinds import KINDS, owner_of
from kataribe.engine.noting import Noting
from kataribe.engine.outside import OutsideReads
from kataribe.engine.request import NO_PLANNER, RecallRequest, recall_request
from kataribe.engine.rerank import reranked
from kataribe.engine.tracing import traced
from kataribe.engine.viewers import trace_of, viewer_of
from kataribe.errors import ConflictError, EmbedderMismatchError
from kataribe.ports import Embedder, Vector, View, Worded
from kataribe.read.gate import open_gate
from kataribe.read.path import RecallQuestion, Unembedded
from kataribe.read.path import known as known_to
from kataribe.read.path import recall as recall_for
from kataribe.read.plan import to_embed
from kataribe.story.now import settled

LOOKS = 8
"""How often a question is embedded anew because the store has changed meanwhile."""
_HINTS_KEPT = 1024
"""Viewers of which is remembered what their questions are embedded as."""

Plans = dict[Language, SearchPlan]


class RecallVerbs(Noting, OutsideReads):
    """Recalling behind a viewer's gate."""

    async def recall(self, question: str, **asked: Unpack[RecallKeys]) -> Recollection:
        """Give what a viewer remembers that answers the question, best first.

        A viewer is `persona` at episode `at` of a story: nothing from that episode on and no
        secret of others is read. Or it is `persona` in a user's space as of a moment: what was
        said later, or to other personas, is not read. Nothing is searched for when the plan
        says that nothing is needed, and `note` says so then; `planner="none"` always searches.
        Raises `NotFoundError`, `InputError`, `FilterError`, and `ModelError` when a reranker
        that was named cannot answer.
        """
        found = await self.recall_in_tokens(question, **asked)
        return await self._given_back(found, found.viewer)

    async def recall_in_tokens(self, question: str, **asked: Unpack[RecallKeys]) -> Recollection:
        """Give the same for a model: tokens stand in it for personal data."""
        viewer = self._viewer(asked)
        if (whose := viewer.whose) is None or self._protection is None:
            return await self._recalled(question, viewer, asked)
        return await self._recalled(
            await self._as_kept(whose, question), viewer, await self._keys_as_kept(whose, asked)
        )

    async def _keys_as_kept(self, whose: str, asked: RecallKeys) -> RecallKeys:
        """Write tokens for personal data in what is asked beside the question."""
        made = dict(asked)
        if asked.get("where"):
            made["where"] = await self._where_as_kept(whose, asked.get("where"))
        if asked.get("recent"):
            made["recent"] = await self._as_kept(whose, asked["recent"])
        if (plan := asked.get("plan")) is not None:
            words = await self._as_kept(whose, (plan.terms, plan.keywords))
            made["plan"] = replace(plan, terms=words[0], keywords=words[1])
        return cast(RecallKeys, made)

    @traced("recall")
    async def _recalled(self, question: str, viewer: Viewer, asked: RecallKeys) -> Recollection:
        told = recall_request(question, asked, self._services.recall_policy)
        found = await self._recall(viewer, question, told)
        self._trace("recall", found, asked.get("where"))
        return found

    def _viewer(self, asked: ViewerKeys) -> Viewer:
        return viewer_of(asked, now=self._services.clock.now())

    async def _settled(self, asked: ViewerKeys) -> Viewer:
        """Make a viewer and look up where it stands, for a verb that reads more than once."""
        viewer = self._viewer(asked)
        return await self._read(lambda view: settled(view, viewer)) if viewer.is_now else viewer

    def check_viewer(self, asked: ViewerKeys) -> None:
        """Raise `InputError` when these words make no viewer."""
        self._viewer(asked)

    async def _hints_of(self, viewer: Viewer, *, again: bool = False) -> Hints:
        """Tell what is read for a viewer and by whom that is embedded. Raises `NotFoundError`.

        What the last look said is taken on trust: the view that answers looks for itself.
        """
        key = (viewer.story, viewer.at, viewer.is_now, viewer.is_reader, viewer.user, viewer.persona)
        if again or key not in self._hints:
            if len(self._hints) >= _HINTS_KEPT:
                self._hints.clear()
            erasures = self._asked_before.erasures
            found = await self._look(lambda view: _look(view, viewer))
            self._hints[key] = replace(found, erasures=erasures)
        return self._hints[key]

    async def _recall(self, viewer: Viewer, question: str, told: RecallRequest) -> Recollection:
        """Plan, embed, search in one view, and reorder; no model is asked while a view is open."""
        hints, is_fresh = await self._hints_of(viewer), False
        told = self._ordered_by(told)
        reranker = None if told.reranker is None else self._services.reranker(told.reranker)
        plans: Plans = {}
        for _ in range(LOOKS):
            searched = await self._planned(question, told, hints, plans)
            try:
                asked = await self._asked(question, viewer, told, hints, searched)
            except EmbedderMismatchError:
                if is_fresh:
                    raise
                # Another process may have given it another embedder since we looked.
                hints, is_fresh = await self._hints_of(viewer, again=True), True
                continue
            found = await self._look(partial(self._answer, viewer=viewer, asked=asked))
            if isinstance(found, Recollection):
                break
            # Somebody spoke, or the store was given another embedder, since we looked.
            hints, is_fresh = await self._hints_of(viewer, again=True), True
        else:
            raise ConflictError("the store changes faster than a question is embedded; ask again")
        return found if reranker is None else await reranked(found, question, reranker, top_k=told.top_k)

    async def _asked(
        self,
        question: str,
        viewer: Viewer,
        told: RecallRequest,
        hints: Hints,
        searched: SearchPlan,
        *,
        embedded: dict[tuple[str, str], Vector] | None = None,
    ) -> RecallQuestion:
        """Embed a question as the hints say; `embedded` holds what is embedded already, and is added to.

        Raises `EmbedderMismatchError`.
        """
        policy = self._policy_of(hints)
        asked = RecallQuestion(
            text=question,
            vectors=await self._vectors_for(
                question if searched.needed else None, viewer, hints, policy, embedded
            ),
            top_k=told.top_k if told.reranker is None else max(told.top_k, policy.rerank_pool),
            where=told.where,
            explain=told.explain,
            searched=searched,
            min_similarity=told.min_similarity,
            min_relevance=told.min_relevance,
            recent=told.recent,
            archived=told.archived,
            policy=policy,
            words=self._words_like(question, hints) if policy.like_words and searched.needed else {},
        )
        return await self._preselected(viewer, asked)

    def _words_like(self, question: str, hints: Hints) -> dict[str, tuple[str, ...]]:
        """Give the words that a question is looked up by, by the id of each embedder that knows words."""
        used = {hint.embedder_id: self._services.embedder(hint.embedder) for hint in hints.homes}
        return {name: one.words_like(question) for name, one in used.items() if isinstance(one, Worded)}

    def _ordered_by(self, told: RecallRequest) -> RecallRequest:
        """Give a request that names who reorders, where nobody is named the one of the settings."""
        return replace(told, reranker=told.reranker or self._services.default_reranker)

    def _policy_of(self, hints: Hints) -> RecallPolicy:
        if not hints.homes:
            return self._services.recall_policy
        return self._services.recall_policy_for(hints.homes[0].embedder_id)

    @staticmethod
    def _answer(view: View, *, viewer: Viewer, asked: RecallQuestion) -> Recollection | Unembedded:
        return recall_for(KINDS, view, settled(view, viewer), asked)

    async def _vectors_for(
        self,
        question: str | None,
        viewer: Viewer,
        hints: Hints,
        policy: RecallPolicy,
        embedded: dict[tuple[str, str], Vector] | None = None,
    ) -> dict[tuple[str, str], Vector]:
        """Embed a question once for each embedder and wording; None where nothing is to be embedded.

        What `embedded` holds is not embedded again, and what is embedded is added to it; given is what
        these hints name and nothing that others asked, so that hints which no longer fit are noticed.
        Raises `EmbedderMismatchError` either way.
        """
        known = {} if embedded is None else embedded
        found: dict[tuple[str, str], Vector] = {}
        for hint in hints.homes:
            embedder = self._services.embedder(hint.embedder)
            check_installed(hint.title, hint.embedder_id, embedder)
            if question is None:
                continue
            words = question
            if hint.by_turns and policy.strip_names:
                spoken = [name for name, first in hint.voices.items() if first <= viewer.moment]
                words = to_embed(question, spoken)
            key = (hint.embedder_id, words)
            if key not in known:
                known[key] = await self._embedded_for(viewer, embedder, words, hints.erasures)
            found[key] = known[key]
        return found

    async def _embedded_for(self, viewer: Viewer, embedder: Embedder, words: str, erasures: int) -> Vector:
        found = self._asked_before.get(viewer, embedder.embedder_id, words)
        if found is None:
            found = await embedder.embed_query(words)
            self._asked_before.keep(viewer, embedder.embedder_id, words, found, erasures=erasures)
        return found

    async def _planned(self, question: str, told: RecallRequest, hints: Hints, plans: Plans) -> SearchPlan:
        """Plan for what the hints say is read, once a language; nothing is planned where nothing is read."""
        if not hints.homes:
            return SearchPlan(made_by="none")
        if hints.language not in plans:
            plans[hints.language] = await self._plan(question, told, hints.language)
        return plans[hints.language]

    async def _plan(self, question: str, told: RecallRequest, language: Language) -> SearchPlan:
        """Plan the search. An intent that was given is not asked for (S4-85), and wins over the planner's."""
        plan = told.plan or SearchPlan(made_by="none")
        name = told.planner if told.plan is None else NO_PLANNER
        if name is None and told.intent is None and self._services.plans:
            name = RULES
        if name not in (None, NO_PLANNER):
            planner = self._services.planner(name)
            plan = await planner.plan(question, language=language, recent=told.recent)
        return plan if told.intent is None else replace(plan, intent=told.intent, detected=True)

    async def known(self, **asked: Unpack[KnownKeys]) -> Recollection:
        """Give everything a viewer may know, in story order and as it was said; viewers as in `recall`.

        Facts that a newer one supersedes are there, marked `superseded_by`.
        """
        viewer = self._viewer(asked)
        found = await self._known(viewer, await self._where_as_kept(viewer.whose, asked.get("where")))
        return await self._given_back(found, found.viewer)

    @traced("known")
    async def _known(self, viewer: Viewer, where: Mapping[str, object] | None) -> Recollection:
        parsed = None if where is None else parse_filter(where)
        found = await self._read(lambda view: known_to(KINDS, view, settled(view, viewer), parsed))
        self._trace("known", found, where)
        return found

    async def traces(self, of: Space, *, last: int = 50) -> tuple[Trace, ...]:
        """Give the last searches in an owner's space: who asked behind which slices, and what came back.

        For authors. Raises `NotFoundError`.
        """
        await self.flush()
        return await self._read(lambda view: view.traces(owner_of(view, of).space.name, last=last))

    def _trace(self, verb: str, found: Recollection, where: Mapping[str, object] | None) -> None:
        self._note(trace_of(found, verb=verb, where=where, at=self._services.clock.now().isoformat()))

    async def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing."""
        self._is_closed = True
        await self._writes.finish()
        if self._flushing is not None:
            await self._flushing
        await self.flush()
        if self._delivering is not None:
            await self._delivering
        await self._deliver()
        await asyncio.to_thread(self._ledger.close)
        if self._services.index is not None:
            await asyncio.to_thread(self._services.index.close)


def _look(view: View, viewer: Viewer) -> Hints:
    opened = open_gate(KINDS, view, settled(view, viewer))
    homes = tuple(
        Hint(
            home.built_with.embedder,
            home.built_with.embedder_id,
            home.title,
            home.lending.by_turns,
            dict(home.voices),
        )
        for home in opened.read
    )
    return Hints(opened.language, homes)
