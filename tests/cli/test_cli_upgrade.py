"""`kataribe upgrade`.

An old store is copied before it is changed, tried without being changed, or left alone.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import kataribe
from cli.conftest import Cli
from kataribe.errors import StoreError
from support.old_stores import VERSIONS, restore

HEAD = "0022"
HELD = {
    "0001": {"stories": 2, "users": 0, "turns": 0},
    "0002": {"stories": 3, "users": 0, "turns": 0},
    "0003": {"stories": 3, "users": 2, "turns": 9},
}


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        return list(connection.iterdump())


def held_beside(db: Path) -> set[str]:
    """Name what lies beside a store; a log without anything in it, and what readers share, are nothing."""
    wal, shm = (f"{db.name}{suffix}" for suffix in ("-wal", "-shm"))
    there = {file.name: file for file in db.parent.iterdir()}
    assert wal not in there or there[wal].stat().st_size == 0
    return there.keys() - {db.name, wal, shm}


def copy_of(cli: Cli, version: str) -> Path:
    return cli.db.with_name(f"{cli.db.name}.schema-{version}")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_dry_run_changes_no_byte_and_tells_what_would_be(cli: Cli, version: str) -> None:
    restore(version, cli.db)
    before = cli.db.read_bytes()
    told = cli("upgrade", "--dry-run", "--json").object
    assert cli.db.read_bytes() == before
    assert held_beside(cli.db) == set()
    assert (told["from"], told["to"], told["needed"], told["dry_run"]) == (version, HEAD, True, True)
    assert (told["copy"], told["ok"], told["problems"]) == (None, True, [])
    assert {name: told["counts"][name] for name in HELD[version]} == HELD[version]
    said = cli("upgrade", "--dry-run")
    assert f"from schema {version} to {HEAD}; nothing was changed" in said.out
    assert said.err == ""


@pytest.mark.parametrize("version", VERSIONS)
def test_an_upgrade_leaves_the_store_as_it_was_beside_it(cli: Cli, version: str) -> None:
    restore(version, cli.db)
    before = dump(cli.db)
    dry = cli("upgrade", "--dry-run", "--json").object
    told = cli("upgrade", "--json").object
    assert told["copy"] == str(copy_of(cli, version))
    assert dump(copy_of(cli, version)) == before
    assert (told["from"], told["needed"], told["dry_run"]) == (version, True, False)
    assert (told["counts"], told["problems"]) == (dry["counts"], [])
    again = cli("upgrade", "--json").object
    assert (again["from"], again["needed"], again["copy"]) == (HEAD, False, None)
    assert dump(copy_of(cli, version)) == before, "an upgrade of nothing replaces no copy"


@pytest.mark.parametrize("version", VERSIONS)
def test_any_command_that_opens_an_old_store_says_once_where_its_copy_is(cli: Cli, version: str) -> None:
    restore(version, cli.db)
    before = dump(cli.db)
    first = cli("story", "list")
    assert first.err.count(str(copy_of(cli, version))) == 1
    assert f"from schema {version} to {HEAD}" in first.err
    assert len(first.table) == HELD[version]["stories"]
    assert dump(copy_of(cli, version)) == before
    assert cli("story", "list").err == ""


def test_an_upgrade_says_where_the_copy_is(cli: Cli) -> None:
    restore("0002", cli.db)
    ran = cli("upgrade")
    assert ran.out.count(f"went from schema 0002 to {HEAD}; as it was: {copy_of(cli, '0002')}\n") == 1
    assert ran.err == "", "it is said once"


@pytest.mark.parametrize("command", [("upgrade",), ("story", "list")])
def test_a_copy_that_cannot_be_written_stops_the_upgrade(cli: Cli, command: tuple[str, ...]) -> None:
    restore("0003", cli.db)
    before = cli.db.read_bytes()
    copy_of(cli, "0003").mkdir()
    ran = cli(*command, code=3)
    assert str(copy_of(cli, "0003")) in ran.err
    assert cli.db.read_bytes() == before
    assert held_beside(cli.db) == {copy_of(cli, "0003").name}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_stops_the_upgrade(cli: Cli) -> None:
    restore("0003", cli.db)
    before, folder = cli.db.read_bytes(), cli.db.parent
    folder.chmod(0o555)
    try:
        cli("upgrade", code=3)
        assert cli.db.read_bytes() == before
        assert not copy_of(cli, "0003").exists()
    finally:
        folder.chmod(0o755)


def test_there_is_nothing_to_upgrade_where_there_is_no_store(cli: Cli) -> None:
    for options in ((), ("--dry-run",)):
        assert "there is no store" in cli("upgrade", *options, code=3).err
        assert not cli.db.exists()
    cli.file(cli.db.name, b"a letter")
    assert "not a kataribe store" in cli("upgrade", "--dry-run", code=3).err
    assert cli.db.read_bytes() == b"a letter"


def test_a_newer_store_is_refused_untouched(cli: Cli) -> None:
    restore("0003", cli.db)
    with closing(sqlite3.connect(cli.db)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    before = cli.db.read_bytes()
    for options in ((), ("--dry-run",)):
        assert "newer kataribe" in cli("upgrade", *options, code=3).err
    assert cli.db.read_bytes() == before


def test_python_is_told_what_an_upgrade_did(tmp_path: Path) -> None:
    store = restore("0003", tmp_path / "old.db")
    tried = kataribe.upgrade(str(store), dry_run=True)
    assert (tried.found, tried.is_needed, tried.is_dry, tried.copy) == ("0003", True, True, None)
    told: list[kataribe.Upgrade] = []
    kataribe.open(str(store), upgraded=told.append).close()
    kataribe.open(str(store), upgraded=told.append).close()
    assert [(one.found, one.head, one.copy) for one in told] == [("0003", HEAD, f"{store}.schema-0003")]
    assert not kataribe.upgrade(str(store)).is_needed
    with pytest.raises(StoreError, match="there is no store"):
        kataribe.upgrade(":memory:")


KILLED = """
import os, signal, sys
import kataribe.adapters.sql.ledger as ledger
from kataribe.adapters.sql.sqlite.connection import connect

