"""A diary: a folder of files called after their days, every paragraph of them a turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path

from kataribe.domain.conversation.turns import turn_id_for
from kataribe.errors import FormatError, InputError
from kataribe.formats.jsonl import decode, read_bytes
from kataribe.formats.lines import LogLine
from kataribe.formats.logtimes import told_time

_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})\.(?:md|txt)", re.IGNORECASE)
_BLANK = re.compile(r"\r?\n(?:[ \t\u3000]*\r?\n)+")
_FRONT = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*\r?\n", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")


def read_diary(folder: Path, speaker: str | None, zone: tzinfo) -> list[LogLine]:
    """Read the entries of a folder in the order of their days; other files in it are left alone.

    Raises `InputError` without a speaker, and `FormatError` for a day that is none or no day at all.
    """
    if speaker is None:
        raise InputError(f"{folder} is read as a diary, which needs who wrote it; name it with --speaker")
    days = sorted((found[1], path) for path in folder.iterdir() if (found := _DAY.fullmatch(path.name)))
    if not days:
        raise FormatError("holds no file called as a day, like 2024-01-05.md", file=str(folder))
    lines: list[LogLine] = []
    for day, path in days:
        lines += _entry(path, day, speaker, zone)
    return lines


def _entry(path: Path, day: str, speaker: str, zone: tzinfo) -> Iterator[LogLine]:
    try:
        time = told_time(day, zone)
    except InputError as error:
        raise FormatError(f"its name is no day: {error}", file=str(path)) from error
    text = decode(read_bytes(path), str(path))
    for number, paragraph in enumerate(paragraphs_of(text), 1):
        yield LogLine(
            number=number,
            session=day,
            speaker=speaker,
            text=paragraph,
            time=time,
            shared=True,
            # Several people may keep a diary of the same days.
            turn_id=turn_id_for(f"diary {speaker} {day}", number),
        )


def paragraphs_of(text: str) -> Iterator[str]:
    """Part an entry at its blank lines, as written; a heading stays with what follows, front matter goes."""
    heading = ""
    for paragraph in _BLANK.split(_FRONT.sub("", text.lstrip("\ufeff"))):
        told = paragraph.strip("\r\n")
        if not told.strip():
            continue
        told = f"{heading}\n\n{told}" if heading else told
        heading = ""
        if all(_HEADING.match(line) for line in told.splitlines() if line.strip()):
            heading = told
        else:
            yield told
    if heading:
        yield heading
