"""Finding the cast in a text by the names it goes by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kataribe.domain.story.inputs import EVERYONE_ALWAYS, Alias, Character, NameKind
from kataribe.domain.text.common_words import ROLES_JA
from kataribe.domain.text.name_parts import Guard
from kataribe.domain.text.naming import article_of, as_pattern

_KANJI = "々〆㐀-䶿一-鿿\uf900-\ufaff"
_KATAKANA = "ァ-ヺー"
_HIRAGANA = "ぁ-ゖー"
_CJK = f"{_KANJI}{_KATAKANA}{_HIRAGANA}"
_LETTER = f"(?:(?![{_CJK}])[^\\W_])"
_HONORIFICS = "達等様君氏殿嬢"
_JOINS_BEFORE = "とはがをにもの、でへやらば"
_STRONG = "[はがもをにのへ]|さん|ちゃん|くん|さま|たち|ら[はがもをにの]"
_CALLED = f"さん|ちゃん|くん|さま|先生|先輩|[{_HONORIFICS}家](?![{_KANJI}])"
_RANKS = "|".join(sorted(role for role in {*ROLES_JA, "自身", "夫妻", "一家"} if len(role) > 1))
_SUFFIXES = "(?:san|chan|kun|sama|sensei|senpai|dono)(?![^\\W_])"
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
        claimed: set[str] = set()
        for character in cast:
            for alias in character.called():
                text = self._add_called(character, alias)
                if alias.address == EVERYONE_ALWAYS:
                    claimed.add(text)
        bounded = {text: _bounded(text) for text in self._owners}
        for text, guard, owner in _implied(cast):
            # What an author says somebody is called is not also what another's name is shortened to.
            if text not in claimed:
                self._owners.setdefault(text, set()).add(owner)
                self._first_person[text] = False
                bounded.setdefault(text, _guarded(text, guard))
        # Longest first: among alternatives that begin together the first that fits is taken.
        ordered = sorted(self._owners, key=lambda text: (-len(text), text))
        self._pattern = re.compile(_any_of(ordered, bounded)) if ordered else None

    def _add_called(self, character: Character, alias: Alias) -> str:
        """Take in what somebody is called; give it as it is kept, empty when it is no name in a text."""
        text = unicodedata.normalize("NFKC", alias.text).strip()
        is_first = alias.kind is NameKind.FIRST_PERSON
        if not text or (not is_first and _is_too_short(text)):
            return ""
        text = _key(text)
        self._owners.setdefault(text, set()).add(character.character_id)
        self._first_person[text] = self._first_person.get(text, True) and is_first
        return text

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


def _any_of(names: Sequence[str], bounded: Mapping[str, str]) -> str:
    """A pattern for the first of some names that fits; most places of a text are passed by at one look."""
    begins = {sign for name in names for sign in (name[0], *(name[0].swapcase() if article_of(name) else ""))}
    head = "".join(re.escape(sign) for sign in sorted(begins))
    return f"(?=[{head}])(?=({'|'.join(bounded[name] for name in names)}))"


def _key(name: str) -> str:
    """Give a name with its article small: it is the same name, however a sentence begins with it."""
    article = article_of(name)
    return article.lower() + name[len(article) :]


def _is_too_short(text: str) -> bool:
    return len(text) < 2 and not re.match(f"[{_CJK}]", text)


def _implied(cast: Sequence[Character]) -> Iterator[tuple[str, Guard, str]]:
    """Give the parts of all names with their owners; of one part the guard that asks for most goes first."""
    found = [
        (one.part, character.character_id)
        for character in cast
        for one in character.implied()
        if not _is_too_short(one.part.text)
    ]
    strict: dict[str, Guard] = {}
    for part, _ in found:
        if part.guard is not Guard.NONE:
            strict[part.text] = part.guard
    for part, owner in found:
        yield part.text, strict.get(part.text, part.guard), owner


def _guarded(text: str, guard: Guard) -> str:
    """A pattern for a part of a name: never a piece of a longer word, and no common word alone."""
    if guard is Guard.INSIDE:
        return f"(?<=[a-zà-öø-ÿ,;] ){_bounded(text)}"
    if guard is Guard.HONORIFIC:
        return f"{_begins(text)}{re.escape(text)}(?={_CALLED})"
    if re.fullmatch(f"[{_KANJI}]+", text):
        return f"{_begins(text)}{re.escape(text)}(?:(?![{_KANJI}])|(?={_CALLED}|{_RANKS}))"
    if re.match(f"[{_KATAKANA}]", text):
        # A part of a name that is another's is not this one's.
        return f"(?<![{_KATAKANA}]・){_bounded(text)}(?!・[{_KATAKANA}])"
    return _bounded(text)


def _begins(text: str) -> str:
    """A pattern for the place where a word of one script can begin."""
    if re.match(f"[{_KANJI}]", text):
        return f"(?<![{_KANJI}])"
    if re.match(f"[{_HIRAGANA}]", text):
        return f"(?:(?<![{_HIRAGANA}])|(?<=[{_JOINS_BEFORE}]))"
    return f"(?<![{_KATAKANA}・])"


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
        tail = f"(?!{_LETTER})(?!-(?!{_SUFFIXES}){_LETTER})"
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
