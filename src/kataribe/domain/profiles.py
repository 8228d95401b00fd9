"""Profiles: how much likeness, arousal and age count for each intent, as frozen tables (U-18).

`nexus-2026-01` is the specification's, `nexus-0.2.7` that of the code written after it. Who
names one takes all of it: values of the two are never mixed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from kataribe.domain.planning import Intent
from kataribe.domain.ranking import Floats
from kataribe.errors import InputError


class Weights(NamedTuple):
    """The weights of one intent (S4-84): of distance, of want of arousal, and of age."""

    alpha: float
    beta: float
    gamma: float

    def aged(self, share: float) -> Weights:
        """Give the weights with this share of gamma, 0 to 1; with 1 they are those of the table."""
        return self._replace(gamma=self.gamma * share)

    @property
    def total(self) -> float:
        """The highest composite there can be."""
        return self.alpha + self.beta + self.gamma


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One table of weights, and the numbers that go with it.

    `decay_per_day` is the rate of S4-86 (half-life ln 2 / 0.05 = 13.86 days). What has no
    date counts `unknown_decay`, what lies ahead `future_decay`. `days_per_episode` turns the
    order of a story into age: the specification keeps one episode for each day (S4-5), so an
    episode is a day old for each later one. A hit is starred over `star_over` arousal and
    marked new over `new_over` decay (S4-88). `compress_after_days` (S4-13) and `inflation_*`
    (Formulas: mean arousal over the limit is multiplied down at reflection) are where the two
    profiles differ; `inflation_over` None means never.
    """

    name: str
    weights: Mapping[Intent, Weights]
    fallback: Intent = Intent.FACTUAL
    decay_per_day: float = 0.05
    unknown_decay: float = 0.5
    future_decay: float = 1.0
    days_per_episode: float = 1.0
    star_over: float = 0.6
    new_over: float = 0.9
    compress_after_days: int = 60
    inflation_over: float | None = None
    inflation_factor: float = 1.0

    def decay(self, days: float | None) -> float:
        """Give exp(-0.05 * days), 1 for what is new (S4-86); None is an unknown date, below 0 the future."""
        if days is None:
            return self.unknown_decay
        if days < 0:
            return self.future_decay
        return math.exp(-self.decay_per_day * days)


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

NEXUS_2026_01 = Profile(name="nexus-2026-01", weights=_WEIGHTS)
"""The specification's values: what ships."""

NEXUS_0_2_7 = Profile(
    name="nexus-0.2.7",
    weights=_WEIGHTS,
    compress_after_days=3,
    inflation_over=0.6,
    inflation_factor=0.9,
)
"""The later code's values (S4-13, Formulas)."""

PROFILES: Mapping[str, Profile] = MappingProxyType({p.name: p for p in (NEXUS_2026_01, NEXUS_0_2_7)})
"""All profiles by name."""

DEFAULT_PROFILE = NEXUS_2026_01


def profile_named(name: str) -> Profile:
    """Give a profile; raise `InputError` naming those there are."""
    if name not in PROFILES:
        raise InputError(f"there is no profile {name!r}; choose {' or '.join(PROFILES)}")
    return PROFILES[name]


def composite(distance: Floats, arousal: Floats, decay: Floats, weights: Weights) -> Floats:
    """Give alpha*distance + beta*(1-arousal) + gamma*(1-decay)*(1-arousal), lower is better (S4-83).

    All shapes are (rows,), all values 0 to 1. High arousal takes the penalty of age away (S4-87).
    """
    calm = 1.0 - arousal
    found: Floats = weights.alpha * distance + weights.beta * calm + weights.gamma * (1.0 - decay) * calm
    return found


def inside(relevance: Floats, arousal: Floats, decay: Floats, weights: Weights) -> Floats:
    """Give the composite as a score, higher is better: 1 - composite / (alpha + beta + gamma), 0 to 1.

    `relevance` is 0 to 1, and its distance is what it lacks of 1 (U-6).
    """
    return np.asarray(1.0 - composite(1.0 - relevance, arousal, decay, weights) / weights.total)
