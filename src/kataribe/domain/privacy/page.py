"""A text as the patterns of personal data read it, with the place of each character in what was written."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from kataribe.domain.conversation.folded import HIDDEN, folded
from kataribe.domain.conversation.masking import links_in
from kataribe.domain.privacy.kinds import PersonalKind
from kataribe.domain.text.paragraphs import Span

TOKEN = re.compile(rf"<(?:{'|'.join(PersonalKind)}):[a-z][a-z2-7]{{9}}>")
"""What stands in place of a personal datum."""
_UNSEEN = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_HYPHENS = dict.fromkeys(map(ord, "‐‑‒–—―−⁃─"), "-")
_KANJI_DIGITS = str.maketrans("〇零○一二三四五六七八九", "000123456789")
_BETWEEN_DIGITS = re.compile(r"(?<=[0-9])[ー・の](?=[0-9])")


@dataclass(frozen=True, slots=True)
class TextPage:
    """One text in four readings of the same length, character by character.

    `text` is NFKC with hyphens made one and unseen characters left out, a token being one `HIDDEN`;
    `low` is the same in small letters; in `digits` kanji numerals are digits, and what joins groups of
    digits (ー, ・, の) is a hyphen.
    """

    text: str
    low: str
    digits: str
    links: tuple[Span, ...]
    starts: tuple[int, ...] | None
    """Where each character came from, and at last the length of the text; None: one by one."""

    @property
    def has_digits(self) -> bool:
        """Whether any digit is written, in whatever script."""
        return re.search("[0-9]", self.digits) is not None

    def span(self, start: int, end: int) -> Span:
        """Give the span of the text as it was written; what came from one character goes together."""
        if self.starts is None:
            return start, end
        while end < len(self.text) and self.starts[end] == self.starts[end - 1]:
            end += 1
        return self.starts[start], self.starts[end]

    def is_linked(self, start: int, end: int) -> bool:
        """Whether a span touches a link."""
        at = bisect_left(self.links, (end, 0))
        return at > 0 and start < self.links[at - 1][1]


def page_of(text: str) -> TextPage:
    """Read a text."""
    seen, starts = _seen(text)
    low = seen.replace("İ", "I").lower()
    digits = _BETWEEN_DIGITS.sub("-", low.translate(_KANJI_DIGITS))
    return TextPage(seen, low, digits, tuple(links_in(low)), starts)


def _seen(text: str) -> tuple[str, tuple[int, ...] | None]:
    if text.isascii() and "<" not in text:
        return text, None
    parts: list[str] = []
    starts: list[int] = []
    at = 0
    for token in TOKEN.finditer(text):
        _read(text, at, token.start(), parts, starts)
        parts.append(HIDDEN)
        starts.append(token.start())
        at = token.end()
    _read(text, at, len(text), parts, starts)
    return "".join(parts).translate(_HYPHENS), (*starts, len(text))


def _read(text: str, start: int, end: int, parts: list[str], starts: list[int]) -> None:
    """Fold what stands between two tokens, without what nobody sees."""
    plain = folded(text[start:end], keep_case=True)
    came = range(len(plain.text) + 1) if plain.starts is None else plain.starts
    at = 0
    for unseen in (*(found.span() for found in _UNSEEN.finditer(plain.text)), (len(plain.text), 0)):
        parts.append(plain.text[at : unseen[0]])
        starts += [start + one for one in came[at : unseen[0]]]
        at = unseen[1]
