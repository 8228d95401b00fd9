"""The way of all that is made: claim -> gather -> make -> embed -> commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kataribe.domain.memory import Usage
from kataribe.domain.records import Outcome, Work
from kataribe.domain.space import parse_space
from kataribe.domain.work import WorkPolicy
from kataribe.errors import EmbedderMismatchError, ExtractionError, KataribeError
from kataribe.ports import Clock, Ledger, Transaction, View
from kataribe.work.embed import embed_texts
from kataribe.work.task import Embedded, Job, JobT, SyncReport, Task

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with the id of a story or user, how many of its due units are done, and how many there are."""

CHUNK = 16
"""Units committed together: enough to spare commits, few enough to lose little to a kill."""


@dataclass(frozen=True, slots=True)
class WorkTools:
    """What the way of work stands on; the store's blocking calls run off the event loop.

    `together` units are made at once and committed together. `tells_texts` lets the words of users
    into the reasons of what failed.
    """

    ledger: Ledger
    clock: Clock
    policy: WorkPolicy
    together: int = CHUNK
    tells_texts: bool = False

    def reason(self, job: Job, error: KataribeError) -> str:
        """Say why a job failed; of a user's without words."""
        is_free = self.tells_texts or not parse_space(job.unit.space).is_personal
        return str(error) if is_free else error.wordless

    async def read(self, ask: Callable[[View], T]) -> T:
        """Ask the ledger in one view."""

        def run() -> T:
            with self.ledger.reading() as view:
                return ask(view)

        return await asyncio.to_thread(run)

    async def write(self, act: Callable[[Transaction], T]) -> T:
        """Act on the ledger in one transaction."""

        def run() -> T:
            with self.ledger.writing() as tx:
                return act(tx)

        return await asyncio.to_thread(run)


@dataclass(frozen=True, slots=True)
class _Made(Generic[JobT]):
    """What came of the jobs of one claim."""

    ready: list[JobT]
    failures: list[tuple[JobT, str]]
    stopped: KataribeError | None


async def bring_up(
    tools: WorkTools,
    task: Task[JobT],
    jobs: Sequence[JobT],
    token: str,
    report: SyncReport,
    *,
    anew: bool,
    afterwards: Callable[[View], None],
) -> dict[str, float]:
    """Work on what was claimed with this token and commit it together.

    `anew` makes all memories and vectors again, whatever is there; `afterwards` looks at the
    ledger once that is written. Returns the units that are still to be done, with the moment
    from which they may be tried again.
    """
    made = await _make(tools, task, jobs, report)
    for job in made.ready:
        # The space may have been given another embedder since this task was taken up.
        check_embedder(job, task)
    made, texts = await tools.read(lambda view: _look_over(view, tools, task, made, anew=anew))
    embedded = await embed_texts(texts, task.embedder, told=lambda error: tools.reason(jobs[0], error))

    def settle(tx: Transaction) -> dict[str, float]:
        again = _settle(tools, tx, task, made, embedded, token, report, anew=anew)
        afterwards(tx)
        return again

    left = await tools.write(settle)
    if made.stopped is not None:
        # No text can be read as long as that is so; what was read beside it is kept by now.
        raise made.stopped
    return left


def check_embedder(job: Job, task: Task[JobT]) -> None:
    """Raise `EmbedderMismatchError` unless a job's space is embedded by what is installed (S4-98)."""
    if job.embedder_id != task.embedder.embedder_id:
        raise EmbedderMismatchError(
            f"{job.unit.space} was embedded by {job.embedder_id}, installed is "
            f"{task.embedder.embedder_id}; run `kataribe rebuild`"
        )


async def _make(tools: WorkTools, task: Task[JobT], jobs: Sequence[JobT], report: SyncReport) -> _Made[JobT]:
    tried = await asyncio.gather(*(_tried(task, job) for job in jobs))
    made: _Made[JobT] = _Made([], [], None)
    stopped: KataribeError | None = None
    for job, found in zip(jobs, tried, strict=True):
        spent = task.spent(found)
        if isinstance(spent, Usage):
            report.usage += spent
        if isinstance(found, ExtractionError):
            made.failures.append((job, tools.reason(job, found)))
        elif isinstance(found, KataribeError):
            stopped = stopped or found
        else:
            made.ready.append(found)
    return _Made(made.ready, made.failures, stopped)


