"""`kataribe backup`, `kataribe restore`, and the backups of `kataribe schedule`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.conftest import Cli
from support.old_stores import VERSIONS, restore

SAID = {"en": "I keep a grey cat at home.", "ja": "家で灰色の猫を飼っています。"}


@pytest.fixture(params=["en", "ja"])
def told(cli: Cli, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Give a store with a user."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    given = ("--user", "u", "--speaker", "u", "--language", request.param, "--embedder", "hash")
    cli("remember", SAID[request.param], *given)
    return cli


def test_a_backup_is_tried_and_restored(told: Cli) -> None:
    known = told("known", "--user", "u", "--as-of", "2099-01-01T00:00Z", "--json").object
    assert "kataribe restore k.backup --to DB" in told("backup", "k.backup").err
    tried = told("restore", "k.backup", "--check", "--json").object
    assert (tried["ok"], tried["to"], tried["users"], tried["sealed"]) == (True, None, 1, True)
    assert "can be restored" in told("restore", "k.backup", "--check").out
    again = told.other("again.db")
    done = told("restore", "k.backup", "--to", again.db, "--json").object
    assert done == {**tried, "to": str(again.db)}
    # What a backup leaves out is there again.
    assert again("known", "--user", "u", "--as-of", "2099-01-01T00:00Z", "--json").object == known
    assert again("verify", "--json").object["pending_turns"] == 0
    assert "exists already" in told("restore", "k.backup", "--to", again.db, code=3).err
    (listed,) = told("backup", "--list", "--json").objects
    assert (Path(listed["path"]).name, listed["sealed"], listed["users"]) == ("k.backup", True, 1)
    assert told("backup", "--list").table[0][2] == "sealed"


def test_who_is_erased_does_not_come_back(told: Cli) -> None:
    told("backup", "k.backup")
    token = told("privacy", "request", "--user", "u", "--action", "delete").out.strip()
    told("user", "delete", "u", "--token", token)
    assert "1 user not restored: erased since" in told("restore", "k.backup", "--to", "again.db").err
    assert told.other("again.db")("user", "list", "--json").objects == []


def test_without_its_key_store_a_backup_names_what_to_do(told: Cli) -> None:
    told("backup", "k.backup")
    Path(told("keys", "status", "--json").object["place"]).unlink()
    assert "--leave-closed restores without them" in told("restore", "k.backup", "--check", code=3).err
    said = told("restore", "k.backup", "--to", "again.db", "--leave-closed")
    assert "1 user not restored: their key cannot be had" in said.err


def test_a_drill_that_finds_something_leaves_with_1(told: Cli) -> None:
    told("backup", "k.backup")
    with closing(sqlite3.connect("k.backup")) as driver:
        driver.execute("DELETE FROM sealed_rows WHERE part = 0 AND number = 0")
        driver.commit()
    tried = told("restore", "k.backup", "--check", "--json", code=1).object
    assert (tried["ok"], "damaged" in tried["problems"][0]) == (False, True)
    assert "damaged" in told("restore", "k.backup", "--to", "again.db", code=3).err
    assert not Path("again.db").exists()


@pytest.mark.parametrize(
    "wrong", [("restore", "k.backup"), ("restore", "k.backup", "--to", "a.db", "--check"), ("backup",)]
)
def test_what_is_to_be_done_must_be_said(cli: Cli, wrong: tuple[str, ...]) -> None:
    assert "either" in cli(*wrong, code=2).err


def test_vectors_are_refused_where_there_are_users(told: Cli) -> None:
    assert "leave --with-vectors out" in told("backup", "k.backup", "--with-vectors", code=3).err


@pytest.mark.parametrize("version", VERSIONS)
def test_a_backup_of_any_earlier_release_is_restored(
    cli: Cli, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    old = tmp_path / "old.backup"
    restore(version, old)
    before = old.read_bytes()
    done = cli("restore", old, "--to", "again.db", "--no-sync", "--json").object
    assert done["ok"]
    assert done["at"] is None
    assert old.read_bytes() == before
    held = cli.other("again.db")("verify", "--json").object
    assert (held["ok"], held["turns"], held["users"]) == (True, done["counts"].get("turns", 0), done["users"])
    assert done["sealed"] == (done["users"] == 0)
    said = cli("restore", old, "--check")
    assert ("was written before sealing" in said.err) == bool(done["users"])


def test_schedule_writes_the_backups_that_are_set(
    told: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATARIBE_BACKUPS_FOLDER", str(tmp_path / "kept"))
    (line,) = told("schedule", "--once", "--cron", "0 3 1 1 *", "--json").objects
    assert (Path(line["backup"]).parent, line["users"], line["removed"]) == (tmp_path / "kept", 1, [])
    assert told("schedule", "--once", "--cron", "0 3 1 1 *").out == ""
    (kept,) = (tmp_path / "kept").iterdir()
    assert told("restore", kept, "--check", "--json").object["ok"]
    monkeypatch.setenv("KATARIBE_BACKUPS_FOLDER", str(kept))
    said = told("schedule", "--once", "--cron", "0 3 1 1 *", code=1)
    assert "error: no backup: " in said.err
