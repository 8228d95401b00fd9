"""The task that reads what turns name, so that what goes with what can be told: some of a day at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from kataribe.conversation.consents import may_remember
from kataribe.conversation.jobs import DerivedJob
from kataribe.domain.conversation.associations.marks import marks_of
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.memory import NO_USAGE, Usage
from kataribe.domain.records import Outcome, SpaceState, Work
from kataribe.domain.space import Unit
from kataribe.domain.terms import Language
from kataribe.domain.work import WorkKind
from kataribe.errors import KataribeError
from kataribe.ports import Embedder, HeldMarks, Transaction, View
from kataribe.work.task import Embedded, SyncReport


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationsJob(DerivedJob):
    """The turns of one unit, and what each of them names for each who holds it."""

    turns: tuple[Turn, ...]
    made: tuple[HeldMarks, ...] = ()


@dataclass(frozen=True, slots=True)
class AssociationsTask:
    """Brings what turns name up to what was said. A unit is one that turns are remembered in.

    What a turn names depends on the turn alone. So one more turn costs what its unit does, and not
    what its holder was ever told.
    """

    embedder: Embedder
    kind: WorkKind = WorkKind.ASSOCIATIONS

    def whole(self, unit: str) -> str:
        """Name the unit: nothing is made of its parts by themselves."""
        return unit

    def gather(self, view: View, space: str, units: Sequence[str]) -> tuple[AssociationsJob, ...]:
        """Read the turns of these units."""
        state = view.space(space)
        if state is None:
            return ()
        jobs = (associations_job(view, state, unit) for unit in units)
        return tuple(job for job in jobs if job.turns)

    async def make(self, job: AssociationsJob) -> AssociationsJob:
        """Read what each turn names; no model is asked."""
        return replace(job, made=tuple(held_marks(job.turns, job.state.language)))

    def let_go(self, tx: Transaction, space: str, units: Collection[str]) -> None:
        """Forget what was named in units without turns."""
        for unit in units:
            tx.put_marks(space, unit, ())
        tx.want(space, self.kind, dict.fromkeys(units))

    def check(self, view: View, job: AssociationsJob) -> AssociationsJob:  # noqa: ARG002 - nothing to look up
        """What was read needs no look."""
        return job

    def commit(self, tx: Transaction, job: AssociationsJob, embedded: Embedded, *, reuse: bool) -> bool:  # noqa: ARG002
        """Put the rows in place, as long as nothing was said or changed meanwhile."""
        space, unit = job.unit.space, job.unit.name
        held = tx.work(space, self.kind, unit).get(unit)
        if tx.space(space) is None or held is None or held.wanted != job.fingerprint:
            return False
        if may_remember(tx, space).turns(tx.turns(space, unit=unit)) != job.turns:
            return False
        tx.put_marks(space, unit, job.made)
        tx.put_work(space, self.kind, unit, Work(fingerprint=job.fingerprint, outcome=Outcome.DONE))
        return True

    def keep(self, tx: Transaction, job: AssociationsJob) -> None:
        """Nothing was asked of a model."""

    def note_done(self, report: SyncReport, job: AssociationsJob) -> None:
        """Only what was remembered is counted, and what it names is no more of that."""

    def note_failed(self, report: SyncReport, job: AssociationsJob, reason: str, *, dead: bool) -> None:
        """Note why it is not known what turns name."""
        where = (job.unit.space, job.unit.name)
        (report.dead_turns if dead else report.failed_turns)[where] = reason

    def spent(self, found: AssociationsJob | KataribeError) -> Usage:  # noqa: ARG002 - whatever it is
        """Nothing was asked of a model."""
        return NO_USAGE


def associations_job(view: View, state: SpaceState, unit: str) -> AssociationsJob:
    """Read the turns of a unit, and what is wanted of it."""
    held = view.work(state.space, WorkKind.ASSOCIATIONS, unit).get(unit)
    wanted = "" if held is None else held.wanted
    attempts = held.attempts if held is not None and held.fingerprint == wanted else 0
    return AssociationsJob(
        unit=Unit(state.space, unit),
        state=state,
        fingerprint=wanted,
        turns=may_remember(view, state.space).turns(view.turns(state.space, unit=unit)),
        attempts=attempts,
    )


def take_in_marks(tx: Transaction, state: SpaceState, unit: str, turns: Sequence[Turn]) -> None:
    """Read at once what is not read yet of a unit that came into memory: these are its turns.

    What is there of a turn is of the turn as it stands: it went when the turn last changed.
    """
    known = {turn_id for _, turn_id in tx.marks(state.space, unit)}
    missing = [turn for turn in turns if turn.turn_id not in known]
    tx.add_marks(state.space, unit, tuple(held_marks(missing, state.language)))
    wanted = tx.work(state.space, WorkKind.ASSOCIATIONS, unit)[unit].wanted
    tx.put_work(state.space, WorkKind.ASSOCIATIONS, unit, Work(fingerprint=wanted, outcome=Outcome.DONE))


def held_marks(turns: Sequence[Turn], language: Language) -> Iterator[HeldMarks]:
    """Read what turns name, once for each who holds them; nothing of what the system says."""
    for turn in turns:
        if turn.is_system:
            continue
        marks = marks_of(turn, language)
        for holder in turn.audience.holders():
            yield HeldMarks(holder, turn.turn_id, turn.at, marks)
