from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.domain.terms import known_by
from kataribe.errors import FormatError
from kataribe.formats.folder import read_folder
from kataribe.formats.headings import cut


def titles(text: str) -> list[str | None]:
    return [section.title for section in cut(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# 星祭り\n夜。\n## 川\n水。\n", ["星祭り", "川"]),
        ("まえがき\n第一章 午后の授業\n……\n第二章\n……\n", ["第一章 午后の授業", "第二章"]),
        ("　　第1話\r\n夜。\r\n　　第２話「銀河」\r\n川。", ["第1話", "第２話「銀河」"]),
        ("Chapter 1\nIt was night.\nChapter 2: The River\nWater.", ["Chapter 1", "Chapter 2: The River"]),
        ("CHAPTER I.\n\nText\n\nCHAPTER IV.\n\nText", ["CHAPTER I.", "CHAPTER IV."]),
        ("Episode 3\nx\nEpisode 4 - Home\ny", ["Episode 3", "Episode 4 - Home"]),
        ("一\n親譲りの無鉄砲で\n二\nぶうと云って\n十一\n終り", ["一", "二", "十一"]),
        ("一、午后の授業\nでは\n二、活版所\nジョバンニが", ["一、午后の授業", "二、活版所"]),
        ("# 銀河鉄道の夜\n\n第一章\n夜。\n第二章\n川。", ["第一章", "第二章"]),
        ("# Part One\n\n## Dawn\nx\n# Part Two\n\n## Dusk\ny", ["Dawn", "Dusk"]),
        ("プロローグ\n夢。\n第一話 朝\n光。\nエピローグ\n闇。", ["プロローグ", "第一話 朝", "エピローグ"]),
        ("Prologue\nx\nChapter One\ny", ["Prologue", "Chapter One"]),
        ("第一章\n夜。\n一\n川。\n二\n橋。\n第二章\n朝。", ["第一章", "第二章"]),
        ("\ufeff# 一夜\nx", ["一夜"]),
        ("## Heading ##\nx", ["Heading"]),
    ],
)
def test_headings_begin_episodes(text: str, expected: list[str | None]) -> None:
    assert titles(text) == expected
    assert "".join(text[section.start : section.end] for section in cut(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ただの夜。\n川の音。\n",
        "Chapter 3 was hard for me.\n",
        "第一回は彼の負けであった。\n",
        "#hashtag\n### too low\n",
        "彼は言った。\n二、三日して雨が降った。\n",
        "Chapter and verse\n",
        "第一章で述べたとおり、夜は長い\n",
    ],
)
def test_prose_is_not_cut(text: str) -> None:
    assert titles(text) == [None]


def test_what_precedes_the_first_heading_belongs_to_it() -> None:
    text = "作者のことば\n\n第一章\n夜。\n第二章\n朝。"
    first, second = cut(text)
    assert text[first.start : first.end] == "作者のことば\n\n第一章\n夜。\n"
    assert (first.line, second.line) == (1, 5)


LINES = st.sampled_from(
    ["# A", "## B", "第一章 夜", "Chapter 2", "一", "二、川", "夜。", "", "　", "\ufeff", "x" * 90, "第二部"]
) | st.text(max_size=6)


@given(st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n", "\r", ""])), max_size=12))
def test_the_pieces_are_the_file(pieces: list[tuple[str, str]]) -> None:
    text = "".join(line + end for line, end in pieces)
    sections = cut(text)
    assert "".join(text[section.start : section.end] for section in sections) == text
    assert all(section.start < section.end for section in sections) or text == ""


def write(path: Path, **files: bytes) -> Path:
    for name, data in files.items():
        (path / ".".join(name.rsplit("_", 1))).write_bytes(data)
    return path


def test_a_single_file_is_cut_whether_named_or_found(tmp_path: Path) -> None:
    data = "\ufeff第一章\r\n夜。\r\n第二章\r\n朝。".encode()
    write(tmp_path, novel_txt=data, README_md=b"# About this folder")
    folder = read_folder(tmp_path)
    assert folder == read_folder(tmp_path / "novel.txt")
    assert [(row.no, row.title, row.file, row.line) for row in folder.episodes] == [
        (1, "第一章", "novel.txt", 1),
        (2, "第二章", "novel.txt", 3),
    ]
    assert "".join(row.text for row in folder.episodes).encode() == data


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (["ch10.txt", "ch2.txt", "ch9.md"], {"ch2.txt": 2, "ch9.md": 9, "ch10.txt": 10}),
        (["03 dawn 2.txt", "01 night 1.txt"], {"01 night 1.txt": 1, "03 dawn 2.txt": 3}),
        (
            ["第三話.txt", "第十二話.txt", "第二話.txt"],
            {"第二話.txt": 2, "第三話.txt": 3, "第十二話.txt": 12},
        ),
        (["１.txt", "２.txt"], {"１.txt": 1, "２.txt": 2}),
        (["prologue.txt", "ch2.txt", "ch10.txt"], {"ch2.txt": 1, "ch10.txt": 2, "prologue.txt": 3}),
        (["a1.txt", "b1.txt"], {"a1.txt": 1, "b1.txt": 2}),
        (["0.txt", "1.txt"], {"0.txt": 1, "1.txt": 2}),
        (["9" * 30 + ".txt", "5.txt"], {"5.txt": 1, "9" * 30 + ".txt": 2}),
        (["vol1 ch1.txt", "vol1 ch2.txt"], {"vol1 ch1.txt": 1, "vol1 ch2.txt": 2}),
    ],
)
def test_each_file_is_an_episode_numbered_by_its_name(
    tmp_path: Path, names: list[str], numbers: dict[str, int]
) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"text\r\n")
    found = read_folder(tmp_path).episodes
    assert {row.file: row.no for row in found} == numbers
    assert [row.no for row in found] == sorted(numbers.values())
    assert {row.text for row in found} == {"text\r\n"}


def test_a_files_title_is_its_first_markdown_heading_or_the_one_it_begins_with(tmp_path: Path) -> None:
    write(
        tmp_path,
        a1_md="序\n# 星祭り\n## 川\n".encode(),
        a2_txt="第一章\n夜。".encode(),
        a3_txt="夜。\n第三章\n川。".encode(),
    )
    assert [row.title for row in read_folder(tmp_path).episodes] == ["星祭り", "第一章", None]


def test_plain_text_in_another_encoding_is_refused(tmp_path: Path) -> None:
    write(tmp_path, a1_txt=b"x", a2_txt=b"x\n" + "夜".encode("cp932"))
    with pytest.raises(FormatError, match=r"a2\.txt:2: not UTF-8 at byte offset 2"):
        read_folder(tmp_path)


def test_cast_facts_and_visibility_may_stand_beside_plain_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        novel_md=b"# One\nx\n# Two\ny",
        cast_json=b'{"characters": [{"id": "Hyde"}]}',
        facts_jsonl=b'{"episode_no": 2, "known_by": ["Hyde"], "text": "t"}',
        visibility_jsonl=b'{"episode_no": 1, "paragraph_id": "1-1", "known_by": ["Hyde"]}',
    )
    folder = read_folder(tmp_path)
    assert [character.character_id for character in folder.cast or ()] == ["Hyde"]
    assert [fact.audience for fact in folder.facts or ()] == [known_by("Hyde")]
    assert [row.paragraph_id for row in folder.visibility or ()] == ["1-1"]
