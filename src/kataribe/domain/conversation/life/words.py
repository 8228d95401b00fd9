"""Comparing what was said by its words: the same words, the content words, and who said them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from kataribe.domain.ids import normalise
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import tokens
from kataribe.domain.text.wording import skeleton

_NO_CONTENT_EN = frozenset(
    """
    am is are was were be been
    i'm i've i'll i'd it it's that's there's don't doesn't didn't isn't wasn't aren't can't won't not no
    never ani anymor more longer now actual realli just about thing fact said told say tell what all some
    pleas also too still instead rather well oh yes okay ok wait sorri thank rememb forget
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Stems that say nothing of what a sentence is about, beside the stop words of the search."""

_KANJI = "々〆〇㐀-䶿一-鿿"
_RUN_JA = re.compile(f"[{_KANJI}]+|[ァ-ヺー]+|[ぁ-ゖゝゞ]+|[a-z0-9][a-z0-9']*")
_JOINING_JA = re.compile(
    "やっぱり|やっぱ|ほんとうは|ほんとは|じゃなくて|じゃなく|ちょっと|ぜんぶ|すべて|みたい|なんか|あたし|わたし"
    "|ぼく|おれ|きみ|あなた|さっき|について|こと|もの|って|という|です|ます|でした|ました|だった|している|ている"
    "|した|して|する|から|まで|より|だけ|など|けど|ない|なく|いる|ある|もう|まだ|あの|その|この"
    "|[がはをにのともでへやかなねよぞわただてい]"
)
_NO_CONTENT_JA = frozenset(
    """
    私 僕 俺 君 話 事 件 今 前 今日 昨日 方 言 聞 覚 忘 内容 全部 実 本当
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_DENIED_JA = re.compile(
    "(?:な[いか]|なくな(?:った|りました)|ません(?:でした)?|やめ(?:た|ました))(?:った|です|んだ|の)*[よねなさわ]*$"
)
_IS_KANJI = re.compile(f"[{_KANJI}]")
_IS_ALONE = re.compile(f"[{_KANJI}a-z0-9]")
_NO_WORD = re.compile(r"[\W_]+")


def topic_key(topic: str) -> str:
    """Give what two topics are compared by: NFKC, small letters, single spaces."""
    return normalise(topic).casefold()


def same_words(text: str) -> str:
    """Give what two sayings of the same words share: letters and digits alone, NFKC, small."""
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text).casefold())


def is_denied(text: str, language: Language) -> bool:
    """Whether a sentence says that something is not, or is no longer, so."""
    if language == "ja":
        return _DENIED_JA.search(unicodedata.normalize("NFKC", text).strip("。.!?！？ ")) is not None
    return skeleton(text, "en").negated


def cut_at_sentence(text: str, most: int) -> str:
    """Give as many whole sentences from the start as fit into `most` characters.

    Where the first alone is too long it is cut after its last clause, or else its last word, that fits.
    """
    text = text.strip()
    if len(text) <= most:
        return text
    for border in (r"[.!?。！？…]+[」』\"'）)]*(?=\s|$|[^\W\d_])", r"[,;、，；:：]", r"\s"):
        ends = [one.end() for one in re.finditer(border, text[: most + 1]) if one.end() <= most]
        if ends:
            return text[: ends[-1]].strip()
    return text[:most]


def folded(text: str, language: Language) -> str:
    """Give the text in which content words are looked for."""
    if language == "en":
        return f" {' '.join(tokens(text, 'en'))} "
    return unicodedata.normalize("NFKC", text).casefold()


def content_words(text: str, language: Language) -> tuple[str, ...]:
    """Give the words that say what a text is about, each once, in their order.

    English: stems without the words that join. Japanese: runs of kanji, katakana, Latin letters and
    digits, and what is left of hiragana between particles when it has two characters or more.
    """
    found = _words_ja(text) if language == "ja" else _words_en(text)
    return tuple(dict.fromkeys(found))


