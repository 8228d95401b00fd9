"""A text as rules match it: one width, small letters, straight apostrophes; quoted speech can be hidden."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from kataribe.domain.text.paragraphs import Span, brackets

HIDDEN = "\ufffc"
"""What stands for each character of quoted speech: somebody else's words."""

_MARKS = "\u0300-\u036f\u3099\u309a\uff9e\uff9f"
_RUNS = re.compile(f"(?s)[\\x00-\\x7fぁ-ゖァ-ヺ一-鿿々ー、。「」]+(?![{_MARKS}])|.[{_MARKS}]*")
"""Stretches that folding leaves as long as they are, and what stands between them, sign by sign."""
_APOSTROPHES = str.maketrans("’ʼ‘", "'''")
_QUOTED = re.compile("[「『“\"«']")
_OPENERS = frozenset("「『“\"«'")
_STOPS = re.compile(
    r"[。!?;\n♪☆★]+|\.{2,}|\.(?=[\s\"')\]]|"
    r"$)(?<!\bmr\.)(?<!\bms\.)(?<!\bdr\.)(?<!\bst\.)(?<!\bmrs\.)(?<!\b[ap]\.m\.)"
)


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text in NFKC and small letters, with the place of each character in the text as it was written."""

    text: str
    starts: tuple[int, ...] | None = None
    """Where each character came from, and at last the length of the text; None: one by one."""

    def span(self, start: int, end: int) -> Span:
        """Give the span of the text as it was written."""
        if self.starts is None:
            return start, end
        return self.starts[start], self.starts[end]


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """A sentence without its closing marks, and whether these ask."""

    start: int
    end: int
    is_question: bool
    trails_off: bool
    """Whether it ends in dots."""


def folded(text: str, *, keep_case: bool = False) -> FoldedText:
    """Fold a text for matching; with `keep_case` large letters stay."""
    if text.isascii():
        return FoldedText(text if keep_case else text.lower())
    runs = _RUNS.findall(text)
    parts = [run if len(run) > 2 else _fold(run) for run in runs]
    if not keep_case:
        parts = [part.lower() for part in parts]
    joined = "".join(parts)
    if all(len(part) == len(run) for part, run in zip(parts, runs, strict=True)):
        return FoldedText(joined)
    return FoldedText(joined, _starts(runs, parts))


def without_quotations(text: str) -> str:
    """Write `HIDDEN` over quoted speech; the length stays."""
    if not _QUOTED.search(text):
        return text
    for start, end in brackets(text, 0, len(text)):
        if text[start] in _OPENERS:
            text = text[: start + 1] + HIDDEN * (end - start - 2) + text[end - 1 :]
    return text


def sentence_spans(text: str) -> tuple[SentenceSpan, ...]:
    """Cut a folded text at its stops; empty sentences are left out."""
    found: list[SentenceSpan] = []
    at = 0
    for stop in _STOPS.finditer(text):
        found += _sentence(text, at, stop.start(), stop.group())
        at = stop.end()
    found += _sentence(text, at, len(text), "")
    return tuple(found)


def mentions(text: str, words: tuple[str, ...]) -> bool:
    """Whether any of the words stands in a text; far faster than one pattern of them all."""
    for word in words:  # noqa: SIM110 - any() takes twice as long
        if word in text:
            return True
    return False


def trimmed(text: str, start: int, end: int, signs: str) -> Span:
    """Leave out the signs and spaces at both ends of a span; an empty one is (end, end)."""
    while start < end and (text[end - 1].isspace() or text[end - 1] in signs):
        end -= 1
    while start < end and (text[start].isspace() or text[start] in signs):
        start += 1
    return start, end


@lru_cache(maxsize=16384)
def _fold(sign: str) -> str:
    return unicodedata.normalize("NFKC", sign).translate(_APOSTROPHES)


def _starts(runs: list[str], parts: list[str]) -> tuple[int, ...]:
    starts: list[int] = []
    at = 0
    for run, part in zip(runs, parts, strict=True):
        starts += range(at, at + len(run)) if len(part) == len(run) else [at] * len(part)
        at += len(run)
    return (*starts, at)


def _sentence(text: str, start: int, end: int, stop: str) -> list[SentenceSpan]:
    start, end = trimmed(text, start, end, "")
    if start == end:
        return []
    return [SentenceSpan(start, end, "?" in stop, stop.startswith(".."))]
