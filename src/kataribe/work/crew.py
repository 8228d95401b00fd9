"""Workers: any number of them, in this process and in others, share what is due by leases."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Generic

from kataribe.domain.work import Lease
from kataribe.errors import StoreError
from kataribe.ports import Clock, Processes, Transaction, View
from kataribe.work.path import CHUNK, Progress, WorkTools, bring_up
from kataribe.work.task import JobT, SyncReport, Task

_FIRST_CHUNK = 4
_QUICK, _SLOW = 0.25, 1.0
"""Seconds: a chunk done sooner lets the next one be larger, one done later makes it smaller."""
_LOOK_AGAIN = 0.5
"""Seconds until a worker that waits for others asks whether they have let go."""
_AT_LEAST = 0.01
_DOUBTS, _CIRCLES = 3, 100
"""How often an unchanged unit is taken up until the file is looked at, and until it is given up."""
_TELL = 0.2
"""Seconds between two words of progress."""
_LET_GO_PATIENCE = 2.0
"""Seconds a stopped worker waits for the store to give its leases back; else they run out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """How many work here, under which name, and until when they take up work (None: no end).

    `until` is in seconds since 1970, UTC; it is what a worker has begun that is finished later.
    A crew that does not wait leaves what failed, or is at others' hands, to the next one.
    """

    processes: Processes
    size: int = 1
    until: float | None = None
    waits: bool = True


