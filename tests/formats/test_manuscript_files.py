from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest

from kataribe.domain.markup import plain
from kataribe.domain.story.folder import Matter
from kataribe.errors import FormatError, InputError
from kataribe.formats.encodings import read_text, told_encoding
from kataribe.formats.folder import read_folder
from kataribe.formats.headings import cut

DATA = Path(os.environ.get("KATARIBE_TEST_DATA", ""))


def titles(text: str) -> list[str | None]:
    return [section.title for section in cut(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("【第1話】\n雨。\n【第2話】\n風。\n", ["第1話", "第2話"]),
        ("◇1\n雨。\n◇2\n風。\n", ["1", "2"]),
        ("1話\n雨。\n2話\n風。\n3話\n雪。", ["1話", "2話", "3話"]),
        ("＃1　雨\n雨だ。\n＃2　風\n風だ。", ["＃1　雨", "＃2　風"]),
        ("1\n\nIt rained.\n\n2\n\nWind came.\n", ["1", "2"]),
        ("I.\n\nIt rained.\n\nII.\n\nWind came.\n", ["I.", "II."]),
        ("ONE\n\nIt rained.\n\nTWO\n\nWind came.\n", ["ONE", "TWO"]),
        ("①\n\n雨。\n\n②\n\n風。\n", ["①", "②"]),
        (
            "プロローグ\n\n夢。\n\n1\n\n雨。\n\n2\n\n風。\n\nエピローグ\n\n朝。",
            ["プロローグ", "1", "2", "エピローグ"],
        ),
        ("第一部\n\n1\n\n雨。\n\n2\n\n風。\n\n第二部\n\n1\n\n雪。", ["1", "2", "1"]),
        ("第一話\n雨。\n幕間\n夢。\n第二話\n風。", ["第一話", "幕間", "第二話"]),
        ("1. The Inn\nIt rained.\n2. The Road\nWind came.\n", ["1. The Inn", "2. The Road"]),
        ("Ep.1\nIt rained.\nEp.2\nWind came.", ["Ep.1", "Ep.2"]),
        ("1\n\nThe Inn\n\nIt rained.\n\n2\n\nThe Road\n\nWind came.", ["The Inn", "The Road"]),
        (
            "［＃大見出し］雨［＃大見出し終わり］\n雨。\n［＃大見出し］風［＃大見出し終わり］\n風。",
            ["雨", "風"],
        ),
    ],
)
def test_every_form_of_heading_cuts_a_text(text: str, expected: list[str | None]) -> None:
    assert titles(text) == expected
    assert "".join(text[section.start : section.end] for section in cut(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "He counted.\n\n3\n\n2\n\n1\n\nThe door opened.\n",
        "The year was written alone:\n\n1951\n\nNobody spoke.\n",
        "He bought:\n1. Flour\n2. Eggs\nand left.\n",
        "彼は数えた。\n※1　注の一\n※2　注の二\n終わり。",
    ],
)
def test_numbers_in_prose_do_not_cut_it(text: str) -> None:
    assert titles(text) == [None]


