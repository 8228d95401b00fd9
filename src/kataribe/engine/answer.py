"""The viewer's verbs that hand memory to a model: context, answer, and what was used of it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, Unpack, cast

from kataribe.conversation.search import look_up
from kataribe.conversation.tiers_due import want_used
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.gate import Viewer
from kataribe.domain.ids import check_text
from kataribe.domain.memory import Hit, Recollection
from kataribe.domain.recall.context import (
    DEFAULT_BUDGET,
    DEFAULT_TOP_K,
    ESTIMATE,
    Answer,
    AnswerKind,
    Component,
    Context,
    ContextItem,
    ContextOrder,
    DropReason,
    check_budget,
    check_budgets,
    check_order,
    check_parts,
)
from kataribe.domain.recall.context_words import evidence, words
from kataribe.domain.recall.log_search import AUTOMATIC, Standing
from kataribe.domain.recall.planning import MAX_KEYWORDS, Answered, Passage, SearchPlan
from kataribe.domain.recall.relevance import model_for
from kataribe.domain.recall.requests import AnswerKeys, ContextKeys, RecallKeys, ViewerKeys
from kataribe.domain.terms import RULES, Language
from kataribe.engine.at_hand import AtHandVerbs, said_of, short_of, used_ids
from kataribe.engine.base import TRACES_KEPT, Hints, Services
from kataribe.engine.kinds import KINDS
from kataribe.engine.off_record import is_off_the_record
from kataribe.engine.request import recall_request
from kataribe.engine.tracing import traced
from kataribe.engine.viewers import trace_of_search
from kataribe.errors import InputError, ModelError, NotFoundError, StoreError
from kataribe.ports import Ledger
from kataribe.read.kept import without_said
from kataribe.read.pack import assemble
from kataribe.read.pack_at_hand import ContextRequest
from kataribe.read.path import nothing
from kataribe.read.select import Bar, Minimum, RelevanceBar, Screened, judged, screen, was_said, withheld
from kataribe.read.usage import UseRow, uses_of

K = TypeVar("K", ContextKeys, AnswerKeys)

_USES_TOGETHER = 64
_MOST_IDS = 200
NOBODY = "none"
"""The backend of an answer for which no model was asked."""

_CALLERS, _WISHED = "the caller's words", "how the user agreed to be spoken to"
_LEAVE = "the user was not asked yet whether it may be remembered"

_log = logging.getLogger("kataribe.context")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """A use that waits to be written, and when it was made (ISO 8601)."""

    row: UseRow
    at: str


class AnswerVerbs(AtHandVerbs):
    """Memory put into words for a model, behind a viewer's gate."""

    def __init__(self, ledger: Ledger, services: Services) -> None:
        super().__init__(ledger, services)
        self._uses: deque[_Waiting] = deque(maxlen=TRACES_KEPT)
        self._noting: asyncio.Task[None] | None = None

    async def context(self, question: str, **asked: Unpack[ContextKeys]) -> Context:
        """Put together what a model should be told to answer: who speaks, what it remembers, what was said.

        Viewers as in `recall`, and nothing outside their gate is in it. The text of memories
        stands behind fences that it cannot forge. Its whole is at most `budget` tokens; what
        found no place is in `dropped`, with the reason. In what was said with a user the plan's
        keywords are looked up too, word for word (`AUTOMATIC`). A judge that fails judges nothing, and
        `notes` say so. Raises what `recall` raises, and `InputError` when the budget does not
        hold the question and who is asked.
        """
        return await self._context_told(*await self._in_tokens(question, asked))

    @traced("context")
    async def _context_told(self, question: str, asked: ContextKeys) -> Context:
        made, _ = await self._context(question, asked)
        return made

    async def _in_tokens(self, question: str, asked: K) -> tuple[str, K]:
        """Write tokens for personal data in all that a context is made of."""
        whose = self._viewer(asked).whose
        if whose is None or self._protection is None:
            return question, asked
        made: dict[str, object] = dict(await self._keys_as_kept(whose, cast(RecallKeys, asked)))
        for name in ("persona_text", "style"):
            if made.get(name):
                made[name] = await self._as_kept(whose, made[name])
        return await self._as_kept(whose, question), cast(K, made)

    async def answer(self, question: str, **asked: Unpack[AnswerKeys]) -> Answer:
        """Answer as the viewer, out of its context and nothing else (S2-38).

        With `model` the model answers, and what it used is noted as used, off this read's path
        (S2-39). When nothing is remembered no model is asked, and the answer says so. Without
        `model` the memories themselves are given, labelled as evidence: they count as used
        only when `report_use` says so. Raises `ModelError` when the model does not answer:
        nothing is noted then, and `context` still gives what it would have been told.
        Small talk, for which the plan needs no memory, a model answers without any.
        """
        found = await self._answer_told(*await self._in_tokens(question, asked))
        text, used = await self._given_back((found.text, found.used), found.context.viewer)
        return replace(found, text=text, used=used)

    @traced("answer")
    async def _answer_told(self, question: str, asked: AnswerKeys) -> Answer:
        made, language = await self._context(question, asked)
        squeezed = [
            one
            for one in made.dropped
            if one.part is Component.MEMORIES and one.handle and one.why is DropReason.BUDGET
        ]
        if squeezed and not made.items:
            raise InputError(
                f"a budget of {made.budget} tokens has no room for any of {len(squeezed)} memories; raise it"
            )
        model = asked.get("model")
        if model is None:
            lines = [(item.where, item.text) for item in made.items]
            kind = AnswerKind.EVIDENCE if lines else AnswerKind.NOTHING
            return _unasked(made, kind, evidence(lines, language), made.items)
        if not made.has_memories and (made.plan is None or made.plan.needed):
            return _unasked(made, AnswerKind.NOTHING, words(language).unknown, ())
        return await self._said(question, made, language, model, asked)

    async def _said(
        self, question: str, made: Context, language: Language, model: str, asked: AnswerKeys
    ) -> Answer:
        answerer = self._services.answerer(model)
        viewer = made.viewer
        said = await answerer.answer(
            question,
            context=without_question(made),
            passages=passages_of(made),
            speaks_as=asked.get("speaks_as") or viewer.persona,
            language=language,
        )
        if not said.text.strip():
            raise ModelError(f"{answerer.answerer_id} gave an answer without words; ask again")
        return await self._answered(made, said, answerer.answerer_id)

    async def _answered(self, made: Context, said: Answered, backend: str) -> Answer:
        """Give what a model said out of a context, and note what it used."""
        items = (*made.items, *made.kept)
        used = tuple(item for item in items if item.handle in said.used)
        unknown = [name for name in said.used if name not in {item.handle for item in items}]
        notes = (f"it named what was not in the context: {', '.join(sorted(unknown))}",) if unknown else ()
        if used:
            try:
                await self._note_use(made.viewer, used_ids(used))
            except NotFoundError:
                # The store went on while the model spoke; what it said is not lost over that.
                notes = (*notes, "what it used is not remembered any more and was not noted as used")
        return Answer(
            kind=AnswerKind.ANSWER,
            text=said.text,
            used=used,
            backend=backend,
            context=made,
            notes=notes,
            usage=made.usage + said.usage,
        )

    async def report_use(self, ids: Sequence[str], **asked: Unpack[ViewerKeys]) -> int:
        """Say which memories were used in an answer made elsewhere; returns how many facts or turns they are.

        `ids` are those of hits or items, or fact ids; what is kept counts as the turns it rests on.
        None is noted when one of them is not among what the viewer remembers. What is used comes a
        little sooner to this viewer, from this episode or moment on, and to nobody else. It is
        written off this call's path with the traces: a kill may lose the last ones. Raises
        `NotFoundError`, `InputError`.
        """
        viewer = await self._settled(asked)
        if viewer.is_reader:
            raise InputError("what a reader used is not kept; name a character with persona and at")
        if isinstance(ids, str) or not all(isinstance(name, str) for name in ids):
            raise InputError("ids must be a list of ids in words")
        if len(ids) > _MOST_IDS:
            raise InputError(f"at most {_MOST_IDS} ids are taken at once, not {len(ids)}")
        for name in ids:
            check_text(name, "id")
        return await self._note_use(viewer, await self._resting_on(viewer, ids))

    async def flush(self) -> None:
        """Write the traces and uses that wait; a busy store lets them wait on, the oldest dropped first."""
        await super().flush()
        waiting = list(self._uses)
        if not waiting:
            return
        self._uses.clear()
        try:
            await asyncio.to_thread(self._put_uses, waiting)
        except StoreError:
            self._uses.extendleft(reversed(waiting[-(TRACES_KEPT - len(self._uses)) :]))

    # -- the steps of a context ---------------------------------------------------------------

    async def _context(self, question: str, asked: ContextKeys) -> tuple[Context, Language]:
        viewer = await self._settled(asked)
        if not question.strip():
            raise InputError("the question must not be empty")
        check_text(question, "question")
        # What is wrong is refused although nothing may have to be searched.
        intent = recall_request(question, _asked_of_recall(asked), self._services.recall_policy).intent
        budget = check_budget(asked.get("budget", DEFAULT_BUDGET), self._services.tuning.context)
        parts = check_parts(asked.get("parts"))
        hints = await self._hints_of(viewer)
        counter = self._services.counter(asked.get("counter", ESTIMATE))
        style = _text(asked.get("style"), "style")
        wishes = await self._wishes(viewer, hints.language)
        leave = await self._leave_to_ask(viewer, hints.language)
        wanted = ContextRequest(
            question=question,
            language=hints.language,
            budget=budget,
            counter=counter,
            parts=parts,
            budgets=check_budgets(asked.get("budgets")),
            order=check_order(asked.get("order", ContextOrder.SCORE)),
            speaks_as=_text(asked.get("speaks_as"), "speaks_as") or None,
            persona=_text(asked.get("persona_text"), "persona_text"),
            style="\n".join(one for one in (style, wishes, leave) if one),
            style_reason=" and ".join(
                reason for reason, told in ((_CALLERS, style), (_WISHED, wishes), (_LEAVE, leave)) if told
            ),
            recent=_messages(asked.get("recent", ())),
            policy=self._services.tuning.context,
            at_hand=await self._what_is_at_hand(viewer, counter, asked),
        )
        screened = await self._screened(question, viewer, hints, wanted, asked)
        if intent is not None and screened.plan is not None:
            screened = replace(screened, plan=replace(screened.plan, intent=intent, detected=True))
        made = assemble(screened, wanted)
        for one in () if is_off_the_record() else made.dropped:
            _log.debug("dropped %s %s: %s", one.part, one.handle or one.id or "", one.why)
        return made, hints.language

    async def _screened(
        self, question: str, viewer: Viewer, hints: Hints, wanted: ContextRequest, asked: ContextKeys
    ) -> Screened:
        recent = said_of(wanted)
        plan = await self._plan_of(question, hints.language, recent, asked)
        standing: tuple[Standing, ...] = ()
        is_wanted = Component.MEMORIES in wanted.parts
        if not is_wanted or (plan is not None and not plan.needed):
            found = await self._read(lambda view: nothing(KINDS, view, viewer))
        else:
            found = await self._found(
                question, viewer, plan, asked if recent == wanted.recent else {**asked, "recent": recent}
            )
            standing = await self._standing(viewer, hints, plan, recent, asked)
        least = self._minimum(found, asked)
        bar = self._bar(found, hints.language, asked)
        screened = screen(
            found,
            minimum=least,
            bar=bar,
            recent=recent,
            plan=plan,
            standing=standing,
            policy=wanted.policy,
        )
        said = frozenset((line.space, line.turn_id) for line in short_of(wanted))
        screened = withheld(without_said(screened, said), hints.language)
        judge = asked.get("judge")
        return screened if judge is None else await self._judged(question, screened, judge, hints.language)

    def _minimum(self, found: Recollection, asked: ContextKeys) -> Minimum:
        """Give each hit's minimum: the one asked for, else its embedder's, tuned or shipped (S2-23).

        What ships counts only where nobody can tell how relevant a hit is.
        """
        wanted = asked.get("min_similarity")
        if wanted is not None:
            return lambda _: wanted
        by, services = found.embedded_by, self._services

        def least(hit: Hit) -> float | None:
            embedder_id, kind = by.get(hit.space, ""), hit.kind
            tuned = services.tuning.minimum(embedder_id, kind)
            if tuned is not None or hit.relevance is not None:
                return tuned
            return services.minimum_similarity(embedder_id, kind)

        return least

    def _bar(self, found: Recollection, language: Language, asked: ContextKeys) -> Bar:
        """Give each hit's bar: what was asked for, else its embedder's where no cosine was said to decide."""
        wanted = asked.get("min_relevance")
        if wanted is not None:
            return lambda _: RelevanceBar(wanted, wanted)
        by, services = found.embedded_by, self._services
        if asked.get("min_similarity") is not None:
            return lambda _: None

        def bar(hit: Hit) -> RelevanceBar | None:
            embedder_id, kind = by.get(hit.space, ""), hit.kind
            if services.tuning.minimum(embedder_id, kind) is not None:
                return None
            model = model_for(embedder_id, kind, language)
            return None if model is None else RelevanceBar(model.minimum, model.floor)

        return bar

    async def _plan_of(
        self, question: str, language: Language, recent: Sequence[str], asked: ContextKeys
    ) -> SearchPlan | None:
        """Ask for a plan: without one there is nothing to skip, and recall decides for itself."""
        made, name = asked.get("plan"), asked.get("planner")
        if made is not None or name == "none":
            return made
        try:
            planner = self._services.planner(name or RULES)
        except InputError:
            if name is not None:
                raise
            return None
        return await planner.plan(question, language=language, recent=recent)

    async def _found(
        self, question: str, viewer: Viewer, plan: SearchPlan | None, asked: ContextKeys
    ) -> Recollection:
        """Recall with the plan that is there. What is too unlike is left out here, where it is told."""
        kept: RecallKeys = {**_of_recall(asked), "top_k": asked.get("top_k", DEFAULT_TOP_K), "plan": plan}
        # Made now: the same moment and the same episode must hold for all of one context.
        if viewer.as_of is not None:
            kept["as_of"] = viewer.as_of
        if viewer.at is not None and not viewer.is_reader:
            kept["at"] = viewer.at
        return await self.recall_in_tokens(question, **kept)

    async def _standing(
        self,
        viewer: Viewer,
        hints: Hints,
        plan: SearchPlan | None,
        recent: Sequence[str],
        asked: ContextKeys,
    ) -> tuple[Standing, ...]:
        """Look the plan's keywords up in past logs, word for word (S4-69, S4-74); a story alone has none."""
        if plan is None or not plan.keywords or not any(home.by_turns for home in hints.homes):
            return ()
        words, where = plan.keywords[:MAX_KEYWORDS], asked.get("where")
        parsed = None if where is None else parse_filter(where)
        log, standing = await self._read(
            lambda view: look_up(
                KINDS,
                view,
                viewer,
                words,
                AUTOMATIC,
                seed=0,
                where=parsed,
                without=lambda text: was_said(text, recent),
            )
        )
        self._note(trace_of_search(log, at=self._services.clock.now().isoformat()))
        return standing

    async def _judged(self, question: str, screened: Screened, name: str, language: Language) -> Screened:
        judge = self._services.judge(name)
        if not screened.chosen:
            return screened
        passages = [one.passage(language) for one in screened.chosen]
        try:
            kept = await judge.keep(question, passages)
        except ModelError as error:
            why = self._reason_of(error)
            note = f"{judge.judge_id} judged nothing, all that rules let through is kept: {why}"
            return replace(screened, notes=(*screened.notes, note))
        return judged(screened, kept, judge.judge_id)

    # -- uses -------------------------------------------------------------------------------------

    async def _note_use(self, viewer: Viewer, ids: Sequence[str]) -> int:
        if is_off_the_record() or viewer.is_reader:
            # Nobody in particular reads: there is no order of one's own that a use could move.
            return 0
        rows = await self._read(lambda view: uses_of(KINDS, view, viewer, ids))
        now = self._services.clock.now().isoformat()
        self._uses.extend(_Waiting(row=row, at=now) for row in rows)
        if len(self._uses) >= _USES_TOGETHER and (self._noting is None or self._noting.done()):
            self._noting = asyncio.create_task(self.flush())
        return sum(len(row.fact_ids) for row in rows)

    def _put_uses(self, waiting: list[_Waiting]) -> None:
        with self._ledger.writing(patience=0.2) as tx:
            for one in waiting:
                row = one.row
                tx.put_uses(row.space, row.viewer, row.fact_ids, upto=row.upto, at=one.at)
                want_used(tx, row.space, row.viewer, because=f"{one.at} {row.upto} {' '.join(row.fact_ids)}")

    async def close(self) -> None:
        """Write what waits and let go of the store; closing twice is closing."""
        if self._noting is not None:
            await self._noting
        await super().close()


