"""The published formulas, with exact numbers."""

from __future__ import annotations

import pytest

from kataribe.domain.conversation.life.formulas import (
    factor_of,
    graded_novelty,
    importance,
    is_novel,
    kept_count,
    next_change,
    relatedness,
    state_after,
    usefulness,
)
from kataribe.domain.conversation.life.policy import DAY, DEFAULT_TIERS, Decay
from kataribe.domain.conversation.life.values import TierState, TurnState

DECAY = DEFAULT_TIERS.decay


@pytest.mark.parametrize(
    ("valence", "novelty", "related", "mentions", "wanted"),
    [
        (0.0, 0.0, 0.0, 1, 0.01),
        (0.0, 1.0, 0.0, 1, 0.31),
        (-1.0, 1.0, 1.0, 10, 1.0),
        (1.0, 1.0, 1.0, 50, 1.0),
        (0.5, 0.6, 0.4, 3, 0.49),
        (-0.5, 0.6, 0.4, 3, 0.49),
        (0.0, 0.0, 0.0, 25, 0.1),
    ],
)
def test_importance_has_four_terms(
    valence: float, novelty: float, related: float, mentions: int, wanted: float
) -> None:
    got = importance(valence=valence, novelty=novelty, relatedness=related, mention_count=mentions)
    assert got == wanted


def test_nothing_said_of_valence_and_mentions_adds_a_hundredth() -> None:
    assert importance(novelty=0.0, relatedness=0.0) == 0.01


@pytest.mark.parametrize(
    ("likenesses", "wanted"),
    [
        ([], 1.0),
        ([0.79, 0.5], 1.0),
        ([0.8], 0.8),
        ([0.9, 0.95, 0.2], 0.6),
        ([0.9] * 5, 0.0),
        ([0.9] * 9, 0.0),
    ],
)
def test_graded_novelty_counts_the_like_among_the_five_nearest(
    likenesses: list[float], wanted: float
) -> None:
    assert graded_novelty(likenesses) == wanted


def test_relatedness_counts_links_up_to_five() -> None:
    assert [relatedness([0.6] * count) for count in (0, 1, 4, 5, 9)] == [0.0, 0.2, 0.8, 1.0, 1.0]
    assert relatedness([0.59, 0.3]) == 0.0


def test_what_is_062_alike_is_not_new() -> None:
    assert is_novel(None)
    assert is_novel(0.619999)
    assert not is_novel(0.62)


def test_usefulness_grows_with_use_and_stays_below_one() -> None:
    assert [usefulness(count) for count in (0, 1, 4, 12)] == [0.0, 0.2, 0.5, 0.75]
    assert usefulness(10_000) < 1.0


def test_consolidation_keeps_seven_in_ten_and_at_least_one() -> None:
    wanted = {0: 0, 1: 1, 2: 1, 3: 2, 10: 7, 30: 21, 90: 63, 99: 69}
    assert {count: kept_count(count) for count in wanted} == wanted


@pytest.mark.parametrize(
    ("days", "state"),
    [
        (0, TierState.HOT),
        (29, TierState.HOT),
        (30, TierState.WARM),
        (89, TierState.WARM),
        (90, TierState.COOL),
        (179, TierState.COOL),
        (180, TierState.ARCHIVED),
        (364, TierState.ARCHIVED),
        (365, TierState.EXPIRED),
    ],
)
def test_the_life_cycle_goes_by_days_without_use(days: int, state: TierState) -> None:
    assert state_after(days * DAY, DECAY, 365) is state


def test_a_millisecond_before_its_day_a_memory_is_what_it_was() -> None:
    assert state_after(30 * DAY - 1, DECAY, 365) is TierState.HOT


def test_what_is_permanent_stays_in_the_archive() -> None:
    assert state_after(4000 * DAY, DECAY, None) is TierState.ARCHIVED
    assert next_change(180 * DAY, DECAY, None) is None


@pytest.mark.parametrize("delete_days", [10, 60, 365, 1000, None])
def test_the_next_change_is_the_next_day_on_which_the_state_differs(delete_days: int | None) -> None:
    for day in (0, 30, 90, 180):
        now, due = state_after(day * DAY, DECAY, delete_days), next_change(day * DAY, DECAY, delete_days)
        if due is None:
            assert now is TierState.EXPIRED or delete_days is None
            continue
        assert state_after(due - 1, DECAY, delete_days) is now
        assert state_after(due, DECAY, delete_days) is not now


def test_factors_fall_and_the_archive_is_not_searched() -> None:
    states = (TurnState.HOT, TurnState.WARM, TurnState.COOL, TurnState.ARCHIVED, TurnState.DELETED)
    assert [factor_of(one) for one in states] == [1.0, 0.8, 0.5, None, None]
    assert factor_of(TurnState.WARM, Decay(warm_factor=0.25)) == 0.25
    assert factor_of(TurnState.HIDDEN) is None
