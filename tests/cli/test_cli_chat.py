"""`kataribe chat`: what is typed is stored before anything else, and a reply is heard as it comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from pydantic_ai.models import override_allow_model_requests

from cli.conftest import Cli, Ran
from support.model_server import ModelServer, asked, model_server, says, streams

LINES = {
    "en": ("I left the silver key under the stone.", "Where is the silver key?", "Under the stone."),
    "ja": ("銀の鍵は石の下に置いてきたよ。", "銀の鍵はどこにあるの？", "石の下だよ。"),
}
LANGUAGES = ("en", "ja")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: []) as made, override_allow_model_requests(True):
        yield made


def talk(cli: Cli, *typed: str, language: str = "en", options: tuple[str, ...] = (), code: int = 0) -> Ran:
    given = ("chat", "--user", "nora", "--persona", "akari", "--language", language, "--embedder", "hash")
    return cli(*given, *options, stdin="".join(f"{line}\n" for line in typed).encode(), code=code)


def said(cli: Cli) -> list[tuple[str, str]]:
    rows = cli("log", "list", "--user", "nora", "--json").objects
    return [(row["speaker"], row["text"]) for row in rows]


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_model_it_shows_what_one_would_be_told(cli: Cli, language: str) -> None:
    text, question, _ = LINES[language]
    ran = talk(cli, text, question, "/quit", "never read", language=language)
    assert said(cli) == [("nora", text), ("nora", question)]
    assert ran.out.count(f"- nora: {text}") == 1, "it is at hand when the question comes"
    assert ran.out.rstrip().endswith(question + "\n</question" + ran.out.rstrip().rpartition("</question")[2])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_replies_out_of_what_is_remembered(
    cli: Cli, server: ModelServer, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    text, question, reply = LINES[language]
    talk(cli, text, language=language)
    half = len(reply) // 2
    server.steps = [streams(reply[:half], reply[half:], "\n\nus", "ed: m1", "")]
    options = ("--model", "openai:stub", "--base-url", server.url, "--session", "later")
    ran = talk(cli, question, "/why", language=language, options=options)
    assert ran.out.split("\n")[0] == reply, "what was used is not part of the reply"
    assert said(cli) == [("nora", text), ("nora", question), ("akari", reply)]
    prompt = asked(server.bodies[0])
    assert (prompt["said"], prompt["speak_as"]) == (question, "akari")
    assert text in prompt["context"]
    assert server.bodies[0]["stream"] is True
    assert "memories: " in ran.out
    assert text in ran.out, "/why shows what the reply was told"


def test_a_model_that_fails_loses_nothing_that_was_said(
    cli: Cli, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    server.steps = [says(400), streams("I was about to s", cut_off=True), streams("Good evening.")]
    options = ("--model", "openai:stub", "--base-url", server.url)
    ran = talk(cli, "One.", "Two.", "Three.", options=options)
    assert said(cli) == [("nora", "One."), ("nora", "Two."), ("nora", "Three."), ("akari", "Good evening.")]
    assert ran.err.count("warning: the model 'openai:stub'") == 2


def test_commands_show_keep_and_forget(cli: Cli) -> None:
    ran = talk(
        cli,
        "I broke up with Daniel.",
        "/remember I hate coriander.",
        "/thread",
        "Forget what I said about Daniel.",
        "/help",
        "/memory",
        "/forget coriander",
        "What did I say about Daniel?",
    )
    assert ("nora", "Please remember: I hate coriander") in said(cli)
    assert "forgotten: I broke up with Daniel." in ran.err
    assert "  nora: I broke up with Daniel." in ran.out, "/thread shows what was said by then"
    assert "/forget WORDS" in ran.out
    last = ran.out.rpartition("You are akari.")[2]
    assert "broke up" not in last
    assert "coriander" in last, "it is still at hand"


def test_what_is_said_off_the_record_is_in_no_file(cli: Cli) -> None:
    secret = "the marmalade cipher"
    ran = talk(
        cli, "Hello there, my friend.", "/off", f"I know {secret}.", f"What of {secret}?", "/on", "Bye."
    )
    assert said(cli) == [("nora", "Hello there, my friend."), ("nora", "Bye.")]
    assert f"- nora: I know {secret}." in ran.out, "it is at hand while it is said"
    assert secret not in ran.out.rpartition("You are akari.")[2]
    for file in cli.db.parent.iterdir():
        assert b"marmalade" not in file.read_bytes(), file.name
    talk(cli, f"I know {secret}.", options=("--off",))
    assert len(said(cli)) == 2


def test_what_is_wrong_is_told_and_what_was_said_before_stays(cli: Cli) -> None:
    ran = cli("chat", "--user", "nora", "--persona", "p", "--embedder", "hash", stdin=b"Ok\n", code=3)
    assert "--language" in ran.err
    ran = cli("chat", "--user", "nora", "--story", "s", "--at", "1", code=2)
    assert "--persona" in ran.err
    cli("chat", "--user", "nora", "--story", "s", "--persona", "p", code=2)
    given = ("chat", "--user", "nora", "--language", "en", "--embedder", "hash")
    ran = cli.bare("--db", cli.db, *given, stdin=b"I am here.\n/nothing\nMore.\n")
    assert ran.code == 3
    assert "/nothing" in ran.err
    assert said(cli) == [("nora", "I am here.")]


def test_ctrl_c_leaves_what_was_said(cli: Cli) -> None:
    given = ("chat", "--user", "nora", "--persona", "p", "--language", "en", "--embedder", "hash")
    command = (sys.executable, "-m", "kataribe", "--db", str(cli.db), *given)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ),
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(b"I am here.\n")
        running.stdin.flush()
        assert running.stdout.readline().startswith(b"You are p.")
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 130
        running.stdin.close()
    assert said(cli) == [("nora", "I am here.")]


def test_talk_under_a_story_is_held_there(cli: Cli) -> None:
    story = cli.isle()
    given = ("chat", "--user", "nora", "--persona", "anna", "--story", story, "--at", "2")
    ran = cli(*given, "--language", "en", "--embedder", "hash", stdin=b"The mill is mine now.\n")
    assert "It is episode 2." in ran.out
    rows = cli("log", "list", "--user", "nora", "--story", story, "--at", "2", "--json").objects
    assert [row["text"] for row in rows] == ["The mill is mine now."]
    assert json.dumps(rows)
