from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from cli.conftest import Cli


@pytest.fixture
def told(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A store of its own folder, with one user."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    cli("remember", "--user", "yuki", "--speaker", "yuki", "--persona", "h", "猫が大好きなんだ。とても")
    return cli


def test_what_was_done_is_listed_without_anybodys_words(told: Cli) -> None:
    told("recall", "猫", "--user", "yuki", "--as", "h")
    ran = told("audit", "list", "--json")
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert {"keys.make", "user.said", "recall"} <= {event["act"] for event in events}
    assert "猫" not in ran.out
    assert "yuki" not in ran.out
    of_user = told("audit", "list", "--space", "user:yuki", "--last", "1", "--json").out
    assert json.loads(of_user)["chain"].startswith("user:~")
    assert "猫" not in told("audit", "list").out


def test_a_record_that_was_tampered_with_ends_with_one(told: Cli) -> None:
    assert told("audit", "verify").out.startswith("sound: ")
    with sqlite3.connect(told.db) as driver:
        driver.execute("DELETE FROM audit WHERE act = 'user.said'")
    ran = told("audit", "verify", code=1)
    assert ran.out.startswith("NOT SOUND: ")
    found = json.loads(told("audit", "verify", "--json", code=1).out)
    assert not found["ok"]
    assert found["problems"]


def test_the_key_store_is_shown_made_and_its_keys_wrapped_anew(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert not json.loads(cli("keys", "status", "--json").out)["is_made"]
    made = cli("keys", "init")
    assert "every copy" in made.err
    before = json.loads(cli("keys", "status", "--json").out)
    assert before["wrapped_by"] == "file"
    assert before["place"].startswith(str(tmp_path / "data"))
    cli("keys", "rotate")
    assert json.loads(cli("keys", "status", "--json").out)["kek_id"] != before["kek_id"]
    monkeypatch.setenv("KATARIBE_KEK_NEXT", "ab" * 32)
    ran = cli("keys", "rotate", "--to", "environment")
    assert "set KATARIBE_KEK" in ran.err
    assert "ab" * 32 not in ran.out + ran.err
    cli("keys", "rotate", "--to", "paper", code=3)


def test_a_key_store_is_named_by_an_option_and_refused_beside_the_database(cli: Cli, tmp_path: Path) -> None:
    ran = cli("--keys", str(tmp_path / "k.keys"), "keys", "init", code=3)
    assert "folder of the database" in ran.err
    elsewhere = tmp_path.parent / f"{tmp_path.name}-keys" / "k.keys"
    assert str(elsewhere) in cli("--keys", str(elsewhere), "keys", "init").out


def test_a_user_who_is_deleted_leaves_a_tombstone(told: Cli) -> None:
    token = told("privacy", "request", "--user", "yuki", "--action", "delete").out.strip()
    told("user", "delete", "yuki", "--token", token)
    assert "1 tombstone" in told("keys", "status").out
    assert "1 chain erased" in told("audit", "verify").out