def novel(tmp_path: Path, text: str | bytes, name: str = "novel.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


GUTENBERG = """\ufeffThe Project Gutenberg EBook of The Islet, by A. Nobody

This eBook is for the use of anyone anywhere.

*** START OF THIS PROJECT GUTENBERG EBOOK THE ISLET ***

Produced by Somebody

THE ISLET

by A. Nobody

CONTENTS

PART ONE
1.  THE INN  . . . .  11
2.  THE ROAD . . . .  17

THE ISLET

PART ONE--Rain

1

The Inn

It rained all night.

2

The Road

Wind came.

End of Project Gutenberg's The Islet, by A. Nobody

*** END OF THIS PROJECT GUTENBERG EBOOK THE ISLET ***

Section 1. General Terms.
"""

AOZORA = """雨の島
渚　澪

-------------------------------------------------------
【テキスト中に現れる記号について】

《》：ルビ
（例）澪《みお》
-------------------------------------------------------

［＃７字下げ］一［＃「一」は中見出し］

　澪《みお》は起きた。

［＃７字下げ］二［＃「二」は中見出し］

　雨だった。

底本：「雨の島」どこか書店
　　　1951（昭和26）年初版発行
入力：だれか
""".replace("\n", "\r\n")


def test_header_contents_and_licence_are_left_out_and_said_so(tmp_path: Path) -> None:
    folder = read_folder(novel(tmp_path, GUTENBERG))
    assert [(row.no, row.title) for row in folder.episodes] == [(1, "The Inn"), (2, "The Road")]
    assert folder.episodes[0].text.startswith("PART ONE--Rain\n\n1\n\nThe Inn\n\nIt rained")
    assert folder.episodes[1].text.rstrip().endswith("Wind came.")
    lines = GUTENBERG.splitlines()
    assert [
        (one.what, lines[(one.first or 0) - 1], lines[(one.last or 0) - 1]) for one in folder.left_out
    ] == [
        (Matter.HEADER, lines[0], "Produced by Somebody"),
        (Matter.CONTENTS, "THE ISLET", "THE ISLET"),
        (Matter.LICENCE, "End of Project Gutenberg's The Islet, by A. Nobody", "Section 1. General Terms."),
    ]
    assert [lines[row.line - 1] for row in folder.episodes if row.line] == ["PART ONE--Rain", "2"]


def test_header_and_colophon_of_aozora_are_left_out_and_said_so(tmp_path: Path) -> None:
    folder = read_folder(novel(tmp_path, AOZORA.encode("cp932")), encoding="sjis")
    assert [row.title for row in folder.episodes] == ["一", "二"]
    assert "澪《みお》は起きた。\r\n" in folder.episodes[0].text
    assert folder.episodes[1].text.rstrip().endswith("雨だった。")
    assert [one.what for one in folder.left_out] == [Matter.HEADER, Matter.COLOPHON]


@pytest.mark.parametrize(
    ("text", "titled"),
    [
        (
            "雨の島\n\n目次\n第一話　雨\n第二話　風\n\n第一話　雨\n澪は起きた。\n第二話　風\n風だ。\n",
            ["第一話　雨", "第二話　風"],
        ),
        (
            "第1話 雨\n第2話 風\n第3話 雪\n\n第1話 雨\n雨だ。\n第2話 風\n風だ。\n第3話 雪\n雪だ。",
            ["第1話 雨", "第2話 風", "第3話 雪"],
        ),
        (
            "Contents\n\nCh. 1. Rain ... 3\nCh. 2. Wind ... 9\n\nCh. 1. Rain\n\nRain.\n\nCh. 2. Wind\n\nW.\n",
            ["Ch. 1. Rain", "Ch. 2. Wind"],
        ),
    ],
)
def test_contents_that_the_headings_repeat_are_left_out(tmp_path: Path, text: str, titled: list[str]) -> None:
    folder = read_folder(novel(tmp_path, text))
    assert [row.title for row in folder.episodes] == titled
    assert [one.what for one in folder.left_out] == [Matter.CONTENTS]


@pytest.mark.parametrize(
    "text",
    [
        "作者のことば\n\n第一章\n夜。\n第二章\n朝。",
        "目次のない本だった。\n第一章\n夜。\n第二章\n朝。",
        "Contents of the box: a ring.\n\nChapter 1\nx\n\nChapter 2\ny\n",
        "底本：という字を見た。\n第一章\n夜。\n第二章\n朝。",
        "目次\n\n箱の中に目次があった。\n第一章\n夜。\n第二章\n朝。",
    ],
)
def test_what_is_not_sure_to_be_something_else_is_story(tmp_path: Path, text: str) -> None:
    folder = read_folder(novel(tmp_path, text))
    assert folder.left_out == ()
    assert "".join(row.text for row in folder.episodes) == text


def test_a_long_text_that_stays_one_episode_is_told(tmp_path: Path) -> None:
    long = novel(tmp_path, "雨が降った。\n" * 4000)
    told = read_folder(long).uncut
    assert [(one.file, one.characters) for one in told] == [("novel.txt", 28000)]
    assert read_folder(novel(tmp_path, "雨が降った。\n" * 40)).uncut == ()
    assert read_folder(novel(tmp_path, "第一話\n" + "雨が降った。\n" * 4000 + "第二話\n雪。")).uncut == ()


PROSE = "　澪は起きた。雨の音がした。「まだ早い」と鏡花は言った。\r\n"


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("cp932", "shift_jis"),
        ("euc_jp", "euc-jp"),
        ("iso2022_jp", "iso-2022-jp"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
    ],
)
def test_another_encoding_is_told_and_taken_when_it_is_given(
    tmp_path: Path, encoding: str, told: str
) -> None:
    path = novel(tmp_path, PROSE.encode(encoding))
    assert told_encoding(path.read_bytes()) == told
    if encoding != "iso2022_jp":
        with pytest.raises(FormatError, match=f"seems to be {told}; give --encoding {told}"):
            read_folder(path)
    assert read_folder(path, encoding=told).episodes[0].text == PROSE


