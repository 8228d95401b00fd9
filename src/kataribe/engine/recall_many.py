"""Several viewers' recalls in one read view: a turn of a game loop, and whoever compares characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches

from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.recall.requests import RecallKeys, ViewerKeys
from kataribe.engine.base import Hints
from kataribe.engine.recall import LOOKS, Plans, RecallVerbs
from kataribe.engine.request import RecallRequest, recall_request
from kataribe.engine.rerank import reranked
from kataribe.engine.tracing import traced
from kataribe.engine.viewers import viewer_of
from kataribe.errors import ConflictError, EmbedderMismatchError, InputError
from kataribe.ports import Vector, View
from kataribe.read.path import RecallQuestion, Unembedded

Questions = str | Sequence[tuple[str, ViewerKeys | Viewer]]
Vectors = dict[tuple[str, str], Vector]


@dataclass(slots=True)
class _Asking:
    """One viewer's question on its way to an answer."""

    question: str
    viewer: Viewer
    told: RecallRequest
    hints: Hints
    plans: Plans
    """Those of the question, by language; viewers who are asked the same share them."""
    is_fresh: bool = False


class RecallManyVerbs(RecallVerbs):
    """Recalling for several viewers at once."""

    async def recall_many(
        self,
        question: Questions,
        viewers: Sequence[ViewerKeys | Viewer] | None = None,
        *,
        top_k: int = 10,
        where: Mapping[str, object] | None = None,
        explain: bool = False,
        intent: str | None = None,
        planner: str | None = None,
        reranker: str | None = None,
        min_similarity: float | None = None,
        min_relevance: float | None = None,
        recent: Sequence[str] = (),
        plan: SearchPlan | None = None,
        archived: bool = False,
    ) -> tuple[Recollection, ...]:
        """Give what each of these viewers remembers that answers the question, in their order.

        `question` is one for all `viewers`, or a list of (question, viewer) without `viewers`.
        Each answer equals that of `recall` for this viewer with the same options, and all are
        read in one view of the store. A question is planned once and embedded once per embedder.
        Without `as_of` all users' viewers share one moment. Raises what `recall` raises, for
        the first viewer that is refused; nothing is answered then.
        """
        how: RecallKeys = {
            "top_k": top_k,
            "where": where,
            "explain": explain,
            "intent": intent,
            "planner": planner,
            "reranker": reranker,
            "min_similarity": min_similarity,
            "min_relevance": min_relevance,
            "recent": recent,
            "plan": plan,
            "archived": archived,
        }
        now = self._services.clock.now()
        pairs = [(asked, _viewer(one, now)) for asked, one in _pairs(question, viewers)]
        named = {viewer.whose for _, viewer in pairs} - {None}
        if self._protection is not None and named:
            pairs = [(await self._as_kept(one.whose, asked), one) for asked, one in pairs]
            if len(named) == 1:
                how = await self._keys_as_kept(named.pop() or "", how)
        found = await self._recalled_all(pairs, how)
        return tuple([await self._given_back(one, one.viewer) for one in found])

    @traced("recall_many")
    async def _recalled_all(
        self, pairs: Sequence[tuple[str, Viewer]], how: RecallKeys
    ) -> tuple[Recollection, ...]:
        found = await self._recall_all(pairs, how)
        for one in found:
            self._trace("recall", one, how.get("where"))
        return tuple(found)

    async def _recall_all(self, pairs: Sequence[tuple[str, Viewer]], how: RecallKeys) -> list[Recollection]:
        """Plan and embed for all, search for all in one view, and reorder each answer."""
        if not pairs:
            return []
        askings = await self._askings(pairs, how)
        found = await self._answer_all(askings)
        name = askings[0].told.reranker
        if name is None:
            return found
        model = self._services.reranker(name)
        return [
            await reranked(answer, one.question, model, top_k=one.told.top_k)
            for one, answer in zip(askings, found, strict=True)
        ]

    async def _askings(self, pairs: Sequence[tuple[str, Viewer]], how: RecallKeys) -> list[_Asking]:
        """Look where each viewer is read, and plan each question once per language."""
        requests = {
            question: self._ordered_by(recall_request(question, how, self._services.recall_policy))
            for question, _ in pairs
        }
        plans: dict[str, Plans] = {question: {} for question in requests}
        return [
            _Asking(question, viewer, requests[question], await self._hints_of(viewer), plans[question])
            for question, viewer in pairs
        ]

    async def _answer_all(self, askings: Sequence[_Asking]) -> list[Recollection]:
        """Search for all in one view; where the store has changed since it was looked at, all over again."""
        embedded: dict[str, Vectors] = {one.question: {} for one in askings}
        for _ in range(LOOKS):
            asked = [await self._embedded(one, embedded[one.question]) for one in askings]

            def answers(
                view: View, asked: Sequence[RecallQuestion] = asked
            ) -> list[Recollection | Unembedded]:
                return [
                    self._answer(view, viewer=one.viewer, asked=question)
                    for one, question in zip(askings, asked, strict=True)
                ]

            found = await self._look(answers)
            done = [one for one in found if isinstance(one, Recollection)]
            if len(done) == len(askings):
                return done
            for one, answer in zip(askings, found, strict=True):
                if isinstance(answer, Unembedded):
                    await self._look_again(one)
        raise ConflictError("the store changes faster than a question is embedded; ask again")

    async def _embedded(self, one: _Asking, embedded: Vectors) -> RecallQuestion:
        """Embed a viewer's question, unless it is embedded already. Raises `EmbedderMismatchError`."""
        try:
            return await self._asked_by(one, embedded)
        except EmbedderMismatchError:
            if one.is_fresh:
                raise
            # Another process may have given it another embedder since we looked.
            await self._look_again(one)
            return await self._asked_by(one, embedded)

    async def _asked_by(self, one: _Asking, embedded: Vectors) -> RecallQuestion:
        searched = await self._planned(one.question, one.told, one.hints, one.plans)
        return await self._asked(one.question, one.viewer, one.told, one.hints, searched, embedded=embedded)

    async def _look_again(self, one: _Asking) -> None:
        one.hints, one.is_fresh = await self._hints_of(one.viewer, again=True), True


def _pairs(
    question: Questions, viewers: Sequence[ViewerKeys | Viewer] | None
) -> list[tuple[str, ViewerKeys | Viewer]]:
    if isinstance(question, str):
        if viewers is None:
            raise InputError("recall_many needs viewers, or a list of (question, viewer) instead of both")
        return [(question, one) for one in viewers]
    if viewers is not None:
        raise InputError("a list of (question, viewer) names the viewers already; leave viewers out")
    return list(question)


def _viewer(given: ViewerKeys | Viewer, now: datetime) -> Viewer:
    if isinstance(given, Viewer):
        return given
    for name in given.keys() - ViewerKeys.__annotations__.keys():
        near = get_close_matches(name, ViewerKeys.__annotations__, n=1)
        hint = f"; did you mean {near[0]}" if near else ""
        raise InputError(f"a viewer takes {', '.join(ViewerKeys.__annotations__)}, not {name!r}{hint}")
    return viewer_of(given, now=now)
