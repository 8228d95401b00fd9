"""What a text brings to mind, from the command line."""

from __future__ import annotations

import pytest

from cli.conftest import Cli, jsonl

USER = ("--user", "u")
TALK = [
    {"session": "1", "speaker": "u", "text": "銀の鍵は水車小屋にあった。", "id": "a",
     "time": "2024-01-01T10:00:00Z", "persona": ["rin"]},
    {"session": "2", "speaker": "u", "text": "落雷があったので、水車小屋が燃えた。", "id": "b",
     "time": "2024-01-02T10:00:00Z", "persona": ["rin"]},
    {"session": "3", "speaker": "u", "text": "鍵はベンに渡した。", "id": "c",
     "time": "2024-01-03T10:00:00Z", "persona": ["ben"]},
]  # fmt: skip


@pytest.fixture
def talk(cli: Cli) -> Cli:
    log = cli.file("log.jsonl", jsonl(TALK))
    cli("log", "import", log, *USER, "--language", "ja", "--embedder", "hash")
    return cli


def test_ideas_are_told_with_the_way_to_them(talk: Cli) -> None:
    told = talk("associate", "鍵", *USER, "--as", "rin", "--json").objects
    (far,) = [one for one in told if one["label"] == "落雷"]
    assert (far["space"], far["holder"], far["hops"], far["sources"]) == ("user:u", "rin", 2, ["b"])
    assert [(step["start"], step["edge"], step["end"], step["turns"]) for step in far["path"]] == [
        ("鍵", "together", "水車小屋", ["a"]), ("水車小屋", "cause", "落雷", ["b"]),
    ]  # fmt: skip
    assert not any("c" in one["sources"] for one in told)
    out = talk("associate", "鍵", *USER, "--as", "rin").out
    assert "鍵, with 水車小屋, because of 落雷" in out
    near = talk("associate", "鍵", *USER, "--as", "rin", "--hops", "1", "--json").objects
    assert {one["hops"] for one in near} == {1}


def test_the_author_is_told_of_everybody(talk: Cli) -> None:
    told = talk("associate", "鍵", *USER, "--json", "--top-k", "50").objects
    assert {one["holder"] for one in told} == {"rin", "ben"}
    past = talk(
        "associate", "鍵", *USER, "--as", "rin", "--as-of", "2024-01-01T12:00:00Z", "--json", "--top-k", "50"
    )
    assert {source for one in past.objects for source in one["sources"]} == {"a"}


def test_what_was_not_talked_about_is_said(talk: Cli) -> None:
    assert "nothing of that was talked about" in talk("associate", "宇宙船", *USER, "--as", "rin").err
    assert talk("associate", "宇宙船", *USER, "--as", "rin", "--json").objects == []
    talk("associate", "鍵", *USER, "--hops", "4", code=2)
    assert "give a text" in talk("associate", " ", *USER, code=3).err
    assert "no user" in talk("associate", "鍵", "--user", "nobody", code=3).err


def test_what_is_remembered_now_is_brought_to_mind_at_once(talk: Cli) -> None:
    talk("remember", *USER, "--persona", "rin", "--speaker", "u", "鍵には真珠が付いている。")
    labels = [one["label"] for one in talk("associate", "鍵", *USER, "--as", "rin", "--json").objects]
    assert "真珠" in labels
