"""How the command line takes a story's inputs: what closes it, and what is asked before it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai.models import override_allow_model_requests

from kataribe.surfaces.cli import output
from support.model_server import Fact, fact, model_server

if TYPE_CHECKING:
    from cli.conftest import Cli


def test_a_secret_of_somebody_undeclared_leaves_what_everybody_knows(cli: Cli) -> None:
    cli("story", "add", "s", "--language", "en", "--embedder", "hash")
    cli.put("s", 1, "The mill burned down. Nobody came.")
    ran = cli("fact", "add", "--story", "s", "--episode", 1, "--text", "Bo did it.", "--known-by", "bo")
    assert "now in the cast: bo" in ran.err
    assert "everybody's" in cli("sync").err
    assert cli.known_texts("s", "ada", 2) == ["The mill burned down.", "Nobody came."]
    assert cli.known_texts("s", "bo", 2) == ["The mill burned down.", "Nobody came.", "Bo did it."]
    assert cli.review("s") == []
    cli("verify")


def test_a_fact_by_hand_takes_what_the_text_says_from_nobody(cli: Cli) -> None:
    story = cli.isle()
    text = "Boris met Anna at the old mill."
    (found,) = (fact for fact in cli.facts(story) if fact["text"] == text)
    assert found["known_by"] == ["anna", "boris"]
    add = ("fact", "add", "--story", story, "--episode", 2, "--text", text, "--known-by")
    refused = cli(*add, "anna,clara", code=3)
    assert "boris would still know it" in refused.err
    assert f"`kataribe fact widen {found['fact_id']} --known-by`" in refused.err
    assert cli.fact(story, found["fact_id"]) == found
    ran = cli(*add, "anna,boris,clara")
    assert "the text says the same" in ran.err
    assert cli.fact(story, ran.out.strip())["known_by"] == ["anna", "boris", "clara"]
    cli("verify")


def test_a_deleted_text_follows_a_rename(cli: Cli) -> None:
    story = cli.isle()
    cli.put(story, 4, "[[known-by: anna]] Anna buried the key.")
    assert "edit the text first" in cli("cast", "rename", "anna", "anne", "--story", story, code=3).err
    cli("episode", "delete", "--story", story, "--no", 4)
    cli("cast", "rename", "anna", "anne", "--story", story)
    cli("episode", "restore", "--story", story, "--no", 4)
    cli("sync")
    shown = cli("episode", "show", "--story", story, "--no", 4).out
    assert shown == "[[known-by: anne]] Anna buried the key."
    assert "Anna buried the key." in cli.known_texts(story, "anne", 5)
    assert [row[0] for row in cli("cast", "list", "--story", story).table] == ["anne", "boris", "clara"]
    cli("verify")


def secret(cli: Cli) -> tuple[str, str]:
    """Tell a secret with a quote that says more than it; give the story's and the fact's id."""
    story = cli.isle()
    add = ("fact", "add", "--story", story, "--episode", 2, "--known-by", "boris")
    ran = cli(*add, "--text", "A horse changed hands.", "--quote", "“I sold the horse,” said Boris.")
    return story, ran.out.strip()


@pytest.mark.parametrize("verb", ["edit", "widen"])
def test_a_secrets_quote_is_shown_to_nobody_more_unasked(cli: Cli, verb: str) -> None:
    story, fact_id = secret(cli)
    command = ("fact", verb, fact_id, "--story", story, "--known-by", "world")
    refused = cli(*command, code=3).err
    assert "--keep-quote" in refused
    assert "--no-quote" in refused
    assert cli.fact(story, fact_id)["known_by"] == ["boris"]
    cli(*command, "--no-quote")
    assert (cli.fact(story, fact_id)["known_by"], cli.fact(story, fact_id)["quote"]) == (["world"], None)
    cli("undo", "--story", story)
    cli(*command, "--keep-quote")
    assert cli.fact(story, fact_id)["quote"] == "“I sold the horse,” said Boris."
    cli("verify")


@pytest.mark.parametrize("verb", ["edit", "widen"])
@pytest.mark.parametrize(("answer", "kept"), [("k", True), ("n", False), ("", None)])
def test_on_a_terminal_it_is_asked(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, verb: str, answer: str, kept: bool | None
) -> None:
    story, fact_id = secret(cli)
    asked: list[str] = []

    def reply(question: str) -> str:
        asked.append(question)
        return answer

    monkeypatch.setattr(output, "ask", reply)
    code = 3 if kept is None else 0
    cli("fact", verb, fact_id, "--story", story, "--known-by", "world", code=code)
    assert "sold the horse" in asked[0]
    found = cli.fact(story, fact_id)
    assert found["known_by"] == (["boris"] if kept is None else ["world"])
    assert (found["quote"] is None) == (kept is False)


def test_a_question_waits_for_a_line_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["  K\n"])
    monkeypatch.setattr(sys, "stdin", _Terminal(lambda: next(typed)))
    assert output.ask("well?") == "", "standard error is none"
    monkeypatch.setattr(sys, "stderr", _Terminal(lambda: ""))
    assert output.ask("well?") == "k"


class _Terminal:
    """A stream that a person sits at."""

    def __init__(self, readline: Callable[[], str]) -> None:
        self.readline = readline

    def isatty(self) -> bool:
        return True

    def write(self, said: str) -> None:
        """Show it."""

    def flush(self) -> None:
        """Show it now."""


def reworded(prompt: dict[str, Any]) -> list[Fact]:
    return [fact("Something was sold.", prompt["paragraphs"][0]["text"], ["boris"])]


@pytest.mark.parametrize(("key", "kept"), [("k", True), ("n", False), ("q", None)])
def test_a_walk_asks_too(cli: Cli, monkeypatch: pytest.MonkeyPatch, key: str, kept: bool | None) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with model_server(reworded) as server, override_allow_model_requests(True):
        cli("story", "add", "s", "--language", "en", "--embedder", "hash", "--model", "openai:gpt-x")
        cli("cast", "add", "--story", "s", "boris")
        cli.put("s", 1, "Boris sold the horse.")
        cli("sync", "--base-url", server.url)
        (found,) = cli.facts("s")
        assert (found["text"], found["quote"]) == ("Something was sold.", "Boris sold the horse.")
        ran = cli("fact", "review", "--story", "s", "--all", "--walk", stdin=f"wp{key}q".encode())
        assert "sold the horse" in ran.out
        (found,) = cli.facts("s")
        assert found["known_by"] == (["boris"] if kept is None else ["world"])
        assert found["quote"] == (None if kept is False else "Boris sold the horse.")


def test_a_person_accepts_what_a_model_forgets(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    said: list[Callable[[dict[str, Any]], list[Fact]]] = [reworded, lambda _: []]
    with model_server(lambda prompt: said[0](prompt)) as server, override_allow_model_requests(True):
        cli("story", "add", "s", "--language", "en", "--embedder", "hash", "--model", "openai:gpt-x")
        cli("cast", "add", "--story", "s", "boris")
        cli.put("s", 1, "Boris sold the horse.")
        cli("sync", "--base-url", server.url)
        assert "no empty answer" in cli("work", "accept", "--story", "s", "--at", 1, code=3).err
        del said[0]
        ran = cli("rebuild", "--extract-again", "--base-url", server.url)
        assert "warning: s episode 1: nothing was found" in ran.err
        assert cli.known_texts("s", "boris", 2) == ["Something was sold."]
        assert "is forgotten" in cli("work", "accept", "--story", "s", "--at", 1).err
        assert cli.known_texts("s", "boris", 2) == []
        cli("verify")


def test_ids_that_look_alike_are_told_and_taken(cli: Cli) -> None:
    cli("story", "add", "s", "--language", "ja", "--embedder", "hash")
    assert "look alike" not in cli("cast", "add", "ガンタ", "--story", "s").err
    assert "look alike" in cli("cast", "add", "ｶﾞﾝﾀ", "--story", "s").err
    file = cli.file("cast.json", '{"characters": [{"id": "\u30ab\u3099\u30f3\u30bf"}]}')
    assert "\\u30ab\\u3099\\u30f3\\u30bf" in cli("cast", "import", file, "--story", "s").err
    assert len(cli("cast", "list", "--story", "s").table) == 3
    assert "look-alike-ids" in cli("check", "--story", "s", "--json").out
