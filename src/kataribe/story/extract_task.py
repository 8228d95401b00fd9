"""The task that brings episodes into memory: what they tell is extracted, derived and embedded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.memory import NO_USAGE, Reason, Usage
from kataribe.domain.space import episode_of, parse_space
from kataribe.domain.work import WorkKind
from kataribe.errors import ExtractionError, KataribeError
from kataribe.ports import Embedder, Extractor, Transaction, View
from kataribe.story.commit import commit, keep
from kataribe.story.emptied import spare, was_spared
from kataribe.story.extract import extract
from kataribe.story.fingerprints import parts_of
from kataribe.story.gather import gather, gather_units
from kataribe.story.groups import joining_states
from kataribe.story.jobs import EpisodeJob
from kataribe.work.task import Embedded, SyncReport


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """Brings up the episodes of one story; `again` leaves kept extractions aside."""

    extractor: Extractor
    embedder: Embedder
    again: bool = False
    kind: WorkKind = WorkKind.EXTRACT

    def whole(self, unit: str) -> str:
        """Name the episode."""
        return episode_of(unit)

    def gather(self, view: View, space: str, units: Sequence[str]) -> tuple[EpisodeJob, ...]:
        """Read what each episode's memory is to be made from."""
        story_id = parse_space(space).story
        assert story_id is not None
        return gather_units(view, story_id, units, again=self.again)

    async def make(self, job: EpisodeJob) -> EpisodeJob:
        """Extract the facts and derive memories. Raises `ExtractionError`."""
        return await extract(job, self.extractor)

    def let_go(self, tx: Transaction, space: str, units: Collection[str]) -> None:
        """Want nothing of episodes that are gone, or of shares that nobody has."""
        tx.want(space, self.kind, dict.fromkeys(units))

    def check(self, view: View, job: EpisodeJob) -> EpisodeJob:
        """Let no empty answer of a model replace what was found before. Raises `ExtractionError`."""
        return spare(view, job)

    def commit(self, tx: Transaction, job: EpisodeJob, embedded: Embedded, *, reuse: bool) -> bool:
        """Put the episode's memories in place."""
        return commit(tx, job, embedded, reuse=reuse)

    def keep(self, tx: Transaction, job: EpisodeJob) -> None:
        """Keep what was extracted."""
        keep(tx, job)

    def note_done(self, report: SyncReport, job: EpisodeJob) -> None:
        """Count an episode, what of it waits in review, and what a model offered in vain."""
        report.brought_up.add((job.story.story_id, job.episode.episode_id))
        report.done = len(report.brought_up)
        report.failed.pop((job.story.story_id, job.episode.no), None)
        if job.prints.is_open and any(draft.reason is Reason.NO_CAST for draft in job.inputs.drafts):
            report.open_stories.add(job.story.story_id)
        report.in_review += sum(memory.in_review for memory in job.memories)
        if (reason := was_spared(job.extraction)) is not None:
            report.spared[job.story.story_id, job.episode.no] = reason
        elif job.extraction is not None:
            report.refused += len(job.extraction.refused)

    def note_failed(self, report: SyncReport, job: EpisodeJob, reason: str, *, dead: bool) -> None:
        """Note why an episode is not in memory."""
        where = (job.story.story_id, job.episode.no)
        if dead:
            report.dead[where] = reason
            report.failed.pop(where, None)
        else:
            report.failed[where] = reason

    def spent(self, found: EpisodeJob | KataribeError) -> Usage:
        """Give what the extractor asked of models."""
        if isinstance(found, ExtractionError):
            return found.usage if isinstance(found.usage, Usage) else NO_USAGE
        if isinstance(found, EpisodeJob) and found.extraction is not None:
            return found.extraction.usage
        return NO_USAGE


def catch_up(
    tx: Transaction,
    story_id: str,
    episode_id: str,
    embedded: Embedded,
    *,
    beside: Sequence[str] = (),
) -> bool:
    """Bring one episode up inside the caller's transaction when nothing but its rows changed.

    Vectors of the spaces `beside` are taken over too. False leaves it pending, to be done by a sync.
    """
    return catch_up_all(tx, story_id, (episode_id,), embedded, beside=beside)


def catch_up_all(
    tx: Transaction,
    story_id: str,
    episode_ids: Sequence[str],
    embedded: Embedded,
    *,
    beside: Sequence[str] = (),
) -> bool:
    """Bring episodes up as `catch_up` does, each by itself; False when one is left pending.

    Those at which newcomers of a group learn what has changed follow.
    """
    done = _catch_up_each(tx, story_id, episode_ids, embedded, beside)
    joined = [
        state.episode_id
        for state in joining_states(tx, parts_of(tx, story_id))
        if state.is_live and state.is_pending and state.episode_id not in episode_ids
    ]
    return _catch_up_each(tx, story_id, joined, embedded, beside) and done


def _catch_up_each(
    tx: Transaction,
    story_id: str,
    episode_ids: Sequence[str],
    embedded: Embedded,
    beside: Sequence[str],
) -> bool:
    jobs: dict[str, list[EpisodeJob]] = {episode_id: [] for episode_id in episode_ids}
    for job in gather(tx, story_id, episode_ids):
        spaces = (*job.vector_spaces, *beside)
        jobs[job.episode.episode_id].append(replace(job, vector_spaces=spaces))
    done = [_bring_up(tx, theirs, embedded) for theirs in jobs.values()]
    return all(done)


def _bring_up(tx: Transaction, jobs: Sequence[EpisodeJob], embedded: Embedded) -> bool:
    if not jobs or any(job.source is not None for job in jobs):
        return False
    done = [commit(tx, job.derived(), embedded) for job in jobs]
    return all(done)
