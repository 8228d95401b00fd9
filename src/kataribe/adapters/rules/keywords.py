"""Distinctive words of a question: names and phrases worth finding exactly (S4-68, S4-72)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from kataribe.adapters.rules.words import (
    COMMON_KANJI,
    COMMON_KATAKANA,
    COMMON_LATIN,
    LEANING_KANJI,
    NOT_NAMES,
)
from kataribe.domain.ids import normalise
from kataribe.domain.recall.planning import MAX_KEYWORDS

MAX_QUESTION = 4000
"""Signs of a question that are looked at."""
MAX_KEYWORD = 60
"""Signs of one keyword."""
MAX_KANJI = 8
"""Kanji of one keyword; a longer run is a sentence, perhaps a Chinese one."""

_KANJI = "々〆〇㐀-䶿一-鿿\uf900-\ufaff"
_TITLES = f"さん|ちゃん|くん|さま|先生|先輩|博士|教授|(?<=[{_KANJI}]{{2}})(?:氏|君|(?<![仕模同異多両有])様)"

_QUOTED = re.compile(r"「([^「」\n]{1,60})」|『([^『』\n]{1,60})』|“([^“”\n]{1,60})”|\"([^\"\n]{1,60})\"")
_TITLED = re.compile(
    f"([{_KANJI}]{{1,8}}?|[ァ-ヺー・]{{1,20}}|(?<![ぁ-ゖー])[ぁ-ゖー]{{2,4}}?)(?:{_TITLES})(?![{_KANJI}])"
)
_KATAKANA = re.compile("[ァ-ヺー]+(?:[・=][ァ-ヺー]+)*")
_LATIN = re.compile(r"(?<![A-Za-z0-9À-ɏ])[A-Za-zÀ-ɏ](?:[A-Za-z0-9À-ɏ_.+#’'-]*[A-Za-z0-9À-ɏ+#])?")
_ABBREVIATED = re.compile(r"\b(?:mr|mrs|ms|dr|st|prof|jr|sr|capt|lt|col|gen)\.\s*$", re.IGNORECASE)
_KANJI_RUN = re.compile(f"[{_KANJI}]+")
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_D = r"(?<!\d)\d{1,9}(?!\d)"
_NUMBER = re.compile(
    rf"{_D}年(?:{_D}月(?:{_D}日)?)?|{_D}月(?:{_D}日)?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})(?:,? \d{{4}})?\b"
    rf"|\b(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b"
    r"|\b\d{4}[-/]\d{1,2}[-/]\d{1,2}\b|\bv?\d{1,9}(?:\.\d{1,9}){1,4}\b"
    rf"|{_D}(?:[.,]{_D}){{0,4}} ?(?:日|時|分|秒|円|歳|才|回|個|本|冊|匹|階|番|号|話|章|度|点|ドル|%)"
    rf"|{_D}(?:[.,]{_D}){{0,4}} ?(?:[kcm]?m|[km]?g)(?![A-Za-z])"
    rf"|[$€£¥]{_D}(?:[.,]{_D}){{0,4}}"
    rf"|{_D}(?:[.,]{_D}){{0,4}} (?:dollars|euros|pounds|miles|kilometers|percent|years? old)\b",
    re.IGNORECASE,
)
_AFTER_NOUN = re.compile(
    "[はがをにでとのもへやかなね]|だ|じゃ|って|まで|から|より|など|さん|くん|ちゃん|たち|ら(?!れ)|する|した|して|し[^いか]|され|させ|よ"
)
"""What stands behind a noun; other kana behind kanji are the ending of a verb or an adjective."""
_SENTENCE_END = re.compile(r"[.!?。！？]\s*[\"'”’)]*\s*$|^[\s\"'“‘(]*$|[:\n]\s*$")
_JAPANESE = re.compile("[ぁ-ヿ一-鿿]")


class _KeywordRank(IntEnum):
    """How much a kind of word tells; the least goes first."""

    QUOTED = 0
    NAME = 1
    KATAKANA = 2
    KANJI = 3
    NUMBER = 4


@dataclass(frozen=True, slots=True)
class _Candidate:
    rank: _KeywordRank
    start: int
    end: int
    text: str


def keywords(question: str) -> tuple[str, ...]:
    """Give up to three distinctive words or phrases as they are written, those that tell most first.

    Common words are never among them. The time taken grows with the length of the question, up
    to `MAX_QUESTION`.
    """
    text = normalise(question)[:MAX_QUESTION]
    found = sorted(_candidates(text), key=lambda each: (each.rank, each.start, -each.end))
    taken: list[_Candidate] = []
    for each in found:
        known = any(each.start < other.end and other.start < each.end for other in taken)
        said = any(each.text.casefold() in other.text.casefold() for other in taken)
        if not known and not said:
            taken.append(each)
        if len(taken) == MAX_KEYWORDS:
            break
    return tuple(each.text for each in taken)


def _candidates(text: str) -> Iterator[_Candidate]:
    yield from _quoted(text)
    yield from _latin(text)
    if any(sign.isdigit() for sign in text):
        for match in _NUMBER.finditer(text):
            yield _Candidate(_KeywordRank.NUMBER, match.start(), match.end(), match[0])
    if not text.isascii():
        yield from _titled(text)
        yield from _katakana(text)
        yield from _kanji(text)


def _katakana(text: str) -> Iterator[_Candidate]:
    for match in _KATAKANA.finditer(text):
        word = match[0].lstrip("ー").strip("・=")
        if len(word) >= 2 and word not in COMMON_KATAKANA:
            yield _Candidate(_KeywordRank.KATAKANA, match.start(), match.end(), word[:MAX_KEYWORD])


def _quoted(text: str) -> Iterator[_Candidate]:
    for match in _QUOTED.finditer(text):
        words = next(group for group in match.groups() if group is not None).strip()
        if any(sign.isalnum() for sign in words):
            yield _Candidate(_KeywordRank.QUOTED, match.start(), match.end(), words)


def _titled(text: str) -> Iterator[_Candidate]:
    """Names with さん and the like; the title itself is left out, others may use another."""
    for match in _TITLED.finditer(text):
        name = _peeled(match[1]) if _KANJI_RUN.fullmatch(match[1]) else match[1].lstrip("ー").strip("・")
        if name and name not in NOT_NAMES and name not in COMMON_KANJI and name not in COMMON_KATAKANA:
            yield _Candidate(_KeywordRank.NAME, match.end(1) - len(name), match.end(), name)


def _latin(text: str) -> Iterator[_Candidate]:
    """Names in Latin letters: capitalised ones in a sentence, any word in a Japanese one."""
    in_japanese = _JAPANESE.search(text) is not None
    shouted = not any(sign.islower() for sign in text)
    run: list[re.Match[str]] = []
    for match in _LATIN.finditer(text):
        joined = run and text[run[-1].end() : match.start()] in (" ", ". ", "-") and len(run) < 4
        if not joined or not _is_name(text, match, in_japanese=in_japanese, shouted=shouted):
            yield from _named(text, run)
            run = []
        if _is_name(text, match, in_japanese=in_japanese, shouted=shouted):
            run.append(match)
    yield from _named(text, run)


def _named(text: str, run: list[re.Match[str]]) -> Iterator[_Candidate]:
    if run:
        start, end = run[0].start(), run[-1].end()
        words = re.sub(r"['’]s$", "", text[start:end])
        yield _Candidate(_KeywordRank.NAME, start, end, words[:MAX_KEYWORD])


def _is_name(text: str, match: re.Match[str], *, in_japanese: bool, shouted: bool) -> bool:
    word = re.sub(r"['’]s$", "", match[0])
    if word.casefold() in COMMON_LATIN or match[0].casefold() in COMMON_LATIN or len(word) < 2:
        return False
    if in_japanese:
        return True
    odd = any(sign.isupper() for sign in word[1:]) or any(sign.isdigit() for sign in word)
    if odd and not shouted:
        return True
    if shouted or not word[0].isupper():
        return False
    before = text[max(0, match.start() - 8) : match.start()]
    begins = _SENTENCE_END.search(before) is not None and _ABBREVIATED.search(before) is None
    # What begins a sentence has a capital anyway: only 's, or a name behind it, shows that it is one.
    return not begins or word != match[0] or _goes_on(text, match.end())


def _goes_on(text: str, end: int) -> bool:
    """Whether another capitalised word that is no common one follows at once."""
    after = _LATIN.match(text, end + 1) if text[end : end + 1] == " " else None
    return after is not None and after[0][0].isupper() and after[0].casefold() not in COMMON_LATIN


def _kanji(text: str) -> Iterator[_Candidate]:
    for match in _KANJI_RUN.finditer(text):
        start, end = match.span()
        behind = text[end : end + 3]
        if "ぁ" <= behind[:1] <= "ゖ" and _AFTER_NOUN.match(behind) is None:
            end -= 1
        word = _peeled(text[start:end])
        if 2 <= len(word) <= MAX_KANJI:
            at = text.index(word, start)
            yield _Candidate(_KeywordRank.KANJI, at, at + len(word), word[:MAX_KEYWORD])


def _peeled(run: str) -> str:
    """Take words that only lean on a noun off the head of a run of kanji; nothing is left of common words."""
    while head := next((run[:size] for size in (4, 3, 2) if run[:size] in LEANING_KANJI), ""):
        run = run[len(head) :]
    return "" if _is_common(run) else run


def _is_common(run: str) -> bool:
    """Whether a run of kanji is nothing but common words put together."""
    reached = [True, *[False] * len(run)]
    for place in range(len(run)):
        if reached[place]:
            for size in (1, 2, 3, 4):
                if run[place : place + size] in COMMON_KANJI:
                    reached[min(place + size, len(run))] = True
    return reached[-1]
