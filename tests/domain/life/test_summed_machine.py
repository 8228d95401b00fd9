"""What every replay keeps when a model has its say: cause before effect, any order, only with sources."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from domain.life.test_replay_machine import (
    EVERYTHING,
    NAMED,
    NO_FORGETTING,
    happenings,
    often,
    past,
    upto,
)
from kataribe.domain.conversation.life.events import HandDecision, HandVerb
from kataribe.domain.conversation.life.formulas import importance
from kataribe.domain.conversation.life.policy import DAY, HOUR
from kataribe.domain.conversation.life.summed import (
    VALENCE_OF,
    Emotion,
    ModelWord,
    SummedItem,
    SummedThread,
    ToldOtherwise,
    valence_of,
)
from kataribe.domain.conversation.life.values import ItemKind, TurnState
from support.life import Happening

GONE = {TurnState.HIDDEN, TurnState.LOG_ONLY, TurnState.SUPERSEDED}


@st.composite
def modelled(draw: st.DrawFn, hands: tuple[HandVerb, ...]) -> Happening:
    happened = draw(happenings())
    with_model = replace(happened, model=draw(words_of(happened)))
    ids = sorted({one.memory_id for one in with_model.life().values})
    drawn = st.tuples(st.sampled_from(ids or ["none"]), st.sampled_from(hands), st.integers(0, 110))
    decided = tuple(
        HandDecision(
            at=day * DAY + HOUR, memory_id=one, what=what, text="By hand." if what is HandVerb.EDIT else ""
        )
        for one, what, day in draw(st.lists(drawn, max_size=5))
    )
    return replace(with_model, decisions=decided)


@st.composite
def words_of(draw: st.DrawFn, happened: Happening) -> ModelWord:
    """Of most threads some items, each of one to three of its turns; and a few contradictions."""
    order = [turn.turn_id for turn in sorted(happened.turns, key=lambda one: one.order)]
    threads, number = [], 0
    for flush in happened.flushes:
        if not draw(st.sampled_from([True, True, False])):
            continue
        shown = sorted(flush.turn_ids, key=order.index)
        items = []
        for _ in range(draw(st.integers(0, 3))):
            sources = draw(st.lists(st.sampled_from(shown), min_size=1, max_size=3, unique=True))
            number += 1
            name = draw(st.sampled_from(NAMED[happened.language]))
            items.append(
                SummedItem(
                    text=f"note {number % 4} {name}",
                    topic=name,
                    kind=draw(st.sampled_from([ItemKind.FACT, ItemKind.DECISION])),
                    sources=tuple(sorted(sources, key=order.index)),
                    explicit=draw(st.sampled_from([False, False, True])),
                    pii=draw(st.booleans()),
                    valence=draw(st.sampled_from([0.0, -0.8, 1.0])),
                )
            )
        threads.append(SummedThread(thread_id=flush.thread_id, turn_ids=frozenset(shown), items=tuple(items)))
    places = [(one.turn_id, (said.start, said.end)) for one in happened.turns for said in one.statements] or [
        ("none", (0, 1))
    ]
    pairs = draw(st.lists(st.tuples(st.sampled_from(order), st.sampled_from(places)), max_size=4))
    otherwise = tuple(ToldOtherwise(turn_id=newer, older=(older,)) for newer, older in pairs)
    return ModelWord(threads=tuple(threads), otherwise=otherwise)


@often
@given(happened=modelled(NO_FORGETTING), day=st.integers(0, 110), hour=st.integers(0, 5))
def test_what_a_model_says_later_changes_no_row_of_the_past(happened: Happening, day: int, hour: int) -> None:
    moment = day * DAY + hour * HOUR
    early = upto(happened, moment)
    assert past(early.life(), moment) == past(happened.life(), moment)
    over = {flush.thread_id for flush in early.flushes}
    said = {turn.turn_id for turn in early.turns}
    known = ModelWord(
        threads=tuple(one for one in happened.model.threads if one.thread_id in over),
        otherwise=tuple(one for one in happened.model.otherwise if one.turn_id in said),
    )
    assert replace(early, model=known).life() == early.life(), "what is still at hand is not told"


@often
@given(happened=modelled(EVERYTHING), seed=st.integers(0, 1000))
def test_the_order_of_what_a_model_says_does_not_matter(happened: Happening, seed: int) -> None:
    chance = random.Random(seed)

    def shuffled(found: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(chance.sample(found, len(found)))

    threads = tuple(replace(one, items=shuffled(one.items)) for one in shuffled(happened.model.threads))
    model = ModelWord(threads=threads, otherwise=shuffled(happened.model.otherwise))
    other = replace(
        happened,
        turns=shuffled(happened.turns),
        flushes=shuffled(happened.flushes),
        decisions=shuffled(happened.decisions),
        model=model,
    )
    assert other.life() == happened.life()


@often
@given(happened=modelled(EVERYTHING))
def test_a_models_words_are_given_only_as_long_as_all_they_rest_on_is(happened: Happening) -> None:
    life = happened.life()
    positions = sorted({row.position for row in life.values} | {row.position for row in life.fates})
    for at in positions:
        turns = life.turns_at(at)
        for row in life.memories_at(at).values():
            if row.is_live and row.sensitivity is not None:
                states = [turns[one].state for one in row.sources if one in turns]
                assert not GONE.intersection(states), (row, states)


@often
@given(happened=modelled(EVERYTHING), number=st.integers(0, 13))
def test_a_turn_that_is_gone_takes_every_word_a_model_made_of_it(happened: Happening, number: int) -> None:
    gone = f"t{number}"
    marked = tuple(
        replace(
            thread,
            items=tuple(
                replace(one, text=f"zyzzyva {place}") if gone in one.sources else one
                for place, one in enumerate(thread.items)
            ),
        )
        for thread in happened.model.threads
    )
    left = replace(
        happened,
        turns=tuple(one for one in happened.turns if one.turn_id != gone),
        model=replace(happened.model, threads=marked),
    )
    assert "zyzzyva" not in repr(left.life())


@often
@given(happened=modelled(EVERYTHING))
def test_the_rows_of_a_models_memory_tell_one_life(happened: Happening) -> None:
    life = happened.life()
    assert list(life.values) == sorted(life.values, key=lambda one: (one.position, one.memory_id))
    assert len({(one.position, one.memory_id) for one in life.values}) == len(life.values)
    assert len({(one.position, one.turn_id) for one in life.fates}) == len(life.fates)


@often
@given(happened=modelled((HandVerb.FORGET, HandVerb.FORGET, HandVerb.EDIT)))
def test_what_is_forgotten_of_a_model_by_hand_was_never_there(happened: Happening) -> None:
    without = replace(happened, decisions=()).life()
    life = happened.life()
    for one in happened.decisions:
        before = without.memories_at(one.at).get(one.memory_id)
        if one.what is not HandVerb.FORGET or before is None or before.sensitivity is None:
            continue
        assert one.memory_id not in {row.memory_id for row in life.values}
        assert all(life.turns_at(one.at)[source].state == "hidden" for source in before.sources[:1])


def test_the_map_of_feelings_is_fixed_and_bounded() -> None:
    assert set(VALENCE_OF) == set(Emotion)
    assert [VALENCE_OF[one] for one in Emotion] == [1.0, 0.6, -0.3, -0.6, -0.8, -1.0, 0.0]
    assert valence_of(Emotion.ANGER, 7) == -1.0
    assert valence_of(Emotion.JOY, -1) == 0.0
    assert importance(valence=valence_of(Emotion.SADNESS, 0.5), novelty=0.0, relatedness=0.0) == 0.17


@pytest.mark.parametrize("number", range(2))
def test_the_machine_meets_summing_up_and_what_is_left_over(number: int) -> None:
    """So that the properties above are tried on what they speak of."""
    words: set[str] = set()

    @seed(number)
    @settings(max_examples=50, deadline=None, database=None)
    @given(happened=modelled(EVERYTHING))
    def gather(happened: Happening) -> None:
        words.update(str(one.reason).split()[0] for one in happened.life().values)

    gather()
    assert {"summed_up", "left_over", "corrected"} <= words
