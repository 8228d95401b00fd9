"""`--json` wherever a program might read; each line is held to the shipped schema as it is printed."""

from __future__ import annotations

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
