"""A burst of requests is accepted at once and worked off afterwards; no writer starves another."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.sql import SqlLedger
from kataribe.adapters.sql.sqlite.writer_queue import WriterQueue
from kataribe.engine.group_commit import GroupCommit
from kataribe.ports import Transaction
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.ledger_world import a_story, an_episode
from support.stores import empty_store, services

BURST = 10_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return empty_store(tmp_path / "k.db")


@pytest.mark.slow
def test_ten_thousand_requests_at_once_are_all_accepted_and_worked_off(path: Path) -> None:
    numbers = list(range(1, BURST + 1))
    random.Random(3).shuffle(numbers)

    async def burst() -> None:
        store = await kataribe.open_async(str(path), services=services())
        await store.story("s").create(language="en", embedder="hash")
        put = await asyncio.gather(
            *(store.story("s").episodes.put(no=no, text=f"Ann walked {no} miles.") for no in numbers)
        )
        assert {result.change for result in put} == {"new"}
        assert len(await store.admin.work(story="s")) == BURST
        told = await store.story("s").sync(workers=2)
        assert (told.done, told.outdated, told.dead) == (BURST, 0, {})
        known = await store.known(story="s", persona="ann", at=BURST + 1)
        assert [hit.text for hit in known.hits] == [f"Ann walked {no} miles." for no in range(1, BURST + 1)]
        await store.close()

    asyncio.run(burst())


def test_threads_and_processes_put_at_once_and_a_sync_runs_among_them(path: Path) -> None:
    script = """
import sys, threading, kataribe
with kataribe.open(sys.argv[1]) as store:
    def put(first):
        for no in range(first, 601, 6):
            store.story("s").episodes.put(no=no, text=f"Text {no}.")
    threads = [threading.Thread(target=put, args=(int(sys.argv[2]) + 2 * n,)) for n in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
        others = [
            subprocess.Popen([sys.executable, "-c", script, str(path), str(first)], stderr=subprocess.PIPE)
            for first in (1, 2)
        ]
        while any(other.poll() is None for other in others):
            store.story("s").sync(workers=2)
        for other in others:
            assert other.communicate()[1] == b""
            assert other.returncode == 0
        store.story("s").sync()
        shown = store.known(story="s", persona="x", at=999)
        assert [hit.text for hit in shown.hits] == [f"Text {no}." for no in range(1, 601)]
        assert store.verify().ok


def test_one_that_is_refused_undoes_none_that_share_its_commit(path: Path) -> None:
    async def run() -> None:
        store = await kataribe.open_async(str(path), services=services())
        await store.story("s").create(language="en", embedder="hash")
        ends = await asyncio.gather(
            *(
                store.story("s").episodes.put(no=1 + at % 5, text="x", episode_id=f"e{at}")
                for at in range(10)
            ),
            return_exceptions=True,
        )
        refused = [end for end in ends if isinstance(end, kataribe.ConflictError)]
        assert (len(refused), len(ends)) == (5, 10)
        assert [state.episode_id for state in await store.story("s").episodes.list()] == [
            f"e{at}" for at in range(5)
        ]
        await store.close()

    asyncio.run(run())


def test_who_stops_waiting_stops_nobody_else(path: Path) -> None:
    async def run() -> None:
        store = await kataribe.open_async(str(path), services=services())
        await store.story("s").create(language="en", embedder="hash")
        puts = [
            asyncio.ensure_future(store.story("s").episodes.put(no=no, text=f"Text {no}."))
            for no in range(1, 200)
        ]
        await asyncio.sleep(0)
        for put in puts[::2]:
            put.cancel()
        ends = await asyncio.gather(*puts, return_exceptions=True)
        there = {state.no for state in await store.story("s").episodes.list()}
        assert {end.no for end in ends if isinstance(end, kataribe.PutResult)} <= there
        assert {2, 4, 198} <= there
        assert 197 not in there, "what had not begun is not done"
        await store.close()

    asyncio.run(run())


def test_a_write_that_breaks_off_breaks_off_alone_and_in_words(tmp_path: Path) -> None:
    """What the store itself refuses undoes a shared transaction; the others are done all the same."""
    ledger = SqlLedger(str(tmp_path / "k.db"), FrozenClock())

    def twice(writing: Transaction) -> None:
        for episode_id in ("one", "other"):
            writing.put_episode("s", an_episode(7, episode_id=episode_id), order_key=7)

    async def run() -> None:
        together = GroupCommit(ledger)
        await together.write(lambda writing: writing.put_story(a_story()))
        ends = await asyncio.gather(
            together.write(lambda writing: writing.put_story(a_story("before"))),
            together.write(twice),
            together.write(lambda writing: writing.put_story(a_story("after"))),
            return_exceptions=True,
        )
        assert [type(end) for end in ends] == [type(None), kataribe.StoreError, type(None)]
        await together.finish()

    asyncio.run(run())
    with ledger.reading() as reading:
        assert [story.story_id for story in reading.stories()] == ["after", "before", "s"]
        assert reading.episode_states("s") == ()
    ledger.close()


def test_writers_of_a_process_come_in_turn() -> None:
    turns, order = WriterQueue("k.db"), []
    ready = threading.Event()

    def write(number: int) -> None:
        with turns.turn(30):
            order.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    with turns.turn(0):
        for thread in threads:
            thread.start()
            # Each is in the queue before the next comes.
            ready.wait(0.02)
        with pytest.raises(kataribe.StoreBusyError, match="in this process"), turns.turn(0.01):
            order.append(-1)
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    with turns.turn(0):
        order.clear()


def test_a_turn_is_handed_on_when_a_write_fails(tmp_path: Path) -> None:
    ledger = SqlLedger(str(tmp_path / "k.db"), FrozenClock())
    with pytest.raises(kataribe.NotFoundError), ledger.writing():
        raise kataribe.NotFoundError("no")
    with ledger.writing(patience=0):
        pass
    ledger.close()
