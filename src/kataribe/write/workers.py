"""Workers: any number of them, in this process and in others, share what is due by leases."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic
from types import TracebackType

from kataribe.domain.work import Lease
from kataribe.errors import StoreError
from kataribe.ports import Clock, Processes, Reading, Writing
from kataribe.write.path import CHUNK, Progress, SyncReport, Tools, bring_up
from kataribe.write.source import gather
from kataribe.write.values import Job

_FIRST_CHUNK = 4
_QUICK, _SLOW = 0.25, 1.0
"""Seconds: a chunk done sooner lets the next one be larger, one done later makes it smaller."""
_LOOK_AGAIN = 0.5
"""Seconds until a worker that waits for others asks whether they have let go."""
_AT_LEAST = 0.01
_DOUBTS, _CIRCLES = 3, 100
"""How often an unchanged episode is taken up until the file is looked at, and until it is given up."""
_TELL = 0.2
"""Seconds between two words of progress."""
_LET_GO_PATIENCE = 2.0
"""Seconds a stopped worker waits for the store to give its leases back; else they run out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """How many work here, under which name, and until when they take up work (None: no end).

    `until` is in seconds since 1970, UTC; it is what a worker has begun that is finished later.
    """

    processes: Processes
    size: int = 1
    until: float | None = None