def _words_en(text: str) -> Iterator[str]:
    return (one for one in tokens(text, "en") if one not in _NO_CONTENT_EN)


def _words_ja(text: str) -> Iterator[str]:
    for run in _RUN_JA.findall(folded(text, "ja")):
        pieces = _JOINING_JA.split(run) if "ぁ" <= run[0] <= "ゞ" else [run]
        for piece in pieces:
            if piece not in _NO_CONTENT_JA and (len(piece) > 1 or _IS_ALONE.match(piece)):
                yield piece


def holds(text: str, word: str, language: Language) -> bool:
    """Whether a folded text has a content word."""
    if language == "en":
        return f" {word} " in text
    at = text.find(word)
    while at >= 0:
        if _is_word_ja(text, at, word):
            return True
        at = text.find(word, at + 1)
    return False


def _is_word_ja(text: str, at: int, word: str) -> bool:
    """Whether a word stands there by itself: 京都 is no word of 東京都, 英語 is one of 初級英語."""
    before, first = text[max(0, at - 2) : at], word[0]
    if _IS_KANJI.match(first):
        return not (before and _IS_KANJI.match(before[-1])) or all(map(_IS_KANJI.match, before.rjust(2)))
    if first.isascii():
        end = at + len(word)
        around = before[-1:] + text[end : end + 1]
        return not any(one.isascii() and one.isalnum() for one in around)
    return True


_LOOSE = 256


class WordIndex:
    """Which of many short texts have given words; texts are numbered in their order.

    They lie in one string, which is searched as a whole.
    """

    def __init__(self, texts: Sequence[str], language: Language) -> None:
        self._language = language
        self._texts = [self._line(one) for one in texts]
        self._blocks = [_Block(0, self._texts)]
        self._loose = 0
        """How many of the last texts are in no block yet."""

    def _line(self, text: str) -> str:
        return folded(text, self._language).replace("\n", " ")

    def add(self, text: str) -> None:
        """Take in one more text, with the next number."""
        self._texts.append(self._line(text))
        self._loose += 1
        if self._loose == _LOOSE:
            self._blocks.append(_Block(len(self._texts) - _LOOSE, self._texts[-_LOOSE:]))
            self._loose = 0

    def holding(self, words: Sequence[str], before: int) -> list[int]:
        """Give the numbers, below `before`, of the texts that have all the words; none for no words."""
        if not words:
            return []
        rarest = max(words, key=len)
        return [one for one in self._having(rarest, before) if all(map(self._has(one), words))]

    def has(self, number: int, word: str) -> bool:
        """Whether a text has a word."""
        return holds(self._texts[number], word, self._language)

    def _has(self, number: int) -> Callable[[str], bool]:
        return lambda word: self.has(number, word)

    def _having(self, word: str, before: int) -> Iterator[int]:
        wanted = f" {word} " if self._language == "en" else word
        for block in self._blocks:
            yield from block.having(wanted, before)
        for number in range(len(self._texts) - self._loose, min(before, len(self._texts))):
            if wanted in self._texts[number]:
                yield number


class _Block:
    """Texts of consecutive numbers in one string."""

    def __init__(self, first: int, texts: Sequence[str]) -> None:
        self._first = first
        self._joined = "\n".join(texts)
        self._starts: list[int] = []
        at = 0
        for one in texts:
            self._starts.append(at)
            at += len(one) + 1

    def having(self, wanted: str, before: int) -> Iterator[int]:
        """Give the numbers, below `before`, of the texts that have a string."""
        starts, count = self._starts, before - self._first
        end = starts[max(0, count)] if count < len(starts) else len(self._joined)
        at = self._joined.find(wanted, 0, end)
        while at >= 0:
            place = bisect_right(starts, at) - 1
            yield self._first + place
            if place + 1 == len(starts):
                return
            at = self._joined.find(wanted, starts[place + 1], end)
