"""A command that only asks makes no store, and says that there is none; who begins something makes one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kataribe.surfaces.cli.app import EXIT_REFUSED, run

ASKING = [
    "recall 大阪 --user u",
    "recall q --story s --as p --at 1",
    "known --user u",
    "context q --user u",
    "answer q --user u --model none:x",
    "memory list --user u",
    "memory show m --user u",
    "memory why-kept m --user u",
    "memory forget --about x --user u",
    "log list --user u",
    "log search 大阪 --user u",
    "log pairs --user u --persona p",
    "thread list --user u",
    "buffer --user u",
    "associate x --user u",
    "user list",
    "user show u",
    "profile show --user u",
    "profile history --user u",
    "profile consent list --user u",
    "privacy show --user nobody",
    "privacy request --user nobody --action export",
    "privacy delete --user nobody --token t",
    "story list",
    "story show s",
    "story export out --story s",
    "cast list --story s",
    "episode list --story s",
    "fact list --story s",
    "matrix --story s",
    "check --story s",
    "timeline x --story s",
    "kb list",
    "kb search q --library l",
    "work list",
    "verify",
    "trace --user u",
    "audit list",
    "audit verify",
    "access list",
    "keys status",
    "backup --list",
    "backup copy.backup",
]


@pytest.mark.parametrize("command", ASKING)
def test_a_question_to_no_store_makes_none(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert run(["--db", "none.db", *command.split()]) == EXIT_REFUSED
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: there is no store at none.db; name one with --db or KATARIBE_DB")
    assert [*tmp_path.iterdir()] == []


def test_an_empty_file_is_no_store_and_stays_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    assert run(["--db", str(path), "user", "list"]) == EXIT_REFUSED
    assert "there is no store at" in capsys.readouterr().err
    assert path.stat().st_size == 0


def test_it_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    script = (
        "import sys; from kataribe.surfaces.cli.app import run;"
        f"assert run(['--db', {str(tmp_path / 'none.db')!r}, 'memory', 'list', '--user', 'u']) == 3;"
        "assert not {'numpy', 'sqlalchemy', 'sqlite3'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, timeout=300)


@pytest.mark.parametrize(
    "command",
    [
        "remember こんにちは --user u --speaker u --embedder hash",
        "story add s --language en --embedder hash",
        "kb create l --language ja --embedder hash",
    ],
)
def test_who_begins_something_makes_the_store(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    path = tmp_path / "new.db"
    assert run(["--db", str(path), *command.split()]) == 0, capsys.readouterr().err
    assert path.stat().st_size > 0


def test_a_user_that_is_not_there_is_said_to_be_none_of_those_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    db = ["--db", str(tmp_path / "k.db")]
    assert (
        run([*db, "remember", "I live in Osaka.", "--user", "u", "--speaker", "u", "--embedder", "hash"]) == 0
    )
    for command in ("show", "request --action delete", "export f.zip --token t", "delete --token t"):
        assert run([*db, "privacy", *command.split(), "--user", "nobody"]) == EXIT_REFUSED
        heard = capsys.readouterr().err
        assert "there is no user 'nobody'; `kataribe user list` names those there are" in heard, command
