"""Manuscripts: one file per episode, or one file cut at its headings.

The text is kept byte for byte, a byte order mark and the line ends as well; what stands around the
story in its file is left out, and said so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kataribe.domain.story.folder import BookText, EpisodeRow, LeftOut, Uncut
from kataribe.domain.text.headings import first_heading, kanji_number
from kataribe.errors import FormatError, InputError
from kataribe.formats.encodings import encoding_named, read_text
from kataribe.formats.headings import cut, first_title
from kataribe.formats.jsonl import read_bytes
from kataribe.formats.matter import Body, body_of

BOOKS = frozenset({".docx", ".epub"})
"""What a word processor or a publisher writes; the extra `books` reads them."""
SUFFIXES = frozenset({".txt", ".md"}) | BOOKS
LONG = 20_000
"""Characters above which a text that is one episode is told of: perhaps its headings were not seen."""

BookReader = Callable[[bytes, str], BookText]
"""Takes the text out of a book: the bytes of a file and its name, which says what sort it is.

Raises `FormatError` for what is broken, encrypted or too large, and `MissingExtraError`.
"""

_LINE_END = re.compile(r"\r\n|\r|\n")

_NOT_STORY = frozenset({"readme", "license", "licence"})
"""Files that speak of a folder, not in it."""
_DIGITS = re.compile(r"[0-9]+")
_KANJI_NUMBER = re.compile(
    r"第([〇零一二三四五六七八九十百千]+)|^([〇零一二三四五六七八九十百千]+)(?=$|[\s_.、\-])"
)
_LARGEST = 2**31 - 1


def is_plain(path: Path) -> bool:
    """Whether a file may be an episode's text by its name."""
    return (
        path.suffix.lower() in SUFFIXES
        and not path.name.startswith((".", "~$"))
        and path.stem.casefold() not in _NOT_STORY
        and path.is_file()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Manuscript:
    """Episodes out of files of text, and what a writer should know of them."""

    episodes: tuple[EpisodeRow, ...]
    left_out: tuple[LeftOut, ...] = ()
    uncut: tuple[Uncut, ...] = ()


class Reader:
    """Turns a file into its text: as UTF-8, in a named encoding, or out of a book."""

    def __init__(self, encoding: str | None = None, book: BookReader | None = None) -> None:
        self._encoding = None if encoding is None else encoding_named(encoding)
        self._book = book

    def read(self, path: Path, name: str) -> BookText:
        """Give the text; raise `FormatError` for what cannot be read, `MissingExtraError` for a book."""
        data = read_bytes(path)
        if path.suffix.lower() not in BOOKS:
            return BookText(text=read_text(data, name, self._encoding))
        if self._book is None:
            raise InputError(f"{name}: books are not read here; save it as a .txt file in UTF-8")
        return self._book(data, name)


def read_one(path: Path, name: str, reader: Reader) -> Manuscript:
    """Read one file, cut at its headings into episodes 1, 2, ..."""
    whole, body = _story(path, name, reader)
    text = whole[body.start : body.end]
    if not text.strip():
        raise FormatError("holds no text: write the story first, or give another file", file=name)
    is_book = path.suffix.lower() in BOOKS
    before = len(_LINE_END.findall(whole[: body.start]))
    rows = tuple(
        EpisodeRow(
            # What was taken out of a book has no lines that anybody could look up.
            line=None if is_book else section.line + before,
            file=name,
            no=no,
            title=section.title,
            text=text[section.start : section.end],
        )
        for no, section in enumerate(cut(text), start=1)
    )
    uncut = (Uncut(file=name, characters=len(text)),) if len(rows) == 1 and len(text) > LONG else ()
    return Manuscript(episodes=rows, left_out=body.left_out, uncut=uncut)


def _story(path: Path, name: str, reader: Reader) -> tuple[str, Body]:
    """Give a file's text, and where in it the story stands."""
    read = reader.read(path, name)
    body = body_of(read.text, name)
    marked = tuple(LeftOut(file=name, what=what) for what in read.left_out)
    if path.suffix.lower() in BOOKS:
        marked += tuple(LeftOut(file=name, what=one.what) for one in body.left_out)
        return read.text, replace(body, left_out=marked)
    return read.text, body


def read_many(paths: Sequence[Path], reader: Reader) -> Manuscript:
    """Read one episode from each file.

    The numbers in the files' names count when every file has one of its own, else the
    natural order of the names does.
    """
    ordered = sorted(paths, key=_natural)
    numbers = [_number(path.stem) for path in ordered]
    known = [number for number in numbers if number is not None]
    if len(set(known)) < len(ordered):
        known = list(range(1, len(ordered) + 1))
    rows: list[EpisodeRow] = []
    left_out: list[LeftOut] = []
    uncut: list[Uncut] = []
    for no, path in sorted(zip(known, ordered, strict=True), key=lambda pair: pair[0]):
        whole, body = _story(path, path.name, reader)
        text = whole[body.start : body.end]
        rows.append(
            EpisodeRow(file=path.name, no=no, title=first_title(text) or first_heading(text), text=text)
        )
        left_out += body.left_out
        if len(text) > LONG:
            headings = len([one for one in cut(text) if one.title is not None])
            uncut.append(Uncut(file=path.name, characters=len(text), headings=headings))
    return Manuscript(episodes=tuple(rows), left_out=tuple(left_out), uncut=tuple(uncut))


def _arabic(name: str) -> str:
    """Write a file's name with plain digits where it has wide ones or kanji numbers."""
    name = unicodedata.normalize("NFKC", name)
    return _KANJI_NUMBER.sub(lambda match: str(kanji_number(match[1] or match[2])), name)


def _number(stem: str) -> int | None:
    """Give the number a name begins with, else its only one; None when that cannot be an episode's."""
    name = _arabic(stem)
    found = _DIGITS.findall(name)
    if not found or (len(found) > 1 and not name.startswith(found[0])):
        return None
    # Longer ones are no episode numbers; Python refuses to read the longest at all.
    number = int(found[0]) if len(found[0]) <= 20 else 0
    return number if 1 <= number <= _LARGEST else None


def _natural(path: Path) -> tuple[list[tuple[int, int, str]], str]:
    """Sort key in which `ch2` comes before `ch10`; the name itself breaks ties."""
    key: list[tuple[int, int, str]] = []
    for part in re.split(r"([0-9]+)", _arabic(path.stem).casefold()):
        if part.isascii() and part.isdigit():
            digits = part.lstrip("0")
            key.append((0, len(digits), digits))
        elif part:
            key.append((1, 0, part))
    return key, path.name
