"""Personal data: how much of what is marked is found, and what is found where nothing is marked."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kataribe.domain.privacy.find import find
from kataribe.domain.terms import LANGUAGES, Language
from kataribe.errors import FormatError, InputError
from kataribe.formats.detect import told_language
from kataribe.formats.jsonl import parse_lines, read_bytes
from kataribe.formats.wire.bench import PrivacyBenchJson, PrivacyFigureJson, PrivacyLinesJson

BUNDLED = Path(__file__).parent / "privacy_lines"
"""Lines that were written before the patterns, and that no pattern was mended by."""
ALL = "all"
"""The name of the row that sums up every kind."""
Marked = tuple[str, int, int]
"""The kind of a datum and its characters [start, end)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedLine:
    """A line with the personal data in it."""

    language: Language
    text: str
    marked: tuple[Marked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyFigure:
    """How much of one kind was found in one language; `right` has the kind and span of what is marked."""

    language: Language
    kind: str
    marked: int
    found: int
    right: int

    @property
    def recall(self) -> float:
        """The share of what is marked that was found; 1 where nothing is marked."""
        return self.right / self.marked if self.marked else 1.0

    @property
    def precision(self) -> float:
        """The share of what was found that is marked; 1 where nothing was found."""
        return self.right / self.found if self.found else 1.0

    def as_json(self) -> PrivacyFigureJson:
        """Give it as a JSON object."""
        return {
            "language": self.language,
            "kind": self.kind,
            "marked": self.marked,
            "found": self.found,
            "right": self.right,
            "recall": self.recall,
            "precision": self.precision,
        }


def marked_lines(folder: Path) -> tuple[MarkedLine, ...]:
    """Read every `.jsonl` of a folder: `language`, `text` and `expected`, pairs of a kind and its words.

    Raises `InputError` where there is none, and `FormatError` for what is malformed.
    """
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    if not files:
        raise InputError(f"{folder} holds no .jsonl file with marked lines")
    return tuple(
        _line(row, file, no) for file in files for no, row in parse_lines(read_bytes(file), str(file))
    )


def _line(row: dict[str, object], file: Path, no: int) -> MarkedLine:
    language, text, expected = row.get("language"), row.get("text"), row.get("expected")
    if language not in LANGUAGES or not isinstance(text, str) or not isinstance(expected, list):
        raise FormatError("needs `language` (ja or en), `text` and `expected`", file=str(file), line=no)
    marked: list[Marked] = []
    at = 0
    for one in expected:
        is_pair = isinstance(one, list) and len(one) == 2 and all(isinstance(each, str) for each in one)
        start = text.find(one[1], at) if is_pair else -1
        if start < 0:
            raise FormatError(
                "`expected` holds pairs of a kind and words of the text", file=str(file), line=no
            )
        at = start + len(one[1])
        marked.append((one[0], start, at))
    return MarkedLine(language=language, text=text, marked=tuple(marked))


def figures(lines: Sequence[MarkedLine]) -> Iterator[PrivacyFigure]:
    """Judge lines: for each language all kinds together, then each kind."""
    for language in LANGUAGES:
        pairs = [(one, _found(one)) for one in lines if one.language == language]
        marked = Counter(kind for line, _ in pairs for kind, *_ in line.marked)
        found = Counter(kind for _, spans in pairs for kind, *_ in spans)
        right = Counter(kind for line, spans in pairs for kind, *_ in {*line.marked} & {*spans})
        for kind in (ALL, *sorted(marked | found)) if pairs else ():
            counts = [one.total() if kind == ALL else one[kind] for one in (marked, found, right)]
            yield PrivacyFigure(
                language=language, kind=kind, marked=counts[0], found=counts[1], right=counts[2]
            )


def _found(line: MarkedLine) -> tuple[Marked, ...]:
    return tuple((one.kind.value, one.start, one.end) for one in find(line.text, line.language))


def unmarked(file: Path) -> PrivacyLinesJson:
    """Count what is found in the `text` of each line of a JSON Lines file, by kind, and the time it takes."""
    texts = [
        text
        for _, row in parse_lines(read_bytes(file), str(file))
        if isinstance(text := row.get("text"), str)
    ]
    language = told_language("\n".join(texts))
    begun = time.process_time()
    found = Counter(one.kind.value for text in texts for one in find(text, language))
    characters = sum(map(len, texts))
    ms = (time.process_time() - begun) * 1e6 / max(1, characters)
    return {
        "file": str(file),
        "lines": len(texts),
        "characters": characters,
        "found": dict(sorted(found.items())),
        "ms": round(ms, 3),
    }


def privacy_lines(judged: Iterable[PrivacyFigure], counted: Iterable[PrivacyLinesJson]) -> Iterator[str]:
    """Give the table line by line, then what was found where nothing is marked."""
    yield f"{'language':<10}{'kind':<12}{'marked':>8}{'found':>8}{'right':>8}{'recall':>9}{'precision':>11}"
    for one in judged:
        counts = f"{one.marked:>8}{one.found:>8}{one.right:>8}"
        yield f"{one.language:<10}{one.kind:<12}{counts}{one.recall:>9.3f}{one.precision:>11.3f}"
    for each in counted:
        found = ", ".join(f"{count} {kind}" for kind, count in each["found"].items()) or "nothing"
        yield (
            f"{each['file']}: {each['lines']:,} lines, {each['characters']:,} characters: {found}; "
            f"{each['ms']:.3f} ms for 1,000 characters"
        )


def privacy_json(judged: Iterable[PrivacyFigure], counted: Iterable[PrivacyLinesJson]) -> str:
    """Give everything as one JSON object on one line."""
    whole: PrivacyBenchJson = {
        "bench": "privacy",
        "figures": [one.as_json() for one in judged],
        "lines": [*counted],
    }
    return json.dumps(whole, ensure_ascii=False)
