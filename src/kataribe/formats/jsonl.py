"""Strict reading of bytes: UTF-8, then JSON, then the lines of a `.jsonl` file.

Strict means that nothing is repaired or guessed: what cannot be kept as it was written is
refused with the place it stands at. Line ends are never translated.
"""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Iterator
from pathlib import Path

from kataribe.domain.ids import check_text
from kataribe.errors import FormatError, InputError

_BOM = "\ufeff"


class _RefusedError(ValueError):
    """Raised inside the JSON reader, where neither file nor line is known."""


def read_bytes(path: Path) -> bytes:
    """Read a whole file; raise `InputError` when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def decode(data: bytes, name: str, *, line: int | None = None, offset: int = 0) -> str:
    """Turn UTF-8 into text, byte for byte.

    `line` and `offset` tell where `data` stands in the file `name` when it is a part of it.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = data.count(b"\n", 0, error.start) + 1 if line is None else line
        hint = "UTF-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "another encoding"
        reason = f"not UTF-8 at byte offset {offset + error.start} (maybe {hint}); save the file as UTF-8"
        raise FormatError(reason, file=name, line=place) from error


def split_lines(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    r"""Give (line number, byte offset, bytes) of each line.

    Only "\n" ends a line: JSON may hold the other line ends of Unicode as they are.
    """
    offset = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        yield number, offset, line
        offset += len(line) + 1


def parse(text: str, name: str, *, line: int | None = None) -> object:
    """Read one JSON value; `line` is where it stands when it is one line of a file."""

    def refused(reason: str, at: int | None = line) -> FormatError:
        return FormatError(reason, file=name, line=at)

    try:
        value: object = _READER.decode(text)
        if "\\u" in text:
            # Only an escape can bring half a character into text that was UTF-8.
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        place = error.lineno if line is None else line
        raise refused(f"not JSON: {error.msg} at character {error.colno}", place) from error
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise refused(f"holds a lone surrogate ({half}), half a character") from error
    except _RefusedError as error:
        raise refused(str(error)) from error
    except RecursionError as error:
        raise refused("lists and objects are nested too deeply") from error
    except ValueError as error:
        raise refused(f"a number cannot be read: {error}") from error
    return value


def parse_object(text: str, name: str, *, line: int | None = None) -> dict[str, object]:
    """Read one JSON object."""
    value = parse(text, name, line=line)
    if not isinstance(value, dict):
        raise FormatError(f"must be an object {{...}}, not {described(value)}", file=name, line=line)
    return value


def parse_file(data: bytes, name: str) -> object:
    """Read a `.json` file; a byte order mark at its start is tolerated."""
    return parse(decode(data, name).removeprefix(_BOM), name)


def parse_lines(data: bytes, name: str) -> Iterator[tuple[int, dict[str, object]]]:
    """Read the objects of a `.jsonl` file with their line numbers, leaving out blank lines."""
    for number, offset, raw in split_lines(data):
        values = parse_line(raw, name, line=number, offset=offset)
        if values is not None:
            yield number, values


def parse_line(raw: bytes, name: str, *, line: int, offset: int) -> dict[str, object] | None:
    """Read one line of a `.jsonl` file; None when it is blank."""
    text = decode(raw, name, line=line, offset=offset)
    if line == 1:
        text = text.removeprefix(_BOM)
    return parse_object(text, name, line=line) if text.strip(" \t\r") else None


def dump(value: object, name: str, *, indent: int | None = None) -> str:
    """Write a JSON value and a line end; raise `InputError` for what JSON cannot hold."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"cannot write {name}: {error}") from error
    return check_text(text, name) + "\n"


def described(value: object) -> str:
    """Name a JSON value in a message, shortened."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {value!r}" if len(value) <= 40 else f"the text {value[:40]!r}..."
        case int() | float():
            return f"{value}" if abs(value) < 10**20 else "a huge number"
        case list():
            return "a list" if value else "an empty list"
    return "an object"


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in pairs:
        if key in values:
            raise _RefusedError(f"the field {key!r} is given twice in one object; keep one")
        values[key] = value
    return values


def _constant(word: str) -> object:
    raise _RefusedError(f"{word} is not JSON; write a number or null")


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _RefusedError(f"the number {digits[:40]} is too large")
    return number


_READER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
