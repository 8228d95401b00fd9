"""What one turn says of what goes with what: its concepts, whom it names, and what comes of what.

It depends on nothing but the turn, so that a turn added or deleted changes no other's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.conversation.masking import MASKS, mask_one_time
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.ids import normalise
from kataribe.domain.terms import Language
from kataribe.domain.text.naming import name_candidates
from kataribe.domain.text.paragraphs import sentences

_MOST = 32
"""Concepts of one turn; those beyond are left out."""
_WORD_EN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_MASK = re.compile("|".join((*map(re.escape, MASKS.values()), r"https?://\S+")))
_SAYS_NOTHING = frozenset(
    ("becaus", "https", "http", "www", "etc", "さん", "ちゃん", "くん", "さま", "なので", "だから")
)
"""Keys that name nothing anybody would think of."""

_IGNORING_CASE = re.IGNORECASE
_REASON_BEHIND = re.compile(
    r"\b(?:because(?:\s+of)?|due\s+to|thanks\s+to|on\s+account\s+of)\b", _IGNORING_CASE
)
_SO_EN = r"\b(?:therefore|that(?:'|’)?s\s+why|as\s+a\s+result)\b"
_EFFECT_BEHIND = re.compile(rf"[,;]\s*(?:and\s+)?so\b(?!\s+that\b)|{_SO_EN}", _IGNORING_CASE)
_EFFECT_JA = re.compile(
    "(?<=[だたいうくぐすつぬぶむるんすう])(?:から|ので)[、,]?|なので|せいで|おかげで|(?<=[たるのい])ため[、,]"
)
_OPENS_EN = re.compile(rf"\s*(?:so\b|{_SO_EN})", _IGNORING_CASE)
_OPENS_JA = re.compile("\\s*(?:だから|なので|ですから|それで|そのため|そのせいで)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMarks:
    """What a turn names, by keys that say the same of all forms of a word, and as it was written.

    `people` are the keys of who speaks and of those it calls by name, `called` their names. Each of
    `causes` gives places in `concepts`: of the reasons, and of what came of them.
    """

    concepts: tuple[str, ...]
    written: tuple[str, ...]
    people: tuple[str, ...]
    called: tuple[str, ...]
    causes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()


def marks_of(turn: Turn, language: Language) -> TurnMarks:
    """Read what a turn names; one-time codes and links are masked before."""
    text = _MASK.sub(" ", mask_one_time(turn.words))
    found: dict[str, str] = {}
    for key, written in _named(text, language):
        found.setdefault(key, written)
    concepts = tuple(found)[:_MOST]
    named = dict.fromkeys((turn.speaker, *name_candidates(text, language)))
    people: dict[str, str] = {}
    for name in named:
        people.setdefault(person_key(name, language), name)
    return TurnMarks(
        concepts=concepts,
        written=tuple(found[key] for key in concepts),
        people=tuple(people),
        called=tuple(people.values()),
        causes=tuple(_causes(text, language, {key: at for at, key in enumerate(concepts)})),
    )


def person_key(name: str, language: Language) -> str:
    """Give what a name is compared by: as a concept is, so that who speaks and who is named are one."""
    return " ".join(content_words(name, language)) or normalise(name).casefold()


def _named(text: str, language: Language) -> Iterator[tuple[str, str]]:
    """Give the content words of a text in their order: their keys, and as they are written."""
    if language == "ja":
        told = ((word, word) for word in content_words(text, "ja"))
    else:
        written = (match.group() for match in _WORD_EN.finditer(text))
        told = ((key, word) for word in written for key in _keys_en(word))
    return ((key, word) for key, word in told if key not in _SAYS_NOTHING and not _is_letter(key))


def _is_letter(key: str) -> bool:
    return len(key) == 1 and key.isascii()


@lru_cache(maxsize=1 << 14)
def _keys_en(word: str) -> tuple[str, ...]:
    return content_words(word, "en")


def _causes(
    text: str, language: Language, places: dict[str, int]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Give what a turn says came of what, sentence by sentence."""
    before = ""
    for start, end in sentences(text, 0, len(text), language):
        sentence = text[start:end]
        for reason, effect in _parted(sentence, before, language):
            pair = (_places(reason, language, places), _places(effect, language, places))
            if all(pair):
                yield pair
        before = sentence


def _parted(sentence: str, before: str, language: Language) -> Iterator[tuple[str, str]]:
    """Part a sentence into a reason and what came of it; the reason may be the sentence before."""
    opens, behind = (_OPENS_JA, _EFFECT_JA) if language == "ja" else (_OPENS_EN, _EFFECT_BEHIND)
    opened = opens.match(sentence)
    if opened is not None and before:
        yield before, sentence[opened.end() :]
        return
    if language == "en" and (reason := _REASON_BEHIND.search(sentence)) is not None:
        yield sentence[reason.end() :], sentence[: reason.start()]
    elif (effect := behind.search(sentence)) is not None:
        yield sentence[: effect.start()], sentence[effect.end() :]


def _places(text: str, language: Language, places: dict[str, int]) -> tuple[int, ...]:
    keys = dict.fromkeys(key for key, _ in _named(text, language))
    return tuple(places[key] for key in keys if key in places)
