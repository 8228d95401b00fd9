"""`card` and `lorebook`: what role-play programs keep, into a story and out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli

CARD: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        "name": "Captain Nova",
        "nickname": "Nova",
        "description": "{{char}} commands the Odyssey.",
        "personality": "Nova fears deep water.",
        "scenario": "{{user}} has come aboard.",
        "first_mes": "Welcome!",
        "extensions": {"other": 1},
        "character_book": {
            "name": "Ship lore",
            "entries": [
                {"keys": ["drive"], "content": "The warp drive hums at night."},
                {"keys": ["cellar"], "content": "{{char}} hides a letter there."},
                {"keys": ["port"], "content": "The port is Saga.",
                 "extensions": {"kataribe": {"audience": "public"}}},
                {"keys": ["off"], "content": "Nothing of this is told.", "enabled": False},
            ],
        },
    },
}  # fmt: skip
WORLD = {"entries": {"0": {"uid": 0, "key": ["竜"], "content": "竜は東の山で眠る。"}}}


@pytest.fixture
def tale(cli: Cli) -> Cli:
    cli("story", "add", "s", "--language", "en", "--embedder", "hash")
    return cli


def card_file(cli: Cli, card: object = CARD, name: str = "nova.json") -> Path:
    return cli.file(name, json.dumps(card).encode())


def known(cli: Cli, who: str) -> list[str]:
    return sorted(
        hit["text"]
        for hit in cli("known", "--story", "s", "--as", who, "--at", "now", "--json").object["hits"]
    )


def test_a_card_becomes_a_character_who_remembers_its_lore(tale: Cli) -> None:
    file = card_file(tale)
    done = tale("card", "import", file, "--story", "s", "--json").object
    assert done == {
        "story": "s", "character": "captain-nova", "episode_no": 1, "facts": 4, "change": "new",
    }  # fmt: skip
    assert known(tale, "captain-nova") == [
        "The port is Saga.",
        "The warp drive hums at night.",
        "cellar: Captain Nova hides a letter there.",
        "the user has come aboard.",
    ]
    tale("cast", "add", "rin", "--story", "s")
    assert known(tale, "rin") == ["The port is Saga."], "a card's lore is its character's own"
    shown = tale("cast", "show", "captain-nova", "--story", "s").out
    assert "Captain Nova commands the Odyssey." in shown
    assert tale("card", "import", file, "--story", "s", "--json").object == {**done, "change": "unchanged"}


def test_a_card_that_was_edited_changes_what_it_brought_and_undo_takes_it_back(tale: Cli) -> None:
    tale("card", "import", card_file(tale), "--story", "s")
    changed = json.loads(json.dumps(CARD))
    changed["data"]["character_book"]["entries"][0]["content"] = "The warp drive is broken."
    done = tale("card", "import", card_file(tale, changed, "b.json"), "--story", "s", "--json").object
    assert (done["episode_no"], done["change"]) == (1, "edited")
    assert "The warp drive is broken." in known(tale, "captain-nova")
    assert "The warp drive hums at night." not in known(tale, "captain-nova")
    tale("undo", "--story", "s")
    assert "The warp drive hums at night." in known(tale, "captain-nova")


@pytest.mark.parametrize("ending", ["json", "png", "charx"])
def test_a_character_goes_out_as_a_card_as_it_stands_now(tale: Cli, ending: str) -> None:
    tale("card", "import", card_file(tale), "--story", "s")
    facts = tale("fact", "list", "--story", "s", "--json").objects
    (drive,) = [row["fact_id"] for row in facts if "warp drive" in row["text"]]
    (letter,) = [row["fact_id"] for row in facts if "letter" in row["text"]]
    tale("fact", "edit", drive, "--story", "s", "--text", "The warp drive sings.")
    tale("fact", "delete", letter, "--story", "s")
    out = tale.file(f"out.{ending}", b"")
    tale("card", "export", "captain-nova", out, "--story", "s")
    tale("story", "add", "t", "--language", "en", "--embedder", "hash")
    tale("card", "import", out, "--story", "t")
    there = tale("fact", "list", "--story", "t", "--json").objects
    assert sorted(row["text"] for row in there) == [
        "The port is Saga.", "The warp drive sings.", "the user has come aboard.",
    ]  # fmt: skip
    if ending == "json":
        data = json.loads(out.read_bytes())["data"]
        assert (data["first_mes"], data["extensions"]) == ("Welcome!", {"other": 1})
        assert data["description"] == "{{char}} commands the Odyssey.", "what nobody changed is as it came"
        assert data["character_book"]["entries"][-1]["enabled"] is False


def test_anybody_of_the_cast_can_go_out_as_a_card(tale: Cli) -> None:
    tale("cast", "add", "rin", "--story", "s", "--name", "Rin", "--description", "A baker.")
    out = tale.file("rin.json", b"")
    tale("card", "export", "rin", out, "--story", "s")
    data = json.loads(out.read_bytes())["data"]
    assert (data["name"], data["description"]) == ("Rin", "A baker.")
    tale("card", "export", "nobody", out, "--story", "s", code=3)
    tale("card", "export", "rin", tale.file("rin.gif", b""), "--story", "s", code=3)


def test_a_lorebook_is_known_to_all_and_goes_out_with_the_other_facts(tale: Cli) -> None:
    tale("cast", "add", "rin", "--story", "s", "--name", "Rin")
    done = tale(
        "lorebook", "import", tale.file("w.json", json.dumps(WORLD).encode()), "--story", "s", "--json"
    ).object
    assert (done["character"], done["episode_no"], done["facts"]) == (None, 1, 1)
    assert known(tale, "rin") == ["竜は東の山で眠る。"]
    tale("episode", "put", "-", "--story", "s", "--no", "2", stdin=b"Rin bakes.")
    tale("fact", "add", "--story", "s", "--episode", "2", "--text", "Rin owes money.", "--known-by", "rin")
    out = tale.file("out.json", b"")
    tale("lorebook", "export", out, "--story", "s")
    entries = json.loads(out.read_bytes())["data"]["entries"]
    assert [one["content"] for one in entries] == ["竜は東の山で眠る。", "Rin owes money."]
    assert entries[1]["extensions"]["kataribe"] == {"audience": ["rin"], "episode": 2}
    assert entries[1]["keys"] == ["Rin"]


def test_nothing_is_brought_in_of_a_card_that_is_refused(tale: Cli) -> None:
    wrong = {**CARD, "data": {**CARD["data"], "character_book": {"entries": [{"content": 3}]}}}
    refused = tale("card", "import", card_file(tale, wrong), "--story", "s", code=3)
    assert "character_book: entries[0]" in refused.err
    late = json.loads(json.dumps(CARD))
    late["data"]["character_book"]["entries"][0]["extensions"] = {"kataribe": {"episode": 9}}
    tale("card", "import", card_file(tale, late), "--story", "s", code=3)
    assert tale("cast", "list", "--story", "s", "--json").objects == []
    assert tale("episode", "list", "--story", "s", "--json").objects == []
    tale("card", "import", card_file(tale), "--story", "nowhere", code=3)
