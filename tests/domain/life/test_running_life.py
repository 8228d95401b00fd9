"""A life that goes on gives the rows of a whole replay, wherever what happened is cut into parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.life.test_replay_machine import EVERYTHING, NO_FORGETTING, happenings, often
from kataribe.domain.conversation.life.events import Flush, HandDecision, HandVerb, Night, SaidTurn
from kataribe.domain.conversation.life.policy import DAY, HOUR
from kataribe.domain.conversation.life.replay import Happened, LifeStep, RunningLife
from kataribe.domain.conversation.life.values import Life
from kataribe.domain.conversation.life.words import WordIndex
from kataribe.domain.terms import LANGUAGES, Language
from support.life import HOLDER, SPACE, Happening, half_year

SILENCE = 150 * 60 * 1000
"""A thread goes on over two hours, so that what is said next is often of the same."""


def threads(turns: Iterable[SaidTurn]) -> tuple[Flush, ...]:
    """A thread ends when nobody goes on with it in its session."""
    last: dict[str, list[SaidTurn]] = {}
    found: list[list[SaidTurn]] = []
    for turn in sorted(turns, key=lambda one: one.order):
        there = last.get(turn.session)
        if there is None or turn.at - there[-1].at >= SILENCE:
            there = last[turn.session] = []
            found.append(there)
        there.append(turn)
    return tuple(
        Flush(at=one[-1].at + SILENCE, thread_id=one[0].turn_id, turn_ids=tuple(turn.turn_id for turn in one))
        for one in found
    )


def upto(happened: Happening, moment: int) -> Happening:
    def early(found: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(one for one in found if one.at <= moment)

    turns = early(happened.turns)
    return replace(
        happened,
        turns=turns,
        flushes=threads(turns),
        nights=early(happened.nights),
        uses=early(happened.uses),
        decisions=early(happened.decisions),
    )


def inputs(happened: Happening, after: int) -> Happened:
    def late(found: tuple[Any, ...]) -> list[Any]:
        return [one for one in found if one.at > after]

    return Happened.of(
        late(happened.turns),
        late(happened.flushes),
        late(happened.nights),
        late(happened.uses),
        late(happened.decisions),
    )


def running(happened: Happening) -> RunningLife:
    return RunningLife(happened.policy, space=SPACE, holder=HOLDER, language=happened.language)


def placed(rows: Life, step: LifeStep) -> Life:
    """Put the rows of a step in the place of those behind the ones that stay."""
    since = step.since
    kept = Life(
        values=rows.values[: since.values], fates=rows.fates[: since.fates], asked=rows.asked[: since.asked]
    )
    return kept.then(step.life)


@often
@given(
    happened=happenings(EVERYTHING),
    cuts=st.lists(st.tuples(st.integers(0, 110), st.integers(0, 4)), min_size=1, max_size=6),
)
def test_going_on_equals_replaying_all(happened: Happening, cuts: list[tuple[int, int]]) -> None:
    life = running(happened)
    rows = Life()
    for moment in [*sorted(day * DAY + hour * HOUR for day, hour in cuts), 1 << 50]:
        now = upto(happened, moment)
        later = inputs(now, life.upto)
        step = life.go_on(later) if life.follows(later) else life.begin(inputs(now, -1))
        rows = placed(rows, step)
        assert rows == now.life()


@often
@given(happened=happenings(NO_FORGETTING), cut=st.integers(0, 110))
def test_what_comes_later_is_always_gone_on_with(happened: Happening, cut: int) -> None:
    early = upto(happened, cut * DAY)
    life = running(happened)
    life.begin(inputs(early, -1))
    rest = replace(upto(happened, 1 << 50), decisions=())
    later = inputs(rest, max(cut * DAY, life.upto))
    assert life.follows(later)


@pytest.mark.parametrize("language", LANGUAGES)
def test_half_a_year_goes_on_turn_by_turn(language: Language) -> None:
    whole = half_year(language)
    life, rows, gone_on = running(whole), Life(), 0
    moments = sorted({*(one.at for one in whole.turns), *(one.at for one in whole.nights)})
    for moment in moments:
        now = upto(whole, moment)
        later = inputs(now, life.upto)
        follows = life.follows(later)
        gone_on += follows
        rows = placed(rows, life.go_on(later) if follows else life.begin(inputs(now, -1)))
    assert rows == upto(whole, moments[-1]).life()
    assert gone_on > 0.9 * len(moments)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_touches_the_past_is_not_gone_on_with(language: Language) -> None:
    whole = upto(half_year(language), 1 << 50)
    life = running(whole)
    life.begin(inputs(whole, -1))
    late, turn = life.upto + DAY, whole.turns[0]
    forget = HandDecision(at=late, memory_id="m", what=HandVerb.FORGET)
    assert life.follows(Happened.of([], [], [Night(late)]))
    assert life.follows(Happened.of([replace(turn, at=late, turn_id="new")]))
    assert not life.follows(Happened.of([replace(turn, at=late)])), "there is one of this id"
    assert not life.follows(Happened.of([replace(turn, turn_id="new")])), "it is of the past"
    assert not life.follows(Happened.of([], [], [Night(life.upto)]))
    assert not life.follows(Happened.of([], decisions=[forget])), "it acts on every moment"
    assert not running(whole).follows(Happened.of([])), "nothing was begun"


@pytest.mark.parametrize(("language", "word"), [("en", "tea"), ("ja", "茶")])
def test_words_that_are_added_are_found_as_if_they_had_been_there(language: Language, word: str) -> None:
    texts = [f"{word} {no}" if no % 3 == 0 else f"rain {no}" for no in range(600)]
    grown = WordIndex(texts[:10], language)
    for one in texts[10:]:
        grown.add(one)
    whole = WordIndex(texts, language)
    for before in (0, 5, 10, 265, 266, 267, 523, 599, 600, 700):
        assert grown.holding((word,), before) == whole.holding((word,), before)
    assert len(whole.holding((word,), 600)) == 200
