"""How likely it is that a memory answers a question, 0 to 1: a number that means the same everywhere.

Scores order the hits of one question and say nothing beside another's. Relevance is a function of
the pair of question and memory alone, so what else is remembered changes nothing in it (P2).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from kataribe.domain.ids import normalise
from kataribe.domain.memory import Kind
from kataribe.domain.recall.ranking import DECIMALS
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
    """How many those are: `_MANY` and more are 1."""
    named: float
    """1 when the question names who said it."""
    personal: float
    """1 when the question speaks of people rather than of the world: you, she, back then."""


@dataclass(frozen=True, slots=True)
class RelevanceModel:
    """A logistic function of the cues, fitted on labelled pairs.

    `weights` go with the fields of `Cues`. An answer whose best relevance is below `minimum`, 0 to
    1, is none; where it is not, what is below `floor` is left out of it all the same.
    """

    bias: float
    weights: tuple[float, float, float, float, float]
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
    return Cues(
        similarity=similarity,
        shared=len(told) / len(asked) if asked else 0.0,
        several=min(len(told), _MANY) / _MANY,
        named=float(is_named),
        personal=float(is_personal(question, language)),
    )


@lru_cache(maxsize=64)
def _keywords(question: str, language: Language) -> frozenset[str]:
    return frozenset(tokens(question, language))


@lru_cache(maxsize=4096)
def _names(question: str, speaker: str) -> bool:
    name = normalise(speaker)
    if not name.isascii():
        return len(name) > 1 and name in normalise(question)
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", normalise(question)) is not None


_PERSONAL_EN = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|you|your|yours|he|him|his|she|her|hers|they|them|their|theirs)\b",
    re.IGNORECASE,
)
_ADVICE_EN = re.compile(
    r"\b(?:how|what|where|when|which|why)\s+(?:\w+\s+){0,2}?(?:can|could|do|does|should|would|to)\s+(?:i|we|you)\b"
    r"|^(?:please\s+)?(?:can|could|would|will) you\b|\bhelp me\b|\b(?:tell|show|give|teach) me\b",
    re.IGNORECASE,
)
_PERSONAL_JA = re.compile(
    "私|わたし|僕|ぼく|俺|おれ|あたし|うちの|我々|君[はがのをにも]|きみ|あなた|彼[はがのをにも女]|あの人|あの[子時日]"
    "|たっけ|覚えて|おぼえて|って(?:言|い)って|話して(?:い|た)|(?:さん|ちゃん|くん|君|先生|様)[はがのをにもと]"
    "|(?:まし|でし|だっ|てい?|って|れ|い|っ|し|え|ね|け|み|べ|ん)た(?:の|ん|と)?(?:です)?か?[?？。]?$"
)
_ADVICE_JA = re.compile(
    "方法|やり方|(?:すれ|どうし|い)たら(?:いい|よい)|すればいい|教えて|作り方|書き方|とは|って(?:何|なに)"
)


@lru_cache(maxsize=64)
def is_personal(question: str, language: Language) -> bool:
    """Tell whether a question speaks of people rather than asks for knowledge or advice.

    It goes by words alone, in English by its pronouns, in Japanese by those, by titles behind
    names and by asking in the past.
    """
    asked = normalise(question)
    personal, advice = (_PERSONAL_EN, _ADVICE_EN) if language == "en" else (_PERSONAL_JA, _ADVICE_JA)
    return personal.search(asked) is not None and advice.search(asked) is None


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The models of embedders whose id begins and ends so; the versions of packages stand between."""

    begins: str
    ends: str
    language: Language
    models: Mapping[Kind, RelevanceModel]


_FITTED: tuple[_Fitted, ...] = ()


def model_for(embedder_id: str, kind: Kind, language: Language) -> RelevanceModel | None:
    """Give the model fitted for an embedder, a kind and a language; None: nobody measured it."""
    for one in _FITTED:
        fits = embedder_id.startswith(one.begins) and embedder_id.endswith(one.ends)
        if fits and one.language == language:
            return one.models.get(kind)
    return None
