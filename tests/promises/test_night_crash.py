"""Nights survive what happens to a machine: kill -9 at each step, two at once, a clock set back, no room."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.sql import ledger as ledger_module
from kataribe.adapters.sql.sqlite.connection import connect
from kataribe.adapters.sql.work import SqlWorkTransaction
from kataribe.conversation.tiers import KeptMemory
from kataribe.domain.conversation.turns import Turn
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store, services
from support.talk import DAY_ONE, turn

EVERY_NIGHT = "0 3 * * *"
UPTO = DAY_ONE + timedelta(days=4)

SCHEDULE = """
import os, signal, sys
from contextlib import contextmanager
from datetime import UTC, datetime
import kataribe
from kataribe.adapters.sql import SqlLedger

path, upto, left = sys.argv[1], datetime.fromisoformat(sys.argv[2]), int(sys.argv[3])
write = SqlLedger.writing

@contextmanager
def writing(ledger, **given):
    global left
    with write(ledger, **given) as tx:
        yield tx
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

SqlLedger.writing = writing
with kataribe.open(path) as store:
    reports = store.user("u").memory.catch_up("0 3 * * *", UTC, upto=upto)
print(len(reports))
"""
"""Holds missed nights, and is killed once so many transactions are committed."""


def said() -> list[Turn]:
    english = ["Please remember that I am allergic to peanuts.", "I love matcha.", "I love matcha a lot."]
    japanese = ["猫の名前はミソだと覚えておいて。", "抹茶が大好きだ。", "兄は銀行で働いている。"]
    texts = [*english, *japanese, "I do not live in Osaka any more. I live in Kyoto."]
    return [
        turn(no, text, day=no / 2, speaker="u", to=("rin",), session=f"s{no}")
        for no, text in enumerate(texts)
    ]


def filled(path: Path, turns: Sequence[Turn] = ()) -> Path:
    with opened(empty_store(path)) as store:
        store.user("u").create(language="en", embedder="hash")
        store.user("u").put_turns([*said(), *turns])
        store.user("u").sync()
    return path


def opened(path: Path, clock: FrozenClock | None = None) -> Kataribe:
    chosen = services() if clock is None else replace(services(), clock=clock)
    return kataribe.open(str(path), services=chosen)


def kept(store: Kataribe) -> Sequence[KeptMemory]:
    return store.user("u").memory.list().memories


def caught_up(path: Path) -> Sequence[KeptMemory]:
    """Hold what is missed, and check that each night was held once and nothing is wrong."""
    with opened(path) as store:
        memory = store.user("u").memory
        memory.catch_up(EVERY_NIGHT, UTC, upto=UPTO)
        assert memory.nights() == tuple(DAY_ONE.replace(hour=3) + timedelta(days=day) for day in range(1, 5))
        assert store.user("u").verify().problems == ()
        assert store.known(user="u", persona="rin").pending_turns == 0
        return kept(store)


def test_nights_killed_after_any_transaction_are_caught_up(tmp_path: Path) -> None:
    whole = caught_up(filled(tmp_path / "whole.db"))
    begun = filled(tmp_path / "begun.db").read_bytes()
    for transactions in range(1, 40):
        path = tmp_path / f"{transactions}.db"
        path.write_bytes(begun)
        command = [sys.executable, "-c", SCHEDULE, str(path), UPTO.isoformat(), str(transactions)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode == 0:
            assert transactions > 5, "there are four nights, and what comes of them"
            assert ended.stdout == "4\n"
            return
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        assert caught_up(path) == whole, transactions
    pytest.fail("it never came to its end")


def test_two_that_hold_the_same_nights_hold_each_once(tmp_path: Path) -> None:
    whole = caught_up(filled(tmp_path / "whole.db"))
    path = filled(tmp_path / "two.db")
    with opened(path) as one, opened(path) as other, ThreadPoolExecutor(2) as both:
        ends = [
            both.submit(store.user("u").memory.catch_up, EVERY_NIGHT, UTC, upto=UPTO)
            for store in (one, other)
        ]
        held = [report.at for end in ends for report in end.result()]
    assert len(held) == len(set(held)) == 4
    assert caught_up(path) == whole


def test_of_two_nights_at_one_moment_one_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path / "two.db")
    night = DAY_ONE + timedelta(days=2)

    def hold(store: Kataribe) -> str:
        try:
            store.user("u").memory.nightly(at=night)
        except kataribe.ConflictError as error:
            return str(error)
        return "held"

    with opened(path) as one, opened(path) as other, ThreadPoolExecutor(2) as both:
        ends = sorted(both.map(hold, (one, other)))
    assert ends[1] == "held"
    assert "later than the one before" in ends[0]


def test_a_clock_set_back_holds_no_night_again_and_loses_none(tmp_path: Path) -> None:
    clock = FrozenClock(UPTO)
    with opened(filled(tmp_path / "c.db"), clock) as store:
        memory = store.user("u").memory
        assert len(memory.catch_up(EVERY_NIGHT, UTC, upto=clock.now())) == 4
        before = kept(store)
        clock.set(DAY_ONE + timedelta(days=1))
        assert memory.catch_up(EVERY_NIGHT, UTC, upto=clock.now()) == ()
        with pytest.raises(kataribe.ConflictError, match="later than the one before"):
            memory.nightly()
        clock.set(UPTO + timedelta(days=1))
        assert len(memory.catch_up(EVERY_NIGHT, UTC, upto=clock.now())) == 1
        ids = {one.value.memory_id for one in before}
        assert ids <= {one.value.memory_id for one in kept(store)}
        assert store.user("u").verify().problems == ()


def test_nights_on_a_full_disk_are_held_when_there_is_room_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Enough for a night to take more than the pages that are free.
    many = [
        turn(100 + no, f"Please remember that box {no} stands in cellar {no}.", speaker="u", to=("rin",))
        for no in range(150)
    ]
    whole = caught_up(filled(tmp_path / "whole.db", many))
    path = filled(tmp_path / "full.db", many)
    with sqlite3.connect(path) as file:
        pages = file.execute("PRAGMA page_count").fetchone()[0]
    file.close()
    room = [0]

    def cramped(name: str, *, busy_seconds: float, full: bool, writable: bool) -> sqlite3.Connection:
        connection = connect(name, busy_seconds=busy_seconds, full=full, writable=writable)
        connection.execute(f"PRAGMA max_page_count = {pages + room[0]}")
        return connection

    refused = []
    for room[0] in range(40):
        with monkeypatch.context() as patch:
            patch.setattr(ledger_module, "connect", cramped)
            try:
                with opened(path) as store:
                    store.user("u").memory.catch_up(EVERY_NIGHT, UTC, upto=UPTO)
                break
            except kataribe.StoreError as error:
                refused.append(str(error))
    assert all("free some disk space" in one for one in refused)
    assert caught_up(path) == whole
    assert refused, "there was no room at first"


def test_a_schedule_goes_on_in_the_same_process_when_there_is_room_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was replayed and could not be written is not taken for written."""
    with opened(filled(tmp_path / "f.db")) as store:
        user = store.user("u")
        user.memory.nightly(at=DAY_ONE + timedelta(days=1))
        begin = SqlWorkTransaction.put_work

        def full(*given: object) -> None:
            raise kataribe.StoreError("no room left; free some disk space and try again")

        monkeypatch.setattr(SqlWorkTransaction, "put_work", full)
        with pytest.raises(kataribe.StoreError):
            user.memory.nightly(at=DAY_ONE + timedelta(days=2))
        monkeypatch.setattr(SqlWorkTransaction, "put_work", begin)
        user.memory.nightly(at=datetime(2023, 5, 11, tzinfo=UTC))
        assert user.verify().problems == ()
        assert len(user.memory.nights()) == 3