def test_western_texts_in_an_old_encoding_are_told(tmp_path: Path) -> None:
    path = novel(tmp_path, "The café — “closed” — was dark.\n".encode("cp1252"))
    with pytest.raises(FormatError, match="seems to be windows-1252"):
        read_folder(path)
    assert "“closed”" in read_folder(path, encoding="cp1252").episodes[0].text


def test_a_wrong_encoding_is_refused_and_the_right_one_told(tmp_path: Path) -> None:
    path = novel(tmp_path, PROSE.encode("cp932"))
    with pytest.raises(FormatError, match=r"not euc-jp at byte offset .* seems to be shift_jis"):
        read_folder(path, encoding="euc-jp")
    with pytest.raises(InputError, match="there is no encoding 'klingon'; choose from utf-8"):
        read_folder(path, encoding="klingon")


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (PROSE.encode("cp932"), "utf-16"),
        (PROSE.encode("cp932"), "utf-16-be"),
        (PROSE.encode("cp932"), "windows-1252"),
        (PROSE.encode(), "shift_jis"),
        (PROSE.encode(), "utf-16-le"),
        ("Déjà vu: les cafés fermés.".encode("cp1252"), "utf-16"),
        ("Déjà vu: les cafés fermés.".encode(), "windows-1252"),
    ],
)
def test_an_encoding_that_would_make_nonsense_is_refused(tmp_path: Path, data: bytes, encoding: str) -> None:
    with pytest.raises(FormatError, match=r"novel\.txt: (it is|not) "):
        read_folder(novel(tmp_path, data), encoding=encoding)


def test_western_letters_are_not_taken_for_japanese() -> None:
    assert told_encoding("Déjà été, là où l'été dure éa íe ño.".encode("cp1252")) == "windows-1252"


def test_a_mark_of_byte_order_is_no_part_of_a_text() -> None:
    assert read_text(codecs.BOM_UTF16_BE + "雨".encode("utf-16-be"), "a.txt", "utf-16") == "雨"


def test_a_file_that_no_encoding_fits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not UTF-8"):
        read_folder(novel(tmp_path, b"\x81\x00\x8d\xff\xfe" * 9))


@pytest.mark.parametrize(
    ("file", "encoding", "count", "matter"),
    [
        ("ja-sanshiro/manuscript-sjis.txt", "shift_jis", 13, ["header", "colophon"]),
        ("en-treasure-island/manuscript.txt", None, 34, ["header", "contents", "licence"]),
    ],
)
def test_shared_manuscripts_come_in_as_their_chapters(
    file: str, encoding: str | None, count: int, matter: list[str]
) -> None:
    path = DATA / file
    if not path.is_file():
        pytest.skip(f"{file} is not here")
    folder = read_folder(path, encoding=encoding)
    kept = read_folder(path.parent).episodes
    assert len(folder.episodes) == count
    assert [one.what.value for one in folder.left_out] == matter
    assert [row.title for row in folder.episodes] == [row.title for row in kept]
    whole = plain("".join(row.text for row in folder.episodes)).text
    assert not any(
        word in whole for word in ("Gutenberg", "CONTENTS", "底本", "テキスト中に現れる", "青空文庫")
    )
