from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kataribe.domain.story.folder import BookText, Matter
from kataribe.errors import FormatError, InputError, MissingExtraError
from kataribe.formats.folder import read_folder
from support.books import epub, locked, page, with_file, zipped

if TYPE_CHECKING:
    from docx.document import Document

docx = pytest.importorskip("docx", reason="needs the extra `books`")

from kataribe.adapters.books import archive  # noqa: E402
from kataribe.adapters.books.epub import read_epub  # noqa: E402
from kataribe.adapters.books.word import read_docx  # noqa: E402
from kataribe.wiring import read_book  # noqa: E402

JA = {
    "cover.xhtml": page("<p>雨の島</p>", kind="cover"),
    "toc.xhtml": page("<h1>目次</h1><p>第一話</p><p>第二話</p>"),
    "one.xhtml": page(
        "<h2>第一話　雨</h2><p>　<ruby>澪<rt>みお</rt></ruby>は<em>起きた</em>。</p>"
        "<p>　雨&nbsp;だった。<br/>風もあった。</p>"
        "<hr/><p>　夜。</p>"
    ),
    "two.xhtml": page("<h2>第二話　風</h2><p>　<ruby>鏡<rt>きょう</rt>花<rt>か</rt></ruby>が来た。</p>"),
    "end.xhtml": page("<p>二〇二六年　雨書房</p>", kind="colophon"),
}
EN = {
    "a.xhtml": page(
        "<section><p>It rained. <i>She must not know it,</i> Ann thought.</p><p>Tom\n came.</p></section>"
    ),
    "b.xhtml": page("<p>Wind came.</p>"),
    "c.xhtml": page("<p>All rights reserved.</p>"),
}


def read(data: bytes, name: str) -> BookText:
    return read_book(data, name)


def test_a_japanese_book_is_read_in_the_order_of_its_spine() -> None:
    found = read(epub(JA), "novel.epub")
    assert found.text.split("\n") == [
        "## 第一話　雨", "", "　｜澪《みお》は*起きた*。", "　雨\u00a0だった。", "風もあった。",
        "* * *", "　夜。",
        "", "", "## 第二話　風", "", "　｜鏡《きょう》｜花《か》が来た。", "",
    ]  # fmt: skip
    assert found.left_out == (Matter.TITLE_PAGE, Matter.CONTENTS, Matter.COLOPHON)


def test_what_the_contents_call_a_document_is_its_heading() -> None:
    nav = {"a.xhtml": "Rain", "b.xhtml": "Wind", "c.xhtml": "Copyright"}
    found = read(epub(EN, nav=nav), "novel.epub")
    assert found.text == (
        "# Rain\n\nIt rained. *She must not know it,* Ann thought.\n\nTom came.\n\n\n# Wind\n\nWind came.\n"
    )
    assert found.left_out == (Matter.LICENCE,)


def test_the_older_sort_of_contents_is_read_too() -> None:
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint>'
        '<navLabel><text>Rain</text></navLabel><content src="text/a.xhtml#top"/></navPoint></navMap></ncx>'
    )
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="2.0"><manifest>'
        '<item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
        '<spine toc="ncx"><itemref idref="a"/></spine></package>'
    )
    book = with_file(with_file(epub(EN), "OEBPS/book.opf", opf), "OEBPS/toc.ncx", ncx)
    assert read(book, "n.epub").text.startswith("# Rain\n\nIt rained.")


