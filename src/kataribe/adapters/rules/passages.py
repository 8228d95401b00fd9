"""One paragraph taken apart: what is quoted, what is thought, and who is named where."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.adapters.rules.names import Mention
from kataribe.domain.terms import Language
from kataribe.domain.text.paragraphs import QUOTES, Span, brackets, sentences

_UNCLOSED = re.compile("[「『“]|(?<![\\w.,!?;:’'…])\"(?=[\\w'‘…—-])")
_ITALICS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_LINKED = re.compile("[、，]?(?:と|って|などと|なんて)")
_MIN_THOUGHT_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedPassage:
    """A paragraph `text[start:end]` without its mark; all spans are of the whole text."""

    text: str
    start: int
    end: int
    language: Language
    quotes: tuple[Span, ...]
    """Outermost quotations, brackets included; one that is not closed runs to the end."""
    thoughts: tuple[Span, ...]
    """Thought set apart by its form alone: （…） and *…*."""
    narration: str
    """The paragraph with quotations and thoughts blanked out, every place as it was."""
    mentions: tuple[Mention, ...]
    told: tuple[Mention, ...]
    """The mentions in the narration."""
    sentences: tuple[Span, ...]

    def told_between(self, start: int, end: int) -> str:
        """The narration between two places of the text."""
        return self.narration[max(start - self.start, 0) : max(end - self.start, 0)]

    def told_in(self, start: int, end: int) -> tuple[Mention, ...]:
        """The mentions in the narration between two places."""
        return _between(self.told, start, end)

    def named_in(self, start: int, end: int) -> tuple[Mention, ...]:
        """The mentions between two places, quoted or not."""
        return _between(self.mentions, start, end)

    def sentence_at(self, at: int) -> Span:
        """The sentence a place of the paragraph lies in."""
        index = bisect_right(self.sentences, (at, self.end + 1)) - 1
        return self.sentences[max(index, 0)] if self.sentences else (self.start, self.end)

    def beside(self, span: Span) -> tuple[Span, Span]:
        """The sentences before and after one, empty at the paragraph's ends."""
        index = bisect_left(self.sentences, span)
        before = self.sentences[index - 1] if index else (self.start, self.start)
        after = self.sentences[index + 1] if index + 1 < len(self.sentences) else (self.end, self.end)
        return before, after


BLANK = "\0"
"""What stands in a narration for each character of a quotation or thought."""


def read_passage(text: str, span: Span, language: Language, mentions: Sequence[Mention]) -> QuotedPassage:
    """Take a paragraph apart; `mentions` are those of the paragraph."""
    start, end = span
    pairs = brackets(text, start, end)
    quotes = [pair for pair in pairs if text[pair[0]] in QUOTES]
    beyond = _first_unclosed(text, start, end, pairs)
    if beyond is not None:
        quotes = [quote for quote in quotes if quote[1] <= beyond] + [(beyond, end)]
    parted = sentences(text, start, end, language)
    thoughts = _thoughts(text, span, language, parted)
    thoughts = [pair for pair in thoughts if not overlapping(quotes, *pair)]
    apart = sorted([*quotes, *thoughts])
    return QuotedPassage(
        text=text,
        start=start,
        end=end,
        language=language,
        quotes=tuple(quotes),
        thoughts=tuple(thoughts),
        narration=_blanked(text, span, apart),
        mentions=tuple(mentions),
        told=tuple(mention for mention in mentions if not overlapping(apart, mention.start, mention.end)),
        sentences=parted,
    )


def overlapping(spans: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    """Those of some disjoint spans in order that share a character with [start, end)."""
    low = bisect_right(spans, start, key=lambda span: span[1])
    high = bisect_left(spans, end, key=lambda span: span[0])
    return spans[low:high]


def _between(mentions: tuple[Mention, ...], start: int, end: int) -> tuple[Mention, ...]:
    low = bisect_left(mentions, start, key=lambda mention: mention.start)
    high = bisect_left(mentions, end, key=lambda mention: mention.start)
    return mentions[low:high]


def _first_unclosed(text: str, start: int, end: int, pairs: Sequence[Span]) -> int | None:
    """Where a quotation opens that the paragraph does not close (it may run on in the next)."""
    for match in _UNCLOSED.finditer(text, start, end):
        if not overlapping(pairs, *match.span()):
            return match.start()
    return None


def _thoughts(text: str, span: Span, language: Language, parted: Sequence[Span]) -> list[Span]:
    """Thought told by its form: italics of some length, and in Japanese （…） that is no aside."""
    start, end = span
    if language == "en":
        return [
            match.span()
            for match in _ITALICS.finditer(text, start, end)
            if len(match.group(1).split()) >= _MIN_THOUGHT_WORDS
        ]
    begins = {sentence[0] for sentence in parted}
    # A reading or an aside stands after a word: thought opens a sentence, or と follows it.
    return [
        pair
        for pair in brackets(text, start, end)
        if text[pair[0]] in "（(" and (pair[0] in begins or _LINKED.match(text, pair[1], end))
    ]


def _blanked(text: str, span: Span, apart: Sequence[Span]) -> str:
    pieces: list[str] = []
    at = span[0]
    for start, end in apart:
        pieces += [text[at:start], BLANK * (end - start)]
        at = end
    return "".join([*pieces, text[at : span[1]]])
