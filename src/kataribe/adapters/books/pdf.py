"""`.pdf`, through pypdf: the text of each page, and the headings that its outline names."""

from __future__ import annotations

import io
import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pypdf import PdfReader
from pypdf.errors import LimitReachedError, PyPdfError

from kataribe.adapters.books.written_document import DocumentWriter, unreadable_share
from kataribe.domain.ids import normalise
from kataribe.domain.knowledge.documents import DocumentText
from kataribe.errors import FormatError

# What is odd about a file is told by the error that refuses it; without this it would be printed.
logging.getLogger("pypdf").addHandler(logging.NullHandler())

MOST_PAGES = 5_000
_MOST_UNREADABLE = 0.2
_REPEATED = 0.6
"""A line at the edge of more than this share of the pages is no part of the text."""
_EDGE = 2
"""So many lines at the head and at the foot of a page may be of the page and not of the text."""
_ENDS = re.compile(r"[。．.!?！？:：;；」』）)\]】]\s*$")
_BEGINS = re.compile(
    r"\s*(?:[-•・*●○■◆※–—]|\(?\d{1,3}[.)）]|第\s*[0-9０-９一二三四五六七八九十百]+\s*[章節条項])|\u3000"
)
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"[-–—]? ?(?:page |p\. ?)?\d{1,4}(?: ?(?:/|of) ?\d{1,4})? ?[-–—]?", re.IGNORECASE)
"""The number of a page, alone on its line."""
_HYPHEN = re.compile(r"(?<=[a-z])-$")
_LATIN = re.compile(r"[\x21-\x7e\u00c0-\u024f]")
_FULL = 0.6
"""A line shorter than this share of the page's longest ends its paragraph."""

_Outline = dict[int, list[tuple[int, str]]]
"""By the number of a page, from 0: the level and the words of the headings that begin on it."""


def read_pdf(data: bytes, name: str) -> DocumentText:
    """Take the text out of a document; raise `FormatError` for what is refused."""
    try:
        return _read(PdfReader(io.BytesIO(data)), name)
    except FormatError:
        raise
    except LimitReachedError as error:
        raise FormatError("unpacked it is far larger than any document; it is not read", file=name) from error
    except RecursionError as error:
        raise FormatError("it is nested too deeply; print it to a new PDF", file=name) from error
    except (PyPdfError, *_BROKEN) as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise FormatError(f"it is broken ({said}); print it to a new PDF", file=name) from error


_BROKEN = (
    *(ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, NotImplementedError),
    *(ArithmeticError, OSError, EOFError, UnicodeError),
)
"""What a reader of a file that is not what it says stumbles over."""


def _read(reader: PdfReader, name: str) -> DocumentText:
    if reader.is_encrypted:
        raise FormatError("it is encrypted; save it without a password", file=name)
    if len(reader.pages) > MOST_PAGES:
        raise FormatError(f"it has more than {MOST_PAGES:,} pages; divide it", file=name)
    pages = [_lines(page.extract_text()) for page in reader.pages]
    if not any(pages):
        raise FormatError(
            "there is no text in it: it is a scan; let a program for reading scans (OCR) add the text",
            file=name,
        )
    if unreadable_share("".join(line for page in pages for line in page)) > _MOST_UNREADABLE:
        raise FormatError(
            "its text cannot be read: its fonts do not say which characters they draw; print it to a new "
            "PDF, or save it as .docx",
            file=name,
        )
    empty = tuple(number for number, page in enumerate(pages, start=1) if not page)
    return _written(_without_edges(pages), _outline(reader), empty, name)


def _lines(text: str) -> list[str]:
    """Give the lines of a page that are not blank."""
    return [line.rstrip() for line in text.replace("\0", "").splitlines() if line.strip()]


def _without_edges(pages: list[list[str]]) -> list[list[str]]:
    """Leave out page numbers, and what stands at the head or the foot of most pages."""
    seen = Counter(key for page in pages for key in {_edge_key(line) for line in _edges(page)})
    most = max(3, _REPEATED * len(pages))
    odd = {key for key, count in seen.items() if count >= most}
    return [_trimmed(page, odd) for page in pages]


def _edges(page: Sequence[str]) -> list[str]:
    return [*page[:_EDGE], *page[-_EDGE:]]


def _is_number(line: str) -> bool:
    return _NUMBER.fullmatch(normalise(line)) is not None


def _edge_key(line: str) -> str:
    return _DIGITS.sub("0", normalise(line))


def _trimmed(page: list[str], odd: set[str]) -> list[str]:
    kept = list(page)
    for at in (0, -1):
        for _ in range(_EDGE):
            if kept and (_edge_key(kept[at]) in odd or _is_number(kept[at])):
                del kept[at]
    return kept


def _outline(reader: PdfReader) -> _Outline:
    found: _Outline = {}
    for level, item in _entries(reader.outline, 1):
        page = reader.get_destination_page_number(item)
        words = " ".join(str(item.title or "").split())
        if page is not None and page >= 0 and words:
            found.setdefault(page, []).append((level, words))
    return found


def _entries(items: Sequence[Any], level: int) -> Iterator[tuple[int, Any]]:
    """Give the entries of an outline with their levels; what stands below one follows it as a list."""
    for item in items:
        if isinstance(item, list):
            yield from _entries(item, level + 1)
        else:
            yield level, item


def _written(pages: list[list[str]], outline: _Outline, empty: tuple[int, ...], name: str) -> DocumentText:
    writer = DocumentWriter(name)
    for number, page in enumerate(pages):
        writer.page()
        lines = list(page)
        for level, words in outline.get(number, ()):
            at = _line_of(words, lines)
            for paragraph in _paragraphs(lines[:at]):
                writer.paragraph(paragraph)
            lines = lines[at:]
            if lines and normalise(lines[0]) == normalise(words):
                del lines[0]
            writer.heading(level, words)
        for paragraph in _paragraphs(lines):
            writer.paragraph(paragraph)
    return writer.done(empty_pages=empty)


def _line_of(words: str, lines: Sequence[str]) -> int:
    """Find the line that a heading stands in; one that is not found stands at the head of what is left."""
    wanted = normalise(words).replace(" ", "")
    return next((at for at, line in enumerate(lines) if wanted in normalise(line).replace(" ", "")), 0)


def _paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Put the lines of a page together that are one paragraph."""
    longest = max(map(_width, lines), default=0)
    held = ""
    for line in lines:
        if held and _BEGINS.match(line):
            yield held
            held = ""
        held = _joined(held, line)
        if not _HYPHEN.search(held) and (_ENDS.search(line) or _width(line) < _FULL * longest):
            yield held
            held = ""
    if held:
        yield held


def _width(line: str) -> int:
    """Give how wide a line is drawn: a wide letter counts twice."""
    return sum(2 if unicodedata.east_asian_width(char) in "WFA" else 1 for char in line)


def _joined(held: str, line: str) -> str:
    if not held:
        return line
    if _HYPHEN.search(held) and line[:1].islower():
        return f"{held[:-1]}{line}"
    both_latin = _LATIN.match(held[-1]) and _LATIN.match(line.lstrip()[:1] or " ")
    return f"{held} {line.lstrip()}" if both_latin else f"{held}{line.lstrip()}"
