"""The task that replays what one holder keeps of a conversation, in tiers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from kataribe.conversation.asks_task import want_asks
from kataribe.conversation.jobs import DerivedJob
from kataribe.conversation.life_inputs import LifeInputs, summed_by, with_model
from kataribe.conversation.running_lives import KeptLife, RunningLives
from kataribe.domain.conversation.life.replay import Happened, LifeStep
from kataribe.domain.conversation.life.values import Life
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.gate import position_of
from kataribe.domain.memory import NO_USAGE, Usage
from kataribe.domain.records import Outcome, SpaceState, Work
from kataribe.domain.space import Unit
from kataribe.domain.terms import RULES
from kataribe.domain.work import WorkKind
from kataribe.errors import KataribeError
from kataribe.ports import Clock, Embedder, Transaction, View
from kataribe.work.task import Embedded, SyncReport

NOTHING_KEPT = Life()

_Read = tuple[KeptLife, Happened, tuple[ModelAsk, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TiersJob(DerivedJob):
    """What happened between a holder and a user in one space since it was replayed, and what comes of it."""

    kept: KeptLife
    happened: Happened
    asks: tuple[ModelAsk, ...] = ()
    step: LifeStep | None = None


@dataclass(frozen=True, slots=True)
class TiersTask:
    """Brings what holders keep in tiers up to what happened. A unit is a holder."""

    user_id: str
    embedder: Embedder
    clock: Clock
    lives: RunningLives = field(default_factory=RunningLives)
    """Where lives are kept from one sync to the next; those that a model sums up are replayed whole."""
    kind: WorkKind = WorkKind.TIERS

    def whole(self, unit: str) -> str:
        """Name the unit: a holder has no parts."""
        return unit

    def gather(self, view: View, space: str, units: Sequence[str]) -> tuple[TiersJob, ...]:
        """Read what happened to these holders."""
        state = view.space(space)
        if state is None:
            return ()
        jobs = (self._job(view, state, unit) for unit in units)
        return tuple(job for job in jobs if job is not None)

    def _job(self, view: View, state: SpaceState, holder: str) -> TiersJob | None:
        held = view.work(state.space, WorkKind.TIERS, holder).get(holder)
        if held is None:
            return None
        read = self._gone_on(view, state, held, holder) or self._anew(view, state, holder)
        if read is None:
            return None
        kept, happened, asks = read
        attempts = held.attempts if held.fingerprint == held.wanted else 0
        unit = Unit(state.space, holder)
        return TiersJob(
            unit=unit,
            state=state,
            fingerprint=held.wanted,
            kept=kept,
            happened=happened,
            asks=asks,
            attempts=attempts,
        )

    def _gone_on(self, view: View, state: SpaceState, held: Work, holder: str) -> _Read | None:
        """Read what came since the life that is kept was stored, as long as that is what is stored."""
        kept = self.lives.take(state.space, holder)
        if kept is None or held.outcome is not Outcome.DONE or kept.stored != held.fingerprint:
            return None
        happened = kept.later(view) if summed_by(view, self.user_id) == RULES else None
        return None if happened is None else (kept, happened, ())

    def _anew(self, view: View, state: SpaceState, holder: str) -> _Read | None:
        kept = KeptLife.of(state, self.user_id, holder)
        happened = kept.reader.read(view)
        if happened is None:
            return None
        read = LifeInputs(space=state.space, holder=holder, language=state.language, happened=happened)
        told = with_model(view, state, read, summed_by(view, self.user_id))
        return kept, told.happened, told.asks

    async def make(self, job: TiersJob) -> TiersJob:
        """Replay it; what a model is to be asked is asked by another task."""
        return replace(job, step=job.kept.step(job.happened))

    def let_go(self, tx: Transaction, space: str, units: Collection[str]) -> None:
        """Forget what holders kept who hold nothing any more."""
        for holder in units:
            tx.put_life(space, holder, NOTHING_KEPT)
            if (state := tx.space(space)) is not None:
                want_asks(tx, state, holder, (), 0)
        tx.want(space, self.kind, dict.fromkeys(units))

    def check(self, view: View, job: TiersJob) -> TiersJob:  # noqa: ARG002 - nothing to look up
        """What was replayed needs no look."""
        return job

    def commit(self, tx: Transaction, job: TiersJob, embedded: Embedded, *, reuse: bool) -> bool:  # noqa: ARG002
        """Put the rows in place, as long as nothing happened meanwhile."""
        space, holder = job.unit.space, job.unit.name
        held = tx.work(space, self.kind, holder).get(holder)
        if tx.space(space) is None or held is None or held.wanted != job.fingerprint:
            return False
        if job.step is None:
            return False
        tx.put_life(space, holder, job.step.life, since=job.step.since)
        job.kept.stored = job.fingerprint
        if summed_by(tx, self.user_id) == RULES:
            self.lives.put(space, holder, job.kept)
        want_asks(tx, job.state, holder, job.asks, position_of(self.clock.now()))
        tx.put_work(space, self.kind, holder, Work(fingerprint=job.fingerprint, outcome=Outcome.DONE))
        return True

    def keep(self, tx: Transaction, job: TiersJob) -> None:
        """Nothing was asked of a model."""

    def note_done(self, report: SyncReport, job: TiersJob) -> None:
        """Only what was remembered is counted, and what came of it is no more of that."""

    def note_failed(self, report: SyncReport, job: TiersJob, reason: str, *, dead: bool) -> None:
        """Note why a holder's tiers are not as they should be."""
        where = (job.unit.space, job.unit.name)
        (report.dead_turns if dead else report.failed_turns)[where] = reason

    def spent(self, found: TiersJob | KataribeError) -> Usage:  # noqa: ARG002 - whatever it is
        """Nothing was asked of a model."""
        return NO_USAGE
