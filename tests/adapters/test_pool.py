"""Connections are lent one at a time, kept for the next, and left in order."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from kataribe.adapters.sql.sqlite.pool import Pool


class Opened:
    """Opens connections to one file and keeps them all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.all: list[sqlite3.Connection] = []

    def __call__(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        self.all.append(connection)
        return connection


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    return Opened(tmp_path / "k.db")


def is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True


def test_a_connection_is_lent_again_with_what_is_remembered_beside_it(opened: Opened) -> None:
    pool = Pool(opened, shares_one=False)
    with pool.lent() as first:
        first.info["read"] = "雪"
        with pool.lent() as second:
            assert second.driver is not first.driver
    with pool.lent() as again:
        assert again.driver in opened.all
    with pool.lent() as one, pool.lent() as other:
        assert {one.info.get("read"), other.info.get("read")} == {"雪", None}
    assert len(opened.all) == 2
    pool.close()
    assert not any(map(is_open, opened.all))


def test_what_a_borrower_left_undone_is_undone(opened: Opened) -> None:
    pool = Pool(opened, shares_one=False)
    with pool.lent() as lent:
        lent.driver.execute("CREATE TABLE said (text TEXT)")
    with pytest.raises(ValueError, match="on the way"), pool.lent() as lent:  # noqa: PT012
        lent.driver.execute("BEGIN")
        lent.driver.execute("INSERT INTO said VALUES ('x')")
        raise ValueError("stopped on the way")
    with pool.lent() as lent:
        assert not lent.driver.in_transaction
        assert lent.driver.execute("SELECT count(*) FROM said").fetchone() == (0,)
    pool.close()


def test_what_comes_back_after_the_end_is_closed(opened: Opened) -> None:
    pool = Pool(opened, shares_one=False)
    with pool.lent() as lent:
        pool.close()
        assert is_open(lent.driver)
    assert not is_open(opened.all[0])


def test_a_child_uses_no_connection_of_its_parent(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(opened, shares_one=False)
    with pool.lent() as mine:
        pass
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pool.lent() as theirs:
        assert theirs.driver is not mine.driver
    assert is_open(mine.driver), "nor does it close it"
    pool.close()
    mine.driver.close()


def test_a_store_in_memory_has_one_connection() -> None:
    pool = Pool(lambda: sqlite3.connect(":memory:"), shares_one=True)
    with pool.lent() as first, pool.lent() as second:
        assert first is second
    pool.close()
