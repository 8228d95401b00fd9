"""Models at the command line, end to end against a server on this machine."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.models import override_allow_model_requests

from kataribe.surfaces.cli.app import EXIT_REFUSED, run
from support.model_server import Fact, ModelServer, fact, model_server, says

TEXTS = {
    "en": "Ann hid the letter.\n\nThe sea was calm.",
    "ja": "澪は手紙を隠した。\n\n海は静かだった。",
}


def facts(prompt: dict[str, Any]) -> list[Fact]:
    secret, public = (one["text"] for one in prompt["paragraphs"])
    return [fact(secret, known_by=[prompt["cast"][0]["id"]]), fact(public)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(facts) as made, override_allow_model_requests(True):
        yield made


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "k.db")


def put(db: str, tmp_path: Path, language: str, *, model: str = "openai:gpt-x") -> str:
    text = tmp_path / f"{language}.txt"
    text.write_text(TEXTS[language], encoding="utf-8")
    who = "ann" if language == "en" else "澪"
    story = ["story", "add", language, "--language", language, "--embedder", "hash", "--model", model]
    assert run(["--db", db, *story]) == 0
    assert run(["--db", db, "cast", "add", "--story", language, who]) == 0
    assert run(["--db", db, "episode", "put", "--story", language, "--no", "1", str(text)]) == 0
    return who


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_model_reads_a_story_from_end_to_end(
    language: str,
    db: str,
    tmp_path: Path,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    who = put(db, tmp_path, language)
    capfd.readouterr()
    assert run(["--db", db, "sync", "--dry-run", "--base-url", server.url]) == 0
    head, row = capfd.readouterr().out.splitlines()
    assert head.split("\t") == [
        "story", "model", "due", "to read", "calls", "tokens in", "tokens out", "cost",
    ]  # fmt: skip
    assert row.split("\t")[:5] == [language, "openai:gpt-x", "1", "1", "1"]
    assert row.endswith("\tunknown")
    assert server.calls == 0

    assert run(["--db", db, "sync", "--base-url", server.url]) == 0
    assert "1 call of models: 100 tokens in, 10 out" in capfd.readouterr().err
    secret, public = TEXTS[language].split("\n\n")
    assert run(["--db", db, "known", "--story", language, "--as", who, "--at", "2"]) == 0
    out = capfd.readouterr().out
    assert secret in out
    assert public in out
    assert run(["--db", db, "known", "--story", language, "--as", "nobody", "--at", "2"]) == 0
    assert secret not in capfd.readouterr().out

    assert run(["--db", db, "sync"]) == 0
    assert run(["--db", db, "rebuild"]) == 0
    assert run(["--db", db, "verify"]) == 0
    assert server.calls == 1
    assert run(["--db", db, "rebuild", "--extract-again", "--base-url", server.url]) == 0
    assert server.calls == 2


def test_the_address_may_come_from_the_environment(
    db: str, tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATARIBE_BASE_URL", server.url)
    put(db, tmp_path, "en", model="ollama:qwen3:8b")
    assert run(["--db", db, "sync"]) == 0
    assert server.bodies[0]["model"] == "qwen3:8b"


def test_a_missing_key_is_one_line_and_leaves_all_else_as_it_is(
    db: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    put(db, tmp_path, "en")
    capfd.readouterr()
    assert run(["--db", db, "sync"]) == EXIT_REFUSED
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("error: the model 'openai:gpt-x' needs a key: set OPENAI_API_KEY")
    assert run(["--db", db, "episode", "show", "--story", "en", "--no", "1"]) == 0
    assert capfd.readouterr().out == TEXTS["en"]


def test_a_key_in_the_environment_chooses_no_model(
    db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert run(["--db", db, "story", "add", "s", "--embedder", "hash"]) == 0
    capfd.readouterr()
    assert run(["--db", db, "story", "model", "s"]) == 0
    assert capfd.readouterr().out == "rules\n"


def test_a_model_is_chosen_shown_and_left(
    db: str, tmp_path: Path, server: ModelServer, capfd: pytest.CaptureFixture[str]
) -> None:
    put(db, tmp_path, "en", model="rules")
    assert run(["--db", db, "sync"]) == 0
    capfd.readouterr()
    assert run(["--db", db, "story", "model", "en", "openai:gpt-x"]) == 0
    assert capfd.readouterr().err.splitlines() == [
        "the texts of en are read by openai:gpt-x",
        "to remember anew: episode 1; run `kataribe sync --story en`",
    ]
    assert run(["--db", db, "story", "model", "en"]) == 0
    assert capfd.readouterr().out == "openai:gpt-x\n"
    assert run(["--db", db, "story", "show", "en"]) == 0
    assert "model\topenai:gpt-x" in capfd.readouterr().out
    assert run(["--db", db, "story", "model", "en", "gpt-x"]) == EXIT_REFUSED
    assert "'gpt-x' is no model; choose rules" in capfd.readouterr().err


def test_a_model_is_chosen_on_import(db: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "story"
    folder.mkdir()
    (folder / "01.txt").write_text(TEXTS["en"], encoding="utf-8")
    order = ["--db", db, "story", "import", str(folder), "--story", "s", "--embedder", "hash"]
    for model in ("google:gemini-x", "anthropic:claude-x"):
        assert run([*order, "--model", model]) == 0
        capfd.readouterr()
        assert run(["--db", db, "story", "model", "s"]) == 0
        assert capfd.readouterr().out == f"{model}\n"
    assert run(order) == 0
    capfd.readouterr()
    assert run(["--db", db, "story", "model", "s"]) == 0
    assert capfd.readouterr().out == "anthropic:claude-x\n", "what is not said stays"


def test_a_model_that_fails_is_told_and_tried_again(
    db: str, tmp_path: Path, server: ModelServer, capfd: pytest.CaptureFixture[str]
) -> None:
    put(db, tmp_path, "en")
    server.steps = [says(422)] * 9
    assert run(["--db", db, "sync", "--base-url", server.url]) == 1
    assert "error: en episode 1: the model 'openai:gpt-x' did not answer" in capfd.readouterr().err
    server.steps = []
    assert run(["--db", db, "sync", "--retry", "--base-url", server.url]) == 0


def test_a_key_is_never_written_down(
    db: str, tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    put(db, tmp_path, "en")
    assert run(["--db", db, "sync", "--base-url", server.url]) == 0
    assert server.keys == ["Bearer sk-very-secret"]
    with closing(sqlite3.connect(db)) as connection:
        assert "sk-very-secret" not in "\n".join(connection.iterdump())