class SpaceWork(Generic[JobT]):
    """What is due of one task in one space, and the workers of this process that share it.

    `name` is what progress calls the space; `anew` makes all that is wanted again.
    """

    def __init__(
        self,
        tools: WorkTools,
        task: Task[JobT],
        space: str,
        report: SyncReport,
        crew: Crew,
        *,
        name: str,
        anew: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self._tools = tools
        self._task = task
        self._space = space
        self._report = report
        self._crew = crew
        self._name = name
        self._progress = progress
        self._told, self._told_at = 0, 0.0
        self._total = 0
        self._made: set[str] = set()
        self._outlook: tuple[float | None, frozenset[str]] = (None, frozenset())
        """The moment from which there is something to claim again, and who holds leases now."""
        self.claimed = 0
        """How many units were taken up, each time counted."""
        self._taken: Counter[tuple[str, str]] = Counter()
        self._anew: dict[str, float] | None = {} if anew else None
        """What is still to be made again, and from when on; None: what is due is asked of the ledger."""

    def _now(self) -> float:
        return self._tools.clock.now().timestamp()

    def is_late(self) -> bool:
        """Whether no more work is to be taken up."""
        return self._crew.until is not None and self._now() >= self._crew.until

    @property
    def waits(self) -> bool:
        """Whether what cannot be done now is waited for."""
        return self._crew.waits

    async def begin(self, *, retry: bool) -> None:
        """Count what is to be done; `retry` takes up dead letters."""
        if retry:
            await self._tools.write(lambda tx: tx.clear_failures(self._space, self._task.kind))
        if self._anew is not None:
            now = self._now()
            self._anew = await self._tools.read(lambda view: dict.fromkeys(self._wanted(view), now))
            self._total = self._counted(self._anew)
        elif self._progress is not None:
            self._total = await self._lagging()

    async def _lagging(self) -> int:
        return self._counted(await self._tools.read(lambda view: view.due(self._space, self._task.kind)))

    def _counted(self, units: Iterable[str]) -> int:
        return len({self._task.whole(unit) for unit in units})

    def _wanted(self, view: View) -> list[str]:
        """Give all units of which something is wanted, whether or not it is there."""
        return [unit for unit, work in view.work(self._space, self._task.kind).items() if work.wanted]

    async def left(self) -> int:
        """Count what is not done."""
        return await self._lagging() if self._anew is None else len(self._anew)

    async def work_off(self) -> None:
        """Let the workers take what can be claimed, until nothing is left to claim."""
        workers = [asyncio.ensure_future(self._worker()) for _ in range(self._crew.size)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        await self._tell(at_once=True)

    async def next_due(self) -> float | None:
        """Give the moment from which there is something to claim again; None when all is done."""
        due, holders = self._outlook
        gone = [worker for worker in holders if self._crew.processes.is_gone(worker)]
        if gone:
            # Killed on this machine: nobody has to wait until their leases run out.
            await self._tools.write(lambda tx: tx.void(gone))
        if self._anew is not None:
            due = min(self._anew.values(), default=None)
        return self._now() if gone and due is not None else due

    def _look_ahead(self, view: View) -> None:
        """Note what is left, within the last transaction a worker makes: the last word is the latest."""
        kind = self._task.kind
        self._outlook = (view.next_due(self._space, kind), view.lease_holders(self._space, kind))

    async def _worker(self) -> None:
        chunk = _FIRST_CHUNK
        while not self.is_late():
            hold = _Hold(self._tools, self._crew.processes.me())
            begun = monotonic()
            try:
                jobs = await self._claim(hold, chunk)
                if not jobs:
                    return
                is_last = len(jobs) < chunk
                with _Heartbeat(hold.renew, self._tools.policy.lease_seconds / 3):
                    again = await bring_up(
                        self._tools,
                        self._task,
                        jobs,
                        hold.lease.token,
                        self._report,
                        anew=self._anew is not None,
                        afterwards=self._look_ahead if is_last else _look_no_further,
                    )
            except BaseException:
                hold.let_go()
                raise
            self._made |= {self._task.whole(job.unit.name) for job in jobs if job.unit.name not in again}
            if self._anew is not None:
                self._anew.update(again)
            await self._tell()
            if is_last:
                return
            chunk = min(_next_chunk(chunk, monotonic() - begun), self._tools.together)
        await self._tools.read(self._look_ahead)

    async def _claim(self, hold: _Hold, limit: int) -> tuple[JobT, ...]:
        """Lease units and read what their memory is to be made from, in one transaction."""
        now, among = self._now(), self._take(limit)
        if among is not None and not among:
            return ()
        kind = self._task.kind

        def run(tx: Transaction) -> tuple[JobT, ...]:
            if hold.is_over:
                return ()
            units = tx.claim(self._space, kind, hold.lease, now=now, limit=limit, among=among)
            if not units:
                self._look_ahead(tx)
            jobs = self._task.gather(tx, self._space, units) if units else ()
            if gone := set(units) - {job.unit.name for job in jobs}:
                self._task.let_go(tx, self._space, gone)
            return jobs

        jobs = await self._tools.write(run)
        self.claimed += len(jobs)
        await self._refuse_circles(jobs)
        if among is not None and self._anew is not None:
            # Another worker holds what could not be claimed and is still wanted.
            missed = among - {job.unit.name for job in jobs}
            there = await self._tools.read(lambda view: missed.intersection(self._wanted(view)))
            self._anew.update(dict.fromkeys(sorted(there), now + _LOOK_AGAIN))
        return jobs

    async def _refuse_circles(self, jobs: Sequence[JobT]) -> None:
        """Raise `StoreError` when a unit is due again and again though nothing about it changes."""
        self._taken.update((job.unit.name, job.fingerprint) for job in jobs)
        for job in jobs:
            often = self._taken[job.unit.name, job.fingerprint]
            if often == _DOUBTS:
                await self.check_file()
            if often > _CIRCLES:
                raise StoreError(
                    f"{job.unit.name} of {self._space} does not stay done; `kataribe verify` says what "
                    f"is wrong with the store; restore a backup"
                )

    async def check_file(self) -> None:
        """Raise `StoreError` when the file is damaged: work on it may never end."""
        problems = await asyncio.to_thread(self._tools.ledger.problems)
        if problems:
            raise StoreError(
                f"the store is damaged ({problems[0]}); `kataribe verify` says more; restore a backup"
            )

    def _take(self, limit: int) -> frozenset[str] | None:
        if self._anew is None:
            return None
        ready = [unit for unit, due in self._anew.items() if due <= self._now()][:limit]
        for unit in ready:
            del self._anew[unit]
        return frozenset(ready)

    async def _tell(self, *, at_once: bool = False) -> None:
        """Say how far the space is, whoever brought it there; not too often, as it must be counted."""
        if self._progress is None or not (at_once or monotonic() - self._told_at > _TELL):
            return
        self._told_at = monotonic()
        left = await self._lagging() if self._anew is None else self._total - len(self._made)
        done = max(0, min(self._total - left, self._total))
        if done != self._told:
            self._told = done
            self._progress(self._name, done, self._total)


def _look_no_further(_: View) -> None:
    """Look at nothing: there is more to claim."""


def _next_chunk(chunk: int, seconds: float) -> int:
    if seconds < _QUICK:
        return min(chunk * 2, CHUNK)
    return max(chunk // 2, 1) if seconds > _SLOW else chunk


async def work_through(works: Sequence[SpaceWork[Any]], clock: Clock, report: SyncReport) -> None:
    """Do all that is due of these, and wait for what is tried again later or is at others' hands.

    Ends when nothing is left but dead letters and what was dropped, or when the time is over.
    """
    idle, looked_again = 0, False
    while True:
        before = sum(work.claimed for work in works)
        for work in works:
            await work.work_off()
        moments = [moment for work in works if (moment := await work.next_due()) is not None]
        if not moments:
            return
        wait = min(moments) - clock.now().timestamp()
        # What a dead process held is free at once, for those too who do not wait; what failed is not.
        is_free = wait <= 0 and not looked_again and not report.has_failures
        looked_again = True
        if any(work.is_late() or not (work.waits or is_free) for work in works):
            report.left = sum([await work.left() for work in works])
            return
        if before == sum(work.claimed for work in works):
            idle += 1
            if idle == _DOUBTS:
                await works[0].check_file()
        await clock.sleep(min(max(wait, _AT_LEAST), _LOOK_AGAIN))


class _Hold:
    """A lease as its worker holds it."""

    def __init__(self, tools: WorkTools, worker: str) -> None:
        self._tools = tools
        self.lease = Lease(token=secrets.token_hex(8), worker=worker, until=self._until())
        self.is_over = False

    def _until(self) -> float:
        return self._tools.clock.now().timestamp() + self._tools.policy.lease_seconds

    def renew(self) -> None:
        """Renew the lease; one that has run out, or is held by another worker by now, is left alone."""
        try:
            with self._tools.ledger.writing(patience=self._tools.policy.lease_seconds / 3) as writing:
                now = self._tools.clock.now().timestamp()
                writing.renew(self.lease.token, now=now, until=self._until())
        except StoreError:
            # The next beat may have more luck; without any the work is refused, not lost.
            return

    def let_go(self) -> None:
        """Give back what is held, at once and without waiting for the loop: it may be going down.

        A claim that is still on its way in another thread sees `is_over` and takes nothing.
        """
        self.is_over = True
        try:
            with self._tools.ledger.writing(patience=_LET_GO_PATIENCE) as writing:
                writing.release(self.lease.token)
        except StoreError:
            return


class _Heartbeat:
    """Calls `beat` every so many seconds while the block runs, from a thread of its own.

    Of its own, because work that computes keeps the event loop from looking at the time.
    """

    def __init__(self, beat: Callable[[], None], every: float) -> None:
        self._beat = beat
        self._every = every
        self._over = Event()

    def _run(self) -> None:
        while not self._over.wait(self._every):
            self._beat()

    def __enter__(self) -> None:
        Thread(target=self._run, name="kataribe-lease", daemon=True).start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
