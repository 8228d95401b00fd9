"""`kataribe tell`, and facts that come to be known by more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli

SAID = {
    "en": ("The gate fell.", "Mira saw the gate fall."),
    "ja": ("門が落ちた。", "ミラは門が落ちるのを見た。"),
}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_happened_is_told_with_its_facts_and_remembered_at_once(cli: Cli, language: str) -> None:
    cli("story", "add", "s", "--language", language, "--embedder", "hash")
    text, fact = SAID[language]
    row = json.dumps({"text": fact, "known_by": ["mira"]}, ensure_ascii=False)
    facts = cli.file("facts.jsonl", row + "\n")
    ran = cli("tell", text, "--story", "s", "--facts", facts)
    assert (ran.out, ran.err) == ("1\n", ""), "its number, and nothing is left to do"
    assert cli.known_texts("s", "mira", 2) == [fact]
    assert cli.known_texts("s", "aldo", 2) == []
    told = cli("tell", "-", "--story", "s", "--json", stdin=text.encode()).object
    assert (told["no"], told["change"], told["pending"]) == (2, "new", True)
    assert cli("episode", "show", "--story", "s", "--no", 2).out == text


def test_a_text_alone_waits_for_a_sync_and_that_is_said(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    assert "kataribe sync --story s" in cli("tell", "The gate fell.", "--story", "s").err


def test_telling_again_under_an_id_is_harmless(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    first = cli("tell", "The gate fell.", "--story", "s", "--id", "gate")
    assert cli("tell", "The gate fell.", "--story", "s", "--id", "gate").out == first.out == "1\n"
    assert "gate" in cli("tell", "Another.", "--story", "s", "--id", "gate", code=3).err
    assert len(cli("episode", "list", "--story", "s").table) == 1


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_fact_that_is_there_comes_to_be_known_by_more(cli: Cli, language: str) -> None:
    cli("story", "add", "s", "--language", language, "--embedder", "hash")
    cli.put("s", 1, "One.")
    cli("sync")
    add = ("fact", "add", "--story", "s", "--episode", 1, "--text", SAID[language][1])
    fact_id = cli(*add, "--known-by", "mira").out.strip()
    assert fact_id in cli(*add, "--known-by", "aldo", code=3).err
    told = cli(*add, "--known-by", "aldo", "--widen", "--json").object
    assert told == {"story": "s", "fact_id": fact_id, "in_review": False}
    assert sorted(cli.fact("s", fact_id)["known_by"]) == ["aldo", "mira"]
