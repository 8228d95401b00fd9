"""Threads and the buffer from the command line."""

from __future__ import annotations

import pytest

from cli.conftest import Cli, jsonl

USER = ("--user", "u")
TALK = [
    {"session": "1", "speaker": "u", "text": "The ferry is late.", "time": "2024-01-01T10:00:00Z", "id": "a",
     "persona": ["rin", "ben"]},
    {"session": "1", "speaker": "Rin", "text": "It often is.", "time": "2024-01-01T10:01:00Z", "id": "b",
     "persona": ["rin"]},
    {"session": "1", "speaker": "u", "text": "ところで、猫が来たよ。", "id": "c", "persona": ["rin"],
     "time": "2024-01-01T10:02:00Z"},
    {"session": "1", "speaker": "u", "text": "By the way, the cat is well.", "time": "2024-01-01T10:03:00Z",
     "id": "d", "persona": ["rin"]},
]  # fmt: skip


@pytest.fixture
def talk(cli: Cli) -> Cli:
    log = cli.file("log.jsonl", jsonl(TALK))
    cli("log", "import", log, *USER, "--language", "en", "--embedder", "hash")
    return cli


def test_threads_are_listed_and_shown(talk: Cli) -> None:
    listed = talk("thread", "list", *USER, "--json").objects
    assert [(one["holder"], one["turns"], one["began"], one["ended_by"]) for one in listed] == [
        ("ben", ["a"], "first", "idle"),
        ("rin", ["a", "b", "c"], "first", "phrase"),
        ("rin", ["d"], "phrase", "idle"),
    ]
    rins = listed[1]
    assert (rins["space"], rins["session"], rins["counts"]) == ("user:u", "1", {"u": 2, "Rin": 1})
    assert rins["persona_counts"] == {"rin": 1}, "by its id"
    shown = talk("thread", "show", rins["id"], *USER, "--json").object
    assert shown["thread"] == rins
    assert [one["text"] for one in shown["messages"]] == [str(row["text"]) for row in TALK[:3]]
    assert "The ferry is late." in talk("thread", "show", rins["id"], *USER).out
    assert "猫が来たよ" in talk("thread", "show", rins["id"], *USER).out


def test_a_persona_is_given_its_own_threads_and_not_told_who_else_was_there(talk: Cli) -> None:
    mine = talk("thread", "list", *USER, "--as", "ben", "--json").objects
    assert [one["turns"] for one in mine] == [["a"]]
    others = talk("thread", "list", *USER, "--as", "rin", "--json").objects[0]["id"]
    refused = talk("thread", "show", others, *USER, "--as", "ben", code=3)
    assert f"no thread '{others}'" in refused.err
    shown = talk("thread", "show", mine[0]["id"], *USER, "--as", "ben", "--json")
    assert "rin" not in shown.out
    before = talk("thread", "list", *USER, "--as", "rin", "--as-of", "2024-01-01T10:01:30Z", "--json").objects
    assert [(one["turns"], one["ended"]) for one in before] == [(["a", "b"], None)]


def test_the_buffer_is_what_was_just_said(talk: Cli) -> None:
    at = ("--as", "rin", "--as-of", "2024-01-01T10:04:00Z")
    found = talk("buffer", *USER, *at, "--json").object
    assert [one["id"] for one in found["messages"]] == ["a", "b", "c", "d"]
    assert (found["session"], found["ended_by"], found["resumes"]) == ("1", None, None)
    assert "known_by" not in found["messages"][0]
    later = talk("buffer", *USER, "--as", "rin", "--as-of", "2024-01-01T10:30:00Z", "--json").object
    last = talk("thread", "list", *USER, "--as", "rin", "--json").objects[-1]["id"]
    assert (later["messages"], later["ended_by"], later["resumes"]) == ([], "idle", last)
    told = talk("buffer", *USER, "--as", "rin", "--as-of", "2024-01-01T10:30:00Z")
    assert "nobody spoke for too long" in told.err
    nothing = talk("buffer", *USER, "--as", "mia", "--as-of", "2024-01-01T10:04:00Z", "--json").object
    assert (nothing["messages"], nothing["session"]) == ([], None)


def test_pairs_are_what_a_persona_was_told_and_replied(talk: Cli) -> None:
    told = talk("log", "pairs", *USER, "--persona", "rin").objects
    assert told == [
        {"messages": [
            {"role": "user", "content": "The ferry is late."},
            {"role": "assistant", "content": "It often is."},
        ]}
    ]  # fmt: skip
    assert talk("log", "pairs", *USER, "--persona", "ben").objects == [], (
        "it was told something, and said nothing"
    )
    assert "holds nothing" in talk("log", "pairs", *USER, "--persona", "mia", code=3).err
