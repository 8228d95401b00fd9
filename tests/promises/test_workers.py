"""Workers: leases, back-off, dead letters; nothing lost, stale or double, whoever is killed or stopped."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.memory import Extraction
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports import Source
from kataribe.testing.fakes import LONG_AGO, FakeExtractor, FrozenClock
from support.slow import SlowExtractor, lines, slow_engines
from support.stores import empty_store, services

KILLS = 20
TESTS = Path(__file__).resolve().parent.parent


@pytest.fixture
def log(tmp_path: Path) -> Path:
    made = tmp_path / "log"
    made.touch()
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return empty_store(tmp_path / "k.db")


def worker(
    path: Path,
    log: Path,
    *,
    seconds: float = 0.0,
    lease: float = 60.0,
    cut: int | None = None,
    workers: int = 1,
    together: int = 1,
) -> subprocess.Popen[str]:
    """Start a process that syncs the story `s`, once as many as work together are there."""
    given = {"path": str(path), "log": str(log), "seconds": seconds, "lease": lease, "cut": cut}
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "support.slow",
            json.dumps({**given, "workers": workers, "together": together}),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )


def report(process: subprocess.Popen[str]) -> dict[str, int]:
    """Wait for a worker's end and give what it reported."""
    said, complained = process.communicate(timeout=120)
    assert process.returncode == 0, complained
    found: dict[str, int] = json.loads(said)
    return found


