"""Comparing the wording of facts: which words are rare, and which facts differ in one word only."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.ids import normalise
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import tokens


def best_worded(asked: str, texts: Mapping[str, str], language: Language, *, top_k: int) -> tuple[str, ...]:
    """Give the keys of the texts that share the weightiest words with `asked`, best first.

    A word weighs the more the fewer texts have it, and in a short text more than in a long
    one. Texts without any of the words are left out; ties go by key.
    """
    wanted = frozenset(tokens(asked, language))
    shared: dict[str, tuple[frozenset[str], int]] = {}
    for key, text in texts.items():
        words = tokens(text, language)
        if found := wanted.intersection(words):
            shared[key] = (found, len(words))
    counts = Counter(word for words, _ in shared.values() for word in words)
    weights = {word: math.log(1 + len(texts) / count) for word, count in counts.items()}
    scores = {
        key: sum(weights[word] for word in sorted(words)) / math.sqrt(10 + length)
        for key, (words, length) in shared.items()
    }
    return tuple(sorted(scores, key=lambda key: (-scores[key], key))[:top_k])


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingPolicy:
    """The numbers of comparing wordings.

    A word is rare when at most `rare` facts of the story have it. Two facts share their
    wording when they share at least `least` rare words, which make up at least `share` of
    the weight of the one that is looked for.
    """

    rare: int = 6
    least: int = 3
    share: float = 0.55


DEFAULT_WORDING = WordingPolicy()


class Wordings:
    """The words of all facts of a story, and how many facts have each.

    Keep it for one story at a time: it holds the rare words of every fact.
    """

    def __init__(
        self, texts: Mapping[str, str], language: Language, policy: WordingPolicy = DEFAULT_WORDING
    ) -> None:
        self._policy = policy
        terms = {key: _words(text, language) for key, text in texts.items()}
        counts: Counter[str] = Counter(term for each in terms.values() for term in each)
        self._weights = {term: math.log(1 + len(texts) / count) for term, count in counts.items()}
        self._totals = {key: sum(self._weights[term] for term in sorted(each)) for key, each in terms.items()}
        self._rare = {
            key: sorted(term for term in each if counts[term] <= policy.rare) for key, each in terms.items()
        }
        self._having: defaultdict[str, list[str]] = defaultdict(list)
        for key, each in self._rare.items():
            for term in each:
                self._having[term].append(key)

    def echoes(self, key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Give the facts that say much of what this one says, with the rare words they share."""
        shared: defaultdict[str, list[str]] = defaultdict(list)
        for term in self._rare[key]:
            for other in self._having[term]:
                if other != key:
                    shared[other].append(term)
        needed = self._policy.share * self._totals[key]
        return tuple(
            (other, tuple(terms))
            for other, terms in shared.items()
            if len(terms) >= self._policy.least and sum(self._weights[term] for term in terms) >= needed
        )


_NOUNS_JA = re.compile("[々〆㐀-䶿一-鿿]+|[ァ-ヺー]+")


def _words(text: str, language: Language) -> frozenset[str]:
    """The words that carry what a fact says; in Japanese pairs of kanji, lone kanji, and katakana words."""
    if language != "ja":
        return frozenset(tokens(text, language))
    found: set[str] = set()
    for run in _NOUNS_JA.findall(normalise(text)):
        if "ァ" <= run[0] <= "ー" or len(run) == 1:
            found.add(run)
        else:
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


# -- the same but for a number or a not ----------------------------------------------------

_DIGITS_JA = "[0-9〇一二三四五六七八九十百千万]+"
_NUMBER_JA = re.compile(
    f"(?P<order>第{_DIGITS_JA}|{_DIGITS_JA}(?:日目|回目|度目|番目|つ目|人目|話|章))|(?P<number>{_DIGITS_JA})"
)
_NUMBER_EN = re.compile(
    r"(?P<order>[0-9]+(?:st|nd|rd|th)\b|\b(?:day|night|chapter|week|year)\s+[0-9]+)"
    r"|(?P<number>[0-9]+(?:[.,][0-9]+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|hundred|thousand)\b)"
)
_NOT_EN = re.compile(r"n't\b|\b(?:not|never|no|without)\b|(?<=\bcan)not\b|\bwon't\b")
_END_JA = re.compile(
    "(?P<not>(?:では|じゃ)?(?:なかった|ない|ありません(?:でした)?)|ません(?:でした)?)$"
    "|(?:だった|でした|である|です|だ|あった|ある|ました|ます|る|た)$"
)
"""Endings that are all of the difference between saying and denying; other verbs are let be."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A wording without its numbers and negation: two facts of one skeleton may contradict each other."""

    frame: str
    numbers: tuple[str, ...]
    negated: bool


def skeleton(text: str, language: Language) -> Skeleton:
    """Take the numbers and the negation out of a sentence; ordinals and dates stay."""
    folded = normalise(text).casefold().replace("’", "'").rstrip("。.!?！？ ")
    numbers: list[str] = []

    def mask(match: re.Match[str]) -> str:
        if match["order"] is not None:
            return match["order"]
        numbers.append(match["number"])
        return _MASK

    if language == "ja":
        frame, negated = _without_not_ja(_NUMBER_JA.sub(mask, folded))
    else:
        rest, negations = _NOT_EN.subn(" ", _NUMBER_EN.sub(mask, folded))
        # Joining words and endings fall away, so that "did not open" is "opened".
        frame, negated = " ".join(tokens(rest, "en")), negations % 2 == 1
    return Skeleton(frame, tuple(numbers), negated)


_MASK = "0"


def _without_not_ja(text: str) -> tuple[str, bool]:
    match = _END_JA.search(text)
    if match is None:
        return text, False
    return text[: match.start()], match["not"] is not None


def clashes(skeletons: Mapping[str, Skeleton]) -> tuple[tuple[str, str, str], ...]:
    """Give pairs of keys whose wordings differ in exactly one number, or in a negation, and how.

    A frame that many facts share is a habit of telling, not a contradiction: it is left out.
    """
    framed: defaultdict[str, list[str]] = defaultdict(list)
    for key, one in skeletons.items():
        if len(one.frame) >= _LEAST_FRAME:
            framed[one.frame].append(key)
    found: list[tuple[str, str, str]] = []
    for keys in framed.values():
        if 2 <= len(keys) <= _MOST_ALIKE:
            found += _pairs(keys, skeletons)
    return tuple(found)


_LEAST_FRAME = 6
_MOST_ALIKE = 4


def _pairs(keys: Sequence[str], skeletons: Mapping[str, Skeleton]) -> Iterable[tuple[str, str, str]]:
    for at, key in enumerate(keys):
        for other in keys[at + 1 :]:
            one, two = skeletons[key], skeletons[other]
            differ = [(a, b) for a, b in zip(one.numbers, two.numbers, strict=False) if a != b]
            if one.negated != two.negated and not differ:
                yield key, other, "one says it, the other denies it"
            elif one.negated == two.negated and len(differ) == 1:
                yield key, other, f"{differ[0][0]} here, {differ[0][1]} there"
