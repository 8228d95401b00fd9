"""Profiles: what counts in a recall and how much, as frozen tables (U-18).

`kataribe` holds the numbers that were measured on real stories and conversations, and is the
default. `nexus-2026-01` is the specification's: a score is S4-83 and nothing beside it.
`nexus-0.2.7` is that of the code written after it. A profile is taken whole: the numbers of two
are never mixed, and a number that a person sets beside a profile is that person's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from kataribe.domain.arrays import np
from kataribe.domain.memory import Mark
from kataribe.domain.recall.planning import Intent
from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy
from kataribe.domain.similarity import Floats
from kataribe.errors import InputError


class Weights(NamedTuple):
    """The weights of one intent (S4-84): of distance, of want of arousal, and of age."""

    alpha: float
    beta: float
    gamma: float

    def aged(self, share: float) -> Weights:
        """Give the weights with this share of gamma, 0 to 1; with 1 they are those of the table."""
        return self._replace(gamma=self.gamma * share)


class Distance(StrEnum):
    """What stands for the distance between question and memory in a composite."""

    MATCH = "match"
    """What a memory's match lacks of the best one's, 0 to 1."""
    SQUARED_L2 = "squared l2"
    """The squared L2 distance of the two unit vectors, 2 - 2 * cosine, 0 to 4 (U-6)."""

    @property
    def most(self) -> float:
        """The longest distance there can be."""
        return 1.0 if self is Distance.MATCH else 4.0

    def of(self, *, similarity: Floats, match: Floats) -> Floats:
        """Give the distances of memories with these cosines and these matches, both of shape (rows,).

        A match is a share of the best one, 0 to 1.
        """
        return 1.0 - match if self is Distance.MATCH else 2.0 - 2.0 * similarity


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One table of weights, and the numbers that go with it.

    `recall` are all the other numbers of a recall under this profile. `decay_per_day` is the
    rate of S4-86 (half-life ln 2 / 0.05 = 13.86 days). What has no date counts `unknown_decay`,
    what lies ahead `future_decay`. `days_per_episode` turns the order of a story into age: the
    specification keeps one episode for each day (S4-5), so an episode is a day old for each
    later one. A hit is starred over `star_over` arousal and marked new over `new_over` decay
    (S4-88).

    The later code differs from the specification in when it compresses old days (S4-13) and in
    damping arousal at reflection (Formulas), neither of which is a part of recall: in a recall
    the two profiles are the same numbers under two names.
    """

    name: str
    weights: Mapping[Intent, Weights]
    recall: RecallPolicy
    distance: Distance
    decay_per_day: float = 0.05
    unknown_decay: float = 0.5
    future_decay: float = 1.0
    days_per_episode: float = 1.0
    star_over: float = 0.6
    new_over: float = 0.9

    def __post_init__(self) -> None:
        if self.recall.profile != self.name:
            raise InputError(f"the numbers of profile {self.name!r} are those of {self.recall.profile!r}")

    def decay(self, days: float | None) -> float:
        """Give exp(-0.05 * days), 1 for what is new (S4-86); None is an unknown date, below 0 the future."""
        if days is None:
            return self.unknown_decay
        if days < 0:
            return self.future_decay
        return math.exp(-self.decay_per_day * days)

    def marks(self, *, arousal: float, decay: float) -> tuple[Mark, ...]:
        """Give the marks of a memory with this arousal and this decay (S4-88)."""
        star = (Mark.STAR,) if arousal > self.star_over else ()
        return (*star, Mark.NEW) if decay > self.new_over else star


_WEIGHTS: Mapping[Intent, Weights] = MappingProxyType(
    {
        Intent.EMOTIONAL: Weights(0.3, 0.6, 0.1),
        Intent.FACTUAL: Weights(0.5, 0.2, 0.3),
        Intent.TECHNICAL: Weights(0.3, 0.1, 0.6),
        Intent.TEMPORAL: Weights(0.2, 0.2, 0.6),
        Intent.RELATIONAL: Weights(0.4, 0.4, 0.2),
    }
)
"""S4-84; the later code kept these weights (Formulas, row composite)."""


def _composite_alone(name: str) -> RecallPolicy:
    """Give the numbers by which nothing but the composite counts, neither words nor what stands beside."""
    return RecallPolicy(
        keyword_weight=0.0,
        neighbour_share=0.0,
        answer_share=0.0,
        sentence_share=0.0,
        far_sentence_share=0.0,
        session_share=0.0,
        speaker_bonus=0.0,
        phrase_bonus=0.0,
        pinned_bonus=0.0,
        when_bonus=0.0,
        uses_bonus=0.0,
        fading_share=0.0,
        intent_weight=1.0,
        recency_share=1.0,
        same_matter=0.0,
        strip_names=False,
        expand_aliases=False,
        like_words=False,
        profile=name,
    )


KATARIBE = Profile(name="kataribe", weights=_WEIGHTS, recall=DEFAULT_RECALL, distance=Distance.MATCH)
"""The numbers measured on real data: what ships as the default."""

NEXUS_2026_01 = Profile(
    name="nexus-2026-01",
    weights=_WEIGHTS,
    recall=_composite_alone("nexus-2026-01"),
    distance=Distance.SQUARED_L2,
)
"""The specification's values, and S4-83 to the letter."""

NEXUS_0_2_7 = Profile(
    name="nexus-0.2.7",
    weights=_WEIGHTS,
    recall=_composite_alone("nexus-0.2.7"),
    distance=Distance.SQUARED_L2,
)
"""The later code's values (Formulas)."""

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {one.name: one for one in (KATARIBE, NEXUS_2026_01, NEXUS_0_2_7)}
)
"""All profiles by name."""

DEFAULT_PROFILE = KATARIBE


def profile_named(name: str) -> Profile:
    """Give a profile; raise `InputError` naming those there are."""
    if name not in PROFILES:
        raise InputError(f"there is no profile {name!r}; choose {' or '.join(PROFILES)}")
    return PROFILES[name]


def composite(distance: Floats, arousal: Floats, decay: Floats, weights: Weights) -> Floats:
    """Give alpha*distance + beta*(1-arousal) + gamma*(1-decay)*(1-arousal), lower is better (S4-83).

    All shapes are (rows,), and arousal and decay 0 to 1. High arousal takes the penalty of age
    away (S4-87).
    """
    calm = 1.0 - arousal
    found: Floats = weights.alpha * distance + weights.beta * calm + weights.gamma * (1.0 - decay) * calm
    return found


def inside(composites: Floats, weights: Weights, *, most: float = 1.0) -> Floats:
    """Give composites as scores, higher is better: 1 - composite / the highest there can be, 0 to 1.

    `most` is the longest distance there can be.
    """
    return np.asarray(1.0 - composites / (weights.alpha * most + weights.beta + weights.gamma))
