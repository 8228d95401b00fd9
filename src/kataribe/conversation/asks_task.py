"""The task that asks models about what was said: one question a unit, its answer kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.conversation.jobs import DerivedJob
from kataribe.conversation.tiers_due import want_tiers
from kataribe.domain.conversation.summaries import (
    ModelAsk,
    OfferedContradictions,
    OfferedSummary,
    ThreadText,
    take_contradictions,
    take_summary,
    texts_of,
)
from kataribe.domain.ids import digest, text_hash
from kataribe.domain.memory import NO_USAGE, Usage
from kataribe.domain.records import Outcome, SpaceState, Wanted, Work
from kataribe.domain.space import Unit
from kataribe.domain.work import WorkKind
from kataribe.errors import ExtractionError, KataribeError
from kataribe.ports import Embedder, Summarizer, Transaction, View
from kataribe.work.path import vectors_for
from kataribe.work.task import Embedded, SyncReport


@dataclass(frozen=True, slots=True, kw_only=True)
class AskJob(DerivedJob):
    """A question to a model, and what came of it."""

    ask: ModelAsk
    usage: Usage = NO_USAGE

    @property
    def texts(self) -> Mapping[str, str]:
        """The items in a model's words: they stand in no turn, and need vectors of their own."""
        if self.ask.answer is None:
            return {}
        return {text_hash(text): text for text in texts_of(self.ask.answer)}


@dataclass(frozen=True, slots=True)
class AsksTask:
    """Asks what is to be asked; where nobody can be (`summarizer` raises), that is a failed attempt."""

    summarizer: Callable[[], Summarizer]
    embedder: Embedder
    kind: WorkKind = WorkKind.ASKS

    def whole(self, unit: str) -> str:
        """Name the unit: a question has no parts."""
        return unit

    def gather(self, view: View, space: str, units: Sequence[str]) -> tuple[AskJob, ...]:
        """Read the questions of these units."""
        state = view.space(space)
        if state is None:
            return ()
        jobs = (self._job(view, state, unit) for unit in units)
        return tuple(job for job in jobs if job is not None)

    def _job(self, view: View, state: SpaceState, unit: str) -> AskJob | None:
        ask = view.model_ask(state.space, unit)
        held = view.work(state.space, self.kind, unit).get(unit)
        if ask is None or held is None:
            return None
        attempts = held.attempts if held.fingerprint == held.wanted else 0
        return AskJob(
            unit=Unit(state.space, unit),
            state=state,
            fingerprint=held.wanted,
            ask=ask,
            attempts=attempts,
        )

    async def make(self, job: AskJob) -> AskJob:
        """Ask, unless the answer was kept. Raises `ExtractionError` whatever keeps a model from answering."""
        if job.ask.answer is not None:
            return job
        try:
            return await self._asked(job)
        except ExtractionError:
            raise
        except KataribeError as error:
            # What is said is in memory by rules all the same, so that no other work has to stop.
            raise ExtractionError(error.retold) from error

    async def _asked(self, job: AskJob) -> AskJob:
        asked, summarizer = job.ask.asked, self.summarizer()
        offered: OfferedSummary | OfferedContradictions
        if isinstance(asked, ThreadText):
            offered = await summarizer.sum_up(asked)
            answer = take_summary(offered, asked)
        else:
            offered = await summarizer.contradicted(asked)
            answer = take_contradictions(offered, asked)
        return replace(job, ask=replace(job.ask, answer=answer), usage=offered.usage)

    def let_go(self, tx: Transaction, space: str, units: Collection[str]) -> None:
        """Want nothing any more of questions whose turns are gone."""
        tx.want(space, self.kind, dict.fromkeys(units))

    def check(self, view: View, job: AskJob) -> AskJob:  # noqa: ARG002 - nothing to look up
        """What may be taken of an answer was chosen when it came."""
        return job

    def commit(self, tx: Transaction, job: AskJob, embedded: Embedded, *, reuse: bool) -> bool:
        """Keep the answer with the vectors of its items, as long as it is still wanted."""
        space, unit = job.unit.space, job.unit.name
        state = tx.space(space)
        held = tx.work(space, self.kind, unit).get(unit)
        if state is None or state.embedder_id != job.embedder_id:
            return False
        if held is None or held.wanted != job.fingerprint or tx.model_ask(space, unit) is None:
            return False
        have = vectors_for(tx, job, embedded, reuse=reuse)
        if have is None:
            return False
        tx.put_model_ask(space, replace(job.ask, embedder_id=job.embedder_id, vectors=have))
        tx.put_work(space, self.kind, unit, Work(fingerprint=job.fingerprint, outcome=Outcome.DONE))
        want_tiers(tx, space, (job.ask.holder,), digest("answered", job.ask.fingerprint, job.embedder_id))
        return True

    def keep(self, tx: Transaction, job: AskJob) -> None:
        """Keep what was answered although its items have no vectors yet."""
        there = tx.model_ask(job.unit.space, job.unit.name)
        if there is not None and there.answer is None and job.ask.answer is not None:
            tx.put_model_ask(job.unit.space, job.ask)

    def note_done(self, report: SyncReport, job: AskJob) -> None:
        """Count what was refused of an answer."""
        report.failed_asks.pop((job.unit.space, job.unit.name), None)
        if job.usage.calls and job.ask.answer is not None:
            report.refused_items += [f"{job.unit.name}: {why}" for why in job.ask.answer.refused]

    def note_failed(self, report: SyncReport, job: AskJob, reason: str, *, dead: bool) -> None:  # noqa: ARG002
        """Note why a question has no answer."""
        report.failed_asks[job.unit.space, job.unit.name] = reason

    def spent(self, found: AskJob | KataribeError) -> Usage:
        """Give what models were asked."""
        if isinstance(found, ExtractionError):
            return found.usage if isinstance(found.usage, Usage) else NO_USAGE
        return found.usage if isinstance(found, AskJob) else NO_USAGE


def want_asks(tx: Transaction, state: SpaceState, holder: str, asks: Iterable[ModelAsk], now: int) -> None:
    """Note what is to be asked of a holder by now; what nobody wants any more and was not answered goes."""
    space = state.space
    ready = {one.fingerprint: one for one in asks if one.ready_at <= now}
    wanted: dict[str, Wanted | None] = {}
    for there in tx.model_asks(space, holder):
        if there.fingerprint not in ready:
            wanted[there.unit] = None
            if there.answer is None:
                tx.drop_model_ask(space, there)
    known = {there.fingerprint for there in tx.model_asks(space, holder)}
    for one in ready.values():
        if one.fingerprint not in known:
            tx.put_model_ask(space, one)
            _ask_again(tx, space, one.unit)
        because = digest("ask", one.fingerprint, state.embedder_id)
        wanted[one.unit] = Wanted(fingerprint=because, position=one.ready_at)
    if wanted:
        tx.want(space, WorkKind.ASKS, wanted)


def _ask_again(tx: Transaction, space: str, unit: str) -> None:
    """Take back that a question was answered: its answer went with a turn that says the same again now."""
    there = tx.work(space, WorkKind.ASKS, unit).get(unit)
    if there is not None and there.outcome is Outcome.DONE:
        tx.put_work(space, WorkKind.ASKS, unit, replace(there, fingerprint="", outcome=Outcome.DUE))
