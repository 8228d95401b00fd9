"""The task that remembers turns: some of a day at a time, each a memory of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.conversation.associations_due import want_associations
from kataribe.conversation.consents import may_remember
from kataribe.conversation.jobs import TalkJob
from kataribe.conversation.tiers_due import holders_of, want_tiers
from kataribe.domain.conversation.turns import Turn, turn_memories
from kataribe.domain.ids import text_hash
from kataribe.domain.memory import NO_USAGE, Memory, Usage
from kataribe.domain.records import Outcome, SpaceState, Work
from kataribe.domain.space import Unit
from kataribe.domain.text.tokens import tokens
from kataribe.domain.work import WorkKind
from kataribe.errors import KataribeError
from kataribe.ports import Embedder, Transaction, View
from kataribe.work.path import vectors_for
from kataribe.work.task import Embedded, SyncReport, WordsIn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsJob(TalkJob):
    """The turns of one unit, and the fingerprint they are remembered for."""

    turns: tuple[Turn, ...]
    memories: tuple[Memory, ...] = ()

    @property
    def texts(self) -> dict[str, str]:
        """What is embedded, by hash."""
        remembered = {memory.fact_id for memory in self.memories}
        return {text_hash(turn.words): turn.words for turn in self.turns if turn.turn_id in remembered}


@dataclass(frozen=True, slots=True)
class TurnsTask:
    """Brings what is remembered of a space up to what was said in it."""

    embedder: Embedder
    kind: WorkKind = WorkKind.TURNS

    def whole(self, unit: str) -> str:
        """Name the unit: nothing is made of its parts by themselves."""
        return unit

    def gather(self, view: View, space: str, units: Sequence[str]) -> tuple[TurnsJob, ...]:
        """Read the turns of these units."""
        state = view.space(space)
        if state is None:
            return ()
        jobs = (unit_job(view, state, unit) for unit in units)
        return tuple(job for job in jobs if job.turns)

    async def make(self, job: TurnsJob) -> TurnsJob:
        """Make a memory of each turn for each who holds it."""
        return with_memories(job)

    def let_go(self, tx: Transaction, space: str, units: Collection[str]) -> None:
        """Forget what is remembered of units without turns."""
        tx.forget_units(space, units)
        tx.want(space, self.kind, dict.fromkeys(units))
        tx.want(space, WorkKind.ASSOCIATIONS, dict.fromkeys(units))

    def check(self, view: View, job: TurnsJob) -> TurnsJob:  # noqa: ARG002 - nothing to look up
        """Turns are remembered as they were said: there is nothing to refuse."""
        return job

    def commit(self, tx: Transaction, job: TurnsJob, embedded: Embedded, *, reuse: bool) -> bool:
        """Put the memories of the unit in place, as long as nothing was said or changed meanwhile."""
        space, unit = job.unit.space, job.unit.name
        state = tx.space(space)
        if state is None or state.embedder_id != job.embedder_id:
            return False
        held = tx.work(space, self.kind, unit).get(unit)
        if held is None or held.wanted != job.fingerprint:
            return False
        have = vectors_for(tx, job, embedded, reuse=reuse)
        if have is None:
            return False
        put_memories(tx, job, have, embedded.words)
        tx.put_work(space, self.kind, unit, Work(fingerprint=job.fingerprint, outcome=Outcome.DONE))
        return True

    def keep(self, tx: Transaction, job: TurnsJob) -> None:
        """Nothing was asked of a model."""

    def note_done(self, report: SyncReport, job: TurnsJob) -> None:
        """Count a unit."""
        report.pages += 1
        report.failed_turns.pop((job.unit.space, job.unit.name), None)

    def note_failed(self, report: SyncReport, job: TurnsJob, reason: str, *, dead: bool) -> None:
        """Note why turns are not in memory."""
        where = (job.unit.space, job.unit.name)
        if dead:
            report.dead_turns[where] = reason
            report.failed_turns.pop(where, None)
        else:
            report.failed_turns[where] = reason

    def spent(self, found: TurnsJob | KataribeError) -> Usage:  # noqa: ARG002 - whatever it is
        """Nothing was asked of a model."""
        return NO_USAGE


def with_memories(job: TurnsJob) -> TurnsJob:
    """Make a memory of each turn for each who holds it."""
    made = tuple(memory for turn in job.turns for memory in turn_memories(job.unit.space, turn))
    return replace(job, memories=made)


def put_memories(tx: Transaction, job: TurnsJob, vectors: Mapping[str, bytes], words: WordsIn) -> None:
    """Put the memories of a unit in place; those whose text has no vector are found by words."""
    language = job.state.language
    want_tiers(tx, job.unit.space, holders_of(job.turns), job.fingerprint)
    first = min(turn.at for turn in job.turns)
    want_associations(tx, job.unit.space, job.unit.name, job.fingerprint, position=first)
    tx.replace_memories(
        job.unit.space,
        job.unit.name,
        job.memories,
        terms={
            turn.turn_id: (*tokens(turn.told(language), language), *words(turn.words)) for turn in job.turns
        },
        vectors=vectors,
        embedder_id=job.embedder_id,
        shown=True,
    )


def unit_job(view: View, state: SpaceState, unit: str) -> TurnsJob:
    """Read the turns of a unit as far as they may be remembered, and what is wanted of it."""
    held = view.work(state.space, WorkKind.TURNS, unit).get(unit)
    wanted = "" if held is None else held.wanted
    attempts = held.attempts if held is not None and held.fingerprint == wanted else 0
    turns = may_remember(view, state.space).turns(view.turns(state.space, unit=unit))
    return TurnsJob(
        unit=Unit(state.space, unit), state=state, fingerprint=wanted, turns=turns, attempts=attempts
    )
