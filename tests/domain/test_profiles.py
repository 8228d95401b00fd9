"""The tables of intents, value by value, and what the composite promises."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.domain.recall.planning import Intent
from kataribe.domain.recall.profiles import (
    DEFAULT_PROFILE,
    KATARIBE,
    NEXUS_0_2_7,
    NEXUS_2026_01,
    PROFILES,
    Distance,
    Profile,
    Weights,
    composite,
    inside,
    profile_named,
)
from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy
from kataribe.domain.similarity import Floats
from kataribe.errors import InputError

SHARES = st.floats(0, 1, allow_nan=False)
INTENTS = st.sampled_from(list(Intent))


def one(value: float) -> Floats:
    return np.array([value], dtype=np.float64)


def scored(relevance: float, arousal: float, decay: float, intent: Intent) -> float:
    weights = NEXUS_2026_01.weights[intent]
    return float(inside(composite(one(1 - relevance), one(arousal), one(decay), weights), weights)[0])


def test_s4_84_the_weights_are_the_specifications() -> None:
    assert {intent.value: tuple(weights) for intent, weights in NEXUS_2026_01.weights.items()} == {
        "emotional": (0.3, 0.6, 0.1),
        "factual": (0.5, 0.2, 0.3),
        "technical": (0.3, 0.1, 0.6),
        "temporal": (0.2, 0.2, 0.6),
        "relational": (0.4, 0.4, 0.2),
    }
    assert set(NEXUS_2026_01.weights) == set(Intent)


def test_u_18_there_are_three_profiles_each_whole() -> None:
    assert list(PROFILES) == ["kataribe", "nexus-2026-01", "nexus-0.2.7"]
    assert DEFAULT_PROFILE is KATARIBE
    for profile in PROFILES.values():
        assert profile_named(profile.recall.profile) is profile
        assert (profile.decay_per_day, profile.unknown_decay, profile.future_decay) == (0.05, 0.5, 1.0)
        assert profile.weights == NEXUS_2026_01.weights
    assert KATARIBE.recall == DEFAULT_RECALL == RecallPolicy()
    with pytest.raises(InputError, match=r"kataribe or nexus-2026-01 or nexus-0\.2\.7"):
        profile_named("nexus")
    with pytest.raises(InputError, match="nexus-2026-01"):
        replace(KATARIBE, name="nexus-2026-01")


@pytest.mark.parametrize("profile", [NEXUS_2026_01, NEXUS_0_2_7], ids=lambda one: one.name)
def test_s4_83_where_the_composite_is_all_every_other_part_is_switched_off(profile: Profile) -> None:
    numbers = asdict(profile.recall)
    assert (numbers.pop("intent_weight"), numbers.pop("recency_share")) == (1.0, 1.0)
    assert profile.distance is Distance.SQUARED_L2
    # Near duplicates make way, which changes no score.
    rest = ("duplicate_similarity", "pool", "rerank_pool", "max_top_k", "profile")
    assert not any(value for name, value in numbers.items() if name not in rest)


def test_every_field_of_a_profile_is_read() -> None:
    """A number that nothing reads promises what nobody keeps."""
    source = Path(kataribe.__file__).parent
    read = "".join(file.read_text("utf-8") for file in source.rglob("*.py"))
    for one in fields(Profile):
        assert re.search(rf"(?:self|profile)\.{one.name}\b", read), one.name


def test_u_6_distance_is_that_of_the_specification_or_of_relevance() -> None:
    cosines, relevance = np.array([1.0, 0.5, 0.0, -1.0]), np.array([1.0, 0.7, 0.2, 0.0])
    exact = Distance.SQUARED_L2.of(similarity=cosines, match=relevance)
    assert exact.tolist() == [0.0, 1.0, 2.0, Distance.SQUARED_L2.most]
    near = Distance.MATCH.of(similarity=cosines, match=relevance)
    assert near.tolist() == pytest.approx([0.0, 0.3, 0.8, Distance.MATCH.most])


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
    assert inside(found, Weights(0.3, 0.6, 0.1))[0] == pytest.approx(1 - found[0])
    assert inside(found, Weights(0.3, 0.6, 0.1), most=4.0)[0] == pytest.approx(1 - found[0] / 1.9)


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
    weights = NEXUS_2026_01.weights[intent]
    found = inside(composite(1 - likely, none, none, weights), weights)
    assert (np.diff(found) <= 0).all(), "what is less relevant is never put before what is more"
    assert np.allclose(found, weights.alpha * likely)


def test_s4_90_behaviour_of_the_table() -> None:
    """Old and stirring against fresh trivia that is as relevant, or more."""
    assert scored(0.7, 0.9, 0.0, Intent.EMOTIONAL) > scored(1.0, 0.0, 1.0, Intent.EMOTIONAL)
    assert scored(0.7, 0.0, 1.0, Intent.TECHNICAL) > scored(1.0, 0.3, 0.0, Intent.TECHNICAL)
