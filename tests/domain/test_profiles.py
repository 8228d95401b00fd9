"""The tables of intents, value by value, and what the composite promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.domain.planning import Intent
from kataribe.domain.profiles import (
    DEFAULT_PROFILE,
    NEXUS_0_2_7,
    NEXUS_2026_01,
    PROFILES,
    Profile,
    Weights,
    composite,
    inside,
    profile_named,
)
from kataribe.domain.ranking import DEFAULT_RECALL, Floats
from kataribe.errors import InputError

SHARES = st.floats(0, 1, allow_nan=False)
INTENTS = st.sampled_from(list(Intent))


def one(value: float) -> Floats:
    return np.array([value], dtype=np.float64)


def scored(relevance: float, arousal: float, decay: float, intent: Intent) -> float:
    weights = NEXUS_2026_01.weights[intent]
    return float(inside(one(relevance), one(arousal), one(decay), weights)[0])


def test_s4_84_the_weights_are_the_specifications() -> None:
    assert {intent.value: tuple(weights) for intent, weights in NEXUS_2026_01.weights.items()} == {
        "emotional": (0.3, 0.6, 0.1),
        "factual": (0.5, 0.2, 0.3),
        "technical": (0.3, 0.1, 0.6),
        "temporal": (0.2, 0.2, 0.6),
        "relational": (0.4, 0.4, 0.2),
    }
    assert set(NEXUS_2026_01.weights) == set(Intent)


def test_u_18_there_are_two_profiles_each_whole() -> None:
    assert list(PROFILES) == ["nexus-2026-01", "nexus-0.2.7"]
    assert DEFAULT_PROFILE is NEXUS_2026_01
    assert profile_named(DEFAULT_RECALL.profile) is NEXUS_2026_01
    later = ("nexus-0.2.7", 3, 0.6, 0.9)
    code = NEXUS_0_2_7
    assert (code.name, code.compress_after_days, code.inflation_over, code.inflation_factor) == later
    spec = NEXUS_2026_01
    assert (spec.compress_after_days, spec.inflation_over, spec.inflation_factor) == (60, None, 1.0)
    assert code.weights == spec.weights
    assert (code.decay_per_day, code.unknown_decay, code.future_decay) == (0.05, 0.5, 1.0)
    with pytest.raises(InputError, match=r"nexus-2026-01 or nexus-0\.2\.7"):
        profile_named("nexus")


def test_a_profile_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        NEXUS_2026_01.weights[Intent.FACTUAL] = Weights(1, 0, 0)  # type: ignore[index]
    with pytest.raises(AttributeError):
        NEXUS_2026_01.star_over = 0.1  # type: ignore[misc]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_s4_86_decay_by_the_day(profile: Profile) -> None:
    assert profile.decay(0) == 1.0
    assert profile.decay(math.log(2) / 0.05) == pytest.approx(0.5), "half-life 13.86 days"
    assert profile.decay(20) == pytest.approx(math.exp(-1))
    assert profile.decay(None) == 0.5, "unknown date"
    assert profile.decay(-3) == 1.0, "future"


def test_s4_88_marks() -> None:
    assert (DEFAULT_PROFILE.star_over, DEFAULT_PROFILE.new_over) == (0.6, 0.9)
    assert DEFAULT_PROFILE.decay(2) > DEFAULT_PROFILE.new_over > DEFAULT_PROFILE.decay(3)


def test_s4_83_the_composite_worked_out_by_hand() -> None:
    found = composite(one(0.2), one(0.5), one(0.25), Weights(0.3, 0.6, 0.1))
    assert found[0] == pytest.approx(0.3 * 0.2 + 0.6 * 0.5 + 0.1 * 0.75 * 0.5)
    turned = inside(one(0.8), one(0.5), one(0.25), Weights(0.3, 0.6, 0.1))
    assert turned[0] == pytest.approx(1 - found[0])


@given(intent=INTENTS, relevance=SHARES, arousal=SHARES, decay=SHARES)
def test_a_score_lies_between_0_and_1(intent: Intent, relevance: float, arousal: float, decay: float) -> None:
    assert -1e-9 <= scored(relevance, arousal, decay, intent) <= 1 + 1e-9


@given(intent=INTENTS, relevance=SHARES, arousal=SHARES, decay=SHARES, more=SHARES)
def test_nothing_good_makes_a_score_lower(
    intent: Intent, relevance: float, arousal: float, decay: float, more: float
) -> None:
    """More relevant, more stirring, fresher: never worse."""
    base = scored(relevance, arousal, decay, intent)
    assert scored(max(relevance, more), arousal, decay, intent) >= base - 1e-12
    assert scored(relevance, max(arousal, more), decay, intent) >= base - 1e-12
    assert scored(relevance, arousal, max(decay, more), intent) >= base - 1e-12


@given(intent=INTENTS, relevance=SHARES, old=SHARES, new=SHARES)
def test_s4_87_full_arousal_forgives_all_age(
    intent: Intent, relevance: float, old: float, new: float
) -> None:
    assert scored(relevance, 1.0, old, intent) == pytest.approx(scored(relevance, 1.0, new, intent))


@given(intent=INTENTS, relevances=st.lists(SHARES, min_size=2, max_size=20, unique=True))
def test_where_nothing_is_stirring_and_all_is_old_relevance_alone_decides(
    intent: Intent, relevances: list[float]
) -> None:
    likely = np.array(sorted(relevances, reverse=True))
    none = np.zeros(len(likely))
    found = inside(likely, none, none, NEXUS_2026_01.weights[intent])
    assert (np.diff(found) <= 0).all(), "what is less relevant is never put before what is more"
    assert np.allclose(found, NEXUS_2026_01.weights[intent].alpha * likely)


def test_s4_90_behaviour_of_the_table() -> None:
    """Old and stirring against fresh trivia that is as relevant, or more."""
    assert scored(0.7, 0.9, 0.0, Intent.EMOTIONAL) > scored(1.0, 0.0, 1.0, Intent.EMOTIONAL)
    assert scored(0.7, 0.0, 1.0, Intent.TECHNICAL) > scored(1.0, 0.3, 0.0, Intent.TECHNICAL)
