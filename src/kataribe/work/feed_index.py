"""The task that feeds an index outside the store from the change log, a unit of a space at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from kataribe.domain.feeding import UNFED, FedUnit
from kataribe.domain.memory import NO_USAGE, Memory, Usage
from kataribe.domain.records import Outcome, Wanted, Work
from kataribe.domain.space import Unit
from kataribe.domain.work import WorkKind
from kataribe.errors import EmbedderError, KataribeError
from kataribe.ports import Embedder, IndexEntry, Matrix, Transaction, Vector, VectorIndex, View
from kataribe.work.path import WorkTools
from kataribe.work.task import Embedded, SyncReport


class NobodyEmbeds:
    """Stands where nothing is embedded: an index is fed the vectors that are there."""

    @property
    def embedder_id(self) -> str:
        """That of nobody."""
        return ""

    @property
    def dimensions(self) -> int:
        """None at all."""
        return 0

    @property
    def is_lexical(self) -> bool:
        """It compares nothing."""
        return False

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Raise `EmbedderError`."""
        raise EmbedderError(f"nobody embeds here; {len(texts)} texts were given")

    async def embed_query(self, text: str) -> Vector:
        """Raise `EmbedderError`."""
        raise EmbedderError(f"nobody embeds here; a text of {len(text)} characters was given")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedJob:
    """The entries of one unit as of a revision, and the ids that the index may hold of it."""

    unit: Unit
    fingerprint: str
    attempts: int
    fed: FedUnit
    entries: tuple[IndexEntry, ...]
    revision: int

    @property
    def embedder_id(self) -> str:
        """Nobody's: nothing is embedded."""
        return ""

    @property
    def memories(self) -> tuple[Memory, ...]:
        """None: they are there already."""
        return ()

    @property
    def texts(self) -> Mapping[str, str]:
        """None: nothing is embedded."""
        return {}

    @property
    def vector_spaces(self) -> tuple[str, ...]:
        """None: no vectors are looked for."""
        return ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the entries."""
        return tuple(entry.entry_id for entry in self.entries)


@dataclass(frozen=True, slots=True)
class FeedTask:
    """Brings what an outside index holds of a space up to the change log.

    It may be stopped anywhere and done again: the ids an index may hold are recorded before it is
    given them, so that each of them can be taken back.
    """

    index: VectorIndex
    tools: WorkTools
    embedder: Embedder = field(default_factory=NobodyEmbeds)
    kind: WorkKind = WorkKind.FEED

    def whole(self, unit: str) -> str:
        """Name the unit: its shares are fed by themselves."""
        return unit

    def gather(self, view: View, space: str, units: Sequence[str]) -> tuple[FeedJob, ...]:
        """Read the entries of these units; one that is gone has none."""
        state = view.feed_state(self.index.index_id, space)
        if state is None:
            return ()
        work = view.work(space, self.kind)
        jobs: list[FeedJob] = []
        for unit in units:
            held = view.fed_unit(self.index.index_id, space, unit)
            nothing = FedUnit(collection=state.collection, unit=unit, revision=UNFED, ids=())
            jobs.append(
                FeedJob(
                    unit=Unit(space, unit),
                    fingerprint=work[unit].wanted,
                    attempts=work[unit].attempts,
                    fed=held or nothing,
                    entries=view.entries_of(space, unit, revision=state.revision),
                    revision=state.revision,
                )
            )
        return tuple(jobs)

    async def make(self, job: FeedJob) -> FeedJob:
        """Hand the entries over, then take back what is no longer there. Raises `VectorIndexError`."""
        if gained := set(job.ids) - set(job.fed.ids):
            announced = replace(job.fed, ids=(*job.fed.ids, *sorted(gained)))
            await self.tools.write(lambda tx: tx.put_fed(self.index.index_id, announced))
        await asyncio.to_thread(self._hand_over, job)
        if await self.tools.read(partial(self._is_gone, job=job)):
            # Others took back all that they knew of before this was handed over: the next sync takes it back.
            announced = replace(job.fed, ids=tuple(sorted({*job.fed.ids, *job.ids})))
            await self.tools.write(lambda tx: tx.put_fed(self.index.index_id, announced))
        return job

    def _is_gone(self, view: View, job: FeedJob) -> bool:
        """Whether the space was deleted meanwhile, whatever is called so by now."""
        state = view.feed_state(self.index.index_id, job.unit.space)
        return state is None or state.collection != job.fed.collection

    def _hand_over(self, job: FeedJob) -> None:
        if job.entries:
            self.index.upsert(job.fed.collection, job.entries)
        if gone := set(job.fed.ids) - set(job.ids):
            self.index.delete(job.fed.collection, gone)

    def let_go(self, tx: Transaction, space: str, units: Collection[str]) -> None:
        """Want nothing any more of units whose space is gone."""
        tx.want(space, self.kind, dict.fromkeys(units))

    def check(self, view: View, job: FeedJob) -> FeedJob:  # noqa: ARG002 - nothing to look up
        """There is nothing to refuse."""
        return job

    def commit(self, tx: Transaction, job: FeedJob, embedded: Embedded, *, reuse: bool) -> bool:  # noqa: ARG002
        """Record what the index holds now; a unit that has changed meanwhile lags on by itself."""
        fed = replace(job.fed, revision=job.revision, ids=job.ids)
        tx.put_fed(self.index.index_id, fed)
        done = Work(fingerprint=job.fingerprint, outcome=Outcome.DONE)
        tx.put_work(job.unit.space, self.kind, job.unit.name, done)
        return True

    def keep(self, tx: Transaction, job: FeedJob) -> None:
        """Nothing was asked of a model."""

    def note_done(self, report: SyncReport, job: FeedJob) -> None:  # noqa: ARG002 - only counted
        """Count a unit."""
        report.fed += 1

    def note_failed(self, report: SyncReport, job: FeedJob, reason: str, *, dead: bool) -> None:  # noqa: ARG002
        """Say why."""
        report.unfed = reason

    def spent(self, found: FeedJob | KataribeError) -> Usage:  # noqa: ARG002 - whatever it is
        """Nothing was asked of a model."""
        return NO_USAGE


def want_feeding(tx: Transaction, index_id: str, space: str) -> int | None:
    """Want what lags of a space to be fed; gives the revision up to which that is all there is.

    None when the space is gone.
    """
    state = tx.feed_state(index_id, space)
    if state is None:
        return None
    lagging = tx.lagging_units(index_id, space)
    # Named by the index: another one is fed the same revision anew.
    wanted = {
        unit: Wanted(fingerprint=f"{index_id}@{revision}", position=0) for unit, revision in lagging.items()
    }
    tx.want(space, WorkKind.FEED, wanted)
    for unit, work in tx.work(space, WorkKind.FEED).items():
        if unit in wanted and not work.lags:
            # It was fed once, and the index is said to have lost it.
            tx.put_work(space, WorkKind.FEED, unit, replace(work, fingerprint="", outcome=Outcome.DUE))
    return state.revision
