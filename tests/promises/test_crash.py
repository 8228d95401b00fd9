"""P4: kill -9 at random instants, readers during writes, and writers that wait for each other."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import kataribe
from kataribe.story.commit import commit
from kataribe.story.gather import gather
from kataribe.work.task import Embedded
from support.effort import EFFORT
from support.hits import fact_hits
from support.stores import empty_store, services

KILLS = 12 * EFFORT

WRITER = """
import itertools, json, sys
import kataribe

path, log, start = sys.argv[1], sys.argv[2], int(sys.argv[3])
with kataribe.open(path) as store, open(log, "a", buffering=1) as said:
    for turn in itertools.count(start):
        no = 1 + turn % 3
        text = "\\n".join(f"Turn {turn} line {line} of episode {no}." for line in range(4))
        said.write(json.dumps(["begin", turn, no]) + "\\n")
        store.story("s").episodes.put(no=no, text=text)
        said.write(json.dumps(["put", turn, no]) + "\\n")
        if turn % 2:
            store.story("s").sync()
            said.write(json.dumps(["sync", turn, no]) + "\\n")
"""


def _start(path: Path, log: Path, turn: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WRITER, str(path), str(log), str(turn)]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def _lines(log: Path) -> list[list[object]]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.endswith("]")]


def test_kills_tear_lose_and_double_nothing(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    log = tmp_path / "log"
    log.touch()
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
    rng = random.Random(20)
    turn, killed_at_work = 0, 0
    for _ in range(KILLS):
        before = log.stat().st_size
        writer = _start(path, log, turn)
        deadline = time.monotonic() + 30
        while log.stat().st_size == before and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.06))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert writer.stderr is not None
        assert writer.stderr.read() == b""
        writer.stderr.close()
        killed_at_work += log.stat().st_size > before
        turn = _check_after(path, log)
    assert killed_at_work == KILLS


def _check_after(path: Path, log: Path) -> int:
    """Hold the store against the log of what was acknowledged; returns the next turn."""
    said = _lines(log)
    acknowledged: dict[int, int] = {}
    possible: dict[int, set[int]] = {}
    for verb, turn, no in said:
        assert isinstance(turn, int)
        assert isinstance(no, int)
        if verb == "begin":
            possible.setdefault(no, set()).add(turn)
        else:
            # What was begun before it and not acknowledged is overwritten now.
            acknowledged[no] = turn
            possible[no] = {turn}
    with kataribe.open(str(path), services=services()) as store:
        for no, turn in acknowledged.items():
            lines = store.story("s").episodes.get(no=no).text.split("\n")
            turns = {line.split()[1] for line in lines}
            assert len(turns) == 1, "a text is of one turn, never torn"
            assert len(lines) == 4
            assert int(turns.pop()) in possible[no], f"the put acknowledged in turn {turn} is there"
        # What is shown is of one version of each episode, and of its present text.
        shown = store.known(story="s", persona="anyone", at=99)
        for hit in fact_hits(shown.hits):
            assert hit.text in store.story("s").episodes.get(no=hit.episode_no).text
        assert store.verify().problems == ()
        store.sync()
        told = store.known(story="s", persona="anyone", at=99)
        assert told.pending_episodes == ()
        assert sorted(hit.text for hit in told.hits) == sorted(
            line
            for state in store.story("s").episodes.list()
            for line in store.story("s").episodes.get(no=state.no).text.split("\n")
        ), "nothing lost, stale or double"
        assert store.verify().problems == ()
    return max((int(str(turn)) for _, turn, _ in said), default=-1) + 1


def test_a_killed_sync_is_taken_up_again(tmp_path: Path, bundled: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").import_folder(bundled / "lantern-isle", only="text", embedder="hash")
    rng = random.Random(7)
    for _ in range(8):
        command = [sys.executable, "-m", "kataribe", "--db", str(path), "sync"]
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.3, 1.0))
        worker.send_signal(rng.choice([signal.SIGKILL, signal.SIGINT]))
        worker.wait()
        with kataribe.open(str(path), services=services()) as store:
            assert store.verify().problems == ()
    with kataribe.open(str(path), services=services()) as store:
        store.sync()
        found = store.verify()
        assert (found.pending, found.problems) == (0, ())


def test_readers_see_one_version_while_a_writer_writes(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    stop = threading.Event()
    wrong: list[object] = []
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").episodes.put(no=1, text="\n".join(f"Version 0 line {i}." for i in range(6)))
        store.sync()

    def read() -> None:
        with kataribe.open(str(path), services=services()) as reader:
            while not stop.is_set():
                told = reader.known(story="s", persona="x", at=2)
                versions = {hit.text.split()[1] for hit in told.hits}
                whole = len(told.hits) == 6 if told.hits else told.pending_episodes == (1,)
                if len(versions) > 1 or not whole:
                    wrong.append((versions, told.pending_episodes))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    with kataribe.open(str(path), services=services()) as writer:
        for version in range(1, 30):
            text = "\n".join(f"Version {version} line {i}." for i in range(6))
            writer.story("s").episodes.put(no=1, text=text)
            writer.sync()
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_two_processes_write_and_none_loses_a_write(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
    script = """
