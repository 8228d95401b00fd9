"""How stirring a fact is: given in files and by hand, shown, taken back and carried along."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli, Row

TEXTS = ("ミナは灯台で泣いた。", "ハルトは小舟を直した。")
FACTS: tuple[Row, ...] = (
    {"fact_id": "f1", "episode_no": 1, "visibility": "public", "text": TEXTS[0], "arousal": 0.9},
    {"fact_id": "f2", "episode_no": 2, "visibility": "public", "text": TEXTS[1]},
)


def told(cli: Cli) -> str:
    episodes = [{"episode_no": no, "text": text} for no, text in enumerate(TEXTS, start=1)]
    cli.take_in(cli.folder("stirring", episodes, facts=FACTS), "海")
    return "海"


def arousal(cli: Cli, fact_id: str) -> float | None:
    found: float | None = cli.fact("海", fact_id)["arousal"]
    return found


def test_a_row_may_say_it_and_an_export_says_it_again(cli: Cli) -> None:
    story = told(cli)
    assert (arousal(cli, "f1"), arousal(cli, "f2")) == (0.9, None)
    rows = [json.loads(line) for line in cli.inputs(story)["facts.jsonl"].decode().splitlines()]
    assert [row.get("arousal", "not said") for row in rows] == [0.9, "not said"]
    cli("verify")


def test_the_same_export_again_changes_nothing(cli: Cli) -> None:
    story = told(cli)
    cli("fact", "edit", "f1", "--story", story, "--arousal", "0")
    out = cli.db.parent / "out"
    cli("story", "export", out, "--story", story)
    ran = cli("story", "import", out, "--story", story)
    assert "0 edited" in ran.err + ran.out or "2 unchanged" in ran.err + ran.out
    other = cli.other("other.db")
    other.take_in(out, story)
    assert (arousal(other, "f1"), arousal(other, "f2")) == (0.0, None)
    assert other.inputs(story) == cli.inputs(story)


@pytest.mark.parametrize("value", [1.5, -0.1, "0.5", True, [0.5]])
def test_a_row_that_says_nonsense_is_refused_with_its_line(cli: Cli, value: object) -> None:
    facts = [*FACTS, {**FACTS[1], "fact_id": "f3", "text": "x", "arousal": value}]
    folder = cli.folder("bad", [{"episode_no": no, "text": t} for no, t in enumerate(TEXTS, 1)], facts=facts)
    ran = cli("story", "import", folder, "--story", "海", "--embedder", "hash", code=3)
    assert "facts.jsonl:3: arousal must be a number from 0 to 1" in ran.err
    assert cli("story", "list").table == []


def test_by_hand_it_is_added_changed_and_taken_away(cli: Cli) -> None:
    story = told(cli)
    ran = cli(
        "fact", "add", "--story", story, "--episode", 1, "--text", "父は戻らなかった。",
        "--known-by", "world", "--arousal", "0.25",
    )  # fmt: skip
    fact_id = ran.out.strip()
    assert arousal(cli, fact_id) == 0.25
    cli("fact", "edit", fact_id, "--story", story, "--importance", 5)
    assert arousal(cli, fact_id) == 0.25, "what is not given stays"
    cli("fact", "edit", fact_id, "--story", story, "--arousal", "1")
    assert arousal(cli, fact_id) == 1.0
    cli("fact", "edit", fact_id, "--story", story, "--arousal", "none")
    assert arousal(cli, fact_id) is None
    cli("verify")


@pytest.mark.parametrize("value", ["1.01", "-1", "nan", "much", "", "None", "inf"])
def test_nonsense_by_hand_is_refused(cli: Cli, value: str) -> None:
    story = told(cli)
    cli("fact", "edit", "f1", "--story", story, f"--arousal={value}", code=2)
    assert arousal(cli, "f1") == 0.9
    cli(
        "fact", "add", "--story", story, "--episode", 1, "--text", "x", "--known-by", "world",
        f"--arousal={value}", code=2,
    )  # fmt: skip


def test_undo_brings_it_back(cli: Cli) -> None:
    story = told(cli)
    cli("fact", "edit", "f1", "--story", story, "--arousal", "none")
    cli("fact", "edit", "f2", "--story", story, "--arousal", "0.5")
    cli("fact", "delete", "f2", "--story", story)
    cli("undo", "--story", story)
    assert arousal(cli, "f2") == 0.5
    cli("undo", "--story", story)
    assert arousal(cli, "f2") is None
    cli("undo", "--story", story)
    assert arousal(cli, "f1") == 0.9
    cli("verify")


def test_the_list_shows_it(cli: Cli) -> None:
    story = told(cli)
    ran = cli("fact", "list", "--story", story)
    assert ran.out.splitlines()[0].split("\t")[-1] == "arousal"
    assert [row[-1] for row in ran.table] == ["0.9", ""]


def test_a_fact_out_of_the_text_has_none_until_it_is_given(cli: Cli) -> None:
    cli.take_in(cli.folder("text", [{"episode_no": 1, "text": "ミナは灯台で泣いた。"}]), "話")
    (found,) = cli.facts("話")
    assert (found["origin"], found["arousal"]) == ("extracted", None)
    options = () if found["known_by"] else ("--known-by", "world")
    cli("fact", "edit", found["fact_id"], "--story", "話", "--arousal", "0.7", *options)
    (changed,) = cli.facts("話")
    assert (changed["origin"], changed["arousal"]) == ("hand", 0.7)
