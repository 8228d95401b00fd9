"""`episode put` with facts, and `--at now`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli, Row


def write(path: Path, *rows: Row) -> Path:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("language", "fact"), [("en", "The crown lies in the well."), ("ja", "冠は井戸の中にある。")]
)
def test_an_episode_is_put_with_what_files_say_of_it(
    cli: Cli, tmp_path: Path, language: str, fact: str
) -> None:
    cli("story", "add", "s", "--language", language, "--embedder", "hash")
    facts = write(tmp_path / "f.jsonl", {"text": fact, "known_by": ["mira"]})
    notes = write(tmp_path / "v.jsonl", {"known_by": ["mira"]})
    ran = cli.put("s", 1, "One.", "--facts", str(facts), "--visibility", str(notes))
    assert "run" not in ran.err, "it is in memory"
    assert "sync" not in ran.err
    found = cli("recall", fact, "--story", "s", "--as", "mira", "--at", "now", "--json").object
    assert [hit["text"] for hit in found["hits"]] == [fact]
    assert found["viewer"]["at"] == 2
    known = cli("known", "--story", "s", "--as", "king", "--at", "now", "--json").object
    assert (known["hits"], known["viewer"]["at"]) == ([], 2)
    assert "unchanged" in cli.put("s", 1, "One.").err, "left out they stay"
    assert "unchanged" in cli.put("s", 1, "One.", "--facts", str(facts)).err
    write(facts)
    cli.put("s", 1, "One.", "--facts", str(facts))
    assert cli("known", "--story", "s", "--as", "mira", "--at", "now", "--json").object["hits"] == []


def test_what_is_wrong_in_a_file_of_rows_is_told_with_its_place(cli: Cli, tmp_path: Path) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    good = {"text": "T", "known_by": "public"}
    put = ("episode", "put", "-", "--story", "s", "--no", 1)
    facts = write(tmp_path / "f.jsonl", good, {**good, "text": "U", "episode_no": 2})
    ran = cli(*put, "--facts", facts, stdin=b"One.", code=3)
    assert f"{facts}:2: it names episode 2, and comes with episode 1" in ran.err
    facts = write(tmp_path / "g.jsonl", good, {"known_by": "public"})
    ran = cli(*put, "--facts", facts, stdin=b"One.", code=3)
    assert f"{facts}:2: the field 'text' is missing" in ran.err
    assert cli("episode", "list", "--story", "s").table == []


@pytest.mark.parametrize("at", ["0", "-1", "soon", "1.5"])
def test_an_episode_is_a_number_or_now(cli: Cli, at: str) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    ran = cli("known", "--story", "s", "--as", "a", "--at", at, code=2)
    assert "--at" in ran.err
