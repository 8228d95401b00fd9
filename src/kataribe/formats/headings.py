"""Headings of plain text: where one file is cut into episodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise

_KANJI = "〇零一二三四五六七八九十百千"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_MARKDOWN = re.compile(r"(#{1,2})[ \t\u3000]+(\S.*?)(?:[ \t]+#+)?")
_NUMBER = rf"[0-9０-９{_KANJI}]+"
_JAPANESE = re.compile(
    rf"(?:第{_NUMBER}(?P<unit>[章話回幕編篇部巻夜])|序章|終章|プロローグ|エピローグ)"
    r"(?:[\s:：.．―—\-「『〈《【（(].*)?"
)
_ROMAN = r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
# A title follows a separator or begins with a capital: "Chapter 3 was hard" is a sentence.
_ENGLISH = re.compile(
    rf"(?:(?i:chapter|episode)\s+(?:\d+|(?i:(?=[MDCLXVI]){_ROMAN}|{_WORDS}))|(?i:prologue|epilogue))"
    r"(?:\s*[.:\-–—](?:\s.*)?|\s+[^\sa-z].*)?"
)
_ALONE = re.compile(rf"[{_KANJI}]+")
_LISTED = re.compile(rf"(?P<number>[{_KANJI}]+)[、．.　 ]\s*[^\s。][^。]*")
_LONGEST = 80


class _Style(Enum):
    MARKDOWN = auto()
    NAMED = auto()
    """`第一章`, `Chapter 1`."""
    LISTED = auto()
    """`一、午后の授業`."""
    ALONE = auto()
    """`一`."""


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a text: `text[start:end]`, its heading's words and its first line's number."""

    start: int
    end: int
    title: str | None
    line: int


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    end: int
    line: int
    title: str
    level: int
    style: _Style


def cut(text: str) -> tuple[Section, ...]:
    """Cut a text at its headings; the sections put together are the text again.

    What stands before the first heading belongs to the first section. A heading with nothing
    below it but a lower one (the title of the book, a part) belongs to the section of that one.
    A text without headings is one section.
    """
    led = _led(text, _chosen(list(_found(text))))
    if not led:
        return (Section(0, len(text), None, 1),)
    # The first section begins with the text, whatever stands before its heading.
    starts = [(0, 1), *((first.start, first.line) for first, _ in led[1:])]
    ends = [*(start for start, _ in starts[1:]), len(text)]
    return tuple(
        Section(start, end, heading.title, line)
        for (start, line), end, (_, heading) in zip(starts, ends, led, strict=True)
    )


def first_title(text: str) -> str | None:
    """Give the words of the first markdown heading, of any file."""
    return next((each.title for each in _found(text) if each.style is _Style.MARKDOWN), None)


def kanji_number(digits: str) -> int | None:
    """Read a number written in kanji: 十二 and 一二 are both 12; None when it is none."""
    values = {"〇": 0, "零": 0}
    values.update({digit: value for value, digit in enumerate("一二三四五六七八九", start=1)})
    if all(digit in values for digit in digits):
        return int("".join(str(values[digit]) for digit in digits)) if digits else None
    total, digit = 0, 0
    for char in digits:
        if char in values:
            digit = values[char]
        elif char in "十百千":
            total, digit = total + (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char], 0
        else:
            return None
    return total + digit


def _found(text: str) -> Iterator[_Heading]:
    """Find all that looks like a heading."""
    for number, match in enumerate(_LINE.finditer(text), start=1):
        # A byte order mark stays in the text, but is no part of a heading.
        line = match.group().removeprefix("\ufeff").strip()
        if not line or len(line) > _LONGEST:
            continue
        told = _told(line)
        if told is not None:
            title, level, style = told
            yield _Heading(match.start(), match.end(), number, title, level, style)


def _told(line: str) -> tuple[str, int, _Style] | None:
    if markdown := _MARKDOWN.fullmatch(line):
        return markdown[2], len(markdown[1]), _Style.MARKDOWN
    if line.startswith("#"):
        return None
    if (japanese := _JAPANESE.fullmatch(line)) and not line.endswith("。"):
        return line, 1 if japanese["unit"] in ("部", "編", "篇", "巻") else 2, _Style.NAMED
    if _ENGLISH.fullmatch(line):
        return line, 2, _Style.NAMED
    if _ALONE.fullmatch(line):
        return line, 2, _Style.ALONE
    if _LISTED.fullmatch(line):
        return line, 2, _Style.LISTED
    return None


def _chosen(found: list[_Heading]) -> list[_Heading]:
    """Keep what can be trusted: numerals head episodes only where nothing plainer does."""
    sure = [each for each in found if each.style in (_Style.MARKDOWN, _Style.NAMED)]
    if any(each.level == 2 for each in sure) or len(sure) > 1:
        return sure
    # A lone title above numbered sections, or no heading at all.
    alone = [each for each in found if each.style is _Style.ALONE]
    if alone:
        return sorted([*sure, *alone], key=lambda each: each.start)
    listed = [each for each in found if each.style is _Style.LISTED]
    numbers = [kanji_number(_listed_number(each.title)) for each in listed]
    # A list in the prose seldom runs from one on through the whole file, alone.
    if len(listed) > 1 and numbers == list(range(1, len(listed) + 1)):
        return sorted([*sure, *listed], key=lambda each: each.start)
    return sure


def _listed_number(title: str) -> str:
    match = _LISTED.fullmatch(title)
    return "" if match is None else match["number"]


def _led(text: str, headings: list[_Heading]) -> list[tuple[_Heading, _Heading]]:
    """Pair each heading with the first of those above it that have nothing else below them."""
    led: list[tuple[_Heading, _Heading]] = []
    first: _Heading | None = None
    for heading, following in pairwise([*headings, None]):
        assert heading is not None
        first = first or heading
        if following and following.level > heading.level and not text[heading.end : following.start].strip():
            continue
        led.append((first, heading))
        first = None
    return led
