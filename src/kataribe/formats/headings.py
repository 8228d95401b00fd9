"""Where one file is cut into episodes: at its headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from kataribe.domain.text.headings import Heading, HeadingStyle, headings

_COMMON = frozenset({"digits", "roman", "word"})
"""Numbers that stand on lines of their own for many reasons: they must be set apart by blank lines."""
_STARTS = 20
"""From so many first numbers a run is looked for: a text full of numbers is cut as fast."""
_SURE = frozenset({HeadingStyle.MARKDOWN, HeadingStyle.NOTED, HeadingStyle.NAMED, HeadingStyle.UNNUMBERED})


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a text: `text[start:end]`, its heading's words and its first line's number."""

    start: int
    end: int
    title: str | None
    line: int


def cut(text: str) -> tuple[Section, ...]:
    """Cut a text at its headings; the sections put together are the text again.

    What stands before the first heading belongs to the first section. A heading with nothing
    below it but a lower one (the title of the book, a part) belongs to the section of that one.
    A text without headings is one section.
    """
    led = _led(text, chosen(tuple(headings(text)), text))
    if not led:
        return (Section(0, len(text), None, 1),)
    # The first section begins with the text, whatever stands before its heading.
    starts = [(0, 1), *((first.start, first.line) for first, _ in led[1:])]
    ends = [*(start for start, _ in starts[1:]), len(text)]
    return tuple(
        Section(start, end, heading.title, line)
        for (start, line), end, (_, heading) in zip(starts, ends, led, strict=True)
    )


def chosen(found: Sequence[Heading], text: str) -> list[Heading]:
    """Keep what can be trusted: numerals head episodes only where nothing plainer does."""
    noted = _noted(found)
    if noted:
        return noted
    sure = [each for each in found if each.style in _SURE]
    if _is_plain(sure):
        return sure
    chain = _chain(found, text, is_first=not sure)
    if not chain or (len(chain) == 1 and len(sure) > 1):
        return sure
    return sorted([*sure, *chain], key=lambda each: each.start)


def first_title(text: str) -> str | None:
    """Give the words of the first markdown heading, of any file."""
    return next((each.title for each in headings(text) if each.style is HeadingStyle.MARKDOWN), None)


def _noted(found: Iterable[Heading]) -> list[Heading]:
    """The headings a transcriber noted; the smallest are left out where there are middle ones."""
    noted = [each for each in found if each.style is HeadingStyle.NOTED]
    if any(each.level == 2 for each in noted):
        return [each for each in noted if each.level < 3]
    return noted


def _is_plain(sure: Sequence[Heading]) -> bool:
    """Whether the sure headings head the episodes, and are not parts, or a prologue, above numerals."""
    plain = [each for each in sure if each.style is not HeadingStyle.UNNUMBERED]
    if any(each.level == 2 for each in plain):
        return True
    return sum(each.style is HeadingStyle.MARKDOWN for each in plain) > 1


def _chain(found: Sequence[Heading], text: str, *, is_first: bool) -> list[Heading]:
    """Give the longest run of numbers of one sort: a sign before them before numbers alone before a list."""
    for style in (HeadingStyle.COUNTED, HeadingStyle.ALONE):
        runs = [_run(each) for each in _by_script(found, style)]
        best = max(runs, key=len, default=[])
        if best and (len(best) > 1 or _is_lone_heading(best[0], text, is_first=is_first)):
            return best
    listed = [each for each in found if each.style is HeadingStyle.LISTED]
    # A list in the prose seldom runs from one on through the whole file, alone, with text below each.
    for _, group in _by_key(listed):
        numbers = [each.read.number for each in group]
        if len(group) > 1 and numbers == list(range(1, len(group) + 1)) and _has_bodies(group, text):
            return group
    return []


def _by_script(found: Iterable[Heading], style: HeadingStyle) -> list[list[Heading]]:
    kept = [each for each in found if each.style is style and (each.apart or each.read.script not in _COMMON)]
    return [group for _, group in _by_key(kept)]


def _by_key(found: Iterable[Heading]) -> list[tuple[str, list[Heading]]]:
    ordered = sorted(found, key=lambda each: each.read.script)
    return [
        (script, sorted(group, key=lambda each: each.start))
        for script, group in groupby(ordered, key=lambda each: each.read.script)
    ]


def _run(group: Sequence[Heading]) -> list[Heading]:
    """The longest run, from any of them on: each number follows the last, or begins again at one."""
    best: list[Heading] = []
    for at, first in enumerate(group[:_STARTS]):
        if len(group) - at <= len(best):
            break
        run = [first]
        for each in group[at + 1 :]:
            if _follows(run, each):
                run.append(each)
        best = max(best, run, key=len)
    return best


def _follows(run: Sequence[Heading], each: Heading) -> bool:
    last, number = run[-1].read.number, each.read.number
    if last is None or number is None:
        return False
    if number == 1 and len(run) > 1:
        return True
    return number > last if each.read.script == "kanji" else number == last + 1


def _is_lone_heading(heading: Heading, text: str, *, is_first: bool) -> bool:
    """Whether a single number may head the whole text: in kanji, or above all of it."""
    if heading.read.script == "kanji":
        return True
    is_above = not text[: heading.start].strip("\ufeff \t\u3000\r\n")
    return is_above and (is_first or heading.read.number in (0, 1))


def _has_bodies(group: Sequence[Heading], text: str) -> bool:
    ends = [*(each.start for each in group[1:]), len(text)]
    return all(text[each.end : end].strip() for each, end in zip(group, ends, strict=True))


def _led(text: str, found: list[Heading]) -> list[tuple[Heading, Heading]]:
    """Pair each heading with the first of those above it that have nothing else below them."""
    led: list[tuple[Heading, Heading]] = []
    first: Heading | None = None
    for heading, following in pairwise([*found, None]):
        assert heading is not None
        first = first or heading
        if following and following.level > heading.level and not text[heading.end : following.start].strip():
            continue
        led.append((first, heading))
        first = None
    return led