async def _tried(task: Task[JobT], job: JobT) -> JobT | KataribeError:
    try:
        return await task.make(job)
    except KataribeError as error:
        return error


def _look_over(
    view: View, tools: WorkTools, task: Task[JobT], made: _Made[JobT], *, anew: bool
) -> tuple[_Made[JobT], list[str]]:
    """Leave out what may not be committed, and tell what is to be embedded of the rest."""
    texts: dict[str, str] = {}
    ready: list[JobT] = []
    failures = list(made.failures)
    for job in made.ready:
        try:
            checked = task.check(view, job)
        except ExtractionError as error:
            failures.append((job, tools.reason(job, error)))
            continue
        ready.append(checked)
        texts.update(checked.texts if anew else missing_vectors(view, checked))
    return _Made(ready, failures, made.stopped), list(texts.values())


def missing_vectors(view: View, job: Job) -> dict[str, str]:
    """Give the texts of a job, by hash, that nobody has embedded yet."""
    known = view.known_vectors(job.vector_spaces, job.embedder_id, job.texts)
    return {hashed: text for hashed, text in job.texts.items() if hashed not in known}


def vectors_for(view: View, job: Job, embedded: Embedded, *, reuse: bool) -> dict[str, bytes] | None:
    """Put together the vectors of a job; None when one is missing.

    Vectors of another embedder than the space has by now are left aside.
    """
    texts = job.texts
    new = embedded.vectors if embedded.embedder_id == job.embedder_id else {}
    have = {hashed: new[hashed] for hashed in texts if hashed in new}
    if reuse and len(have) < len(texts):
        have.update(view.known_vectors(job.vector_spaces, job.embedder_id, texts.keys() - have.keys()))
    return have if len(have) == len(texts) else None


def _settle(
    tools: WorkTools,
    tx: Transaction,
    task: Task[JobT],
    made: _Made[JobT],
    embedded: Embedded,
    token: str,
    report: SyncReport,
    *,
    anew: bool,
) -> dict[str, float]:
    """Commit a chunk, as far as its leases still stand; returns the units to be tried again."""
    now = tools.clock.now().timestamp()
    held = tx.held(token, now=now)
    again: dict[str, float] = {}
    failures = list(made.failures)
    for job in made.ready:
        broken = embedded.failures.keys() & job.texts.keys()
        if broken:
            task.keep(tx, job)
            failures.append((job, embedded.failures[sorted(broken)[0]]))
        elif job.unit in held and task.commit(tx, job, embedded, reuse=not anew):
            task.note_done(report, job)
        else:
            # Somebody changed it while we worked, or took it over: it is due as it stands now.
            task.keep(tx, job)
            report.outdated += 1
            again[job.unit.name] = now
    for job, reason in failures:
        if job.unit not in held:
            report.outdated += 1
            again[job.unit.name] = now
            continue
        ended = fail(tx, task, job, reason, tools.policy, now)
        task.note_failed(report, job, reason, dead=ended.due_at is None)
        if ended.due_at is not None:
            again[job.unit.name] = ended.due_at
    tx.release(token)
    report.embedded += len(embedded.vectors)
    return again


def fail(tx: Transaction, task: Task[JobT], job: Job, reason: str, policy: WorkPolicy, now: float) -> Work:
    """Record a failed attempt: it is tried again later, or becomes a dead letter (`due_at` None)."""
    attempts = job.attempts + 1
    outcome = policy.ended(attempts)
    work = Work(
        fingerprint=job.fingerprint,
        outcome=outcome,
        attempts=attempts,
        error=reason,
        due_at=policy.due_again(now, attempts) if outcome is Outcome.FAILED else None,
    )
    tx.put_work(job.unit.space, task.kind, job.unit.name, work)
    return work
