"""An episode's text as a model is given it: paragraphs without marks, in parts that are not too long."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kataribe.adapters.tellers import NOBODY_TELLS, StoryTeller, named_tellers
from kataribe.domain.story.audience import Verdict
from kataribe.domain.text.chunk import chunk
from kataribe.ports import Source

PART_SIZE = 5000
"""Characters given at once: what is found in them fits into one answer."""

_WORD = re.compile(r"[^\W_]")
_WIDE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, or a stretch of a long one, `text[start:end]`, and what its author said of it.

    `teller` is who narrates it, and to whom.
    """

    start: int
    end: int
    verdict: Verdict
    teller: StoryTeller = NOBODY_TELLS

    @property
    def telling(self) -> frozenset[str]:
        """Those who alone hold it as a letter, a diary or a testimony: who tells it, and whom it is told."""
        return self.teller.who | self.teller.told_to if self.teller.told_to else frozenset()


Part = tuple[Piece, ...]


def pieces(source: Source, verdicts: Sequence[Verdict]) -> tuple[Piece, ...]:
    """Give the paragraphs that hold a word, without the author's marks; long ones are cut."""
    found: list[Piece] = []
    for (start, end), verdict, teller in zip(source.paragraphs, verdicts, named_tellers(source), strict=True):
        found += [
            Piece(low, high, verdict, teller)
            for low, high in _stretches(source.text, start + verdict.skip, end)
            if _WORD.search(source.text, low, high)
        ]
    return tuple(found)


def _stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if end - start <= PART_SIZE:
        if start < end:
            yield start, end
        return
    for low, high in chunk(text[start:end], size=PART_SIZE, overlap=0):
        yield start + low, start + high


def parts(given: Sequence[Piece]) -> Iterator[Part]:
    """Put pieces together in their order, as many as fit."""
    part: list[Piece] = []
    size = 0
    for piece in given:
        if part and size + piece.end - piece.start > PART_SIZE:
            yield tuple(part)
            part, size = [], 0
        part.append(piece)
        size += piece.end - piece.start
    if part:
        yield tuple(part)


def tokens_of(text: str) -> int:
    """Guess how many tokens a model counts: one for a Japanese character, one for four others."""
    wide = len(_WIDE.findall(text))
    return math.ceil(wide + (len(text) - wide) / 4)
