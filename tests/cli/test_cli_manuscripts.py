"""`story import` of manuscripts: what it takes, what it says, what it refuses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.books import epub, page

if TYPE_CHECKING:
    from cli.conftest import Cli

DATA = Path(os.environ.get("KATARIBE_TEST_DATA", ""))
JA = (
    "第一話　雨\n　｜鏡花《きょうか》は澪《みお》に鍵を渡した。\n＊\n　夜。\n"
    "第二話　海\n　澪《みお》は海へ行った。\n"
)
EN = "Chapter One\n\nKyoka gave Mio the *silver* key.\n\n* * *\n\nNight.\n\nChapter Two\n\nMio left.\n"
CAST = '{"characters": [{"id": "鏡花"}, {"id": "澪"}, {"id": "Kyoka"}, {"id": "Mio"}]}'


def folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "novel.txt").write_bytes(text.encode())
    (path / "cast.json").write_text(CAST, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (JA, [["1", "第一話　雨", "2", "澪 1, 鏡花 1"], ["2", "第二話　海", "1", "澪 1"]]),
        (EN, [["1", "Chapter One", "2", "Kyoka 1, Mio 1"], ["2", "Chapter Two", "1", "Mio 1"]]),
    ],
)
def test_a_dry_run_shows_episodes_scenes_and_cast_and_makes_no_store(
    cli: Cli, tmp_path: Path, text: str, rows: list[list[str]]
) -> None:
    store = tmp_path / "none.db"
    novel = folder(tmp_path / "a", text)
    ran = cli("--db", store, "story", "import", novel, "--story", "s", "--embedder", "hash", "--dry-run")
    assert [[row[0], row[1], row[3], row[4]] for row in ran.table] == rows
    assert "s: would be 2 new, 0 edited, 0 unchanged episodes" in ran.err
    assert not list(tmp_path.glob("none.db*"))


@pytest.mark.parametrize(
    ("text", "language", "cast", "head"),
    [
        (JA, "ja", {"澪": 2, "鏡花": 1}, "第一話　雨"),
        (EN, "en", {"Kyoka": 1, "Mio": 2}, "Chapter One"),
    ],
)
def test_a_dry_run_gives_a_program_what_it_shows_a_person(
    cli: Cli, tmp_path: Path, text: str, language: str, cast: dict[str, int], head: str
) -> None:
    store, novel = tmp_path / "none.db", folder(tmp_path / "a", text)
    command = ("--db", store, "story", "import", novel, "--story", "s", "--embedder", "hash", "--dry-run")
    told = cli(*command, "--json").object
    assert (told["story"], told["language"], told["cast"]) == ("s", language, cast)
    assert len(told["new"]) == 2
    first = told["episodes"][0]
    assert (first["no"], first["title"], first["scenes"], first["file"]) == (1, head, 2, "novel.txt")
    assert [one["title"] for one in told["episodes"]] == [row[1] for row in cli(*command).table]
    assert not list(tmp_path.glob("none.db*"))


def test_a_dry_run_gives_a_program_what_is_left_out_and_every_warning(cli: Cli, tmp_path: Path) -> None:
    novel = tmp_path / "novel.txt"
    novel.write_text("It rained.\n" * 3000 + "\nTHE END\n", encoding="utf-8")
    ran = cli("story", "import", novel, "--story", "s", "--embedder", "hash", "--dry-run", "--json")
    told = ran.object
    assert [(one["file"], one["headings"]) for one in told["uncut"]] == [("novel.txt", 0)]
    assert told["is_open"] is True
    assert told["warnings"][0].startswith("novel.txt is one episode of ")
    assert told["warnings"][1].startswith("the story has neither cast nor annotations")
    assert told["warnings"][0] in ran.err


def test_who_is_named_and_not_in_the_cast_is_told(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_text(
        "「来た」と葉月は言った。「いや」と葉月は言った。「さあ」と葉月は答えた。\n", encoding="utf-8"
    )
    ran = cli("story", "import", path, "--story", "s", "--embedder", "hash", "--dry-run")
    assert "named like people, and not in the cast: 葉月 3" in ran.err


def test_another_encoding_is_refused_with_its_name_and_then_taken(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_bytes(JA.encode("cp932"))
    refused = cli("story", "import", path, "--story", "s", "--embedder", "hash", code=3)
    assert "it seems to be shift_jis; give --encoding shift_jis" in refused.err
    wrong = cli("story", "import", path, "--story", "s", "--embedder", "hash", "--encoding", "utf-16", code=3)
    assert "it is not utf-16: it seems to be shift_jis" in wrong.err
    cli("story", "import", path, "--story", "s", "--embedder", "hash", "--encoding", "Shift-JIS")
    assert [row[-1] for row in cli("episode", "list", "--story", "s").table] == ["第一話　雨", "第二話　海"]
    assert "鏡花《きょうか》" in cli("episode", "show", "--story", "s", "--no", "1").out


def test_a_long_text_that_stays_one_episode_is_told(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.mkdir()
    (path / "1.txt").write_text("It rained.\n" * 3000, encoding="utf-8")
    ran = cli("story", "import", path, "--story", "s", "--embedder", "hash")
    assert "1.txt is one episode of 33,000 characters: no headings were found in it" in ran.err
    (path / "2.txt").write_text("Chapter 1\nRain.\nChapter 2\n" + "It rained.\n" * 3000, encoding="utf-8")
    ran = cli("story", "import", path, "--story", "s", "--embedder", "hash")
    assert "2 headings were found in it, but each file of a folder with several is an episode" in ran.err


def test_books_come_in_and_broken_ones_change_nothing(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("lxml", reason="needs the extra `books`")
    path = tmp_path / "novel.epub"
    path.write_bytes(
        epub(
            {
                "a.xhtml": page("<h1>Rain</h1><p>It rained.</p>"),
                "b.xhtml": page("<h1>Wind</h1><p>It blew.</p>"),
            }
        )
    )
    cli("story", "import", path, "--story", "s", "--embedder", "hash")
    before = cli("episode", "list", "--story", "s").out
    path.write_bytes(path.read_bytes()[:-60])
    refused = cli("story", "import", path, "--story", "s", code=3)
    assert "novel.epub: it is broken" in refused.err
    assert cli("episode", "list", "--story", "s").out == before


@pytest.mark.parametrize(
    ("file", "options", "count", "says"),
    [
        (
            "ja-sanshiro/manuscript-sjis.txt",
            ["--encoding", "sjis"],
            13,
            ["header (lines 1 to 21)", "colophon"],
        ),
        ("en-treasure-island/manuscript.txt", [], 34, ["header (lines 1 to 25)", "contents", "licence"]),
    ],
)
def test_the_shared_manuscripts_come_in(
    cli: Cli, file: str, options: list[str], count: int, says: list[str]
) -> None:
    if not (DATA / file).is_file():
        pytest.skip(f"{file} is not here")
    ran = cli("story", "import", DATA / file, "--story", "s", "--embedder", "hash", *options)
    assert f"s: {count} new" in ran.err
    assert all(word in ran.err for word in says)