def passages_of(made: Context) -> list[Passage]:
    """Give the memories of a context as they are shown to a model."""
    items = (*made.items, *made.kept)
    return [Passage(id=item.handle, text=item.text, where=item.where) for item in items]


def without_question(made: Context) -> str:
    """Give the text of a context but for what is asked."""
    return "\n\n".join(p.text for p in made.parts if p.text and p.name is not Component.QUESTION)


_SEARCH = tuple(RecallKeys.__annotations__.keys() - {"min_similarity", "min_relevance"})
"""What of a context's keys is recall's. What is too unlike the question is left out where it is told."""


def _asked_of_recall(asked: ContextKeys) -> RecallKeys:
    """Give all of a context's keys that are recall's, to be checked."""
    given = cast(dict[str, object], asked)
    return cast(RecallKeys, {key: given[key] for key in RecallKeys.__annotations__ if key in given})


def _of_recall(asked: ContextKeys) -> RecallKeys:
    given = cast(dict[str, object], asked)
    return cast(RecallKeys, {key: given[key] for key in _SEARCH if key in given})


def _text(value: object, what: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{what} must be a text, not {type(value).__name__}")
    return check_text(value.strip(), what)


def _messages(given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise InputError("recent must be a list of messages, oldest first, not one text")
    return tuple(_text(message, "a recent message") for message in given if message.strip())


def _unasked(made: Context, kind: AnswerKind, text: str, used: tuple[ContextItem, ...]) -> Answer:
    return Answer(kind=kind, text=text, used=used, backend=NOBODY, context=made, usage=made.usage)
