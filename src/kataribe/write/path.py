"""The way of a write: source -> extract -> embed -> commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from kataribe.domain.memory import NO_USAGE, Reason, Usage
from kataribe.domain.work import WorkPolicy
from kataribe.errors import ExtractionError, KataribeError
from kataribe.ports import Clock, Embedder, Extractor, Ledger, Reading, Writing
from kataribe.read.prints import check_embedder
from kataribe.write.commit import commit, fail, keep, missing_vectors
from kataribe.write.embed import embed_texts
from kataribe.write.emptied import spare, was_spared
from kataribe.write.extract import extract
from kataribe.write.source import gather
from kataribe.write.values import Embedded, Job, texts_of

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with a story's id, how many of its due episodes are done, and how many there are."""

CHUNK = 16
"""Episodes committed together: enough to spare commits, few enough to lose little to a kill."""


@dataclass(slots=True)
class SyncReport:
    """What a sync did: episodes brought up, what models were asked, and what failed with the reason."""

    done: int = 0
    embedded: int = 0
    open_stories: set[str] = field(default_factory=set)
    """Stories without declared cast or annotations: everything extracted there is the world's."""
    in_review: int = 0
    refused: int = 0
    """Facts that a model offered and that were not taken."""
    spared: dict[tuple[str, int], str] = field(default_factory=dict)
    """Episodes whose unchanged text was read again and nothing found: what was found before stays."""
    usage: Usage = NO_USAGE
    """What models were asked, failed extractions counted in."""
    failed: dict[tuple[str, int], str] = field(default_factory=dict)
    """Only when it was stopped before they were tried again."""
    dead: dict[tuple[str, int], str] = field(default_factory=dict)
    outdated: int = 0
    """Work that came too late: its inputs had changed, or its lease was another's by then."""
    left: int = 0
    """Episodes still to be done when its time was over."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What the path works with; the store's blocking calls run off the event loop.

    `together` episodes are extracted at once and committed together; `again` leaves kept
    extractions aside.
    """

    ledger: Ledger
    extractor: Extractor
    embedder: Embedder
    clock: Clock
    policy: WorkPolicy
    together: int = CHUNK
    again: bool = False

    async def read(self, ask: Callable[[Reading], T]) -> T:
        """Ask the ledger in one view."""

        def run() -> T:
            with self.ledger.reading() as reading:
                return ask(reading)

        return await asyncio.to_thread(run)

    async def write(self, act: Callable[[Writing], T]) -> T:
        """Act on the ledger in one transaction."""

        def run() -> T:
            with self.ledger.writing() as writing:
                return act(writing)

        return await asyncio.to_thread(run)


async def bring_up(
    tools: Tools,
    story_id: str,
    jobs: Sequence[Job],
    token: str,
    report: SyncReport,
    *,
    anew: bool,
    afterwards: Callable[[Reading], None],
) -> dict[str, float]:
    """Work on what was claimed with this token and commit it together.

    `anew` makes all memories and vectors again, whatever is there; `afterwards` looks at the
    ledger once that is written. Returns the episodes that are still to be done, with the
    moment from which they may be tried again.
    """
    tried = await asyncio.gather(*(_tried(job, tools) for job in jobs))
    ready = [job for job in tried if isinstance(job, Job)]
    failures: list[tuple[Job, str]] = []
    for job, found in zip(jobs, tried, strict=True):
        if isinstance(found, ExtractionError):
            failures.append((job, str(found)))
        spent = found.extraction if isinstance(found, Job) else found
        if isinstance(usage := getattr(spent, "usage", None), Usage):
            report.usage += usage
    for job in ready:
        # The story may have been given another embedder since these tools were taken up.
        check_embedder(job.story, tools.embedder.embedder_id)
    texts = await tools.read(lambda ledger: _to_embed(ledger, ready, anew=anew))
    embedded = await embed_texts(texts, tools.embedder)

    def settle(ledger: Writing) -> dict[str, float]:
        again = _settle(tools, ledger, story_id, ready, failures, embedded, token, report, anew=anew)
        afterwards(ledger)
        return again

    left = await tools.write(settle)
    for found in tried:
        if not isinstance(found, Job | ExtractionError):
            # No text can be read as long as that is so; what was read beside it is kept by now.
            raise found
    return left


async def _tried(job: Job, tools: Tools) -> Job | KataribeError:
    try:
        made = await extract(job, tools.extractor)
    except KataribeError as error:
        return error
    if made.extraction is None or made.extraction.drafts:
        return made
    return await tools.read(lambda ledger: spare(ledger, made))


def _to_embed(ledger: Reading, jobs: Sequence[Job], *, anew: bool) -> list[str]:
    texts: dict[str, str] = {}
    for job in jobs:
        texts.update(texts_of(job.memories) if anew else missing_vectors(ledger, job))
    return list(texts.values())


def _settle(
    tools: Tools,
    ledger: Writing,
    story_id: str,
    jobs: Sequence[Job],
    failures: list[tuple[Job, str]],
    embedded: Embedded,
    token: str,
    report: SyncReport,
    *,
    anew: bool,
) -> dict[str, float]:
    """Commit a chunk, as far as its leases still stand; returns the episodes to be tried again."""
    now = tools.clock.now().timestamp()
    held = ledger.held(token, now=now)
    again: dict[str, float] = {}
    for job in jobs:
        broken = embedded.failures.keys() & texts_of(job.memories).keys()
        if broken:
            keep(ledger, job)
            failures.append((job, embedded.failures[sorted(broken)[0]]))
        elif job.episode.episode_id in held and commit(ledger, job, embedded, reuse=not anew):
            _count(report, job)
        else:
            # Somebody changed it while we worked, or took it over: it is due as it stands now.
            keep(ledger, job)
            report.outdated += 1
            again[job.episode.episode_id] = now
    for job, reason in failures:
        if job.episode.episode_id not in held:
            report.outdated += 1
            again[job.episode.episode_id] = now
            continue
        ended = fail(ledger, job, reason, tools.policy, now)
        where = (story_id, job.episode.no)
        if ended.due_at is None:
            report.dead[where] = reason
            report.failed.pop(where, None)
        else:
            report.failed[where] = reason
            again[job.episode.episode_id] = ended.due_at
    ledger.release(token)
    report.embedded += len(embedded.vectors)
    return again


def _count(report: SyncReport, job: Job) -> None:
    report.done += 1
    report.failed.pop((job.story.story_id, job.episode.no), None)
    if job.prints.is_open and any(draft.reason is Reason.NO_CAST for draft in job.inputs.drafts):
        report.open_stories.add(job.story.story_id)
    report.in_review += sum(memory.in_review for memory in job.memories)
    if (reason := was_spared(job.extraction)) is not None:
        report.spared[job.story.story_id, job.episode.no] = reason
    elif job.extraction is not None:
        report.refused += len(job.extraction.refused)


def catch_up(ledger: Writing, story_id: str, episode_id: str, embedded: Embedded | None = None) -> bool:
    """Bring one episode up inside the caller's transaction when nothing but its rows changed.

    False leaves it pending, to be done by a sync.
    """
    jobs = gather(ledger, story_id, (episode_id,))
    return bool(jobs) and jobs[0].source is None and commit(ledger, jobs[0].derived(), embedded)
