"""The task that replays what one holder keeps of a conversation, in tiers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.conversation.asks_task import want_asks
from kataribe.conversation.life_inputs import LifeInputs, life_inputs, life_of
from kataribe.domain.conversation.life.values import Life
from kataribe.domain.gate import position_of
from kataribe.domain.memory import NO_USAGE, Memory, Usage
from kataribe.domain.records import Outcome, SpaceState, Work
from kataribe.domain.space import Unit
from kataribe.domain.work import WorkKind
from kataribe.errors import KataribeError
from kataribe.ports import Clock, Embedder, Transaction, View
from kataribe.work.task import Embedded, SyncReport

_NOTHING: Mapping[str, str] = {}
NOTHING_KEPT = Life()


@dataclass(frozen=True, slots=True, kw_only=True)
class TiersJob:
    """What happened between a holder and a user in one space, and the rows that come of it."""

    unit: Unit
    state: SpaceState
    fingerprint: str
    inputs: LifeInputs
    attempts: int = 0
    life: Life = NOTHING_KEPT

    @property
    def embedder_id(self) -> str:
        """By whom the space is embedded."""
        return self.state.embedder_id

    @property
    def memories(self) -> tuple[Memory, ...]:
        """None: every text is a span of a turn, which is in memory already."""
        return ()

    @property
    def texts(self) -> Mapping[str, str]:
        """None, for the same reason."""
        return _NOTHING

    @property
    def vector_spaces(self) -> tuple[str, ...]:
        """The space alone."""
        return (self.unit.space,)


@dataclass(frozen=True, slots=True)
class TiersTask:
    """Brings what holders keep in tiers up to what happened. A unit is a holder."""

    user_id: str
    embedder: Embedder
    clock: Clock
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
        inputs = life_inputs(view, state, self.user_id, holder)
        if held is None or inputs is None:
            return None
        attempts = held.attempts if held.fingerprint == held.wanted else 0
        unit = Unit(state.space, holder)
        return TiersJob(unit=unit, state=state, fingerprint=held.wanted, inputs=inputs, attempts=attempts)

    async def make(self, job: TiersJob) -> TiersJob:
        """Replay it; what a model is to be asked is asked by another task."""
        return replace(job, life=life_of(job.inputs))

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
        tx.put_life(space, holder, job.life)
        want_asks(tx, job.state, holder, job.inputs.asks, position_of(self.clock.now()))
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
