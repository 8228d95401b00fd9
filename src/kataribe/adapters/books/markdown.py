"""`.md`: the text as it is written, cut at the headings that markdown-it-py finds."""

from __future__ import annotations

import re
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kataribe.adapters.books.written_document import HeadingPath
from kataribe.domain.knowledge.documents import DocumentSection, DocumentText

_LINE_END = re.compile(r"\r\n|\r|\n")
_FRONT = re.compile(
    r"---[ \t]*(?:\r\n|\r|\n).*?(?:\r\n|\r|\n)(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|$)", re.DOTALL
)


def read_markdown(text: str, name: str) -> DocumentText:  # noqa: ARG001 - every text is Markdown
    """Find the headings of a text; what stands between `---` at its head is no part of it."""
    front = _FRONT.match(text)
    begin = front.end() if front else 0
    starts = [begin, *(match.end() for match in _LINE_END.finditer(text, begin))]
    path = HeadingPath()
    sections: list[DocumentSection] = []
    at = begin
    for first, end, level, words in _headings(text[begin:]):
        place = starts[first] if first < len(starts) else len(text)
        if text[at:place].strip() or path.words:
            sections.append(DocumentSection(start=at, end=place, headings=path.words))
        path.enter(level, words)
        at = starts[end] if end < len(starts) else len(text)
    if text[at:].strip() or path.words:
        sections.append(DocumentSection(start=at, end=len(text), headings=path.words))
    return DocumentText(text=text, sections=tuple(sections))


def _headings(text: str) -> list[tuple[int, int, int, str]]:
    """Give the first line, the line after the last, the level and the words of each heading."""
    reader = MarkdownIt("commonmark")
    reader.disable("inline")
    found: list[tuple[int, int, int, str]] = []
    for one, inside in pairwise(reader.parse(text)):
        if one.type != "heading_open" or one.level or one.map is None:
            continue
        words = _words(inside)
        if words:
            found.append((one.map[0], one.map[1], int(one.tag[1:]), words))
    return found


def _words(heading: Token) -> str:
    """Give the words of a heading without its marks."""
    (inline,) = MarkdownIt("commonmark").parseInline(heading.content)
    said = "".join(child.content or " " * (child.type == "softbreak") for child in inline.children or ())
    return " ".join(said.split())
