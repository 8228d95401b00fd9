"""Documents of a library: what is read of each format, and what is refused with the file and the reason."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable

import docx
import pytest

from kataribe.domain.knowledge.documents import Document, DocumentText, check_document_name, passages_of
from kataribe.errors import FormatError, InputError, MissingExtraError
from kataribe.formats.documents import MOST_BYTES, read_document
from kataribe.wiring import read_document_of
from support.books import locked, with_file
from support.documents import pdf, pdf_bomb

Found = list[tuple[str, tuple[str, ...], int | None]]


def read(name: str, data: bytes | str, encoding: str | None = None) -> DocumentText:
    given = data.encode() if isinstance(data, str) else data
    return read_document(given, name, encoding, read_document_of)


def passages(name: str, data: bytes | str) -> Found:
    """Give the text, the headings and the page of each passage."""
    content = read(name, data)
    document = Document(name=name, version=1, source_hash="", content=content, added_at="")
    cut = [one.text for one in passages_of(document)]
    where = [one.excerpt for one in passages_of(document)]
    return [(text, one.headings, one.page) for text, one in zip(cut, where, strict=True)]


def word(write: Callable[[docx.document.Document], object]) -> bytes:
    made = docx.Document()
    write(made)
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


def _rules(made: docx.document.Document) -> None:
    made.add_paragraph("就業規則", style="Title")
    made.add_heading("休暇", level=1)
    made.add_paragraph("社員は年に二十日の休暇を取ることができる。")
    made.add_heading("申請", level=2)
    table = made.add_table(rows=2, cols=2)
    for at, words in enumerate(("様式", "期限", "甲", "三日前")):
        table.cell(at // 2, at % 2).text = words
    made.add_heading("Remote work", level=1)
    run = made.add_paragraph("Ask the ").add_run("manager")
    run.italic = True


def test_a_plain_text_stands_as_it_was_written() -> None:
    text = "一行目。\r\n\r\n二行目。\n\tthird\n"
    assert read("a.txt", text).text == text
    assert passages("a.TXT", "澪は来た。") == [("澪は来た。", (), None)]


def test_a_text_in_another_encoding_is_read_when_it_is_named() -> None:
    data = "社員は年に二十日の休暇を取ることができる。".encode("cp932")
    with pytest.raises(FormatError, match=r"rules\.txt.*shift_jis"):
        read("rules.txt", data)
    assert read("rules.txt", data, "shift_jis").text.startswith("社員は")
    with pytest.raises(InputError, match="leave the encoding out"):
        read("rules.pdf", pdf([["x"]]), "shift_jis")


def test_markdown_is_cut_at_its_headings() -> None:
    text = (
        "---\ntitle: 規程\n---\n前書き。\n\n# 規程 *甲*\n\n本文。\n\n```sh\n# no heading\n```\n\n"
        "## 休暇\r\n二十日。\n\n"
        "Remote work\n-----------\n\nAsk first.\n\n> # quoted\n\n# 附則\n"
    )
    assert passages("規程.md", text) == [
        ("前書き。", (), None),
        ("本文。\n\n```sh\n# no heading\n```", ("規程 甲",), None),
        ("二十日。", ("規程 甲", "休暇"), None),
        ("Ask first.\n\n> # quoted", ("規程 甲", "Remote work"), None),
        ("附則", (), None),
    ]


def test_a_page_of_html_is_read_as_it_is_shown() -> None:
    page = (
        "<!doctype html><html><head><title>社内</title><style>p{}</style><script>bad()</script></head><body>"
        "<nav><a href=/>menu</a></nav><h1>規程</h1><p>社員は<b>年に</b>二十日の<br>休暇を取る。</p>"
        "<h2>Remote work</h2><ul><li>Ask&nbsp;first<li>then go</ul><table><tr><th>様式<td>甲</table>"
        "<p hidden>secret</p><p><ruby>銀河<rp>(</rp><rt>ぎんが</rt><rp>)</rp></ruby>だ。</p>"
        "<pre>x = 1\n  y</pre>"
    )
    assert passages("a.html", page) == [
        ("社員は年に二十日の\n休暇を取る。", ("規程",), None),
        ("Ask\xa0first\n\nthen go\n\n様式 | 甲\n\n銀河だ。\n\nx = 1\n  y", ("規程", "Remote work"), None),
    ]
    assert passages("a.htm", "<title>社内</title><p>本文。") == [("本文。", ("社内",), None)]


def test_a_pdf_has_pages_and_the_headings_of_its_outline() -> None:
    pages = [
        [
            "社内規程 丙",
            "就業規則",
            "第1章 総則",
            "この規程は、社員の働き方を定めるものであり、すべての社員に",
            "適用する。",
            "1",
        ],
        ["社内規程 丙", "- 2 -"],
        ["社内規程 丙", "第2章 休暇", "社員は年に二十日の休暇を取ることができる。", "3"],
    ]
    outline = [(1, "就業規則", 1), (2, "第1章 総則", 1), (2, "第2章 休暇", 3)]
    assert passages("規程.pdf", pdf(pages, outline=outline)) == [
        (
            "この規程は、社員の働き方を定めるものであり、すべての社員に適用する。",
            ("就業規則", "第1章 総則"),
            1,
        ),
        ("社員は年に二十日の休暇を取ることができる。", ("就業規則", "第2章 休暇"), 3),
    ]
    english = [
        "Every employee may take twen-",
        "ty days of leave in a year, and who needs more asks",
        "the manager.",
    ]
    assert passages("rules.pdf", pdf([english])) == [
        (
            "Every employee may take twenty days of leave in a year, and who needs more asks the manager.",
            (),
            1,
        )
    ]


def test_pages_without_text_are_named() -> None:
    assert read("a.pdf", pdf([["words"], [], ["more words"], []])).empty_pages == (2, 4)


def test_a_document_of_word_has_headings_and_tables() -> None:
    assert passages("規則.docx", word(_rules)) == [
        ("社員は年に二十日の休暇を取ることができる。", ("就業規則", "休暇"), None),
        ("様式 | 期限\n\n甲 | 三日前", ("就業規則", "休暇", "申請"), None),
        ("Ask the manager", ("就業規則", "Remote work"), None),
    ]


def test_a_passage_has_at_most_300_characters_and_none_is_lost() -> None:
    text = "".join(f"第{number}条。社員は休暇を取ることができる。\n" for number in range(200))
    found = [one for one, _, _ in passages("a.txt", text)]
    assert max(map(len, found)) <= 300
    assert all(any(f"第{number}条。" in one for one in found) for number in range(200))
    assert all(one in text for one in found)


BOMB = with_file(word(_rules), "word/media/bomb.xml", b"\0" * (40 * 2**20))


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", pdf([[], []]), "it is a scan"),
        ("a.pdf", pdf([["社員"]], password="x"), "encrypted"),
        ("a.pdf", pdf([["社内規程"]], told=False), "cannot be read"),
        ("a.pdf", pdf([["社内規程"]])[:200], "broken"),
        ("a.pdf", b"no pdf at all", "broken"),
        ("a.pdf", b"", "broken"),
        ("a.pdf", pdf_bomb(), "far larger"),
        ("a.docx", word(_rules)[:-200], "broken"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more", "encrypted"),
        ("a.docx", locked(word(_rules)), "encrypted"),
        ("a.docx", BOMB, "packed more than"),
        ("a.docx", word(lambda made: made), "no text"),
        ("a.html", "<div>" * 100_000 + "x", "nested too deeply"),
        ("a.html", "<p></p>", "no text"),
        ("a.txt", b"", "no text"),
        ("a.txt", " \n\u3000\n", "no text"),
        ("a.md", "\ufeff", "no text"),
        ("a.md", "規程".encode("utf-16"), "UTF-8"),
        ("a.txt", b"x" * (MOST_BYTES + 1), "more than 64 MB"),
    ],
)
def test_what_cannot_be_read_is_refused_with_file_and_reason(
    name: str, data: bytes | str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FormatError, match=reason) as refused:
        read(name, data)
    assert str(refused.value).startswith(f"{name}: ") or f"{name}:" in str(refused.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.pdf", pdf([["社内規程", "本文。"]] * 2, outline=[(1, "社内規程", 1)])), ("a.docx", word(_rules))],
)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(name: str, data: bytes) -> None:
    rng = random.Random(5)
    for _ in range(120):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 30)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        with contextlib.suppress(FormatError):
            read(name, bytes(damaged[: rng.choice((len(damaged), rng.randrange(len(damaged))))]))


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.pdf", "a.docx"])
def test_without_the_extra_it_says_what_to_type(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kataribe.wiring.on_use.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'kataribe\[kb\]'"):
        read(name, b"x")
    assert read("a.txt", b"x").text == "x"
    with pytest.raises(InputError, match=r"only \.txt is read here"):
        read_document(b"x", name, None, None)


def test_other_formats_are_refused_by_name() -> None:
    for name in ("a.epub", "a", "a.xlsx"):
        with pytest.raises(InputError, match=r"\.txt, \.md, \.html, \.pdf, \.docx"):
            read(name, b"x")


def test_a_name_is_the_same_on_every_system() -> None:
    assert check_document_name("か\u3099くせい規程.md") == "がくせい規程.md"
    for wrong in ("", " a.md", "a\nb.md", "a/b.md", "a:b.md", "x" * 201, "\ud800.md"):
        with pytest.raises(InputError):
            check_document_name(wrong)
