"""`.docx`, as word processors write it, through python-docx."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import docx
from docx.opc.exceptions import OpcError
from lxml import etree

from kataribe.adapters.books.archive import ZippedBook
from kataribe.adapters.books.pieces import BookBlock, emphasised, ruby, written
from kataribe.domain.story.folder import BookText, Matter

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NOT_READ = frozenset(
    f"{WORD}{name}" for name in ("del", "moveFrom", "txbxContent", "rt", "footnoteReference")
)
_HEADING = re.compile(r"heading ([1-9])|見出し ?([1-9１-９])", re.IGNORECASE)
CONTENTS = re.compile(r"toc\b|目次", re.IGNORECASE)
TITLES = frozenset({"title", "subtitle", "表題", "副題"})
_OFF = frozenset({"0", "false", "off", "none"})


_BROKEN = (
    *(OpcError, KeyError, ValueError, AttributeError, IndexError, etree.XMLSyntaxError),
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError),
)
"""What python-docx stumbles over in a file that is not what it says; not all of it was unpacked before."""


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    italic: bool = False
    dotted: bool = False


def read_docx(data: bytes, name: str) -> BookText:
    """Take the text out of a document; raise `FormatError` for what is refused."""
    body, names = opened(data, name)
    left_out: dict[Matter, None] = {}
    blocks = list(_blocks(body, names, left_out))
    return BookText(text=written(blocks), left_out=tuple(left_out))


def opened(data: bytes, name: str) -> tuple[etree._Element, dict[str, str]]:
    """Give the body of a document, and its styles by id; raise `FormatError` for what is refused."""
    archive = ZippedBook(data, name)
    for path in archive.names():
        if path.endswith((".xml", ".rels")):
            archive.check_xml(archive.read(path), path)
    try:
        document = docx.Document(io.BytesIO(data))
        names = {style.style_id: style.name or "" for style in document.styles}
        body = document.element.body
    except _BROKEN as error:
        raise archive.broken(f"it is no document of Word: {str(error)[:200]}") from error
    return body, names


def _blocks(body: etree._Element, names: dict[str, str], left_out: dict[Matter, None]) -> Iterator[BookBlock]:
    for paragraph in body.iter(f"{WORD}p"):
        if _is_within(paragraph, body):
            continue
        style = names.get(value_of(paragraph, "pPr/pStyle") or "", "")
        if style.casefold() in TITLES:
            left_out[Matter.TITLE_PAGE] = None
        elif CONTENTS.match(style):
            left_out[Matter.CONTENTS] = None
        else:
            words = "".join(_words(paragraph))
            level = heading_level(paragraph, style)
            # An indent of a wide blank is the author's; a heading has none.
            yield (
                BookBlock(words.strip() if level else words.strip(" \t\n"), level)
                if words.strip()
                else BookBlock("")
            )


def _is_within(paragraph: etree._Element, body: etree._Element) -> bool:
    """Whether a paragraph stands in what is not read: a box beside the text, a deletion."""
    above = paragraph.getparent()
    while above is not None and above is not body:
        if above.tag in NOT_READ:
            return True
        above = above.getparent()
    return False


def heading_level(paragraph: etree._Element, style: str) -> int:
    """Give the level of a heading, from 1 on; 0 for what is none."""
    if match := _HEADING.match(style):
        return min(int(match[1] or match[2]), 6)
    outline = value_of(paragraph, "pPr/outlineLvl")
    return int(outline) + 1 if outline is not None and outline in "012345" else 0


def value_of(element: etree._Element, path: str) -> str | None:
    """Give the value of what stands at a path below an element; None where nothing does."""
    found = element.find("/".join(f"{WORD}{step}" for step in path.split("/")))
    return None if found is None else found.get(f"{WORD}val")


def _words(paragraph: etree._Element) -> Iterator[str]:
    """Give the words, runs of one emphasis put together."""
    held: list[_Piece] = []
    for piece in (*_pieces(paragraph), _Piece("")):
        if held and (piece.italic, piece.dotted) == (held[-1].italic, held[-1].dotted) and piece.text:
            held.append(piece)
            continue
        yield _marked(held)
        held = [piece]


def _marked(held: list[_Piece]) -> str:
    text = "".join(piece.text for piece in held)
    if held and (held[0].italic or held[0].dotted):
        return emphasised(text, dotted=held[0].dotted)
    return text


def _pieces(element: etree._Element) -> Iterator[_Piece]:
    for child in element:
        if child.tag in NOT_READ or not isinstance(child.tag, str):
            continue
        if child.tag == f"{WORD}r":
            yield from _run(child)
        elif not child.tag.endswith("}pPr"):
            yield from _pieces(child)


def _run(run: etree._Element) -> Iterator[_Piece]:
    italic = _is_on(run, "i")
    dotted = (value_of(run, "rPr/em") or "none") not in _OFF
    for child in run:
        if child.tag == f"{WORD}t":
            yield _Piece(child.text or "", italic, dotted)
        elif child.tag == f"{WORD}tab":
            yield _Piece("\t")
        elif child.tag in (f"{WORD}br", f"{WORD}cr"):
            # A new page or column is no new line of the text.
            yield _Piece("" if child.get(f"{WORD}type") in ("page", "column") else "\n")
        elif child.tag == f"{WORD}ruby":
            yield _Piece(ruby(_text(child, "rubyBase"), _text(child, "rt")))


def _is_on(run: etree._Element, name: str) -> bool:
    found = run.find(f"{WORD}rPr/{WORD}{name}")
    return found is not None and (found.get(f"{WORD}val") or "1") not in _OFF


def _text(element: etree._Element, part: str) -> str:
    return "".join(
        node.text or "" for found in element.iter(f"{WORD}{part}") for node in found.iter(f"{WORD}t")
    )
