"""Telling the language of a text."""

from __future__ import annotations

import re

from kataribe.domain.terms import Language

NOTICEABLE = 0.1
"""Above this share of kana and kanji among the letters a text is Japanese.

Low, for Japanese prose may quote much English; an English text with a Japanese name or word
here and there stays far below it.
"""

_JAPANESE = re.compile(
    "[\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # kanji
)
_LETTER = re.compile(r"[^\W\d_]")


ENOUGH = 12
"""From so many letters on a text without kana and kanji is taken for English."""


def plain_language(text: str) -> Language | None:
    """Tell the language as `told_language`, or None where the text is too short to tell."""
    if (told := told_language(text)) == "ja":
        return told
    return told if sum(1 for _ in _LETTER.finditer(text)) >= ENOUGH else None


def told_language(text: str) -> Language:
    """Tell Japanese from English by its letters; a text without letters is English."""
    letters = sum(1 for _ in _LETTER.finditer(text))
    japanese = sum(1 for _ in _JAPANESE.finditer(text))
    return "ja" if japanese > NOTICEABLE * letters else "en"