class StoryWork:
    """What is due in one story, and the workers of this process that share it."""

    def __init__(
        self,
        tools: Tools,
        story_id: str,
        report: SyncReport,
        crew: Crew,
        *,
        anew: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self._tools = tools
        self._story_id = story_id
        self._report = report
        self._crew = crew
        self._progress = progress
        self._told, self._told_at = 0, 0.0
        self._total, self._made = 0, 0
        self._outlook: tuple[float | None, frozenset[str]] = (None, frozenset())
        """The moment from which there is something to claim again, and who holds leases now."""
        self.claimed = 0
        """How many episodes were taken up, again and again counted."""
        self._taken: Counter[tuple[str, str]] = Counter()
        self._anew: dict[str, float] | None = {} if anew else None
        """What is still to be made again, and from when on; None: what is due is asked of the ledger."""

    def _now(self) -> float:
        return self._tools.clock.now().timestamp()

    def is_late(self) -> bool:
        """Whether no more work is to be taken up."""
        return self._crew.until is not None and self._now() >= self._crew.until

    async def begin(self, *, retry: bool) -> None:
        """Count what is to be done; `retry` takes up dead letters."""
        if retry:
            await self._tools.write(lambda ledger: ledger.clear_failures(self._story_id))
        if self._anew is not None:
            now = self._now()
            self._anew = await self._tools.read(
                lambda ledger: {s.episode_id: now for s in ledger.episode_states(self._story_id) if s.is_live}
            )
            self._total = len(self._anew)
        elif self._progress is not None:
            self._total = await self._lagging()

    async def _lagging(self) -> int:
        return len(await self._tools.read(lambda ledger: ledger.lagging(self._story_id)))

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
            await self._tools.write(lambda ledger: ledger.void(gone))
        if self._anew is not None:
            due = min(self._anew.values(), default=None)
        return self._now() if gone and due is not None else due

    def _look_ahead(self, ledger: Reading) -> None:
        """Note what is left, within the last transaction a worker makes: the last word is the latest."""
        self._outlook = (ledger.next_due(self._story_id), ledger.lease_holders(self._story_id))

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
                        self._story_id,
                        jobs,
                        hold.lease.token,
                        self._report,
                        anew=self._anew is not None,
                        afterwards=self._look_ahead if is_last else _look_no_further,
                    )
            except BaseException:
                hold.let_go()
                raise
            self._made += len(jobs) - len(again)
            if self._anew is not None:
                self._anew.update(again)
            await self._tell()
            if is_last:
                return
            chunk = min(_next_chunk(chunk, monotonic() - begun), self._tools.together)
        await self._tools.read(self._look_ahead)

    async def _claim(self, hold: _Hold, limit: int) -> tuple[Job, ...]:
        """Lease episodes and read what their memory is to be made from, in one transaction."""
        now, among = self._now(), self._take(limit)
        if among is not None and not among:
            return ()

        def run(ledger: Writing) -> tuple[Job, ...]:
            if hold.is_over:
                return ()
            ids = ledger.claim(self._story_id, hold.lease, now=now, limit=limit, among=among)
            if not ids:
                self._look_ahead(ledger)
            return gather(ledger, self._story_id, ids, again=self._tools.again) if ids else ()

        jobs = await self._tools.write(run)
        self.claimed += len(jobs)
        await self._refuse_circles(jobs)
        if among is not None and self._anew is not None:
            missed = among - {job.episode.episode_id for job in jobs}
            there = await self._tools.read(lambda ledger: _live(ledger, self._story_id, missed))
            self._anew.update(dict.fromkeys(there, now + _LOOK_AGAIN))
        return jobs

    async def _refuse_circles(self, jobs: Sequence[Job]) -> None:
        """Raise `StoreError` when an episode is due again and again though nothing about it changes."""
        self._taken.update((job.episode.episode_id, job.prints.memory) for job in jobs)
        for job in jobs:
            often = self._taken[job.episode.episode_id, job.prints.memory]
            if often == _DOUBTS:
                await self.check_file()
            if often > _CIRCLES:
                raise StoreError(
                    f"episode {job.episode.no} of {self._story_id} does not stay done; "
                    f"`kataribe verify` says what is wrong with the store; restore a backup"
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
        ready = [episode_id for episode_id, due in self._anew.items() if due <= self._now()][:limit]
        for episode_id in ready:
            del self._anew[episode_id]
        return frozenset(ready)

    async def _tell(self, *, at_once: bool = False) -> None:
        """Say how far the story is, whoever brought it there; not too often, as it must be counted."""
        if self._progress is None or not (at_once or monotonic() - self._told_at > _TELL):
            return
        self._told_at = monotonic()
        left = await self._lagging() if self._anew is None else self._total - self._made
        done = max(0, min(self._total - left, self._total))
        if done != self._told:
            self._told = done
            self._progress(self._story_id, done, self._total)


def _live(ledger: Reading, story_id: str, episode_ids: frozenset[str]) -> list[str]:
    """Give those of these episodes that are there and live: another worker holds them."""
    states = [ledger.episode_state(story_id, episode_id) for episode_id in sorted(episode_ids)]
    return [state.episode_id for state in states if state is not None and state.is_live]


def _look_no_further(_: Reading) -> None:
    """Look at nothing: there is more to claim."""


def _next_chunk(chunk: int, seconds: float) -> int:
    if seconds < _QUICK:
        return min(chunk * 2, CHUNK)
    return max(chunk // 2, 1) if seconds > _SLOW else chunk


async def work_through(works: Sequence[StoryWork], clock: Clock, report: SyncReport) -> None:
    """Do all that is due in these stories, and wait for what is tried again later or is at others' hands.

    Ends when nothing is left but dead letters and what was dropped, or when the time is over.
    """
    idle = 0
    while True:
        before = sum(work.claimed for work in works)
        for work in works:
            await work.work_off()
        moments = [moment for work in works if (moment := await work.next_due()) is not None]
        if not moments:
            return
        if any(work.is_late() for work in works):
            report.left = sum([await work.left() for work in works])
            return
        wait = min(moments) - clock.now().timestamp()
        if before == sum(work.claimed for work in works):
            idle += 1
            if idle == _DOUBTS:
                await works[0].check_file()
        await clock.sleep(min(max(wait, _AT_LEAST), _LOOK_AGAIN))


class _Hold:
    """A lease as its worker holds it."""

    def __init__(self, tools: Tools, worker: str) -> None:
        self._tools = tools
        self.lease = Lease(token=secrets.token_hex(8), worker=worker, until=self._until())
        self.is_over = False

    def _until(self) -> float:
        return self._tools.clock.now().timestamp() + self._tools.policy.lease_seconds

    def renew(self) -> None:
        """Make it last on; one that has run out or is another's by now stays so."""
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
