"""`--json` wherever a program might read; each line is held to the shipped schema as it is printed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli

TEXTS = {
    "ja": ("[[known-by: mira]] 冠は井戸の中にある。", "冠は井戸の中にある。"),
    "en": ("[[known-by: mira]] The crown lies in the well.", "The crown lies in the well."),
}


@pytest.fixture(params=["ja", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_story_is_told_to_programs(cli: Cli, language: str) -> None:
    made = cli("story", "add", "s", "--language", language, "--embedder", "hash", "--json").object
    assert (made["id"], made["language"], made["model"]) == ("s", language, "rules")
    assert cli("story", "list", "--json").objects == [made]
    assert cli("story", "model", "s", "--json").object == made
    text, said = TEXTS[language]
    put = cli.put("s", 1, text, "--json").object
    assert put == {
        "story": "s",
        "no": 1,
        "episode_id": put["episode_id"],
        "version": 1,
        "change": "new",
        "pending": True,
    }
    assert cli("story", "show", "s", "--json").object["pending"] == [1]
    synced = cli("sync", "--story", "s", "--json").object
    assert (synced["ok"], synced["episodes"], synced["embedded"], synced["failed"]) == (True, 1, 1, [])
    shown = cli("story", "show", "s", "--json").object
    assert (shown["story"], shown["cast"], shown["episodes"], shown["pending"]) == (made, ["mira"], [1], [])
    (state,) = cli("episode", "list", "--story", "s", "--json").objects
    assert (state["no"], state["state"], state["characters"]) == (1, "in memory", len(text))
    episode = cli("episode", "show", "--story", "s", "--no", 1, "--json").object
    assert (episode["text"], episode["episode_id"]) == (text, state["episode_id"])
    assert [fact["text"] for fact in cli.facts("s")] == [said]
    assert cli.put("s", 1, text, "--json").object["change"] == "unchanged"
    inserted = cli("episode", "insert", "-", "--story", "s", "--no", 1, "--json", stdin=b"One.").object
    assert (inserted["no"], inserted["change"]) == (1, "new")
    cli("episode", "delete", "--story", "s", "--no", 1)
    deleted = [one["state"] for one in cli("episode", "list", "--story", "s", "--json").objects]
    assert deleted == ["deleted", "in memory"]


def test_a_cast_is_told_with_who_knows_which_name(cli: Cli, language: str) -> None:
    cli("story", "add", "s", "--language", language, "--embedder", "hash")
    cli(
        "cast", "add", "mira", "--story", "s", "--name", "ミラ", "--alias", "灯守@3:mira,aldo", "--alias", "M"
    )
    (shown,) = cli("cast", "list", "--story", "s", "--json").objects
    assert shown == cli("cast", "show", "mira", "--story", "s", "--json").object
    assert (shown["id"], shown["name"], shown["declared"]) == ("mira", "ミラ", True)
    assert [(one["kind"], one["text"], one["since"], one["known_by"]) for one in shown["names"]] == [
        ("name", "ミラ", 0, ["world"]),
        ("other", "灯守", 3, ["aldo", "mira"]),
        ("other", "M", 0, ["world"]),
    ]


def test_an_import_says_what_it_changed(cli: Cli) -> None:
    folder = cli.folder("f", [{"episode_no": 1, "text": "冠がある。", "episode_id": "e1"}])
    done = cli("story", "import", folder, "--story", "s", "--embedder", "hash", "--json").object
    assert (done["new"], done["edited"], done["to_sync"], done["language"]) == (["e1"], [], 1, "ja")
    again = cli("story", "import", folder, "--story", "s", "--json").object
    assert (again["new"], again["unchanged"]) == ([], ["e1"])


def test_a_branch_is_told_when_it_is_made_and_listed(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli.put("s", 1, "One.")
    made = cli("story", "branch", "add", "b", "--of", "s", "--after", 1, "--json").object
    assert (made["id"], made["parent"], made["after"]) == ("b", "s", 1)
    assert cli("story", "branch", "list", "--json").objects == [made]


def test_an_estimate_and_a_rebuild_are_told(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli.put("s", 1, "One. Two.")
    (one,) = cli("sync", "--dry-run", "--json").objects
    assert (one["story"], one["model"], one["due"], one["usage"]["calls"]) == ("s", "rules", 1, 0)
    cli("remember", "昨日は雨だった。", "--user", "nora", "--speaker", "nora", "--embedder", "hash")
    done = cli("rebuild", "--json").object
    assert (done["ok"], done["episodes"], done["turns"], done["embedded"]) == (True, 1, 1, 3)


def test_a_diagnosis_is_told_row_by_row(cli: Cli) -> None:
    rows = cli("doctor", "--json").objects
    assert {"kataribe", "python", "sqlite", "embedder hash"} <= {row["what"] for row in rows}


def test_a_changed_audience_of_guesses_is_told(cli: Cli) -> None:
    made = cli("story", "add", "s", "--embedder", "hash", "--json").object
    assert made["audience"] == "evident"
    assert cli("story", "audience", "s", "--json").object == made
    assert cli("story", "audience", "s", "strict", "--json").object["audience"] == "strict"
    assert cli("story", "show", "s", "--json").object["story"]["audience"] == "strict"


def test_whoever_is_added_to_or_changed_in_the_cast_is_told(cli: Cli, language: str) -> None:
    cli("story", "add", "s", "--language", language, "--embedder", "hash")
    added = cli("cast", "add", "mira", "--story", "s", "--narrates", "2-3:aldo", "--json").object
    assert added["narrates"] == [{"first": 2, "last": 3, "told_to": ["aldo"]}]
    edited = cli("cast", "edit", "mira", "--story", "s", "--name", "灯守", "--json").object
    assert edited == cli("cast", "show", "mira", "--story", "s", "--json").object
    renamed = cli("cast", "rename", "mira", "mirai", "--story", "s", "--json").object
    assert (renamed["id"], renamed["name"]) == ("mirai", "灯守")
    group = cli("cast", "group", "add", "inner", "--story", "s", "--member", "mirai", "--json").object
    assert cli("cast", "group", "list", "--story", "s", "--json").objects == [group]
    left = cli("cast", "group", "edit", "inner", "--story", "s", "--leave", "mirai@4", "--json").object
    assert left["members"] == [{"id": "mirai", "from": 0, "to": 4}]


def test_an_imported_cast_says_what_it_changed_and_what_a_hand_keeps(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    file = cli.db.parent / "cast.json"
    clash = {"id": "mira", "field": "name"}
    for name, said in (("Mira", (1, [])), ("Mira", (0, [])), ("Mira Vale", (1, [clash]))):
        file.write_text(json.dumps({"characters": [{"id": "mira", "name": name}]}), encoding="utf-8")
        told = cli("cast", "import", file, "--story", "s", "--json").object
        assert (told["characters"], told["groups"], told["changed"], told["clashes"]) == (1, 0, *said)
        cli("cast", "edit", "mira", "--story", "s", "--name", "Mira by hand")


def test_an_episode_that_moves_is_told_as_it_stands_then(cli: Cli, language: str) -> None:
    cli("story", "add", "s", "--language", language, "--embedder", "hash")
    cli.put("s", 1, TEXTS[language][0])
    gone = cli("episode", "delete", "--story", "s", "--no", 1, "--json").object
    assert (gone["no"], gone["state"]) == (1, "deleted")
    back = cli("episode", "restore", "--story", "s", "--no", 1, "--json").object
    assert (back["episode_id"], back["state"]) == (gone["episode_id"], "pending")
    moved = cli("episode", "renumber", "--story", "s", "--no", 1, "--to", 3, "--json").object
    assert (moved["episode_id"], moved["no"]) == (gone["episode_id"], 3)
    cli("sync", "--story", "s")
    (fact,) = cli.facts("s")
    pinned = cli("fact", "pin", fact["fact_id"], "--story", "s", "--json").object
    assert pinned == {**fact, "pinned": True}
    edited = cli("fact", "edit", fact["fact_id"], "--story", "s", "--importance", 5, "--json").object
    assert (edited["fact_id"], edited["importance"], edited["origin"]) == (fact["fact_id"], 5, "hand")


def test_a_detached_branch_and_a_retry_are_told(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli.put("s", 1, "One.")
    cli("story", "branch", "add", "b", "--of", "s", "--after", 1)
    assert cli("story", "branch", "detach", "b", "--json").object["parent"] is None
    assert cli("work", "retry", "--story", "s", "--json").object == {"retried": 0}


def test_a_text_in_another_encoding_is_taken_when_it_is_named(cli: Cli) -> None:
    cli("story", "add", "s", "--language", "ja", "--embedder", "hash")
    text = "冠は井戸の中にある。鏡花はそれを知っている。"
    asked = ("episode", "put", "-", "--story", "s", "--no", 1)
    refused = cli(*asked, code=3, stdin=text.encode("cp932"))
    assert "it seems to be shift_jis; give --encoding shift_jis" in refused.err
    assert cli("episode", "list", "--story", "s", "--json").objects == []
    cli(*asked, "--encoding", "shift_jis", stdin=text.encode("cp932"))
    assert cli("episode", "show", "--story", "s", "--no", 1, "--json").object["text"] == text
    file = cli.file("two.txt", "It rained. Mira’s crown".encode("utf-16"))
    cli("episode", "insert", file, "--story", "s", "--no", 2, "--encoding", "utf-16")
    assert cli("episode", "show", "--story", "s", "--no", 2).out == "It rained. Mira’s crown"
