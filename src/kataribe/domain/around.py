"""What stands around a sentence: its paragraph, and the answer to a question, as far as one may know them.

Where paragraphs begin is a matter of the text's layout; which sentences of them are given is the
gate's. What is missing leaves no trace: sentences are joined by their own signs alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

ANSWER_WITHIN = 2
"""Paragraphs after that of a question in which its answer may stand."""
_END = 2**62
"""Beyond the end of every text."""

_JAPANESE = re.compile("[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_ENDED = re.compile("[。．！？…‥―—」』）”’〉》】〕］♪!?.]$")
_SPEECH = re.compile("[「『“‘«]|(?<![^\\W_])[\"'](?=[^\\W_])")
# A question mark that a closing quote follows; in Japanese one asks without it as well.
_ASKED = re.compile(
    "[?？][!！?？]*[\\s」』”’\"'»]*[」』”’\"'»]"
    "|(?:か|かい|かね|かしら)。?[」』]"
    "|(?:誰|だれ|何|なに|なぜ|どうして|どう|どこ|どの|どれ|どんな|どちら|どっち|いつ|いくつ|いくら)"
    "(?!か|も|でも|ぞ|より|とな)[^「」『』。！]*[」』]"
)


SentencePlace = tuple[str, str, int, int]
"""Where a sentence stands: space, episode id, and [start, end) in the episode's text."""


class TextStretch(NamedTuple):
    """A part of an episode's text, [start, end) in characters, and where its memories lie."""

    space: str
    episode_id: str
    position: int
    start: int
    end: int


class StorySentence(NamedTuple):
    """A memory in the words of its episode's text, without readings, and the place [start, end) of them."""

    space: str
    holder: str
    position: int
    episode_id: str
    fact_id: str
    start: int
    end: int
    text: str

    @property
    def place(self) -> SentencePlace:
        """Where it stands: the same for every holder."""
        return (self.space, self.episode_id, self.start, self.end)


def is_speech(text: str) -> bool:
    """Whether a sentence quotes what somebody says."""
    return _SPEECH.search(text) is not None


def is_asked(text: str) -> bool:
    """Whether somebody asks something in a sentence, in quotes."""
    return is_speech(text) and _ASKED.search(text) is not None


def stretch_around(own: StorySentence, starts: Sequence[int]) -> TextStretch:
    """Give the paragraph of a sentence; of a question with those in which its answer may stand.

    `starts` are the places where the paragraphs of the text begin.
    """
    first = _paragraph(own.start, starts)
    after = first + 1 + (ANSWER_WITHIN if is_asked(own.text) else 0)
    begin = starts[first] if starts else 0
    end = starts[after] if after < len(starts) else _END
    return TextStretch(own.space, own.episode_id, own.position, begin, end)


def around(
    own: StorySentence, found: Iterable[StorySentence], starts: Sequence[int]
) -> tuple[StorySentence, ...]:
    """Give a sentence among those of its paragraph, and the answer to it, in the order of the text.

    `found` are those of its `stretch_around` that may be known, in any order.
    """
    by_paragraph: dict[int, list[StorySentence]] = {}
    for one in _apart(own, found):
        by_paragraph.setdefault(_paragraph(one.start, starts), []).append(one)
    first = _paragraph(own.start, starts)
    told = by_paragraph.get(first, [])
    return (*told, *(_answer(by_paragraph, first) if is_asked(own.text) else ()))


def joined(sentences: Sequence[StorySentence]) -> str:
    """Write sentences as a text; what lies between them there, a blank or another sentence, is not told."""
    pieces: list[str] = []
    for one in sentences:
        if pieces and not _runs_together(pieces[-1], one.text):
            pieces.append(" ")
        pieces.append(one.text)
    return "".join(pieces)


def _answer(by_paragraph: dict[int, list[StorySentence]], first: int) -> list[StorySentence]:
    """Give what is said next: in the paragraph after the question, or after one that only tells.

    Behind a paragraph of which nothing is known it is not looked for: it may have been the answer.
    """
    for number in range(first + 1, first + 1 + ANSWER_WITHIN):
        told = by_paragraph.get(number, [])
        said = [one for one in told if is_speech(one.text)]
        if said or not told:
            return said
    return []


def _apart(own: StorySentence, found: Iterable[StorySentence]) -> list[StorySentence]:
    """Give sentences in order, none twice and none within another; `own` is always among them."""
    kept: list[StorySentence] = [own]
    for one in sorted(found, key=lambda s: (s.start, -s.end, s.fact_id, s.holder)):
        if all(one.end <= other.start or other.end <= one.start for other in (own, kept[-1])):
            kept.append(one)
    return sorted(kept, key=lambda s: s.start)


def _paragraph(at: int, starts: Sequence[int]) -> int:
    return max(bisect_right(starts, at) - 1, 0)


def _runs_together(left: str, right: str) -> bool:
    """Whether no blank is written between two sentences: between Japanese ones, where the first has ended."""
    return all(_JAPANESE.search(text) for text in (left, right)) and _ENDED.search(left) is not None
