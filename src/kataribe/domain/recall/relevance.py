"""How likely it is that a memory answers a question, 0 to 1: a number that means the same everywhere.

Scores order the hits of one question and say nothing beside another's. Relevance is a function of
the pair of question and memory alone, so what else is remembered changes nothing in it (P2).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from kataribe.domain.ids import normalise
from kataribe.domain.memory import Kind
from kataribe.domain.similarity import DECIMALS
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import tokens

_MANY = 4
"""So many words in common speak for a memory as strongly as more do."""


class Cues(NamedTuple):
    """What speaks for it that a memory answers a question; each is 0 to 1 but the cosine, -1 to 1."""

    similarity: float
    """The cosine of the two."""
    shared: float
    """The share of the question's keywords that stand in the memory."""
    several: float
    """How many those are, the telling ones counted whole: `_MANY` and more are 1."""
    named: float
    """1 when the question names who said it."""


@dataclass(frozen=True, slots=True)
class RelevanceModel:
    """A logistic function of the cues, fitted on labelled pairs.

    `weights` go with the fields of `Cues`. An answer whose best relevance is below `minimum`, 0 to
    1, is none; where it is not, what is below `floor` is left out of it all the same.
    """

    bias: float
    weights: tuple[float, float, float, float]
    minimum: float
    floor: float

    def relevance(self, cues: Cues) -> float:
        """Give the relevance, 0 to 1, rounded."""
        total = self.bias + sum(weight * cue for weight, cue in zip(self.weights, cues, strict=True))
        return round(1.0 / (1.0 + math.exp(-total)), DECIMALS)


def cues(
    question: str, text: str, language: Language, *, similarity: float, speaker: str | None = None
) -> Cues:
    """Take the cues of one pair. `speaker` is who said the memory, None for what nobody said."""
    asked = _keywords(question, language)
    told = asked & set(tokens(text, language))
    is_named = speaker is not None and _names(question, speaker)
    if is_named and speaker is not None:
        own = set(tokens(speaker, language))
        asked, told = asked - own, told - own
    names = _proper(question, language)
    wanted, found = _weighed(asked, names), _weighed(told, names)
    return Cues(
        similarity=similarity,
        shared=found / wanted if wanted else 0.0,
        several=min(found, _MANY) / _MANY,
        named=float(is_named),
    )


_COMMON = """
year day time week month hour minut morn night today name peopl person man woman boy girl child thing
way place world home hous make made take took use go went gone come came see saw seen say said tell told
know knew think thought want need like look give gave get got find found feel felt tri ask work call keep
let put mean show start stop help talk turn live happen becom leav left one two three four five six seven
eight nine ten hundr thousand first second last next new old good bad great big small littl long short
high low young right wrong best better more most much mani some ani other anoth same differ own ever never
alway often still again just onli also even veri too now here there then back away up down out off over
about after befor around between much long far ago realli will can could should may might shall must not no
yes kind sort lot bit word part end side point number case fact question answer favorit favourit recent
"""
_LIGHT: Mapping[str, float] = dict.fromkeys(_COMMON.split(), 0.3)
_NAME = 2.0
_KANA = re.compile("[ぁ-ゖー]+")
_ONE_KANJI = re.compile("[一-鿿]")


@lru_cache(maxsize=4096)
def _weight(term: str) -> float:
    """Say how much a keyword tells: words of all days, and pieces of Japanese words, tell little."""
    if _KANA.fullmatch(term):
        return 0.3
    if _ONE_KANJI.fullmatch(term):
        return 0.5
    return _LIGHT.get(term, 1.0)


_CAPITAL = re.compile(r"(?<=[a-z,;:’'] )(?:[A-Z][\w’'-]*|\d[\w.,-]*)|\b[A-Z]{2,}\b")


@lru_cache(maxsize=64)
def _proper(question: str, language: Language) -> frozenset[str]:
    """Give the keywords of names and numbers inside an English question: they tell most."""
    return frozenset(term for name in _CAPITAL.findall(question) for term in tokens(name, language))


def _weighed(terms: Collection[str], names: Collection[str]) -> float:
    return sum(_NAME if term in names else _weight(term) for term in sorted(terms))


@lru_cache(maxsize=64)
def _keywords(question: str, language: Language) -> frozenset[str]:
    return frozenset(tokens(question, language))


@lru_cache(maxsize=4096)
def _names(question: str, speaker: str) -> bool:
    name = normalise(speaker)
    if not name.isascii():
        return len(name) > 1 and name in normalise(question)
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", normalise(question)) is not None


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The models of embedders whose id begins and ends so; the versions of packages stand between."""

    begins: str
    ends: str
    language: Language
    models: Mapping[Kind, RelevanceModel]


_FITTED: tuple[_Fitted, ...] = (
    _Fitted(
        "chive-ja-ginza-",
        "-sif1-words1",
        "ja",
        {
            Kind.FACT: RelevanceModel(-6.34, (3.32, 4.94, 1.41, 0.0), 0.045, 0.008),
            Kind.TURN: RelevanceModel(-5.93, (3.58, 3.63, 0.0, 1.83), 0.045, 0.015),
        },
    ),
    _Fitted(
        "wordllama-",
        "-l2-supercat-256-mean1",
        "en",
        {
            Kind.FACT: RelevanceModel(-5.56, (0.3, 3.53, 1.11, 0.0), 0.015, 0.0035),
            Kind.TURN: RelevanceModel(-4.78, (1.64, 2.25, 1.19, 0.53), 0.045, 0.013),
        },
    ),
    _Fitted(
        "hash-",
        "1",
        "ja",
        {
            Kind.FACT: RelevanceModel(-5.88, (0.0, 6.43, 2.16, 0.0), 0.045, 0.01),
            Kind.TURN: RelevanceModel(-5.87, (0.0, 6.86, 0.55, 2.01), 0.034, 0.015),
        },
    ),
    _Fitted(
        "hash-",
        "1",
        "en",
        {
            Kind.FACT: RelevanceModel(-5.98, (3.48, 2.9, 0.77, 0.0), 0.02, 0.003),
            Kind.TURN: RelevanceModel(-4.71, (0.63, 2.61, 1.61, 0.49), 0.045, 0.009),
        },
    ),
)
"""Fitted by `python -m kataribe.bench relevance` on 2026-11-22 (`fit`): for turns on LoCoMo's conversations
26 and 30 and on RealPersonaChat's pair AA-AI, for facts on the two stories that come with kataribe and
what LoCoMo's authors observed of 26 and 30, with every other off-topic question. A bar lies where about
3 % of the answered questions fall below it; below the floor lies 1 % of the evidence. What comes of it on
what was held back stands in docs/relevance.md.
"""


@lru_cache(maxsize=256)
def model_for(embedder_id: str, kind: Kind, language: Language) -> RelevanceModel | None:
    """Give the model fitted for an embedder, a kind and a language; None: nobody measured it."""
    for one in _FITTED:
        fits = embedder_id.startswith(one.begins) and embedder_id.endswith(one.ends)
        if fits and one.language == language:
            return one.models.get(kind)
    return None
