"""Erasure under fire: killed at any instant, beside turns, nights and readers, it is whole or taken up."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kataribe.adapters.sealing.store import FileKeys
from kataribe.adapters.sql import SqlLedger
from kataribe.domain.space import SpaceType
from kataribe.testing.fakes import FrozenClock
from kataribe.wiring.keys import seal
from support.effort import EFFORT
from support.erasing import erase
from support.lived import GONE, LATER, STAYS, found_in, laid, live, opened

RUNS = 6 if EFFORT == 1 else 20 * EFFORT
WORKER = """
import os, signal, sys, time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from kataribe.errors import KataribeError
from support.lived import GONE, QUESTIONS, STAYS, opened

def erase(folder, token, said):
    with opened(Path(folder)) as store:
        begun = [Event() for _ in range(3)]

        def again(no, act):
            begun[no].set()
            while True:
                with suppress(KataribeError):
                    act()
                time.sleep(0.002)

        def say():
            told = store.user(STAYS).said("It rains again.", speaker="Jon", persona="akari", session="rain")
            os.write(said, f"{told.turn_id}\\n".encode())

        acts = (
            say,
            store.user(GONE).memory.nightly,
            lambda: store.recall(QUESTIONS[0], user=GONE, persona="himuro"),
        )
        for no, act in enumerate(acts):
            Thread(target=again, args=(no, act), daemon=True).start()
        for one in begun:
            one.wait()
        os.write(said, b"ready\\n")
        store.user(GONE).delete(token)
        os.write(said, b"erased\\n")
        os._exit(0)

# One process that has loaded everything; each run is a fork of it that is killed.
for line in sys.stdin:
    folder, token, delay = line.split("\\t")
    told, said = os.pipe()
    child = os.fork()
    if not child:
        os.close(told)
        try:
            erase(folder, token, said)
        finally:
            os._exit(1)
    os.close(said)
    heard = b""
    while b"ready" not in heard:
        piece = os.read(told, 4096)
        if not piece:
            break
        heard += piece
    begun = time.monotonic()
    if float(delay) >= 0:
        time.sleep(float(delay))
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    while piece := os.read(told, 4096):
        heard += piece
    os.waitpid(child, 0)
    print(f"{time.monotonic() - begun}\\t{' '.join(heard.decode().split())}", flush=True)
"""


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Two lives, and a token to erase one of them with."""
    folder = laid(tmp_path_factory.mktemp("lived") / "x")
    with opened(folder) as store:
        live(store)
        return folder, store.user(GONE).privacy.request("delete")


@pytest.fixture(scope="module")
def worker() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as running:
        yield running
        assert running.stdin is not None
        running.stdin.close()


def run(worker: subprocess.Popen[str], folder: Path, token: str, delay: float) -> tuple[float, list[str]]:
    """Erase in another process that is killed after so many seconds (less than 0: never)."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"{folder}\t{token}\t{delay}\n")
    worker.stdin.flush()
    took, _, said = worker.stdout.readline().rstrip("\n").partition("\t")
    return float(took), said.split()


def rows(folder: Path) -> int:
    with (
        closing(SqlLedger(str(folder / "db" / "k.db"), FrozenClock(LATER))) as ledger,
        ledger.reading() as view,
    ):
        return sum(sum(view.rows_of_user(GONE, one).values()) for one in (SpaceType.USER, SpaceType.TALK))


def stones(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "db" / "k.db")) as driver:
        (store_id,) = driver.execute("SELECT value FROM marks WHERE name = 'store'").fetchone()
    keys = FileKeys(folder / "keys" / "k.keys", store_id, seal=seal)
    try:
        return sum(one.is_of(GONE) for one in keys.tombstones())
    finally:
        keys.close()


def looked_over(folder: Path, said: list[str]) -> bool:
    """Look at what a kill has left once it is opened again; tells whether the user was gone by then."""
    with opened(folder) as store:
        is_gone = GONE not in [one.user_id for one in store.admin.users()]
        if "erased" in said:
            assert is_gone
        if not is_gone:
            # Nothing was done: all of it is there, and it can be erased.
            assert len(store.user(GONE).turns()) > 10
            assert stones(folder) == 0
            assert erase(store, GONE).complete
        assert store.admin.audit.verify().ok
        there = {turn.turn_id for turn in store.user(STAYS).turns()}
        assert {one for one in said if one not in ("ready", "erased")} <= there
    assert rows(folder) == 0
    assert stones(folder) == 1
    assert found_in(folder) == []
    return is_gone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills are tried where processes fork")
def test_an_erasure_that_is_killed_is_whole_or_taken_up_again(
    lived: tuple[Path, str], worker: subprocess.Popen[str], tmp_path: Path
) -> None:
    template, token = lived
    copy = tmp_path / "whole"
    shutil.copytree(template, copy)
    took, said = run(worker, copy, token, -1)
    assert "erased" in said
    assert looked_over(copy, said)
    chance = random.Random(7)
    for no in range(RUNS):
        folder = tmp_path / f"{no}"
        shutil.copytree(template, folder)
        _, said = run(worker, folder, token, chance.uniform(0, took))
        looked_over(folder, said)
        shutil.rmtree(folder)
