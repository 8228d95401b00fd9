"""Words for keyword search: bigrams where a script has no spaces, stems in English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from sys import intern
from threading import Lock

import Stemmer

from kataribe.domain.terms import Language

_KANJI = "々〆〇㐀-䶿一-鿿\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = f"{_KANJI}ぁ-ゖ゙゚ゝ-ゟァ-ヺー-ヿㇰ-ㇿ\u0e01-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3"
# Vowel signs and accents are no letters to `\w`, yet part of the word.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u200d"
_RUNS = re.compile(
    f"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}])[^\\W_])(?:(?![{_UNSPACED}])(?:[^\\W_]|[{_MARKS}]|'(?=[^\\W_])))*)"
)
_ASCII_WORDS = re.compile("[a-z0-9](?:[a-z0-9]|'(?=[a-z0-9]))*")
"""What `_RUNS` finds in folded text of ASCII letters alone, several times as fast."""
_IS_KANJI = re.compile(f"[{_KANJI}]")
_APOSTROPHES = str.maketrans("’ʼ", "''")

_ENGLISH = """
a an and are as at be been but by did do does for from had has have he her hers him his how i if in
into is it its me my of on or our she so that the their them then there they this to us was we were
what when where which who whom why with would you your
"""
ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
"""Words of English too common to find anything by. `will` and `may` are not here: they are nouns too."""

_JAPANESE = """
です でし した ます まし ませ せん たい たの って った して ては では には とは から まで より など だっ だろ
のは のに のが のを ので のだ んだ んで いる いた いて いう ある あっ する され られ れた れる こと もの よう
うに とい
"""
JAPANESE_STOP_BIGRAMS = frozenset(_JAPANESE.split())
"""Pairs of kana that only join words; a bigram is dropped when it is one of these."""

_SHORT_RUN = 64
"""Longer runs without spaces do not come back, and are not kept."""

_stemmer = Stemmer.Stemmer("english")
_stemming = Lock()


def tokens(text: str, language: Language) -> tuple[str, ...]:
    """Give the keywords of a text in order, repeats kept; the same text always gives the same ones.

    Equal ones are one object, so that a text of any length takes a few times its own size.
    """
    # Of iterators, because a list beside the tuple would take as much again.
    folded = _folded(text)
    return tuple(_words(folded, language) if folded.isascii() else _tokens(folded, language))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    # Folding case can undo composition (İ), and must give what a second pass would give.
    return unicodedata.normalize("NFKC", folded)


def _words(folded: str, language: Language) -> Iterator[str]:
    words = map(re.Match.group, _ASCII_WORDS.finditer(folded))
    return filter(None, map(_stem, words)) if language == "en" else map(intern, words)


def _tokens(folded: str, language: Language) -> Iterator[str]:
    for match in _RUNS.finditer(folded):
        run, word = match.groups()
        if run:
            yield from _pieces(run) if len(run) <= _SHORT_RUN else map(intern, _cut(run))
        elif token := _stem(word) if language == "en" else intern(word):
            yield token


@lru_cache(maxsize=1 << 17)
def term_hash(term: str) -> int:
    """Give the 64-bit number by which indexes know a term; two terms share one by no sensible chance."""
    return int.from_bytes(blake2b(term.encode("utf-8"), digest_size=8).digest(), "little")


@lru_cache(maxsize=8192)
def _pieces(run: str) -> tuple[str, ...]:
    return tuple(map(intern, _cut(run)))


def _cut(run: str) -> Iterator[str]:
    """Bigrams of a run without spaces, and each kanji alone so that 母 is found."""
    if len(run) == 1:
        yield run
        return
    bigrams = (run[at : at + 2] for at in range(len(run) - 1))
    yield from (bigram for bigram in bigrams if bigram not in JAPANESE_STOP_BIGRAMS)
    yield from (match.group() for match in _IS_KANJI.finditer(run))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """The stem of an English word, or nothing for a stop word."""
    if word in ENGLISH_STOP_WORDS:
        return ""
    # The stemmer keeps its word in itself: one thread at a time.
    with _stemming:
        stem: str = _stemmer.stemWord(word)
    return "" if stem in ENGLISH_STOP_WORDS and "'" in word else intern(stem)
