"""Words for keyword search: bigrams where a script has no spaces, Katakana words whole, stems in English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, repeat
from operator import add
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
# One Katakana alone is a piece of a word or name (三ケ月, 山ノ内), as are the small ヵ and ヶ.
_KATAKANA = re.compile("[ァ-ヴヷ-ヺー-ヿㇰ-ㇿ]{2,}")
_V_SOUNDS = re.compile("ヴ([ァィェォ])|ヴ")
_B_FOR_V = {"ァ": "バ", "ィ": "ビ", "ェ": "ベ", "ォ": "ボ"}
_PRODUCT = re.compile(r"[^\W\d_]{3,}|\d+")

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

PART = "~"
"""Begins the term of a part of a word. A whole word brings its own besides, so that who looks for a part
finds the whole word above what it is only a part of."""
_PIECE = PART * 2
"""Begins a bigram of Katakana too long for a word."""
_LONGEST_WORD = 12
"""A longer run of Katakana is no word: a robot may speak so."""
_LEAST_PART = 2
_INSIDE = frozenset("ァィゥェォッャュョヮンー")
"""With these no word begins."""
_SPELLED_ONE_WAY = 3

_SHORT_RUN = 64
"""Longer runs without spaces do not come back, and are not kept."""

_stemmer = Stemmer.Stemmer("english")
_stemming = Lock()


def tokens(text: str, language: Language) -> tuple[str, ...]:
    """Give the keywords by which a text is found, in order, repeats kept; always the same of the same text.

    Equal ones are one object, so that a text of any length takes a few times its own size.
    """
    return _keywords(text, language, _pieces)


def sought(text: str, language: Language) -> tuple[str, ...]:
    """Give the keywords that are looked for when a text is asked: those of `tokens`, other parts of words.

    A word of Katakana is found whole, below that as a part of a longer word, and below that by the
    words it may be made of. Parts are never held against parts: 「ペット」 is not 「チケット」.
    """
    return _keywords(text, language, _sought_pieces)


def whole_words(terms: Iterable[str]) -> tuple[str, ...]:
    """Leave out the terms of parts."""
    return tuple(term for term in terms if not term.startswith(PART))


def _keywords(text: str, language: Language, pieces_of: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    # Of iterators, because a list beside the tuple would take as much again.
    folded = _folded(text)
    if not folded.isascii():
        return tuple(_tokens(folded, language, pieces_of))
    words = map(re.Match.group, _ASCII_WORDS.finditer(folded))
    return tuple(chain.from_iterable(map(_forms, words, repeat(language))))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("ʼ", "'")
    # Folding case can undo composition (İ), and must give what a second pass would give.
    return unicodedata.normalize("NFKC", folded)


def _tokens(folded: str, language: Language, pieces_of: Callable[[str], tuple[str, ...]]) -> Iterator[str]:
    # A run at a time: to hand on word by word takes several times as long.
    return chain.from_iterable(_of_run(found, language, pieces_of) for found in _RUNS.finditer(folded))


def _of_run(
    found: re.Match[str], language: Language, pieces_of: Callable[[str], tuple[str, ...]]
) -> Iterable[str]:
    run, word = found.groups()
    if word:
        return _forms(word, language)
    if _KATAKANA.search(run) is None:
        return _between(run)
    return map(intern, _parted(run, pieces_of))


def _parted(run: str, pieces_of: Callable[[str], tuple[str, ...]]) -> Iterator[str]:
    """Cut a run without spaces: words of Katakana, and by itself what stands between them."""
    at = 0
    for word in _KATAKANA.finditer(run):
        yield from _beside(run[at : word.start()])
        yield from pieces_of(word.group()) if len(word.group()) <= _SHORT_RUN else _bigrams(word.group())
        at = word.end()
    yield from _beside(run[at:]) if at else _between(run)


def _beside(run: str) -> Iterable[str]:
    """Cut what stands beside a word of Katakana; one kana there only joins words."""
    return () if len(run) == 1 and not _IS_KANJI.match(run) else _between(run)


def _between(run: str) -> Iterable[str]:
    return _short_cut(run) if len(run) <= _SHORT_RUN else map(intern, _cut(run))


@lru_cache(maxsize=1 << 17)
def term_digest(term: str) -> bytes:
    """Give the eight bytes of `term_hash`, the lowest first."""
    return blake2b(term.encode("utf-8"), digest_size=8).digest()


def term_hash(term: str) -> int:
    """Give the 64-bit number by which indexes know a term; two terms share one by no sensible chance."""
    return int.from_bytes(term_digest(term), "little")


@lru_cache(maxsize=8192)
def _short_cut(run: str) -> tuple[str, ...]:
    # As `_cut` does, but all at once.
    if len(run) == 1:
        return (intern(run),)
    found = list(map(add, run, run[1:]))
    if not JAPANESE_STOP_BIGRAMS.isdisjoint(found):
        found = [bigram for bigram in found if bigram not in JAPANESE_STOP_BIGRAMS]
    return tuple(map(intern, found + _IS_KANJI.findall(run)))


def _cut(run: str) -> Iterator[str]:
    """Bigrams of a run without spaces, and each kanji alone so that 母 is found."""
    if len(run) == 1:
        yield run
        return
    bigrams = (run[at : at + 2] for at in range(len(run) - 1))
    yield from (bigram for bigram in bigrams if bigram not in JAPANESE_STOP_BIGRAMS)
    yield from (match.group() for match in _IS_KANJI.finditer(run))


@lru_cache(maxsize=8192)
def _pieces(katakana: str) -> tuple[str, ...]:
    """The word, the word as a part, and what may be a part of it; of what is too long for a word bigrams."""
    if len(katakana) > _LONGEST_WORD:
        return tuple(_bigrams(katakana))
    word, *parts = _with_parts(katakana)
    return (word, PART + word, *(PART + part for part in parts))


@lru_cache(maxsize=8192)
def _sought_pieces(katakana: str) -> tuple[str, ...]:
    bigrams = tuple(_bigrams(katakana))
    if len(katakana) > _LONGEST_WORD:
        return bigrams
    word, *parts = _with_parts(katakana)
    return (word, PART + word, *parts, *bigrams)


def _bigrams(katakana: str) -> Iterator[str]:
    return (_PIECE + katakana[at : at + 2] for at in range(len(katakana) - 1))


def _with_parts(katakana: str) -> tuple[str, ...]:
    """Give a word, and what may be a part of it: two characters at least, two left on a side that is cut."""
    word = _V_SOUNDS.sub(lambda match: _B_FOR_V.get(match[1], "ブ"), katakana)
    begins = [at for at in range(len(word) - 1) if at != 1 and word[at] not in _INSIDE]
    ends = [at for at in range(2, len(word) + 1) if at != len(word) - 1 and word[at - 1] != "ッ"]
    parts = (word[begin:end] for begin in begins for end in ends if end - begin >= _LEAST_PART)
    return tuple(dict.fromkeys(map(_without_last_long, (word, *parts))))


def _without_last_long(word: str) -> str:
    """Spell サーバー as サーバ: people write both."""
    return word[:-1] if len(word) > _SPELLED_ONE_WAY and word.endswith("ー") else word


@lru_cache(maxsize=65536)
def _forms(word: str, language: Language) -> tuple[str, ...]:
    return tuple(map(intern, _words(word, language)))


def _words(word: str, language: Language) -> Iterator[str]:
    """The word, and of one like iPhone15 its letters and its number."""
    token = _stem(word) if language == "en" else word
    if token:
        yield token
    if word.isalpha() or word.isdecimal():
        return
    parts = _PRODUCT.findall(word)
    if len(parts) > 1:
        yield from (stem for part in parts if (stem := _stem(part) if language == "en" else part))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """The stem of an English word, or nothing for a stop word."""
    if word in ENGLISH_STOP_WORDS:
        return ""
    # The stemmer keeps its word in itself: one thread at a time.
    with _stemming:
        stem: str = _stemmer.stemWord(word)
    return "" if stem in ENGLISH_STOP_WORDS and "'" in word else stem
