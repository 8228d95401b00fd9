"""Finding the cast in a text by the names it goes by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kataribe.domain.story.inputs import Character, NameKind
from kataribe.domain.text.naming import article_of, as_pattern

_KANJI = "々〆㐀-䶿一-鿿\uf900-\ufaff"
_KATAKANA = "ァ-ヺー"
_HIRAGANA = "ぁ-ゖー"
_CJK = f"{_KANJI}{_KATAKANA}{_HIRAGANA}"
_LETTER = f"(?:(?![{_CJK}])[^\\W_])"
_HONORIFICS = "達等様君氏殿嬢"
_JOINS_BEFORE = "とはがをにもの、でへやらば"
_STRONG = "[はがもをにのへ]|さん|ちゃん|くん|さま|たち|ら[はがもをにの]"
_MARKS_AFTER = "ﾞﾟ\u3099\u309a"


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a text names one or (a shared name) more of the cast."""

    start: int
    end: int
    ids: frozenset[str]
    first_person: bool


class Names:
    """The names of a cast, ready to be found in a text."""

    def __init__(self, cast: Sequence[Character]) -> None:
        self._owners: dict[str, set[str]] = {}
        self._first_person: dict[str, bool] = {}
        for character in cast:
            for alias in character.called():
                text = unicodedata.normalize("NFKC", alias.text).strip()
                is_first = alias.kind is NameKind.FIRST_PERSON
                if text and (is_first or not _is_too_short(text)):
                    text = _key(text)
                    self._owners.setdefault(text, set()).add(character.character_id)
                    self._first_person[text] = self._first_person.get(text, True) and is_first
        # Longest first: among alternatives that begin together the first that fits is taken.
        ordered = sorted(self._owners, key=lambda text: (-len(text), text))
        self._pattern = re.compile(_any_of(ordered)) if ordered else None

    def find(self, text: str, start: int, end: int) -> tuple[Mention, ...]:
        """Find every mention in `text[start:end]` in order; where two overlap the longer one stands."""
        if self._pattern is None:
            return ()
        folded, places = _fold(text[start:end])
        raw = [match.span(1) for match in self._pattern.finditer(folded)]
        return tuple(
            Mention(
                start=start + (places[left] if places else left),
                end=start + (places[right] if places else right),
                ids=frozenset(self._owners[name]),
                first_person=self._first_person[name],
            )
            for left, right in _longest(raw)
            for name in [self._owned(folded[left:right])]
        )

    def _owned(self, found: str) -> str:
        """Give the name as it is kept that was found in a text."""
        if found in self._owners:
            return found
        article, space, rest = found.partition(" ")
        return article.lower() + space + rest


def _any_of(names: Sequence[str]) -> str:
    """A pattern for the first of some names that fits; most places of a text are passed by at one look."""
    begins = {sign for name in names for sign in (name[0], *(name[0].swapcase() if article_of(name) else ""))}
    head = "".join(re.escape(sign) for sign in sorted(begins))
    return f"(?=[{head}])(?=({'|'.join(map(_bounded, names))}))"


def _key(name: str) -> str:
    """Give a name with its article small: it is the same name, however a sentence begins with it."""
    article = article_of(name)
    return article.lower() + name[len(article) :]


def _is_too_short(text: str) -> bool:
    return len(text) < 2 and not re.match(f"[{_CJK}]", text)


def _bounded(text: str) -> str:
    """A pattern for `text` that does not match inside a longer word."""
    if re.fullmatch(f"[{_HIRAGANA}]+", text):
        # Hiragana has no word ends: ask for a particle after it, or for one before it.
        return (
            f"(?:{re.escape(text)}(?={_STRONG})|(?<![{_HIRAGANA}]){re.escape(text)}(?![{_HIRAGANA}])"
            f"|(?<=[{_JOINS_BEFORE}]){re.escape(text)}(?![{_HIRAGANA}])"
            f"|(?<![{_HIRAGANA}]){re.escape(text)}(?=って|[とでだやっよね、]))"
        )
    head, tail = "", ""
    if re.match(_LETTER, text[0]):
        head = f"(?<!{_LETTER})(?<!{_LETTER}-)"
    elif re.match(f"[{_KATAKANA}]", text[0]):
        head = f"(?<![{_KATAKANA}])"
    if re.match(_LETTER, text[-1]):
        tail = f"(?!{_LETTER})(?!-{_LETTER})"
    elif re.match(f"[{_KATAKANA}]", text[-1]):
        tail = f"(?![{_KATAKANA}])"
    if re.fullmatch(f"[{_KANJI}]", text):
        # One kanji is a name only when it stands alone, an honorific aside.
        head, tail = f"(?<![{_KANJI}])", f"(?=[{_HONORIFICS}](?![{_KANJI}])|先生|先輩|[^{_KANJI}]|$)"
    return head + as_pattern(text) + tail


def _longest(raw: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Keep of overlapping spans the longest, the earlier of equals."""
    kept: list[tuple[int, int]] = []
    for span in raw:
        if kept and span[0] < kept[-1][1]:
            if span[1] - span[0] > kept[-1][1] - kept[-1][0]:
                kept[-1] = span
            continue
        kept.append(span)
    return kept


def _fold(text: str) -> tuple[str, list[int] | None]:
    """The text as NFKC sees it, and for each of its characters the place in the text (None: the same)."""
    if unicodedata.is_normalized("NFKC", text):
        return text, None
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and (text[end] in _MARKS_AFTER or unicodedata.combining(text[end])):
            end += 1
        piece = _nfkc(text[at:end])
        pieces.append(piece)
        places.extend([at] * len(piece))
        at = end
    places.append(len(text))
    return "".join(pieces), places


@lru_cache(maxsize=8192)
def _nfkc(piece: str) -> str:
    return unicodedata.normalize("NFKC", piece)
