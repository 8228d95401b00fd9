"""Whatever standard streams, arguments and paths are like: one line says what is wrong, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kataribe
from kataribe.errors import InputError, KataribeError, StoreError
from kataribe.settings import from_environment

if TYPE_CHECKING:
    from cli.conftest import Cli

NOT_TEXT = os.fsdecode(b"\xff\xfe")
posix = pytest.mark.skipif(sys.platform == "win32", reason="a shell's redirections and /dev/full are POSIX's")


def _run(cli: Cli, redirection: str, *arguments: object) -> tuple[int, list[str]]:
    """Run a command through a shell; give its exit code and the lines on standard error."""
    command = [sys.executable, "-m", "kataribe", "--db", str(cli.db), *map(str, arguments)]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *command], stderr=subprocess.PIPE, check=False
    )
    said = done.stderr.decode("utf-8")
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    return done.returncode, said.splitlines()


@posix
@pytest.mark.parametrize(
    ("redirection", "words"),
    [
        (">&-", "standard output is closed"),
        ("</dev/null 1<&0", "standard output cannot be written"),
        pytest.param(
            ">/dev/full",
            "standard output cannot be written: No space left",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here"),
        ),
    ],
)
def test_standard_output_that_takes_nothing_is_one_line(cli: Cli, redirection: str, words: str) -> None:
    cli.put(cli.sea(), 9, "終わり。The end.")
    for asked in (("story", "list"), ("episode", "show", "--story", cli.SEA, "--no", 9)):
        code, said = _run(cli, redirection, *asked)
        assert (code, len(said)) == (3, 1)
        assert said[0].startswith(f"error: {words}")


@posix
def test_closed_standard_input_is_no_empty_text(cli: Cli) -> None:
    code, said = _run(cli, "<&-", "episode", "put", "--story", cli.sea(), "--no", 9, "-")
    assert (code, len(said)) == (3, 1)
    assert "standard input is closed" in said[0]
    assert len(cli.states(cli.SEA)) == 4


@posix
def test_what_prints_nothing_needs_no_streams(cli: Cli) -> None:
    assert _run(cli, "<&- >&-", "sync", "--story", cli.sea())[0] == 0
    assert _run(cli, ">/dev/null 2>&-", "story", "list") == (0, [])
    cli("verify")


@pytest.mark.parametrize(
    "asked",
    [
        ("recall", "q", "--story", NOT_TEXT, "--as", "a", "--at", 1),
        ("recall", NOT_TEXT, "--story", "sea", "--as", "ミナ", "--at", 2),
        ("why", NOT_TEXT, "--story", "sea", "--as", "ミナ", "--at", 2),
        ("user", "show", NOT_TEXT),
        ("log", "show", "--user", NOT_TEXT, "--turn", "1"),
        ("work", "list", "--story", NOT_TEXT),
        ("sync", "--story", NOT_TEXT),
        ("undo", "--story", NOT_TEXT),
        ("timeline", NOT_TEXT, "--story", "sea"),
        ("episode", "history", "--story", NOT_TEXT, "--no", 1),
    ],
)
def test_bytes_that_are_no_text_are_refused(cli: Cli, asked: tuple[object, ...]) -> None:
    cli.sea()
    cli(*asked, code=3)


def test_text_that_is_none_is_refused_in_python_too(tmp_path: Path) -> None:
    with kataribe.open(str(tmp_path / "k.db")) as store, pytest.raises(InputError, match="no text"):
        store.user(NOT_TEXT).info()


@pytest.mark.parametrize(
    "written",
    [
        '{"$not":' * 5000 + "{}" + "}" * 5000,
        '{"a":{"$eq":' + "[" * 50_000 + "]" * 50_000 + "}}",
        '{"$and":[' * 500 + "{}" + "]}" * 500,
        '{"a":' + "1" * 20_000 + "}",
    ],
)
def test_a_filter_that_is_too_deep_or_too_long_is_refused(cli: Cli, written: str) -> None:
    who = ("--story", cli.sea(), "--as", "ミナ", "--at", 3, "--filter", written)
    for command in (("recall", "鍵 key"), ("known",)):
        ran = cli.bare("--db", cli.db, *command, *who)
        assert ran.code in (2, 3)
        assert "Traceback" not in ran.err
        assert len(ran.err.splitlines()) == 1
        assert len(ran.err) < 1000


@pytest.mark.parametrize("path", ["d/" * 3000 + "x.db", "x" * 300 + ".db", "語" * 300 + ".db", "a\0b"])
def test_a_path_that_no_file_can_have_is_refused(cli: Cli, path: str) -> None:
    with pytest.raises(KataribeError, match=r"--db|create it first"):
        kataribe.open(path)
    if "\0" not in path:
        cli.at(Path(path))("story", "list", code=3)
        with kataribe.open(str(cli.db)) as store, pytest.raises(StoreError):
            store.admin.backup(Path(path))


def test_an_empty_path_is_not_the_default_store(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for given in (("--db", ""), ("--policy", "")):
        ran = cli.bare(*given, "story", "list")
        assert (ran.code, ran.out) == (3, "")
        assert f"{given[0]} is empty" in ran.err
    monkeypatch.setenv("KATARIBE_DB", "")
    ran = cli.bare("story", "list")
    assert (ran.code, ran.out) == (3, "")
    assert "KATARIBE_DB is empty" in ran.err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="empty"):
        kataribe.open("")
    assert from_environment("a.db", {"KATARIBE_DB": ""}).path == "a.db"
    assert from_environment(None, {}).path == "kataribe.db"
