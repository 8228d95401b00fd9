"""Memory in tiers from the command line: looked at, decided by hand, held by nights."""

from __future__ import annotations

import pytest

from cli.conftest import Cli, jsonl

USER = ("--user", "u")
TALK = [
    {"session": "1", "speaker": "u", "text": "Remember that I am allergic to peanuts.", "id": "a",
     "time": "2024-01-01T10:00:00Z", "persona": ["rin"]},
    {"session": "1", "speaker": "u", "text": "My cat is called Miso.", "id": "b",
     "time": "2024-01-01T10:01:00Z", "persona": ["rin"]},
    {"session": "2", "speaker": "u", "text": "The ferry was late again.", "id": "c",
     "time": "2024-01-02T10:00:00Z", "persona": ["ben"]},
]  # fmt: skip
NIGHT = ("--at", "2024-01-03T03:00:00+09:00")


@pytest.fixture
def talk(cli: Cli) -> Cli:
    log = cli.file("log.jsonl", jsonl(TALK))
    cli("log", "import", log, *USER, "--language", "en", "--embedder", "hash")
    return cli


def test_a_night_is_tried_held_and_told(talk: Cli) -> None:
    tried = talk("nightly", *USER, *NIGHT, "--dry-run", "--json").object
    assert (tried["dry_run"], tried["at"]) == (True, "2024-01-02T18:00:00+00:00")
    assert talk("memory", "list", *USER, "--tier", "long", "--json").objects == []
    held = talk("nightly", *NIGHT, "--json").object
    assert {**held, "dry_run": True} == tried
    again = talk("nightly", *USER, *NIGHT, code=3)
    assert "later than the one before" in again.err
    ahead = talk("nightly", *USER, "--at", "2999-01-01T00:00:00Z", code=3)
    assert "still to come" in ahead.err
    told = talk("nightly", *USER, "--at", "2024-01-04T03:00:00Z", "--digest")
    assert "u: " in told.err
    assert "held by the usual numbers" in told.err


def test_the_last_night_is_told_and_taken_back(talk: Cli) -> None:
    none_yet = talk("nightly", *USER, "--digest", code=3)
    assert "no night was held" in none_yet.err
    assert "u: no night was held" in talk("nightly", "--digest").err
    held = talk("nightly", *USER, *NIGHT, "--json").object
    assert talk("nightly", *USER, "--digest", "--json").object == held, "to look at it holds none"
    told = talk("nightly", *USER, "--digest")
    assert "allergic to peanuts" in told.out
    assert "kataribe nightly --user u --undo" in told.err
    talk("nightly", *USER, "--undo", "--digest", code=3)
    assert talk("nightly", *USER, "--undo", "--json").object == held
    assert talk("memory", "list", *USER, "--tier", "long", "--json").objects == []
    assert talk("nightly", *USER, *NIGHT, "--json").object == held, "and it can be held again"
    assert "taken back" in talk("nightly", *USER, "--undo").err


def test_memories_are_listed_shown_and_explained(talk: Cli) -> None:
    talk("nightly", *USER, *NIGHT)
    listed = talk("memory", "list", *USER, "--json").objects
    assert [(one["holder"], one["sources"]) for one in listed] == [
        ("ben", ["c"]), ("rin", ["a"]), ("rin", ["b"]),
    ]  # fmt: skip
    (long,) = talk("memory", "list", *USER, "--tier", "long", "--json").objects
    assert (long["tier"], long["explicit"], long["sensitivity"]) == ("long", True, None)
    assert "allergic to peanuts" in long["text"]
    mine = talk("memory", "list", *USER, "--as", "ben", "--json").objects
    assert [one["sources"] for one in mine] == [["c"]]
    assert talk("memory", "show", long["id"], *USER, "--as", "rin", "--json").object == long
    refused = talk("memory", "show", long["id"], *USER, "--as", "ben", code=3)
    assert "no memory" in refused.err
    why = talk("memory", "why-kept", long["id"], *USER, "--json").object
    assert why["rows"][0]["tier"] == "mid"
    assert [(row["tier"], row["reason"]) for row in why["rows"]][-1] == ("long", "promoted_explicit")
    assert why["rows"][-1]["policy"] == {}
    told = talk("memory", "why-kept", long["id"], *USER).out
    assert "allergic" in told
    assert "the usual numbers" in told
    assert "Miso" in talk("memory", "list", *USER).out
    wrong = talk("memory", "list", *USER, "--tier", "short", code=3)
    assert "mid or long" in wrong.err


