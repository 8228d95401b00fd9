"""What stands around a story in its file: header, contents, colophon, licence.

Only what says itself what it is is left out: the marks of Project Gutenberg, the header and colophon
of Aozora Bunko, a table of contents that the headings of the text repeat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.domain.story.folder import LeftOut, Matter
from kataribe.domain.text.headings import Heading, HeadingStyle, headings, read_heading

_STARS = r"^[ \t\ufeff]*\*\*\*[ \t]*"
_GUTENBERG_STARTS = re.compile(
    _STARS + r"START OF (?:THE|THIS) PROJECT GUTENBERG[^*]{0,300}\*\*\*[^\n]*(?:\n|\Z)", re.MULTILINE
)
_GUTENBERG_ENDS = re.compile(
    r"^(?:[ \t]*End of (?:the )?Project Gutenberg[^\n]*\r?\n\s*)?"
    + _STARS
    + r"END OF (?:THE|THIS) PROJECT GUTENBERG",
    re.MULTILINE,
)
_CREDIT = re.compile(
    r"\s*(?:(?:Produced by|E-?text prepared by|Transcribed (?:from|by)|This eBook was produced)[^\n]*\n"
    r"(?:[^\S\n]*\S[^\n]*\n)*)",
)
_AOZORA_HEADER = re.compile(
    r"\A[^\n]*\n(?:[^\n]*\n){0,12}?-{20,}[ \t\r]*\n【テキスト中に現れる記号について】"
    r".{0,6000}?\n-{20,}[ \t\r]*(?:\n|\Z)",
    re.DOTALL,
)
_AOZORA_COLOPHON = re.compile(r"^[ \t\u3000]*(?:［＃本文終わり］[ \t\r]*\n\s*)?底本[：:]", re.MULTILINE)
_CONTENTS = re.compile(
    r"^[ \t\u3000\ufeff]*(?:#{1,3}[ \t\u3000]+)?[【［\[■◆●《〈]?[ \t\u3000]*"
    r"(?:(?i:table[ \t]+of[ \t]+contents|contents)|目[ \t\u3000]*次|もくじ)"
    r"[ \t\u3000]*[】］\]■◆●》〉]?[.:：]?[ \t\r]*$",
    re.MULTILINE,
)
_ENTRY_ENDS = re.compile(r"[。！？!?」』”]$")
_LONGEST_ENTRY = 90
_LONGEST_FRONT = 20_000
_LONGEST_COLOPHON = 6_000
_LONGEST_TITLE_PAGE = 400
"""Characters of a block between blank lines; a longer one is prose."""
_SHORT_ENTRY = 45
_MOST_UNKNOWN = 3
"""So many lines in a row may be longer than an entry and no heading; more are prose."""
_LEAST_ENTRIES = 3


@dataclass(frozen=True, slots=True)
class Body:
    """Where the story stands in its file, `text[start:end]`, and what around it is left out."""

    start: int
    end: int
    left_out: tuple[LeftOut, ...]


def body_of(text: str, file: str) -> Body:
    """Find the story in a file's text; what is not sure to be something else is story."""
    start, header_is = _header_end(text)
    end, tail_is = _tail_start(text, start)
    found: list[LeftOut] = []
    if start:
        found.append(_left_out(text, file, 0, start, header_is))
    front = _front_end(text, start, end, is_published=header_is is Matter.HEADER and start > 0)
    if front is not None:
        found.append(_left_out(text, file, start, front[0], front[1]))
        start = front[0]
    if end < len(text):
        found.append(_left_out(text, file, end, len(text), tail_is))
    if not text[start:end].strip():
        return Body(0, len(text), ())
    return Body(start, end, tuple(found))


def _left_out(text: str, file: str, start: int, end: int, what: Matter) -> LeftOut:
    """Name the lines of `text[start:end]` that hold anything."""
    words = text[start:end]
    first = start + len(words) - len(words.lstrip())
    last = start + len(words.rstrip())
    return LeftOut(file=file, first=_line(text, first), last=_line(text, max(first, last - 1)), what=what)


def _line(text: str, at: int) -> int:
    """Count the lines up to a place; a line ends as it does for headings."""
    return len(re.findall(r"\r\n|\r|\n", text[:at])) + 1


def _header_end(text: str) -> tuple[int, Matter]:
    if match := _GUTENBERG_STARTS.search(text, 0, _LONGEST_FRONT):
        credit = _CREDIT.match(text, match.end())
        return credit.end() if credit else match.end(), Matter.HEADER
    if match := _AOZORA_HEADER.match(text):
        return match.end(), Matter.HEADER
    if _colophon(text) is not None and (end := _title_lines_end(text)):
        return end, Matter.HEADER
    return 0, Matter.HEADER