def until(holds: Callable[[], object]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def filled(path: Path, log: Path, episodes: int) -> Kataribe:
    """Open a store with a story that waits to be synced."""
    store = kataribe.open(str(path), services=slow_engines(log))
    store.story("s").create(language="en", embedder="hash")
    for no in range(1, episodes + 1):
        store.story("s").episodes.put(no=no, text=f"Text {no}.")
    return store


def texts(store: Kataribe) -> list[str]:
    return [hit.text for hit in store.known(story="s", persona="ann", at=999).hits]


# -- processes that share, die and stop ----------------------------------------------------


def test_two_processes_share_and_do_nothing_twice(path: Path, log: Path) -> None:
    with filled(path, log, 60) as store:
        both = [worker(path, log, seconds=0.1, workers=3, together=2) for _ in range(2)]
        reports = [report(one) for one in both]
        assert sum(one["done"] for one in reports) == 60
        assert all(one["done"] > 0 for one in reports), "both had a share"
        assert sorted(lines(log)) == sorted(f"Text {no}." for no in range(1, 61)), "each once"
        assert texts(store) == [f"Text {no}." for no in range(1, 61)]
        assert store.verify().ok


def test_twenty_kills_lose_and_double_nothing_and_leave_nobody_waiting(path: Path, log: Path) -> None:
    rng = random.Random(11)
    wanted: dict[int, str] = {}
    with filled(path, log, 1) as store:
        store.sync()
        for kill in range(KILLS):
            for no in rng.sample(range(1, 16), 6):
                wanted[no] = f"Text {no} of turn {kill}."
                store.story("s").episodes.put(no=no, text=wanted[no])
            before = log.stat().st_size
            killed = worker(path, log, seconds=0.02, workers=rng.choice((1, 3)))
            until(lambda size=before, one=killed: log.stat().st_size > size or one.poll() is not None)  # type: ignore[misc]
            time.sleep(rng.uniform(0, 0.1))
            killed.kill()
            killed.communicate()
            shown = set(texts(store))
            assert shown <= set(wanted.values()) | {"Text 1."}, "nothing stale"
            assert store.verify().problems == ()
        begun = time.monotonic()
        store.sync()
        assert time.monotonic() - begun < 30, "who was killed here is not waited for"
        wanted.setdefault(1, "Text 1.")
        assert texts(store) == [wanted[no] for no in sorted(wanted)]
        assert store.admin.work() == ()
        assert store.verify().ok


def test_the_leases_of_a_killed_worker_are_void_at_once(path: Path, log: Path) -> None:
    with filled(path, log, 3) as store:
        killed = worker(path, log, seconds=60)
        until(lambda: lines(log))
        (first, *_) = store.admin.work(story="s")
        assert first.state is kataribe.WorkState.WORKING
        assert first.worker is not None
        assert f":{killed.pid}/" in first.worker
        killed.kill()
        killed.wait()
        assert store.admin.work(story="s")[0].state is kataribe.WorkState.WORKING, "its lease has not run out"
        assert store.story("s").sync().done == 3
        killed.communicate()


@pytest.mark.parametrize("edited", [False, True])
def test_a_worker_stopped_past_its_lease_has_its_commit_refused(path: Path, log: Path, edited: bool) -> None:
    """SIGSTOP, another finishes, SIGCONT: memory is what the other made, not what comes late."""
    with filled(path, log, 1) as store:
        stopped = worker(path, log, seconds=0.3, lease=1.0, cut=3)
        until(lambda: lines(log))
        stopped.send_signal(signal.SIGSTOP)
        try:
            if edited:
                store.story("s").episodes.put(no=1, text="Text 2.")
            assert store.story("s").sync().done == 1, "after its lease another takes over"
            made = texts(store)
            assert made == ["Text 2." if edited else "Text 1."]
        finally:
            stopped.send_signal(signal.SIGCONT)
        assert report(stopped) == {"done": 0, "outdated": 1, "dead": 0}
        assert texts(store) == made
        assert store.verify().problems == ()


def test_a_lease_that_ran_out_is_refused_though_nobody_took_over(path: Path, log: Path) -> None:
    with filled(path, log, 1) as store:
        stopped = worker(path, log, seconds=0.3, lease=1.0)
        until(lambda: lines(log))
        stopped.send_signal(signal.SIGSTOP)
        time.sleep(1.6)
        stopped.send_signal(signal.SIGCONT)
        assert report(stopped) == {"done": 1, "outdated": 1, "dead": 0}, "refused, and done again"
        assert lines(log) == ["Text 1."], "what was read is kept, though its commit was refused"
        assert texts(store) == ["Text 1."]


def test_a_slow_extraction_keeps_its_lease(path: Path, log: Path) -> None:
    with filled(path, log, 1) as store:
        slow = worker(path, log, seconds=3.0, lease=0.9)
        until(lambda: lines(log))
        assert store.story("s").sync().done == 0, "it is waited for, not done twice"
        assert texts(store) == ["Text 1."], "what is at another's hands is done when sync returns"
        assert report(slow) == {"done": 1, "outdated": 0, "dead": 0}
        assert lines(log) == ["Text 1."]


def test_ctrl_c_gives_leases_back_at_once(path: Path, log: Path) -> None:
    with filled(path, log, 6) as store:
        stopped = worker(path, log, seconds=600, workers=3)
        try:
            until(lambda: len(lines(log)) >= 2)
            assert any(item.state is kataribe.WorkState.WORKING for item in store.admin.work(story="s"))
            stopped.send_signal(signal.SIGINT)
            stopped.communicate(timeout=120)
        finally:
            # Nothing is left running, nor a pipe open, when it did not end by itself.
            stopped.kill()
            stopped.communicate()
        assert [item.state for item in store.admin.work(story="s")] == [kataribe.WorkState.DUE] * 6


# -- what fails ----------------------------------------------------------------------------


class Timed(FakeExtractor):
    """Notes at which second of the clock it was asked."""

    def __init__(self, clock: FrozenClock, failing: list[str]) -> None:
        super().__init__(failing=failing)
        self.clock = clock
        self.moments: list[tuple[str, float]] = []

    async def extract(self, source: Source) -> Extraction:
        self.moments.append((source.text, (self.clock.now() - LONG_AGO).total_seconds()))
        return await super().extract(source)


@pytest.mark.parametrize("workers", [1, 3])
def test_what_fails_waits_longer_each_time_and_then_is_a_dead_letter(path: Path, workers: int) -> None:
    clock = FrozenClock()
    extractor = Timed(clock, ["Poison."])
    with kataribe.open(
        str(path), services=replace(services(), extractor=lambda _: extractor, clock=clock)
    ) as store:
        store.story("s").create(language="ja", embedder="hash")
        for no, text in enumerate(("雪が降った。", "Poison.", "Ann sang."), start=1):
            store.story("s").episodes.put(no=no, text=text)
        told = store.story("s").sync(workers=workers)
        assert (told.done, set(told.dead), told.failed) == (2, {("s", 2)}, {})
        assert "told to fail" in told.dead["s", 2]
        asked = [moment for text, moment in extractor.moments if text == "Poison."]
        assert asked == pytest.approx([0, 2, 10], abs=0.1)
        (item,) = store.admin.work(story="s")
        assert (item.episode_no, item.state, item.attempts) == (2, kataribe.WorkState.DEAD, 3)
        assert item.error == told.dead["s", 2]


def test_one_poisoned_episode_holds_no_other_story_up(path: Path) -> None:
    clock = FrozenClock()
    extractor = Timed(clock, ["Poison."])
    with kataribe.open(
        str(path), services=replace(services(), extractor=lambda _: extractor, clock=clock)
    ) as store:
        for story_id, text in (("a", "Poison."), ("b", "Ann sang.")):
            store.story(story_id).create(language="en", embedder="hash")
            store.story(story_id).episodes.put(no=1, text=text)
        store.sync()
        assert dict(extractor.moments[:2]) == {"Poison.": 0, "Ann sang.": 0}


def test_dead_letters_are_retried_and_dropped_by_hand(path: Path) -> None:
    extractor = FakeExtractor(failing=["One.", "Two."])
    parts = replace(services(), extractor=lambda _: extractor, clock=FrozenClock())
    with kataribe.open(str(path), services=parts) as store:
        store.story("s").create(language="en", embedder="hash")
        for no, text in enumerate(("One.", "Two.", "Three."), start=1):
            store.story("s").episodes.put(no=no, text=text)
        store.sync()
        store.admin.drop(story="s", episode_no=1)
        first = store.admin.work(story="s")[0]
        assert (first.state, first.attempts) == (kataribe.WorkState.DROPPED, 3)
        assert first.error is not None, "why it was given up is not forgotten"
        assert store.admin.retry() == 1
        assert [item.state for item in store.admin.work(story="s")] == [
            kataribe.WorkState.DROPPED,
            kataribe.WorkState.DUE,
        ]
        calls = extractor.calls
        assert set(store.sync(retry=True).dead) == {("s", 2)}
        assert extractor.calls == calls + 3, "what was dropped is left alone"
        extractor.failing.clear()
        assert store.admin.retry(story="s", episode_no=1) == 1, "by name it is taken up again"
        assert store.admin.retry(story="s", episode_no=2) == 1
        assert store.sync().done == 2
        with pytest.raises(kataribe.ConflictError, match="nothing to drop"):
            store.admin.drop(story="s", episode_no=1)
        with pytest.raises(kataribe.NotFoundError):
            store.admin.drop(story="s", episode_no=7)
        with pytest.raises(kataribe.InputError):
            store.admin.retry(episode_no=2)


@pytest.mark.parametrize("dropped", [False, True])
def test_new_inputs_forgive_failures_and_drops(path: Path, dropped: bool) -> None:
    extractor = FakeExtractor(failing=["One."])
    with kataribe.open(
        str(path), services=replace(services(), extractor=lambda _: extractor, clock=FrozenClock())
    ) as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").episodes.put(no=1, text="One.")
        store.sync()
        if dropped:
            store.admin.drop(story="s", episode_no=1)
        assert store.known(story="s", persona="ann", at=2).pending_episodes == (1,)
        store.story("s").episodes.put(no=1, text="Two.")
        (item,) = store.admin.work(story="s")
        assert (item.state, item.attempts, item.error) == (kataribe.WorkState.DUE, 0, None)
        assert store.sync().done == 1


def test_what_waits_is_due_at_once_after_a_retry(path: Path) -> None:
    clock = FrozenClock()
    extractor = FakeExtractor(failing=["One."])
    with kataribe.open(
        str(path), services=replace(services(), extractor=lambda _: extractor, clock=clock)
    ) as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").episodes.put(no=1, text="One.")
        told = store.sync(within=1)
        assert (told.left, set(told.failed)) == (1, {("s", 1)})
        (item,) = store.admin.work(story="s")
        assert (item.state, item.attempts) == (kataribe.WorkState.WAITING, 1)
        assert item.until == pytest.approx((LONG_AGO + timedelta(seconds=2)).timestamp(), abs=0.1)
        extractor.failing.clear()
        assert store.admin.retry(story="s") == 1
        assert store.sync(within=1).done == 1


# -- late, double, at once -----------------------------------------------------------------


class Meddled(SlowExtractor):
    """Has something done to the store while it extracts for the first time."""

    def __init__(self, log: Path, meddle: Callable[[], object]) -> None:
        super().__init__(log)
        self.meddle: Callable[[], object] | None = meddle

    async def extract(self, source: Source) -> Extraction:
        meddle, self.meddle = self.meddle, None
        if meddle is not None:
            await asyncio.to_thread(meddle)
        return await super().extract(source)


def test_s1_11_an_old_version_that_comes_late_is_refused(path: Path, log: Path) -> None:
    with filled(path, log, 1) as author:
        late = Meddled(log, lambda: author.story("s").episodes.put(no=1, text="Newer."))
        with kataribe.open(str(path), services=replace(slow_engines(log), extractor=lambda _: late)) as store:
            told = store.story("s").sync()
        assert (told.done, told.outdated) == (1, 1)
        assert texts(author) == ["Newer."]
        assert author.verify().ok


def test_s1_11_a_newer_version_done_by_another_meanwhile_stays(path: Path, log: Path) -> None:
    with filled(path, log, 1) as author:

        def overtake() -> None:
            author.story("s").episodes.put(no=1, text="Newer.")
            assert author.story("s").sync().done == 1, "the new text need not wait for the old one's worker"

        parts = replace(slow_engines(log), extractor=lambda _: Meddled(log, overtake))
        with kataribe.open(str(path), services=parts) as store:
            told = store.story("s").sync()
        assert (told.done, told.outdated) == (0, 1)
        assert texts(author) == ["Newer."]


def test_a_drop_takes_the_work_out_of_a_workers_hands(path: Path, log: Path) -> None:
    with filled(path, log, 1) as author:
        late = Meddled(log, lambda: author.admin.drop(story="s", episode_no=1))
        with kataribe.open(str(path), services=replace(slow_engines(log), extractor=lambda _: late)) as store:
            told = store.story("s").sync()
        assert (told.done, told.outdated) == (0, 1)
        assert texts(author) == []
        assert [item.state for item in author.admin.work(story="s")] == [kataribe.WorkState.DROPPED]


def test_a_sync_beside_a_sync_does_nothing_twice(path: Path, log: Path) -> None:
    with filled(path, log, 12) as store:
        done: list[int] = []
        threads = [
            threading.Thread(target=lambda: done.append(store.story("s").sync(workers=2).done))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(done) == 12
        assert sorted(lines(log)) == sorted(f"Text {no}." for no in range(1, 13))
        assert store.story("s").sync().done == 0, "once more is no more"


class Crowded(SlowExtractor):
    """Lets nobody go on before so many wait at once."""

    def __init__(self, log: Path, together: int) -> None:
        super().__init__(log)
        self._missing = together
        self._all = asyncio.Event()

    async def extract(self, source: Source) -> Extraction:
        """Wait for the others."""
        self._missing -= 1
        if self._missing == 0:
            self._all.set()
        await asyncio.wait_for(self._all.wait(), 60)
        return await super().extract(source)


def test_workers_overlap_what_they_wait_for(path: Path, log: Path) -> None:
    crowded = Crowded(log, 6)
    parts = replace(slow_engines(log), extractor=lambda _: crowded)
    with filled(path, log, 24):
        pass
    with kataribe.open(str(path), services=parts) as store:
        seen: list[tuple[str, int, int]] = []
        told = store.story("s").sync(workers=6, progress=lambda *said: seen.append(said))
        assert told.done == 24
        assert seen[-1] == ("s", 24, 24)
        assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_workers_share_a_store_in_memory(log: Path) -> None:
    with kataribe.open(":memory:", services=slow_engines(log)) as store:
        store.story("s").create(language="ja", embedder="hash")
        for no in range(1, 30):
            store.story("s").episodes.put(no=no, text=f"第{no}話。")
        assert store.sync(workers=4).done == 29
        assert store.verify().ok
        assert store.admin.rebuild().done == 29


@pytest.mark.parametrize("workers", [0, 65, -1])
def test_how_many_work_is_checked(path: Path, workers: int) -> None:
    with kataribe.open(str(path), services=services()) as store:
        with pytest.raises(kataribe.InputError, match="workers must be"):
            store.sync(workers=workers)
        with pytest.raises(kataribe.InputError, match="within must be"):
            store.sync(within=float("nan"))
