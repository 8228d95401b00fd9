"""Cutting a document or a log into overlapping chunks (T-22); dialogue is kept whole where it fits."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from enum import IntEnum

from kataribe.domain.text.paragraphs import Span, brackets, paragraphs, sentences
from kataribe.errors import InputError

DEFAULT_SIZE = 300
DEFAULT_OVERLAP = 50

_CLAUSES = re.compile("[、，；：]|[,;:](?=\\s)|[—―]+")
_SPACES = re.compile(r"\s+")
_RUBY = re.compile("｜[^｜《》\n]{1,40}《[^《》\n]{1,60}》|[\u3005-\u3007\u3400-\u9fff]+《[^《》\n]{1,60}》")
"""A base with its reading: it is one word."""
_JOINED = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]")
"""What belongs to the character before it: joiners, variations, and colours of skin."""
_HIRAGANA, _KATAKANA, _KANJI, _LATIN, _OTHER = range(5)


class _Rank(IntEnum):
    """How good a place is to cut at, best first."""

    PARAGRAPH = 0
    SENTENCE = 1
    SPEECH = 2
    CLAUSE = 3
    SPACE = 4
    ANYWHERE = 5


def chunk(text: str, *, size: int = DEFAULT_SIZE, overlap: int = DEFAULT_OVERLAP) -> tuple[Span, ...]:
    """Cut a text into spans of at most `size` characters, each overlapping the last by at most `overlap`.

    Cuts fall at the best boundary in reach: paragraph, sentence, clause, space, and only then anywhere.
    """
    if size < 1:
        raise InputError(f"a chunk's size must be 1 or more, not {size}")
    if not 0 <= overlap < size:
        raise InputError(f"the overlap must be from 0 to {size - 1} (less than the size), not {overlap}")
    return tuple(_Cutter(text, size, overlap).chunks())


class _Cutter:
    """One text with its places to cut at, in order."""

    def __init__(self, text: str, size: int, overlap: int) -> None:
        self.text = text
        self.size = size
        self.overlap = overlap
        self.end = len(text.rstrip())
        self.rubies = [match.span() for match in _RUBY.finditer(text)]
        ranks = {
            place: rank for place, rank in _places(text, size).items() if not _lies_in(place, self.rubies)
        }
        self.places = sorted(ranks)
        self.ranks = [ranks[place] for place in self.places]

    def chunks(self) -> Iterator[Span]:
        """Give the chunks in order."""
        start = self._skip(0)
        while start < self.end:
            cut, _ = self._reach(start)
            yield start, self._trim(start, cut)
            if cut >= self.end:
                return
            start = self._back(start, cut)

    def _back(self, start: int, cut: int) -> int:
        """Where the next chunk begins: a little before `cut` when that costs no good boundary."""
        edge, fresh = self._trim(start, cut), self._skip(cut)
        worst = max(self._reach(fresh)[1], _Rank.SENTENCE)
        first = bisect_left(self.places, max(start + 1, edge - self.overlap))
        for back in self.places[first : bisect_left(self.places, edge)]:
            reach, rank = self._reach(back)
            if reach > fresh and rank <= worst and not self.text[back].isspace():
                return back
        return fresh

    def _reach(self, start: int) -> tuple[int, int]:
        """Where the chunk that begins at `start` is cut, and the rank of that cut."""
        if self.end - start <= self.size:
            return self.end, _Rank.PARAGRAPH
        limit = start + self.size
        low, high = bisect_right(self.places, start), bisect_right(self.places, limit)
        # A place just past the limit serves too when only blanks lie between.
        if high < len(self.places) and self._trim(start, self.places[high]) <= limit:
            high += 1
        window = range(low, high)
        best = self._last_good(window, start + self.size // 2)
        best = best if best is not None else self._last_good(window, start)
        if best is not None:
            return self.places[best], self.ranks[best]
        return self._anywhere(start, limit), _Rank.ANYWHERE

    def _last_good(self, window: range, beyond: int) -> int | None:
        """The last of the best-ranked places after `beyond`."""
        found: int | None = None
        for index in window:
            later = self.places[index] > beyond
            if later and (found is None or self.ranks[index] <= self.ranks[found]):
                found = index
        return found

    def _anywhere(self, start: int, limit: int) -> int:
        """A cut where no boundary is near: before a word, as far as letters tell; never inside a letter."""
        for cut in range(limit, start + self.size // 2, -1):
            if self._begins_word(cut):
                return cut
        cut = limit
        while cut > start + 1 and not self._begins_letter(cut):
            cut -= 1
        return cut if cut > start + 1 else limit

    def _begins_letter(self, at: int) -> bool:
        """Whether a character begins here that belongs to none before it."""
        here, before = self.text[at], self.text[at - 1]
        is_joined = unicodedata.combining(here) or _JOINED.match(here) or before == "\u200d"
        return not is_joined and not _lies_in(at, self.rubies)

    def _begins_word(self, at: int) -> bool:
        """Whether a word seems to begin here: the script changes, and not to what ends Japanese words."""
        if not self._begins_letter(at):
            return False
        before, here = _script(self.text[at - 1]), _script(self.text[at])
        return before != here and here not in (_HIRAGANA, _OTHER)

    def _skip(self, at: int) -> int:
        while at < self.end and self.text[at].isspace():
            at += 1
        return at

    def _trim(self, start: int, at: int) -> int:
        at = min(at, self.end)
        while at > start and self.text[at - 1].isspace():
            at -= 1
        return at


def _places(text: str, size: int) -> dict[int, int]:
    """Every boundary of the text, with the best rank it has."""
    ranks: dict[int, int] = {}

    def note(place: int, rank: _Rank) -> None:
        ranks[place] = min(rank, ranks.get(place, rank))

    for start, end in paragraphs(text):
        note(start, _Rank.PARAGRAPH)
        for place, rank in _inside(text, start, end, size):
            note(place, rank)
    return ranks


def _inside(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, _Rank]]:
    """Boundaries within a paragraph or a speech too long for one chunk."""
    for opened, _ in sentences(text, start, end, "en"):
        yield opened, _Rank.SENTENCE
    whole: list[Span] = []
    for opened, closed in brackets(text, start, end):
        yield opened, _Rank.CLAUSE
        if closed - opened <= size:
            whole.append((opened, closed))
            continue
        for place, rank in _inside(text, opened + 1, closed - 1, size):
            # The speech's own first sentence begins at its bracket, not after it.
            if place > opened + 1:
                yield place, max(rank, _Rank.SPEECH)
    for pattern, rank in ((_CLAUSES, _Rank.CLAUSE), (_SPACES, _Rank.SPACE)):
        for match in pattern.finditer(text, start, end):
            if not _lies_in(match.end(), whole):
                yield match.end(), rank


def _script(char: str) -> int:
    if "\u3041" <= char <= "\u309f":
        return _HIRAGANA
    if "\u30a0" <= char <= "\u30ff" or "\uff66" <= char <= "\uff9f":
        return _KATAKANA
    if "\u3005" <= char <= "\u3007" or "\u3400" <= char <= "\u9fff" or char >= "\U00020000":
        return _KANJI
    return _LATIN if char.isalnum() else _OTHER


def _lies_in(place: int, spans: list[Span]) -> bool:
    index = bisect_right(spans, (place, 0)) - 1
    return index >= 0 and spans[index][0] < place < spans[index][1]