def _title_lines_end(text: str) -> int:
    """Where title and author end, the first lines of a file with a colophon; 0 where it begins otherwise."""
    match = re.match(r"\ufeff?(?:[^\S\n]*\S[^\n]*\n){2,5}[ \t\u3000\r]*\n", text)
    if match is None:
        return 0
    lines = [line.strip() for line in match.group().splitlines() if line.strip()]
    if any(len(line) > 60 or _ENTRY_ENDS.search(line) or read_heading(line) for line in lines):
        return 0
    return match.end()


def _tail_start(text: str, start: int) -> tuple[int, Matter]:
    if match := _GUTENBERG_ENDS.search(text, start):
        return match.start(), Matter.LICENCE
    colophon = _colophon(text)
    if colophon is not None and colophon > start:
        return colophon, Matter.COLOPHON
    return len(text), Matter.COLOPHON


def _colophon(text: str) -> int | None:
    """Where the colophon begins: the last `底本：` after a blank line, near the end."""
    low = max(0, len(text) - _LONGEST_COLOPHON)
    for match in reversed(list(_AOZORA_COLOPHON.finditer(text, low))):
        above = text[max(0, match.start() - 8) : match.start()]
        if match.start() == 0 or re.search(r"(?:\n|\r)[ \t\u3000]*(?:\r\n|\r|\n)\Z", above):
            return match.start()
    return None


# -- contents ------------------------------------------------------------------------------

_Key = tuple[int, int | str]
"""What tells an entry of the contents again where it heads text: its level and its number or words."""


def _front_end(text: str, start: int, end: int, *, is_published: bool) -> tuple[int, Matter] | None:
    """Where title page and contents end; None where there are none to be sure of."""
    found = tuple(headings(text[start:end]))
    named = _CONTENTS.search(text, start, min(end, start + _LONGEST_FRONT))
    if named is not None and (is_published or _is_title_page(text[start : named.start()])):
        again = _entries_end(text, named.end(), end)
        if again is not None:
            return again, Matter.CONTENTS
    if not found:
        return None
    front = text[start : start + found[0].start]
    again = _repeated(text[start:end], found) if _is_title_page(front) else None
    if again is not None:
        return start + again, Matter.CONTENTS
    if is_published and front.strip() and _is_title_page(front):
        return start + found[0].start, Matter.TITLE_PAGE
    return None


def _entries_end(text: str, at: int, end: int) -> int | None:
    """Where the first entry below the word comes again; None when prose comes first."""
    first: _Key | None = None
    above: list[tuple[int, _Key]] = []
    count = unknown = 0
    for match in re.finditer(r"[^\r\n]+", text[at : min(end, at + _LONGEST_FRONT)]):
        words = match.group().strip()
        if not words:
            unknown = 0
            continue
        heading = read_heading(words)
        unknown = 0 if heading is not None or len(words) <= _SHORT_ENTRY else unknown + 1
        if unknown > _MOST_UNKNOWN or len(words) > _LONGEST_ENTRY or words.endswith("。"):
            return None
        key = _key(words)
        if key == first and count:
            return _with_parts_above(at + match.start(), above)
        first = first or key
        count += 1
        if heading is not None:
            above.append((at + match.start(), key))
    return None


def _with_parts_above(place: int, above: Sequence[tuple[int, _Key]]) -> int:
    """Begin with the part that stands above the first episode and is not in the contents."""
    seen = [key for _, key in above]
    for where, key in reversed(above):
        if key[0] != 1 or seen.count(key) > 1:
            break
        place = where
    return place


def _key(words: str) -> _Key:
    words = re.sub(r"(?:[\s.．・…‥]{2,}|[ \t\u3000]+)[0-9]{1,4}$", "", words.strip())
    heading = read_heading(words)
    if heading is None or heading.style is HeadingStyle.MARKDOWN:
        return 9, re.sub(r"[\W_]", "", words.casefold())
    if heading.number is not None:
        return heading.level, heading.number
    return heading.level, re.split(r"[\s:：「『]", heading.title.casefold())[0]


def _repeated(text: str, found: Sequence[Heading]) -> int | None:
    """Where a list of three headings or more at the beginning ends whose first comes again below."""
    keys = [
        _key(each.read.title) if each.read.number is None else (each.level, each.read.number)
        for each in found
    ]
    for at in range(1, len(found)):
        if keys[at] == keys[0]:
            return found[at].start if at >= _LEAST_ENTRIES else None
        if text[found[at - 1].end : found[at].start].strip():
            return None
    return None


def _is_title_page(front: str) -> bool:
    blocks = re.split(r"\n[ \t\r]*\n", front)
    return len(front) <= _LONGEST_FRONT and all(len(block.strip()) <= _LONGEST_TITLE_PAGE for block in blocks)