import sys, kataribe
with kataribe.open(sys.argv[1]) as store:
    for no in range(int(sys.argv[2]), 60, 2):
        store.story("s").episodes.put(no=no, text=f"Text {no}.")
        store.story("s").sync()
"""
    workers = [
        subprocess.Popen([sys.executable, "-c", script, str(path), str(first)], stderr=subprocess.PIPE)
        for first in (1, 2)
    ]
    for worker in workers:
        _, said = worker.communicate(timeout=120)
        assert (worker.returncode, said) == (0, b"")
    with kataribe.open(str(path), services=services()) as store:
        store.sync()
        assert [e.no for e in store.story("s").episodes.list()] == list(range(1, 60))
        known = store.known(story="s", persona="x", at=99)
        assert [hit.text for hit in known.hits] == [f"Text {no}." for no in range(1, 60)]
        assert store.verify().problems == ()


def test_a_busy_store_is_said_and_nothing_is_done(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    quick = kataribe.Settings(path=str(path), busy_seconds=0.1)
    with (
        kataribe.open(settings=quick, services=services()) as store,
        kataribe.open(str(path), services=services()) as other,
    ):
        store.story("s").create(language="en", embedder="hash")
        with other._of._engine._ledger.writing():
            with pytest.raises(kataribe.StoreBusyError, match="another process"):
                store.story("s").episodes.put(no=1, text="x")
            assert store.known(story="s", persona="x", at=9).hits == (), "readers do not wait"
        assert store.story("s").episodes.list() == ()


def test_work_done_before_a_move_is_not_put_where_the_episode_was(tmp_path: Path) -> None:
    """A renumbering changes no fingerprint, and yet the memory must not land at the old position."""
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
        for no in (1, 2, 3):
            store.story("s").episodes.put(no=no, text=f"Text {no}.")
        ledger = store._of._engine._ledger
        with ledger.reading() as reading:
            early = gather(reading, "s", ("ep-1",))[0].derived()
        made = Embedded({memory.text_hash: b"\0" * 1024 for memory in early.memories}, {}, "hash-1")
        store.story("s").episodes.renumber(no=1, to=9)
        with ledger.writing() as writing:
            assert commit(writing, early, made) is False
        store.sync()
        assert [h.text for h in store.known(story="s", persona="x", at=4).hits] == [
            "Text 2.",
            "Text 3.",
        ]
        assert store.verify().problems == ()


def test_a_quote_moved_meanwhile_is_quoted_where_it_is(tmp_path: Path, bundled: Path) -> None:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as store:
        store.story("s").import_folder(bundled / "yoimachi", embedder="hash")
        ledger = store._of._engine._ledger
        quoting = next(m for m in _facts_with_foreign_quotes(store))
        with ledger.reading() as reading:
            early = gather(reading, "s", (quoting,))[0].derived()
        made = Embedded({memory.text_hash: b"\0" * 1024 for memory in early.memories}, {}, "hash-1")
        store.story("s").episodes.insert(no=1, text="A prologue.")
        with ledger.writing() as writing:
            assert commit(writing, early, made) is False
        store.sync()
        assert store.verify().problems == ()


def _facts_with_foreign_quotes(store: kataribe.Kataribe) -> list[str]:
    with store._of._engine._ledger.reading() as reading:
        return [episode_id for episode_id, fact in reading.facts("s") if fact.quote_no is not None]


def test_an_older_commit_never_overwrites_a_newer_one(tmp_path: Path) -> None:
    """S1-11: work done for a text that has changed meanwhile is refused, and done again."""
    path = empty_store(tmp_path / "k.db")
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").episodes.put(no=1, text="Old.")
        ledger = store._of._engine._ledger
        with ledger.reading() as reading:
            late = gather(reading, "s", ("ep-1",))[0]
        store.story("s").episodes.put(no=1, text="New.")
        store.sync()
        with ledger.writing() as writing:
            assert commit(writing, late, Embedded({}, {}, "hash-1")) is False
        store.sync()
        assert [h.text for h in store.known(story="s", persona="x", at=2).hits] == ["New."]