def test_people_decide_about_memories(talk: Cli) -> None:
    (cat,) = [one for one in talk("memory", "list", *USER, "--json").objects if one["sources"] == ["b"]]
    talk("memory", "pin", cat["id"], *USER)
    talk("memory", "edit", cat["id"], *USER, "--text", "The cat is called Miso.")
    assert talk("memory", "show", cat["id"], *USER, "--json").object["text"] == "The cat is called Miso."
    talk("memory", "unpin", cat["id"], *USER)
    would = talk("memory", "forget", *USER, "--about", "cat Miso", "--dry-run", "--json").objects
    assert [one["id"] for one in would] == [cat["id"]]
    gone = talk("memory", "forget", cat["id"], *USER)
    assert "forgotten: 1" in gone.err
    assert cat["id"] not in talk("memory", "list", *USER, "--json").out
    nothing = talk("memory", "forget", *USER, "--about", "zebra", code=3)
    assert "nothing of that is kept" in nothing.err
    talk("memory", "forget", *USER, code=3)
    assert "no memory" in talk("memory", "restore", cat["id"], *USER, code=3).err


def test_memory_in_tiers_is_kept_in_japanese_too(cli: Cli) -> None:
    said = [
        {**TALK[0], "text": "私はピーナッツアレルギーだと覚えておいて。"},
        {**TALK[1], "text": "猫の名前はミソです。"},
    ]
    cli("log", "import", cli.file("log.jsonl", jsonl(said)), *USER, "--embedder", "hash")
    cli("nightly", *USER, *NIGHT)
    (long,) = cli("memory", "list", *USER, "--tier", "long", "--json").objects
    assert "ピーナッツ" in long["text"]
    would = cli("memory", "forget", *USER, "--about", "ミソ", "--dry-run").out
    assert "猫の名前はミソです。" in would


def test_nights_that_were_missed_are_held_once_each(talk: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    talk("nightly", *USER, "--at", "2024-01-02T18:00:00Z")
    monthly = ("schedule", "--cron", "0 3 1 1 *", "--timezone", "Asia/Tokyo", "--once", "--json")
    held = [one["at"] for one in talk(*monthly).objects]
    assert held[:2] == ["2024-12-31T18:00:00+00:00", "2025-12-31T18:00:00+00:00"]
    assert talk(*monthly).objects == []
    refused = talk("schedule", "--cron", "every night", "--once", code=3)
    assert "five fields" in refused.err
    assert "no cron expression" in talk("schedule", "--cron", "99 3 * * *", "--once", code=3).err
    talk("schedule", "--timezone", "Mars/Olympus", "--once", code=3)
    monkeypatch.setattr("kataribe.wiring.on_use.find_spec", lambda _: None)
    assert "pip install 'kataribe[schedule]'" in talk("schedule", "--once", code=3).err


def test_what_is_archived_is_recalled_where_that_is_asked(talk: Cli) -> None:
    asked = ("recall", "cat", *USER, "--as", "rin", "--json")
    assert talk(*asked).object["hits"] != []
    talk("nightly", *USER, "--at", "2024-08-01T00:00:00Z")
    assert talk(*asked).object["hits"] == []
    assert "Miso" in talk(*asked, "--archived").object["hits"][0]["text"]
    assert "Miso" in talk("log", "search", "cat", *USER, "--as", "rin").out


def test_what_was_said_since_the_last_sync_is_told_of(talk: Cli) -> None:
    assert talk("memory", "list", *USER).err == ""
    talk("remember", "My sister lives in Osaka.", *USER, "--speaker", "u", "--persona", "mia")
    assert (
        "mia: more was said or used since; type: kataribe sync --user u" in talk("memory", "list", *USER).err
    )
    mine = talk("memory", "list", *USER, "--as", "rin").err
    assert mine == "", "what others were told is none of a viewer's concern"
    talk("sync", *USER)
    assert talk("memory", "list", *USER).err == ""
