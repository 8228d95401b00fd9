"""How sure a guess must be, who narrates, and review by scene, on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli

TEXTS = {
    "en": (
        "Mary Hill opened the door. “Sit down,” Mary Hill said to Tom Reed. Tom Reed sat down.\n\n* * *\n\n"
        "Rain fell all night. The mill stood empty."
    ),
    "ja": (
        "山田花子は戸を開けた。「座って」と山田花子は田中太郎に言った。田中太郎は座った。\n\n＊\n\n"
        "夜通し雨が降った。水車小屋は空だった。"
    ),
}
CAST = {"en": (("mary", "Mary Hill"), ("tom", "Tom Reed")), "ja": (("mary", "山田花子"), ("tom", "田中太郎"))}
RAIN = {"en": "Rain fell all night.", "ja": "夜通し雨が降った。"}


@pytest.fixture(params=["en", "ja"])
def language(request: pytest.FixtureRequest, cli: Cli) -> str:
    told: str = request.param
    cli("story", "add", "s", "--embedder", "hash", "--language", told)
    for who, name in CAST[told]:
        cli("cast", "add", who, "--story", "s", "--name", name)
    cli("episode", "put", "-", "--story", "s", "--no", 1, stdin=TEXTS[told].encode())
    cli("sync")
    return told


def holders(cli: Cli, text: str) -> list[str]:
    (fact,) = (fact for fact in cli.facts("s") if fact["text"] == text)
    known_by: list[str] = fact["known_by"]
    return known_by


def test_a_mode_is_shown_and_chosen(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    assert cli("story", "audience", "s").out == "evident\n"
    assert "strict" in cli("story", "audience", "s", "strict").err
    assert cli("story", "audience", "s").out == "strict\n"
    assert ["audience", "strict"] in cli("story", "show", "s").table
    cli("story", "audience", "s", "sure", code=2)
    cli("story", "audience", "nobody", "wide", code=3)
    cli("story", "add", "t", "--embedder", "hash", "--audience", "wide")
    assert cli("story", "audience", "t").out == "wide\n"


def test_a_folder_is_taken_in_with_a_mode(cli: Cli) -> None:
    folder = cli.folder("f", [{"episode_no": 1, "text": "Rain."}], story={"audience": "strict"})
    cli("story", "import", folder, "--story", "s", "--embedder", "hash")
    assert cli("story", "audience", "s").out == "strict\n"
    cli("story", "import", folder, "--story", "s", "--audience", "wide")
    assert cli("story", "audience", "s").out == "wide\n"


def test_who_narrates_is_said_shown_and_taken_back(cli: Cli, language: str) -> None:
    cli("cast", "edit", "mary", "--story", "s", "--narrates", "1", "--narrates", "3-5:tom,ann")
    shown = cli("cast", "show", "mary", "--story", "s").table
    assert [row for row in shown if row[0] == "narrates"] == [
        ["narrates", "up to episode 1", "episode 1", ""],
        ["narrates", "up to episode 5", "episode 3", "ann, tom"],
    ]
    cli("sync")
    assert holders(cli, RAIN[language]) == ["mary"]
    cli("cast", "edit", "mary", "--story", "s", "--narrates-nothing")
    cli("sync")
    assert holders(cli, RAIN[language]) == []
    for wrong in ("0", "5-3", "a", "1-2:", "1:world"):
        cli("cast", "edit", "mary", "--story", "s", "--narrates", wrong, code=3)
    cli("cast", "edit", "mary", "--story", "s", "--narrates", "1", "--narrates-nothing", code=3)
    cli("cast", "add", "ann", "--story", "s", "--narrates", "2-2:mary")
    shown = cli("cast", "show", "ann", "--story", "s").table
    assert ["narrates", "up to episode 2", "episode 2", "mary"] in shown


def test_what_is_guessed_is_said(cli: Cli, language: str) -> None:
    """How many on standard error, by which evidence with an option, always in `why` and as JSON."""
    plain = cli("known", "--story", "s", "--as", "mary", "--at", 2)
    assert "remembered by guess" in plain.err
    told = cli("known", "--story", "s", "--as", "mary", "--at", 2, "--evidence")
    assert "guessed: " in told.out
    assert "guessed: " not in plain.out
    hits = json.loads(cli("known", "--story", "s", "--as", "mary", "--at", 2, "--json").out)["hits"]
    assert hits
    assert all(hit["evidence"] != "annotated" and 0 < hit["confidence"] <= 1 for hit in hits)
    fact_id = hits[0]["fact_id"]
    assert "guessed: " in cli("why", fact_id, "--story", "s", "--as", "mary", "--at", 2).out
    (answer,) = cli("why", fact_id, "--story", "s", "--as", "mary", "--at", 2, "--json").objects
    assert {one["character_id"] for one in answer["holdings"]} == set(answer["known_by"])
    asked = hits[0]["text"]
    assert "guessed: " in cli("recall", asked, "--story", "s", "--as", "mary", "--at", 2, "--evidence").out
    (matrix,) = cli("matrix", "--story", "s", "--json").objects
    (row,) = (row for row in matrix["rows"] if row["holder"] == "mary")
    assert [fact["confidence"] for fact in row["cells"][0]["facts"]] == [hit["confidence"] for hit in hits]
    (checked,) = cli("check", "--story", "s", "--json").objects
    assert checked["guessed"] > 0


def test_a_scene_is_decided_without_keys(cli: Cli, language: str) -> None:
    scenes = cli("fact", "review", "--scenes", "--story", "s", "--json").objects
    rain = next(scene for scene in scenes if RAIN[language] in scene["waiting"])
    assert (rain["kind"], rain["episode_no"]) == ("scene", 1)
    assert [row[:2] for row in cli("fact", "review", "--scenes", "--story", "s").table] == [
        [str(scene["episode_no"]), str(scene["scene"])] for scene in scenes
    ]
    cli("fact", "scene", 1, rain["scene"], "--story", "s", code=3 if not rain["found"] else 0)
    cli("fact", "scene", 1, rain["scene"], "--story", "s", "--there", "mary,tom")
    cli("sync")
    assert holders(cli, RAIN[language]) == ["mary", "tom"]
    cli("fact", "scene", 1, 9, "--story", "s", "--there", "mary", code=3)
    cli("fact", "review", "--scenes", "--all", "--story", "s", code=2)
    cli("undo", "--story", "s")
    cli("sync")
    assert holders(cli, RAIN[language]) == []


def test_a_walk_through_scenes_takes_keys(cli: Cli, language: str) -> None:
    """Numbers let somebody in or out, `k` keeps it so, `u` takes the last one back, `q` leaves."""
    many = len(cli("fact", "review", "--scenes", "--story", "s", "--json").objects)
    before = b"s" * (many - 1)
    ran = cli("fact", "review", "--scenes", "--walk", "--story", "s", stdin=before + b"?k2k")
    assert "were there" in ran.out
    assert RAIN[language] in ran.out
    cli("sync")
    assert holders(cli, RAIN[language]) == ["tom"]
    cli("undo", "--story", "s")
    cli("sync")
    cli("fact", "review", "--scenes", "--walk", "--story", "s", stdin=before + b"pu12kq")
    cli("sync")
    assert set(holders(cli, RAIN[language])) <= {"mary", "tom"}
    cli("fact", "review", "--scenes", "--walk", "--story", "s", stdin=b"q")


def test_who_says_i_is_asked_for_first(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash", "--language", "en")
    cli("cast", "add", "mary", "--story", "s", "--name", "Mary Hill")
    text = "I came to the inn. I saw the lamp. I told nobody of it, and I slept."
    cli("episode", "put", "-", "--story", "s", "--no", 1, stdin=text.encode())
    cli("sync")
    first, *_ = cli("fact", "review", "--scenes", "--story", "s", "--json").objects
    assert (first["kind"], first["first_episode"], first["last_episode"]) == ("narrator", 1, 1)
    assert "--narrates 1-1" in cli("fact", "review", "--scenes", "--story", "s").err
    cli("fact", "review", "--scenes", "--walk", "--story", "s", stdin=b"1q")
    cli("sync")
    assert holders(cli, "I saw the lamp.") == ["mary"]


def test_guesses_are_exported_to_be_edited(cli: Cli, language: str) -> None:
    out = cli.db.parent / "out"
    cli("story", "export", out, "--story", "s", "--guessed")
    rows = [json.loads(line) for line in (out / "visibility.jsonl").read_text("utf-8").splitlines()]
    assert rows
    assert all(TEXTS[language].find(row["begins"]) >= 0 for row in rows)
    cli("story", "import", out, "--story", "copy")
    cli("sync")
    assert {"annotated"} == {one["evidence"] for fact in cli.facts("copy") for one in fact["holdings"]}
