"""Plain text and markdown: one file per episode, or one file cut at its headings.

The text is kept byte for byte, a byte order mark and the line ends as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from kataribe.domain.story.folder import EpisodeRow
from kataribe.formats.headings import cut, first_title, kanji_number
from kataribe.formats.jsonl import decode, read_bytes

SUFFIXES = frozenset({".txt", ".md"})

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
        and not path.name.startswith(".")
        and path.stem.casefold() not in _NOT_STORY
        and path.is_file()
    )


def read_one(path: Path, name: str) -> tuple[EpisodeRow, ...]:
    """Read one file, cut at its headings into episodes 1, 2, ..."""
    text = decode(read_bytes(path), name)
    return tuple(
        EpisodeRow(
            line=section.line, file=name, no=no, title=section.title, text=text[section.start : section.end]
        )
        for no, section in enumerate(cut(text), start=1)
    )


def read_many(paths: Sequence[Path]) -> tuple[EpisodeRow, ...]:
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
    for no, path in sorted(zip(known, ordered, strict=True), key=lambda pair: pair[0]):
        text = decode(read_bytes(path), path.name)
        rows.append(EpisodeRow(file=path.name, no=no, title=first_title(text), text=text))
    return tuple(rows)


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
