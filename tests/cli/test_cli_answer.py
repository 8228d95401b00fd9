"""`context`, `answer` and `used` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli, Row


def _mina(cli: Cli) -> tuple[object, ...]:
    return ("--story", cli.sea(), "--as", "ミナ", "--at", 3)


def test_context_prints_the_text_and_says_how_it_came_about(cli: Cli) -> None:
    viewer = _mina(cli)
    ran = cli("context", "灯台の鍵はどこ？", *viewer, "--style", "丁寧に話す")
    assert "丁寧に話す" in ran.out
    assert "あなたはミナです。今は第3話です。" in ran.out
    assert "★は心が動いたこと、🆕は最近のことです。" in ran.out
    assert "[m1] 🆕 第1話, 皆が知ることではない | ミナは灯台の鍵を砂の下に隠した。" in ran.out
    assert "オリガ" not in ran.out
    assert "memories: " in ran.err
    assert "of 6000 tokens, counted by estimate" in ran.err


def test_context_as_json_holds_every_part_and_what_was_dropped(cli: Cli) -> None:
    ask = ("context", "灯台の鍵はどこ？", *_mina(cli), "--budget", 360, "--order", "time", "--json")
    found = cli(*ask, "--min-similarity", -1).object
    assert found["tokens"] <= found["budget"] == 360
    assert [part["name"] for part in found["parts"]] == ["viewer", "memories", "question"]
    items = [item for part in found["parts"] for item in part["items"]]
    assert {"handle", "id", "fact_id", "where", "text", "tokens", "score", "reason"} <= items[0].keys()
    assert found["hits"] == len(items) + len(found["dropped"]) == 3
    assert {one["why"] for one in found["dropped"]} == {"budget"}
    assert found["backend"]["judge"] is None
    unlike = cli(*ask, "--min-similarity", 0.999).object
    # A phrase of the question stands in this one, so it is used however low its cosine is.
    assert [item["fact_id"] for part in unlike["parts"] for item in part["items"]] == ["s2"]
    assert {one["why"] for one in unlike["dropped"]} == {"budget", "below_minimum"}


def test_an_answer_without_a_model_is_evidence(cli: Cli) -> None:
    viewer = _mina(cli)
    ran = cli("answer", "灯台の鍵はどこ？", *viewer)
    assert ran.out.startswith("記憶の抜き書きです。答えではありません")
    found = cli("answer", "灯台の鍵はどこ？", *viewer, "--json").object
    assert (found["kind"], found["backend"]) == ("evidence", "none")
    assert found["context"]["viewer"]["character"] == "ミナ"
    assert found["used"][0]["fact_id"] == "s2"
    empty = cli("answer", "灯台の鍵はどこ？", "--story", cli.SEA, "--as", "ミナ", "--at", 1)
    assert empty.out == "それについては、何も覚えていません。\n"


def test_use_is_noted_and_shows_from_there_on(cli: Cli) -> None:
    viewer = _mina(cli)
    first = cli.recall("灯台", cli.SEA, "ミナ", 3)["hits"]
    assert cli("used", first[0]["id"], "s1", *viewer).err.strip() in ("1 noted as used", "2 noted as used")
    then = cli.recall("灯台", cli.SEA, "ミナ", 3)["hits"]
    assert [hit["fact_id"] for hit in then if "used" in hit["parts"]] != []
    before = cli.recall("灯台", cli.SEA, "ミナ", 2)["hits"]
    assert not any("used" in hit["parts"] for hit in before)
    refused = cli("used", "s5", *viewer, code=3)
    assert "name nothing that this viewer remembers" in refused.err


@pytest.mark.parametrize("command", [("context", "q"), ("answer", "q"), ("used", "s1")])
def test_who_asks_is_never_guessed(cli: Cli, command: tuple[str, ...]) -> None:
    story = cli.sea()
    assert "--at too" in cli(*command, "--story", story, "--as", "ミナ", code=2).err
    assert (
        "--user"
        in cli(*command, "--story", story, "--as", "ミナ", "--at", 3, "--as-of", "2026-01-01", code=2).err
    )
    assert "--at too" in cli(*command, "--story", story, "--user", "u", code=2).err
    assert "soon" in cli(*command, "--user", "u", "--as-of", "soon", code=2).err
    assert "zone" in cli(*command, "--user", "u", "--as-of", "2026-01-01", code=2).err
    assert "there is no user" in cli(*command, "--user", "u", code=3).err


def test_a_persona_comes_from_a_file(cli: Cli) -> None:
    viewer = _mina(cli)
    file = cli.file("persona.txt", "ミナは漁師の娘。")
    assert "ミナは漁師の娘。" in cli("context", "鍵", *viewer, "--persona-text", file).out
    assert "cannot be read" in cli("context", "鍵", *viewer, "--persona-text", "none.txt", code=3).err
    said = cli("context", "鍵", *viewer, "--speaks-as", "潮田ミナ", "--json").object
    assert "潮田ミナ" in said["text"]
    assert json.dumps(said)


@pytest.mark.parametrize("command", ["context", "answer"])
def test_what_recall_is_told_a_context_is_told_too(cli: Cli, command: str) -> None:
    viewer = (*_mina(cli), "--min-similarity", -1)

    def asked(*options: object) -> Row:
        made = cli(command, "鍵はどこ？", *viewer, "--json", *options).object
        found: Row = made["context"] if command == "answer" else made
        return found

    every = [item["fact_id"] for part in asked()["parts"] for item in part["items"]]
    assert len(every) > 1
    one = asked("--filter", json.dumps({"fact_id": every[-1]}))
    assert [item["fact_id"] for part in one["parts"] for item in part["items"]] == every[-1:]
    assert asked("--intent", "emotional")["plan"]["intent"] == "emotional"
    refused = cli(command, "鍵", *viewer, "--reranker", "no such", code=3)
    assert "no such" in refused.err
    assert "not JSON" in cli(command, "鍵", *viewer, "--filter", "{", code=2).err
