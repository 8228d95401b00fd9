"""Trying a text of an episode: everything is made and compared, and nothing is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.calibration import TOP, Labelled
from kataribe.domain.recall.policy_file import NO_TUNING
from kataribe.domain.recall.requests import RecallKeys
from kataribe.domain.story.inputs import check_no
from kataribe.domain.story.overviews import Impact, ProbeImpact
from kataribe.engine.base import check_installed
from kataribe.engine.calibrate import CalibrateVerbs, Trial
from kataribe.engine.kinds import KINDS
from kataribe.errors import EmbedderError, InputError, retold
from kataribe.ports import Transaction
from kataribe.ports.telemetry import UNWATCHED
from kataribe.read.path import RecallQuestion
from kataribe.read.path import recall as recall_for
from kataribe.story.desk.episodes import PutResult, put_episode
from kataribe.story.extract_task import ExtractTask
from kataribe.story.gather import gather
from kataribe.story.jobs import EpisodeJob
from kataribe.story.views.impact import by_holder, held, moved, newly_pending
from kataribe.work.embed import embed_texts
from kataribe.work.path import missing_vectors
from kataribe.work.task import Embedded

_Asked = tuple[Labelled, Viewer, RecallQuestion]


class _CalledOff(Exception):  # noqa: N818 - it is no error
    """Carries what was found out of a transaction that is undone."""

    def __init__(self, found: object) -> None:
        super().__init__("tried, and undone")
        self.found = found


class ImpactVerbs(CalibrateVerbs):
    """Asking what a text would move before it is put."""

    async def impact(self, story_id: str, *, no: int, text: str, gold: Sequence[Labelled] = ()) -> Impact:
        """Tell which facts, holders and probes a new text of an episode would move (author).

        The text is read, derived and embedded as `put` and `sync` would, in a transaction that is
        undone: nothing is stored. A model that reads the story's texts is asked. Of `gold` those are
        told whose first ten hits change. Raises `NotFoundError`, `InputError`, and what reading
        and embedding the text raise.
        """
        check_no(no)
        story = await self.story(story_id)
        task = ExtractTask(
            extractor=self._services.extractor(story.extractor),
            embedder=self._services.embedder(story.embedder),
        )
        check_installed(f"story {story_id!r}", story.embedder_id, task.embedder)
        jobs = [await task.make(job) for job in await self._jobs(story_id, no, text)]
        embedded = await self._vectors_of(jobs)
        asked = await self._probes(story_id, gold)

        put = _Put(story_id, no, text)

        def run(tx: Transaction) -> NoReturn:
            raise _CalledOff(_tried(tx, task, put, jobs, embedded, asked))

        found = await self._called_off(run)
        assert isinstance(found, Impact)
        return found

    async def _jobs(self, story_id: str, no: int, text: str) -> tuple[EpisodeJob, ...]:
        def run(tx: Transaction) -> NoReturn:
            done = put_episode(tx, story_id, no=no, text=text)
            raise _CalledOff(gather(tx, story_id, (done.episode_id,)))

        found = await self._called_off(run)
        assert isinstance(found, tuple)
        return found

    async def _called_off(self, run: object) -> object:
        try:
            await self._write(run)  # type: ignore[arg-type]  # it never returns
        except _CalledOff as done:
            return done.found
        raise AssertionError("what is tried is undone")

    async def _vectors_of(self, jobs: Sequence[EpisodeJob]) -> Embedded:
        texts: dict[str, str] = {}
        for job in jobs:
            texts |= await self._read(lambda view, job=job: missing_vectors(view, job))  # type: ignore[misc]
        if not jobs:
            return Embedded({}, {}, "")
        embedder = self._services.embedder(jobs[0].story.embedder)
        embedded = await embed_texts(list(texts.values()), embedder, told=retold)
        if embedded.failures:
            raise EmbedderError(next(iter(embedded.failures.values())))
        return embedded

    async def _probes(self, story_id: str, gold: Sequence[Labelled]) -> list[_Asked]:
        """Plan and embed the probes, so that nobody is asked while the transaction is open."""
        services = replace(self._services, index=None, tuning=NO_TUNING, telemetry=UNWATCHED)
        trial = Trial(self._ledger, services)
        found: list[_Asked] = []
        for one in gold:
            if one.character is None or one.at is None:
                raise InputError("a probe names its character and episode")
            keys: RecallKeys = {"story": story_id, "persona": one.character, "at": one.at, "top_k": TOP}
            found.append((one, *await trial.prepared(one.question, keys)))
        return found


@dataclass(frozen=True, slots=True)
class _Put:
    """The text that is tried."""

    story_id: str
    no: int
    text: str


def _tried(
    tx: Transaction,
    task: ExtractTask,
    put: _Put,
    jobs: Sequence[EpisodeJob],
    embedded: Embedded,
    asked: Sequence[_Asked],
) -> Impact:
    seen_before, before = held(tx, put.story_id)
    hits_before = [_hits(tx, one) for one in asked]
    done: PutResult = put_episode(tx, put.story_id, no=put.no, text=put.text)
    for job in jobs:
        task.commit(tx, task.check(tx, job), embedded, reuse=True)
    seen, after = held(tx, put.story_id)
    hits_after = [_hits(tx, one) for one in asked]
    facts = moved(before, after)
    gone = {fact.fact_id for fact in facts}
    return Impact(
        story_id=put.story_id,
        episode_no=put.no,
        change=done.change,
        kept=len(before.keys() - gone),
        facts=facts,
        holders=by_holder(seen, facts),
        asked=len(asked),
        probes=tuple(
            probe
            for (one, _, _), old, new in zip(asked, hits_before, hits_after, strict=True)
            if (probe := _probe(one, old, new)) is not None
        ),
        pending=newly_pending(seen_before, seen, put.no),
    )


def _hits(tx: Transaction, asked: _Asked) -> Recollection:
    _, viewer, question = asked
    found = recall_for(KINDS, tx, viewer, question)
    assert isinstance(found, Recollection)
    return found


def _probe(one: Labelled, old: Recollection, new: Recollection) -> ProbeImpact | None:
    before = [hit.fact_id for hit in old.hits[:TOP]]
    after = [hit.fact_id for hit in new.hits[:TOP]]
    if set(before) == set(after):
        return None
    return ProbeImpact(
        question=one.question,
        character=one.character or "",
        at=one.at or 1,
        met_before=any(one.is_met_by(hit) for hit in old.hits[:TOP]),
        met_after=any(one.is_met_by(hit) for hit in new.hits[:TOP]),
        lost=tuple(fact_id for fact_id in before if fact_id not in after),
        gained=tuple(fact_id for fact_id in after if fact_id not in before),
    )
