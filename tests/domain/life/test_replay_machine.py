"""What every replay keeps, whatever happened: cause before effect, any order, only words that were said."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.domain.conversation.life.events import (
    Flush,
    HandDecision,
    HandVerb,
    Night,
    SaidStatement,
    SaidTurn,
    TurnAsk,
    TurnCorrection,
    TurnVerb,
    UsedAt,
)
from kataribe.domain.conversation.life.policy import DAY, HOUR, policy_from
from kataribe.domain.conversation.life.replay import replay
from kataribe.domain.conversation.life.values import ItemKind, Life, Tier, TierState
from kataribe.domain.terms import LANGUAGES, Language
from support.effort import EFFORT
from support.life import HOLDER, SPACE, Happening, flushes_of, pointing_to

SAYINGS: dict[Language, list[tuple[str, str]]] = {
    "en": [
        ("I like tea.", "tea"),
        ("I drink tea at home.", "tea"),
        ("My home is in Osaka.", "home"),
        ("My home is in Kyoto.", "home"),
        ("My home in Osaka is small.", "home"),
        ("My cat is called Miso.", "cat"),
        ("I have no cat.", ""),
        ("I will call you on Monday.", "call"),
    ],
    "ja": [
        ("お茶が好きだ。", "お茶"),
        ("家でお茶を飲む。", "お茶"),
        ("家は大阪にある。", "家"),
        ("家は京都にある。", "家"),
        ("大阪の家は狭い。", "家"),
        ("猫の名前はミソだ。", "猫"),
        ("猫はいない。", ""),
        ("月曜に電話する。", "電話"),
    ],
}
NAMED: dict[Language, list[str]] = {
    "en": ["tea", "Osaka", "Kyoto", "my cat", "home"],
    "ja": ["お茶", "大阪", "京都", "猫のこと", "家"],
}
COMMANDS: list[tuple[TurnVerb, bool, bool]] = [
    (verb, named, clear)
    for verb, named, clear in (
        (TurnVerb.REMEMBER, False, True),
        (TurnVerb.REMEMBER, True, True),
        (TurnVerb.FORGET, True, True),
        (TurnVerb.FORGET, False, False),
        (TurnVerb.DO_NOT_REMEMBER, False, True),
        (TurnVerb.DO_NOT_REMEMBER, True, True),
        (TurnVerb.FROM_NOW_ON, True, True),
    )
]


@st.composite
def said_turns(draw: st.DrawFn, language: Language, with_vectors: bool, number: int) -> SaidTurn:
    chosen = draw(st.lists(st.sampled_from(SAYINGS[language]), max_size=2, unique=True))
    sentences = [words for words, _ in chosen]
    name = draw(st.sampled_from(NAMED[language]))
    text = " ".join([*sentences, name])
    place = (len(text) - len(name), len(text))
    statements, start = [], 0
    for words, topic in chosen:
        kind = draw(st.sampled_from([ItemKind.FACT, ItemKind.FACT, ItemKind.REQUEST]))
        statements.append(SaidStatement(start=start, end=start + len(words), kind=kind, topic=topic))
        start += len(words) + 1
    deed = draw(st.sampled_from(["", "", "", "ask", "ask", "correct", "correct"]))
    day, slot = draw(st.integers(0, 100)), draw(st.integers(0, 3))
    return SaidTurn(
        turn_id=f"t{number}",
        at=day * DAY + slot * HOUR,
        session=f"s{day // 2}-{slot % 2}",
        speaker="Mio" if not deed and draw(st.booleans()) else "Ann",
        is_users=bool(deed),
        text=text,
        vector=pointing_to(chosen[0][1], f"t{number}") if with_vectors and chosen else None,
        statements=tuple(statements),
        asks=(draw(asks(place)),) if deed == "ask" else (),
        correction=draw(corrections(place)) if deed == "correct" else None,
    )


@st.composite
def asks(draw: st.DrawFn, place: tuple[int, int]) -> TurnAsk:
    verb, named, clear = draw(st.sampled_from(COMMANDS))
    start, end = place if named else (0, 0)
    return TurnAsk(verb=verb, start=start, end=end, is_clear=clear)


def corrections(place: tuple[int, int]) -> st.SearchStrategy[TurnCorrection]:
    return st.sampled_from([TurnCorrection(old=place), TurnCorrection(new=place), TurnCorrection()])


NUMBERS = [
    None,
    None,
    policy_from({"promotion": {"mentions": 1, "novelty": 0.3}, "consolidation": {"keep": 0.5}}),
    policy_from({"mid": {"kept_days": 7, "recent_hours": 2}, "forgetting": {"restore_days": 2}}),
    policy_from({"decay": {"warm_days": 3, "cool_days": 5, "archive_days": 8, "delete_days": 12}}),
    policy_from({"mid": {"item_characters": 30, "recent_hours": 200}, "retention": {"fact": "permanent"}}),
]
"""What nights may be held by, at other numbers before and after; None: as before."""


@st.composite
def happenings(draw: st.DrawFn, hands: tuple[HandVerb, ...] = ()) -> Happening:
    language = draw(st.sampled_from(LANGUAGES))
    with_vectors = draw(st.booleans())
    count = draw(st.integers(1, 14))
    turns = tuple(draw(said_turns(language, with_vectors, number)) for number in range(count))
    days = draw(st.lists(st.integers(0, 110), max_size=12))
    nights = tuple(
        Night(day * DAY + 3 * HOUR, draw(st.sampled_from(NUMBERS)))
        for day in dict.fromkeys([*days, 20, 40, 60, 80, 100])
    )
    uses = draw(st.lists(st.tuples(st.integers(0, count), st.integers(0, 110)), max_size=8))
    # A lower bar and a smaller share, so that promotion and what it leaves out both come about.
    policy = policy_from(
        {"promotion": {"mentions": draw(st.integers(1, 3))}, "mid": {"kept_days": 7 + count}}
    )
    happened = Happening(
        language=language,
        turns=turns,
        flushes=flushes_of(turns),
        nights=nights,
        uses=tuple(UsedAt(turn_id=f"t{turn}", at=day * DAY) for turn, day in uses),
        policy=policy,
    )
    return replace(happened, decisions=draw(decisions(happened, hands))) if hands else happened


@st.composite
def decisions(draw: st.DrawFn, happened: Happening, hands: tuple[HandVerb, ...]) -> tuple[HandDecision, ...]:
    ids = sorted({one.memory_id for one in happened.life().values})
    if not ids:
        return ()
    drawn = st.tuples(st.sampled_from(ids), st.sampled_from(hands), st.integers(0, 110))
    return tuple(
        HandDecision(
            at=day * DAY + HOUR, memory_id=one, what=what, text="By hand." if what is HandVerb.EDIT else ""
        )
        for one, what, day in draw(st.lists(drawn, max_size=6))
    )


NO_FORGETTING = (HandVerb.PIN, HandVerb.UNPIN, HandVerb.EDIT, HandVerb.RESTORE)
EVERYTHING = (*NO_FORGETTING, HandVerb.FORGET, HandVerb.FORGET)
often = settings(max_examples=25 * EFFORT, deadline=None)


def upto(happened: Happening, moment: int) -> Happening:
    def early(found: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(one for one in found if one.at <= moment)

    return replace(
        happened,
        turns=early(happened.turns),
        flushes=early(happened.flushes),
        nights=early(happened.nights),
        uses=early(happened.uses),
        decisions=early(happened.decisions),
    )


def past(life: Life, moment: int) -> str:
    rows = (life.values, life.fates, life.asked)
    return repr([[one for one in found if one.position <= moment] for found in rows])


@often
@given(happened=happenings(NO_FORGETTING), day=st.integers(0, 110), hour=st.integers(0, 5))
def test_what_comes_later_changes_no_row_of_the_past(happened: Happening, day: int, hour: int) -> None:
    moment = day * DAY + hour * HOUR
    assert past(upto(happened, moment).life(), moment) == past(happened.life(), moment)


@often
@given(happened=happenings(EVERYTHING), day=st.integers(0, 110))
def test_only_forgetting_and_its_restoring_reach_back(happened: Happening, day: int) -> None:
    moment = day * DAY + 2 * HOUR
    reaching = {HandVerb.FORGET, HandVerb.RESTORE}
    chosen = tuple(one for one in happened.decisions if one.what not in reaching or one.at <= moment)
    whole = replace(happened, decisions=chosen)
    assert past(upto(whole, moment).life(), moment) == past(whole.life(), moment)


@often
@given(happened=happenings(EVERYTHING), seed=st.integers(0, 1000))
def test_the_order_of_the_inputs_does_not_matter(happened: Happening, seed: int) -> None:
    chance = random.Random(seed)

    def shuffled(found: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(chance.sample(found, len(found)))

    other = replace(
        happened,
        turns=shuffled(happened.turns),
        flushes=tuple(replace(one, turn_ids=shuffled(one.turn_ids)) for one in shuffled(happened.flushes)),
        nights=shuffled((*happened.nights, *happened.nights)),
        uses=shuffled((*happened.uses, *happened.uses)),
        decisions=shuffled(happened.decisions),
    )
    assert other.life() == happened.life()


@often
@given(happened=happenings(EVERYTHING), number=st.integers(0, 13))
def test_a_turn_that_is_gone_leaves_no_word_and_no_trace(happened: Happening, number: int) -> None:
    gone = f"t{number}"
    marked = tuple(with_mark(one) if one.turn_id == gone else one for one in happened.turns)
    left = replace(happened, turns=tuple(one for one in marked if one.turn_id != gone))
    shown = repr(left.life())
    assert "zyzzyva" not in shown
    assert repr(gone) not in shown


def with_mark(turn: SaidTurn) -> SaidTurn:
    words = "My zyzzyva is blue."
    more = SaidStatement(
        start=len(turn.text) + 1, end=len(turn.text) + 1 + len(words), kind=ItemKind.FACT, topic="zyzzyva"
    )
    return replace(turn, text=f"{turn.text} {words}", statements=(*turn.statements, more))


@often
@given(happened=happenings(EVERYTHING))
def test_a_memory_says_only_words_of_its_sources(happened: Happening) -> None:
    texts = {one.turn_id: one for one in happened.turns}
    for row in happened.life().values:
        if row.text == "By hand.":
            continue
        left = row.text
        said = [texts[source] for source in row.sources]
        spans = {turn.text[one.start : one.end] for turn in said for one in turn.statements}
        spans |= {turn.text[one.start : one.end] for turn in said for one in turn.asks}
        for words in sorted(spans - {""}, key=len, reverse=True):
            left = left.replace(words, "")
        assert left.strip() == "", (row.text, row.sources)
        assert row.sources or not row.is_live
        assert len(row.text) <= happened.policy.mid.item_characters


@often
@given(happened=happenings(EVERYTHING))
def test_the_rows_of_a_memory_tell_one_life(happened: Happening) -> None:
    life = happened.life()
    assert list(life.values) == sorted(life.values, key=lambda one: (one.position, one.memory_id))
    assert len({(one.position, one.memory_id) for one in life.values}) == len(life.values)
    assert len({(one.position, one.turn_id) for one in life.fates}) == len(life.fates)
    for memory_id in {one.memory_id for one in life.values}:
        rows = [one for one in life.values if one.memory_id == memory_id]
        tiers = [one.tier for one in rows]
        assert tiers == sorted(tiers, key=[Tier.MID, Tier.LONG].index)
        ended = [at for at, one in enumerate(rows) if one.state is TierState.EXPIRED]
        assert ended in ([], [len(rows) - 1])
        for one in rows:
            assert one.is_live is not (one.state in ("hidden", "superseded", "expired"))
            mid = one.state in (TierState.RECENT, TierState.KEPT)
            assert not one.is_live or mid is (one.tier is Tier.MID)


@often
@given(happened=happenings((HandVerb.FORGET, HandVerb.EDIT)))
def test_what_is_forgotten_by_hand_was_never_there(happened: Happening) -> None:
    without = replace(happened, decisions=()).life()
    life = happened.life()
    for one in happened.decisions:
        before = without.memories_at(one.at).get(one.memory_id)
        if one.what is not HandVerb.FORGET or before is None:
            continue
        assert one.memory_id not in {row.memory_id for row in life.values}
        first = next(row for row in without.values if row.memory_id == one.memory_id)
        source = first.sources[0]
        # Not even the same words said again by then are left; other statements may hold them.
        statement = re.compile(rf"(?:^|[.。] ){re.escape(first.text)}(?: |$)")
        early = [row.text for row in life.values if row.position <= one.at]
        assert not any(statement.search(text) for text in early)
        assert life.turns_at(one.at)[source].state == "hidden"


@often
@given(happened=happenings(EVERYTHING))
def test_an_edited_turn_changes_nothing_before_it(happened: Happening) -> None:
    quiet = replace(happened, decisions=())
    last = max(quiet.turns, key=lambda one: one.at)
    edited = tuple(with_mark(one) if one is last else one for one in quiet.turns)
    before = last.at - 1
    assert past(replace(quiet, turns=edited).life(), before) == past(quiet.life(), before)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_machine_meets_promotion_merging_hiding_and_correction(language: Language) -> None:
    """So that the properties above are tried on what they speak of."""
    words = set()
    chance = random.Random(4)
    for _ in range(40):
        words |= {str(one.reason).split()[0] for one in _random_life(chance, language).values}
    wanted = {
        "said",
        "said_again",
        "kept",
        "merged",
        "merged_with",
        "left_out",
        "corrected",
        "asked_to_forget",
    }
    assert wanted <= words
    assert any(one.startswith("promoted_") for one in words)


def _random_life(chance: random.Random, language: Language) -> Life:
    turns = []
    for number in range(14):
        words, topic = chance.choice(SAYINGS[language])
        name = chance.choice(NAMED[language])
        text, day = f"{words} {name}", chance.randrange(60)
        place = (len(text) - len(name), len(text))
        said = SaidStatement(start=0, end=len(words), kind=ItemKind.FACT, topic=topic)
        deed = chance.randrange(6)
        turns.append(
            SaidTurn(
                turn_id=f"t{number}",
                at=day * DAY,
                session=f"s{day}",
                speaker="Ann",
                is_users=True,
                text=text,
                vector=pointing_to(topic, f"t{number}"),
                statements=() if deed == 0 else (said,),
                asks=(TurnAsk(verb=TurnVerb.FORGET, start=place[0], end=place[1]),) if deed == 0 else (),
                correction=TurnCorrection(old=place) if deed == 1 else None,
            )
        )
    return Happening(
        language=language,
        turns=tuple(turns),
        flushes=flushes_of(turns),
        nights=tuple(Night(day * DAY + HOUR) for day in range(70)),
    ).life()


def test_ids_belong_to_one_holder_of_one_space() -> None:
    text = "I like tea."
    said = SaidStatement(start=0, end=len(text), kind=ItemKind.FACT, topic="tea")
    turn = SaidTurn(
        turn_id="t", at=0, session="s", speaker="Ann", is_users=True, text=text, statements=(said,)
    )
    flush = Flush(at=1, thread_id="s", turn_ids=("t",))
    found = {
        replay([turn], [flush], space=space, holder=holder, language="en").values[0].memory_id
        for space in (SPACE, "user:ben")
        for holder in (HOLDER, "world")
    }
    assert len(found) == 4
