"""Malformed input is refused with file, line and reason, and nothing is half done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli

EPISODES = '{"episode_no": 1, "text": "A lighthouse."}\n{"episode_no": 2, "text": "A boat.\\nA key."}\n'


def fact(**fields: object) -> str:
    row = {"fact_id": "f", "episode_no": 1, "visibility": "public", "known_by": [], "text": "T."}
    return json.dumps({**row, **fields}, ensure_ascii=False)


def note(**fields: object) -> str:
    return json.dumps({"episode_no": 1, "paragraph_id": None, "known_by": "public", **fields})


GOOD_FACT = fact(fact_id="good")

BAD: dict[str, tuple[str, bytes | str, int | None]] = {
    "secret known by nobody": ("facts.jsonl", GOOD_FACT + "\n" + fact(visibility="secret"), 2),
    "secret without known_by": ("facts.jsonl", fact(visibility="secret", known_by=None), 1),
    "importance 0": ("facts.jsonl", fact(importance=0), 1),
    "importance 6": ("facts.jsonl", GOOD_FACT + "\n\n" + fact(importance=6), 3),
    "importance 2.5": ("facts.jsonl", fact(importance=2.5), 1),
    "importance true": ("facts.jsonl", fact(importance=True), 1),
    "importance as a word": ("facts.jsonl", fact(importance="3"), 1),
    "fact id twice": ("facts.jsonl", GOOD_FACT + "\n" + GOOD_FACT, 2),
    "fact of no episode": ("facts.jsonl", GOOD_FACT + "\n" + fact(episode_no=9), 2),
    "fact of episode 0": ("facts.jsonl", fact(episode_no=0), 1),
    "fact without text": ("facts.jsonl", fact(text=None), 1),
    "fact with an empty text": ("facts.jsonl", fact(text=" "), 1),
    "fact with a text that is none": ("facts.jsonl", fact(text=7), 1),
    "a reserved fact id": ("facts.jsonl", fact(fact_id="world"), 1),
    "a colon in a fact id": ("facts.jsonl", fact(fact_id="a:b"), 1),
    "a reserved holder": ("facts.jsonl", fact(visibility="secret", known_by=["public"]), 1),
    "world among holders": ("facts.jsonl", fact(visibility="secret", known_by=["a", "world"]), 1),
    "a comma in a holder": ("facts.jsonl", fact(visibility="secret", known_by=["a,b"]), 1),
    "a colon in a holder": ("facts.jsonl", fact(visibility="secret", known_by=["a:b"]), 1),
    "a control character in a holder": ("facts.jsonl", fact(visibility="secret", known_by=["a\u0007"]), 1),
    "an unknown visibility": ("facts.jsonl", fact(visibility="hidden"), 1),
    "no json": ("facts.jsonl", GOOD_FACT + "\n{", 2),
    "no object": ("facts.jsonl", "[]", 1),
    "facts not utf-8": ("facts.jsonl", GOOD_FACT.encode() + b'\n{"text": "\xff"}', 2),
    "facts in utf-16": ("facts.jsonl", GOOD_FACT.encode("utf-16"), 1),
    "half a character": ("facts.jsonl", '{"fact_id": "f", "episode_no": 1, "visibility": "public", "text": "\\ud83d"}', 1),  # noqa: E501
    "the same field twice": ("facts.jsonl", '{"episode_no": 1, "episode_no": 2, "visibility": "public", "text": "T"}', 1),  # noqa: E501
    "nan": ("facts.jsonl", fact()[:-1] + ', "importance": NaN}', 1),
    "deep nesting": ("facts.jsonl", "[" * 100_000, 1),
    "an empty quote": ("facts.jsonl", fact(quote=""), 1),
    "episode number twice": ("episodes.jsonl", EPISODES + '{"episode_no": 2, "text": "x"}', 3),
    "episode id twice": (
        "episodes.jsonl",
        '{"episode_no": 1, "episode_id": "a", "text": "x"}\n{"episode_no": 2, "episode_id": "a", "text": "x"}',  # noqa: E501
        2,
    ),
    "episode without number": ("episodes.jsonl", EPISODES + '{"text": "x"}', 3),
    "episode 0": ("episodes.jsonl", '{"episode_no": 0, "text": "x"}', 1),
    "episode without text": ("episodes.jsonl", '{"episode_no": 1}', 1),
    "a reserved episode id": ("episodes.jsonl", '{"episode_no": 1, "episode_id": "world", "text": "x"}', 1),
    "a colon in an episode id": ("episodes.jsonl", '{"episode_no": 1, "episode_id": "a:b", "text": "x"}', 1),
    "a comma in an episode id": ("episodes.jsonl", '{"episode_no": 1, "episode_id": "a,b", "text": "x"}', 1),
    "episodes not utf-8": ("episodes.jsonl", EPISODES.encode() + b"\xe3\x81", 3),
    "paragraphs not of the text": (
        "episodes.jsonl",
        '{"episode_no": 1, "text": "One.", "paragraphs": [{"id": "1-1", "text": "Two."}]}',
        1,
    ),
    "unknown paragraph": (
        "visibility.jsonl",
        note(episode_no=2, paragraph_id="2-2") + "\n" + note(episode_no=2, paragraph_id="2-3"),
        2,
    ),
    "visibility of no episode": ("visibility.jsonl", note(episode_no=7), 1),
    "visibility for nobody": ("visibility.jsonl", note(known_by=[]), 1),
    "visibility for a reserved id": ("visibility.jsonl", note(known_by=["world"]), 1),
    "visibility twice": (
        "visibility.jsonl",
        '{"episode_no": 1, "paragraph_id": null, "known_by": "public"}\n' * 2,
        2,
    ),
    "cast is no json": ("cast.json", '{\n"characters": [\n}', 3),
    "cast with an id twice": ("cast.json", '{"characters": [{"id": "a"}, {"id": "a"}]}', None),
    "cast with a reserved id": ("cast.json", '{"characters": [{"id": "public"}]}', None),
    "cast with a colon": ("cast.json", '{"characters": [{"id": "a:b"}]}', None),
    "alias known by nobody": ("cast.json", '[{"id": "a", "aliases": [{"text": "x", "known_by": []}]}]', None),
    "cast not utf-8": ("cast.json", b'{"characters": [{"id": "\xff"}]}', 1),
    "an unknown language": ("story.json", '{"language": "fr"}', None),
}  # fmt: skip


def write(cli: Cli, file: str, data: bytes | str) -> Path:
    folder = cli.folder("bad", [])
    (folder / "episodes.jsonl").write_text(EPISODES, "utf-8")
    (folder / file).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder


def check_place(said: str, file: str, line: int | None) -> None:
    assert file in said
    if line is not None:
        assert f"{file}:{line}:" in said
    assert "Error" not in said
    assert len(said.strip()) < 500


@pytest.mark.parametrize("case", BAD)
def test_malformed_folder(cli: Cli, case: str) -> None:
    file, data, line = BAD[case]
    folder = write(cli, file, data)
    said = cli("story", "import", folder, "--story", "s", "--embedder", "hash", code=3).err
    check_place(said, file, line)
    assert cli("story", "list").table == []


@pytest.mark.parametrize(
    "case",
    ["secret known by nobody", "unknown paragraph", "episode number twice", "cast with an id twice",
     "importance 6", "episodes not utf-8", "fact of no episode"],
)  # fmt: skip
def test_nothing_half_done_in_a_story_that_is_there(cli: Cli, case: str) -> None:
    story = cli.sea()
    before = cli.inputs(story), cli.known(story, "ミナ", 9), cli.states(story)
    file, data, line = BAD[case]
    check_place(cli("story", "import", write(cli, file, data), "--story", story, code=3).err, file, line)
    assert (cli.inputs(story), cli.known(story, "ミナ", 9), cli.states(story)) == before


def test_a_paragraph_unknown_by_our_own_cut(cli: Cli) -> None:
    story = cli.sea()
    before = cli.inputs(story)
    folder = write(cli, "visibility.jsonl", '{"episode_no": 1, "paragraph_id": "1-9", "known_by": "public"}')
    check_place(cli("story", "import", folder, "--story", story, code=3).err, "visibility.jsonl", 1)
    assert cli.inputs(story) == before


def test_a_broken_mark_in_a_text(cli: Cli) -> None:
    story = cli.sea()
    facts = cli.folder("f", [{"episode_no": 9, "text": "x"}], facts=[
        {"fact_id": "s1", "episode_no": 9, "visibility": "public", "text": "taken"},
    ])  # fmt: skip
    said = cli("story", "import", facts, "--story", story, code=3).err
    check_place(said, "facts.jsonl", 1)
    assert "s1" in said
    assert "ep-9" not in cli.states(story)


def test_a_number_that_is_taken_by_another_episode(cli: Cli) -> None:
    story = cli.sea()
    folder = cli.folder(
        "f", [{"episode_no": 8, "text": "ok"}, {"episode_no": 2, "episode_id": "new", "text": "x"}]
    )
    check_place(cli("story", "import", folder, "--story", story, code=3).err, "episodes.jsonl", 2)
    assert set(cli.states(story)) == {"ep-1", "ep-2", "ep-3", "ep-4"}


def test_folders_that_are_no_story(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in ("none", "empty", cli.file("x.pdf", "x")):
        cli("story", "import", path, "--story", "s", "--embedder", "hash", code=3)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "1.txt").write_bytes(b"One.\n\xff\n")
    (tmp_path / "plain" / "2.txt").write_bytes(b"Two.")
    said = cli("story", "import", "plain", "--story", "s", "--embedder", "hash", code=3).err
    check_place(said, "1.txt", 2)
    assert cli("story", "list").table == []


def test_texts_that_are_no_text(cli: Cli, tmp_path: Path) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    bad = cli.file("bad.txt", b"One.\nTwo \xe3\x81\n")
    check_place(cli("episode", "put", "--story", "s", "--no", 1, bad, code=3).err, "bad.txt", 2)
    cli("episode", "put", "--story", "s", "--no", 1, "-", code=3, stdin=b"\xff")
    cli("episode", "insert", "--story", "s", "--no", 1, bad, code=3)
    cli("episode", "put", "--story", "s", "--no", 1, tmp_path / "none.txt", code=3)
    cli("episode", "put", "--story", "s", "--no", 1, tmp_path, code=3)
    assert cli("episode", "list", "--story", "s").table == []


def test_bad_cast_files(cli: Cli, tmp_path: Path) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    for name in ("cast is no json", "cast with an id twice", "cast with a colon", "alias known by nobody"):
        file = cli.file("cast.json", BAD[name][1])
        check_place(cli("cast", "import", file, "--story", "s", code=3).err, "cast.json", BAD[name][2])
    cli("cast", "import", tmp_path / "none.json", "--story", "s", code=3)
    cli("cast", "import", tmp_path, "--story", "s", code=3)
    assert cli("cast", "list", "--story", "s").table == []


@pytest.mark.parametrize(
    "options",
    [
        ("--known-by", ","), ("--known-by", ""), ("--known-by", "a,world"), ("--known-by", "a:b"),
        ("--known-by", "world", "--text", "  "), ("--known-by", "world", "--quote", ""),
        ("--known-by", "world", "--told-from", "a:b"), ("--known-by", "world", "--supersedes", "a,b"),
    ],
)  # fmt: skip
def test_bad_facts_by_hand(cli: Cli, options: tuple[str, ...]) -> None:
    story = cli.sea()
    before = cli.facts(story)
    cli("fact", "add", "--story", story, "--episode", 1, "--text", "T.", *options, code=3)
    assert cli.facts(story) == before


@pytest.mark.parametrize("alias", ["", "@3", "x@3:", "x@3:,", "x@3:a:b", " "])
def test_bad_aliases(cli: Cli, alias: str) -> None:
    story = cli.sea()
    before = cli("cast", "show", "ミナ", "--story", story).out
    code = {"@3": 0, "x@3:": 0}.get(alias)
    if code == 0:
        # Without a text before it, or without knowers after it, it is a name like any other.
        cli("cast", "edit", "ミナ", "--story", story, "--alias", alias)
        return
    cli("cast", "edit", "ミナ", "--story", story, "--alias", alias, code=3)
    cli("cast", "add", "新", "--story", story, "--alias", alias, code=3)
    assert cli("cast", "show", "ミナ", "--story", story).out == before
