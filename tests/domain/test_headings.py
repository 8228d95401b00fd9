from __future__ import annotations

import pytest

from kataribe.domain.text.headings import first_heading, head_end, read_heading
from kataribe.domain.text.paragraphs import is_heading


@pytest.mark.parametrize(
    ("line", "title", "level"),
    [
        ("【第1話】", "第1話", 2),
        ("■第1話", "第1話", 2),
        ("☆ 第1話 ☆", "第1話", 2),
        ("【第１話】雨の朝", "【第１話】雨の朝", 2),
        ("【第1話 雨の朝】", "第1話 雨の朝", 2),
        ("第三回", "第三回", 2),
        ("第二部　海", "第二部　海", 1),
        ("第1幕", "第1幕", 2),
        ("第一話『雨』", "第一話『雨』", 2),
        ("1話", "1話", 2),
        ("三章", "三章", 2),
        ("◇1", "1", 2),
        ("その一", "その一", 2),
        ("＃1", "＃1", 2),
        ("# 雨", "雨", 1),
        ("Ep.1", "Ep.1", 2),
        ("EP3", "EP3", 2),
        ("Ch. 4", "Ch. 4", 2),
        ("Chapter One", "Chapter One", 2),
        ("CHAPTER THE FIRST", "CHAPTER THE FIRST", 2),
        ("Chapter Twenty-One: Rain", "Chapter Twenty-One: Rain", 2),
        ("**Chapter 2**", "Chapter 2", 2),
        ("PART ONE--The Old Buccaneer", "PART ONE--The Old Buccaneer", 1),
        ("Book the Second", "Book the Second", 1),
        ("Act II", "Act II", 2),
        ("1.", "1.", 2),
        ("①", "①", 2),
        ("Ⅳ", "Ⅳ", 2),
        ("IV.", "IV.", 2),
        ("（一）", "一", 2),
        ("- 1 -", "1", 2),
        ("One", "One", 2),
        ("二十一", "二十一", 2),
        ("プロローグ", "プロローグ", 2),
        ("【エピローグ】", "エピローグ", 2),
        ("幕間　猫の夜", "幕間　猫の夜", 2),
        ("最終話", "最終話", 2),
        ("Prologue", "Prologue", 2),
        ("EPILOGUE: Rain", "EPILOGUE: Rain", 2),
        ("Interlude", "Interlude", 2),
        ("［＃７字下げ］一［＃「一」は中見出し］", "一", 2),
        ("［＃３字下げ］上　先生と私［＃「上　先生と私」は大見出し］", "上　先生と私", 1),
        ("第一《だいいち》章　夜《よる》", "第一章　夜", 2),
    ],
)
def test_every_named_form_is_a_heading(line: str, title: str, level: int) -> None:
    found = read_heading(line)
    assert found is not None
    assert (found.title, found.level) == (title, level)
    assert is_heading(line)


@pytest.mark.parametrize(
    "line",
    [
        "", "第一回は彼の負けであった。", "第一印象", "「第一章」", "三人の客", "十話も読んだ",
        "その一部始終を見た",
        "幕間の話をした", "Chapter and verse",
        "Chapter 3 was hard for me.", "Part of me wanted it.", "I went home",
        "#hashtag", "2 apples",
        "One morning", "“One”", "※1　注", "第一章で述べたとおり、夜は長い",
        "三四郎［＃「三四郎」は同行中見出し］は、朝から出かけた",
    ],
)  # fmt: skip
def test_prose_is_no_heading(line: str) -> None:
    assert read_heading(line) is None
    assert not is_heading(line)


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("1\n\nThe Old Sea-dog\n\n\nSQUIRE came.\n", "The Old Sea-dog", "SQUIRE came."),
        ("PART TWO--The Sea\n\n\n7\n\nI Go to Bristol\n\nIT was late.\n", "I Go to Bristol", "IT was late."),
        ("Chapter One\n\nThe Inn\n\nIt rained.\n", "Chapter One: The Inn", "It rained."),
        ("第一章\n\n雨の朝\n\n　澪は起きた。\n", "第一章 雨の朝", "澪は起きた。"),
        ("一\n\n　澪は起きた。\n", "一", "澪は起きた。"),
        ("【第1話】雨\n澪は起きた。\n", "【第1話】雨", "澪は起きた。"),
        ("1\n\nIt rained.\n\nShe woke.\n", "1", "It rained."),
        ("12\n\n　雨だった\n\n　澪は起きた。\n", "12", "雨だった"),
        ("澪は起きた。\n第一章\n", None, "澪は起きた。"),
    ],
)
def test_a_text_begins_with_its_heading_and_the_title_below(text: str, title: str | None, body: str) -> None:
    assert first_heading(text) == title
    assert text[head_end(text) :].strip().startswith(body)
