"""One thing that was said, from a shell: stored, remembered at once, and recalled by the next command."""

from __future__ import annotations

import pytest

from cli.conftest import Cli

USER = ("--user", "nora", "--embedder", "hash")
SAID = ("--speaker", "Nora", "--persona", "akari")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I left the silver key under the stone.", "Where is the key?"),
        ("銀の鍵は石の下に置いてきたよ。", "鍵はどこ？"),
    ],
)
def test_what_was_said_is_recalled_by_the_next_command(cli: Cli, text: str, question: str) -> None:
    told = cli("remember", text, *USER, *SAID, "--json")
    assert "language told from the text" in told.err
    assert told.object == {
        "user": "nora",
        "made": True,
        "id": told.object["id"],
        "session": told.object["time"][:10],
        "time": told.object["time"],
        "known_by": ["akari"],
        "ahead": False,
        "pending": None,
    }
    found = cli("recall", question, "--user", "nora", "--as", "akari", "--json").object
    assert [(hit["fact_id"], hit["text"]) for hit in found["hits"]] == [(told.object["id"], text)]
    assert cli("recall", question, "--user", "nora", "--json").object["hits"] == []


def test_it_says_who_holds_it_and_when_it_was_said(cli: Cli) -> None:
    ran = cli("remember", "-", *USER, "--speaker", "Nora", "--session", "x", "--time", "2024-05-08T10:00:00",
              stdin=b"I came home from the harbour.\n")  # fmt: skip
    assert "held by world: told to all" in ran.err
    assert "no zone and is taken as UTC" in ran.err
    (turn,) = cli("log", "list", "--user", "nora", "--json").objects
    assert (turn["id"], turn["session"], turn["time"]) == (ran.out.strip(), "x", "2024-05-08T10:00:00+00:00")
    assert turn["text"] == "I came home from the harbour.\n"
    late = cli("remember", "It is warm.", *USER, *SAID, "--time", "2999-01-01T00:00:00Z")
    assert "remembered only as of that time" in late.err


def test_what_cannot_be_is_refused(cli: Cli) -> None:
    for options, code, words in (
        (("--story", "s"), 2, "give both --story and --at"),
        (("--story", "s", "--at", "1"), 2, "give --persona"),
        (("--time", "late"), 3, "not ISO 8601"),
        (("--persona", "a:b"), 3, "not allowed in an id"),
    ):
        refused = cli("remember", "I came home again.", *USER, "--speaker", "Nora", *options, code=code)
        assert words in refused.err
    assert (
        "too few words to tell a language by; name one with --language\n"
        in cli("remember", "Hi", *USER, *SAID, code=3).err
    )
    assert cli("user", "list").table == []