left = int(sys.argv[2])
made = 0

def count(_statement):
    global made
    made += 1
    if made == left:
        os.kill(os.getpid(), signal.SIGKILL)

def watched(*given, **more):
    connection = connect(*given, **more)
    connection.set_trace_callback(count)
    return connection

ledger.connect = watched
import kataribe
kataribe.upgrade(sys.argv[1])
print(made)
"""


def upgrade_until(store: Path, statement: int) -> subprocess.CompletedProcess[str]:
    """Upgrade in a process that is killed when it comes to a statement; 0: it lives."""
    given = (sys.executable, "-c", KILLED, str(store), str(statement))
    return subprocess.run(given, capture_output=True, text=True, check=False)


def version_in(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def test_a_kill_in_the_middle_leaves_the_old_version_or_the_new_one(tmp_path: Path) -> None:
    statements = int(upgrade_until(restore("0003", tmp_path / "whole.db"), 0).stdout)
    wanted = dump(restore("0003", tmp_path / "wanted.db"))
    found = set()
    for share in (0.05, 0.3, 0.6, 0.95):
        store = restore("0003", tmp_path / f"{share}.db")
        ended = upgrade_until(store, int(statements * share))
        assert ended.returncode == -9, ended.stderr
        found.add(version_in(store))
        if version_in(store) == "0003":
            assert dump(store) == wanted
        done = kataribe.upgrade(str(store))
        assert (version_in(store), done.problems) == (HEAD, ())
        assert dict(done.counts) == dict(kataribe.upgrade(str(tmp_path / "whole.db")).counts)
        with kataribe.open(str(store)) as opened:
            assert len(opened.admin.stories()) == 3
    assert found <= {"0003", HEAD}
