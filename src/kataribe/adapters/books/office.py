"""`.docx` as a document: headings, paragraphs and the rows of tables, through python-docx."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from kataribe.adapters.books.word import CONTENTS, NOT_READ, TITLES, WORD, heading_level, opened, value_of
from kataribe.adapters.books.written_document import DocumentWriter
from kataribe.domain.knowledge.documents import DocumentText

_INSIDE = frozenset(
    f"{WORD}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")
)
_BREAKS = {f"{WORD}br": "\n", f"{WORD}cr": "\n", f"{WORD}tab": "\t", f"{WORD}noBreakHyphen": "-"}
_TITLE_LEVEL = 0
"""Above every heading."""


def read_office(data: bytes, name: str) -> DocumentText:
    """Take the text out of a document; raise `FormatError` for what is refused."""
    body, styles = opened(data, name)
    writer = DocumentWriter(name)
    _read(body, styles, writer)
    return writer.done()


def _read(parent: etree._Element, styles: dict[str, str], writer: DocumentWriter) -> None:
    for child in parent:
        if child.tag == f"{WORD}p":
            _paragraph(child, styles, writer)
        elif child.tag == f"{WORD}tbl":
            for row in child.iter(f"{WORD}tr"):
                writer.paragraph(" | ".join(cell for cell in _cells(row) if cell))
        elif child.tag in _INSIDE:
            _read(child, styles, writer)


def _paragraph(paragraph: etree._Element, styles: dict[str, str], writer: DocumentWriter) -> None:
    style = styles.get(value_of(paragraph, "pPr/pStyle") or "", "")
    words = "".join(_words(paragraph))
    level = heading_level(paragraph, style)
    if CONTENTS.match(style):
        return
    if style.casefold() in TITLES:
        writer.heading(_TITLE_LEVEL, words)
    elif level:
        writer.heading(level, words)
    else:
        writer.paragraph(words)


def _cells(row: etree._Element) -> Iterator[str]:
    for cell in row.iterchildren(f"{WORD}tc"):
        said = ("".join(_words(one)) for one in cell.iter(f"{WORD}p"))
        yield " ".join(" ".join(said).split())


def _words(element: etree._Element) -> Iterator[str]:
    """Give the words of a paragraph; of what has a reading the base alone."""
    for child in element:
        if child.tag in NOT_READ or not isinstance(child.tag, str):
            continue
        if child.tag == f"{WORD}t":
            yield child.text or ""
        elif child.tag in _BREAKS:
            yield _BREAKS[child.tag]
        elif not child.tag.endswith(("}pPr", "}rPr", "}tbl")):
            yield from _words(child)