def written(make: Callable[[Document], object]) -> bytes:
    document = docx.Document()
    make(document)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def ruby_xml(base: str, reading: str) -> str:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    return (
        f"<w:r {space}><w:ruby><w:rubyPr/><w:rt><w:r><w:t>{reading}</w:t></w:r></w:rt>"
        f"<w:rubyBase><w:r><w:t>{base}</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    )


def japanese(document: Document) -> None:
    document.add_paragraph("雨の島", style="Title")
    document.add_heading("第一話　雨", level=1)
    line = document.add_paragraph("　")
    line._p.append(docx.oxml.parse_xml(ruby_xml("澪", "みお")))
    line.add_run("は起きた。")
    document.add_paragraph("")
    document.add_paragraph("　雨だった。")
    document.add_heading("第二話　風", level=1)
    document.add_table(rows=1, cols=1).cell(0, 0).text = "　風だった。"


def english(document: Document) -> None:
    document.add_heading("Rain", level=1)
    line = document.add_paragraph("It rained. ")
    line.add_run("She must not ").italic = True
    line.add_run("know it,").italic = True
    line.add_run(" Ann thought.").add_break()
    line.add_run("Tom came.")
    document.add_heading("Wind", level=1)
    document.add_paragraph("Wind came.")


def test_a_japanese_document_is_read_with_headings_and_ruby() -> None:
    found = read(written(japanese), "novel.docx")
    assert found.text == (
        "# 第一話　雨\n\n　｜澪《みお》は起きた。\n\n　雨だった。\n\n# 第二話　風\n\n　風だった。\n"
    )
    assert found.left_out == (Matter.TITLE_PAGE,)


def test_an_english_document_is_read_with_its_italics() -> None:
    found = read(written(english), "novel.docx")
    assert found.text == (
        "# Rain\n\nIt rained. *She must not know it,* Ann thought.\nTom came.\n\n\n# Wind\n\nWind came.\n"
    )


def test_a_book_comes_in_as_its_chapters_alone_or_in_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "novel.epub"
    path.write_bytes(epub(JA))
    for place in (path, tmp_path):
        folder = read_folder(place, book=read_book)
        assert [(row.no, row.title, row.line) for row in folder.episodes] == [
            (1, "第一話　雨", None),
            (2, "第二話　風", None),
        ]
        assert [(one.what, one.first) for one in folder.left_out] == [
            (Matter.TITLE_PAGE, None),
            (Matter.CONTENTS, None),
            (Matter.COLOPHON, None),
        ]


BOMB = "<w:p>" + " " * 40_000_000 + "</w:p>"
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: b"no archive at all", "it is broken"),
        (lambda: b"", "it is broken"),
        (lambda: epub(JA)[:-40], "it is broken"),
        (lambda: zipped({"a.txt": "x"}), "there is no META-INF/container.xml in it"),
        (lambda: locked(epub(JA)), "it is encrypted by a password"),
        (
            lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
            "it is encrypted by a password, or of an old",
        ),
        (lambda: with_file(epub(JA), "OEBPS/text/one.xhtml", LAUGHS), "declares entities of its own"),
        (lambda: with_file(epub(JA), "OEBPS/text/one.xhtml", LAUGHS.encode("utf-16")), "declares entities"),
        (lambda: with_file(epub(JA), "OEBPS/text/one.xhtml", "<html><body><p>雨"), "it is broken"),
        (lambda: with_file(epub(JA), "OEBPS/text/one.xhtml", page("<p>&unheard;</p>")), "it is broken"),
        (lambda: with_file(epub(JA), "OEBPS/text/one.xhtml", BOMB), "packed more than 200 to 1"),
        (lambda: epub({}), "its spine names no documents"),
        (lambda: epub({"a.xhtml": page("<p> </p>")}), "no text in it that could be a story"),
        (
            lambda: epub(
                JA,
                more={
                    "META-INF/encryption.xml": '<encryption><EncryptionMethod Algorithm="http://www.w3.org/2001/04/'
                    'xmlenc#aes128-cbc"/></encryption>'
                },
            ),
            "it is encrypted (DRM)",
        ),
    ],
)
def test_a_book_that_cannot_be_trusted_is_refused(make: Callable[[], bytes], says: str) -> None:
    with pytest.raises(FormatError) as refused:
        read_epub(make(), "novel.epub")
    assert says in str(refused.value)
    assert refused.value.file == "novel.epub"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: b"no archive at all", "it is broken"),
        (lambda: zipped({"a.txt": "x"}), "it is no document of Word"),
        (lambda: epub(JA), "it is no document of Word"),
        (lambda: locked(written(english)), "it is encrypted by a password"),
        (lambda: with_file(written(english), "word/document.xml", LAUGHS), "declares entities of its own"),
        (
            lambda: with_file(written(english), "word/document.xml", "<w:document"),
            "it is no document of Word",
        ),
        (lambda: with_file(written(english), "word/media/a.bin", BOMB), "packed more than 200 to 1"),
    ],
)
def test_a_document_that_cannot_be_trusted_is_refused(make: Callable[[], bytes], says: str) -> None:
    with pytest.raises(FormatError) as refused:
        read_docx(make(), "novel.docx")
    assert says in str(refused.value)


def test_a_book_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    book = epub(JA)
    for limit, says in (
        ("MOST_BYTES", "unpacked it has more than"),
        ("MOST_FILES", "files in it"),
        ("MOST_TEXT", "divide the book"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(archive, limit, 3)
            with pytest.raises(FormatError, match=says):
                read_epub(book, "novel.epub")


def test_veiled_fonts_are_no_encryption() -> None:
    more = {
        "META-INF/encryption.xml": '<encryption><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/>'
        "</encryption>"
    }
    assert "澪" in read_epub(epub(JA, more=more), "novel.epub").text


def test_without_the_extra_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kataribe.wiring.on_use.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'kataribe\[books\]'"):
        read_book(b"", "novel.docx")


def test_another_sort_of_book_is_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "novel.pdf"
    path.write_bytes(b"%PDF")
    with pytest.raises(InputError, match=r"save it as \.docx, \.epub or \.txt"):
        read_folder(path, book=read_book)
