"""What a replay does with commands, corrections, nights and decisions, one rule at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

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
from kataribe.domain.conversation.life.values import Cause, ItemKind, MemoryValue, Tier, TierState, TurnState
from kataribe.domain.terms import Language
from kataribe.errors import InputError
from support.life import Happening, flushes_of, pointing_to

LATER = 400 * DAY


def said(
    number: int,
    text: str,
    topic: str | None = None,
    *,
    day: float = 0,
    who: str = "Ann",
    session: str | None = None,
    ask: tuple[TurnVerb, str] | None = None,
    correct: tuple[str, str] | None = None,
    like: str | None = None,
) -> SaidTurn:
    """A turn that states its whole text when it has a topic."""

    def place(words: str) -> tuple[int, int]:
        return (text.index(words), text.index(words) + len(words)) if words else (0, 0)

    stated = SaidStatement(start=0, end=len(text), kind=ItemKind.FACT, topic=topic or "")
    asked = None if ask is None else TurnAsk(verb=ask[0], start=place(ask[1])[0], end=place(ask[1])[1])
    corrected = None
    if correct is not None:
        old, new = (place(one) if one else None for one in correct)
        corrected = TurnCorrection(old=old, new=new)
    return SaidTurn(
        turn_id=f"t{number}",
        at=int(day * DAY),
        session=session or f"s{number}",
        speaker=who,
        is_users=who == "Ann",
        text=text,
        vector=None if like is None else pointing_to(like, f"t{number}"),
        statements=() if topic is None else (stated,),
        asks=() if asked is None else (asked,),
        correction=corrected,
    )


def happened(*turns: SaidTurn, nights: int = 0, language: Language = "en") -> Happening:
    """Each session is flushed after it; a night at hour five of each of the first days."""
    return Happening(
        language=language,
        turns=turns,
        flushes=flushes_of(turns),
        nights=tuple(Night(day * DAY + 5 * HOUR) for day in range(nights)),
    )


def live(happening: Happening, moment: int = LATER) -> dict[str, MemoryValue]:
    found = happening.life().memories_at(moment).values()
    return {one.text: one for one in found if one.is_live}


def only(happening: Happening, moment: int = LATER) -> MemoryValue:
    found = list(live(happening, moment).values())
    assert len(found) == 1, found
    return found[0]


# -- leaving the buffer --------------------------------------------------------------------


def test_nothing_is_kept_before_its_thread_leaves_the_buffer() -> None:
    turn = said(1, "I like tea.", "tea")
    assert replace(happened(turn), flushes=()).life().values == ()
    (first, second) = happened(turn).life().values
    assert (first.position, first.state, first.created_at) == (600_000, TierState.RECENT, 600_000)
    assert (second.position, second.state) == (600_000 + DAY, TierState.KEPT)
    assert (first.salience, first.confidence, first.importance) == (0.8, 0.7, None)


def test_a_turn_leaves_the_buffer_once_and_never_before_it_is_said() -> None:
    turn, later = said(1, "I like tea.", "tea"), said(2, "I like jam.", "jam", day=2)
    flushes = [Flush(at=HOUR * at, thread_id=f"a{at}", turn_ids=("t1", "t2", "t9")) for at in (1, 2)]
    life = replace(happened(turn, later), flushes=tuple(flushes)).life()
    assert [one.text for one in life.values] == ["I like tea."] * 2


def test_the_same_words_again_are_a_mention_and_another_speaker_makes_his_own() -> None:
    turns = (
        said(1, "I like tea.", "tea"),
        said(2, "i LIKE tea!", "tea", day=1),
        said(3, "I like tea.", "tea", day=2, who="Mio"),
    )
    found = [one for one in happened(*turns).life().memories_at(LATER).values() if one.is_live]
    assert sorted((one.text, one.sources) for one in found) == [
        ("I like tea.", ("t1", "t2")),
        ("I like tea.", ("t3",)),
    ]


def test_a_long_statement_is_cut_at_a_sentence() -> None:
    text = "I like tea. " + "It is warm and good for me, they say. " * 9
    one = only(happened(said(1, text, "tea")))
    assert len(one.text) <= 200
    assert text.startswith(one.text)
    assert one.text.endswith(".")


# -- commands ------------------------------------------------------------------------------


def test_remember_without_a_span_means_what_was_said_just_before() -> None:
    turns = (
        said(1, "My sister is Yui.", "sister", session="s"),
        said(2, "Nice.", "nice", who="Mio", day=0.001, session="s"),
        said(3, "Remember that.", day=0.002, session="s", ask=(TurnVerb.REMEMBER, "")),
    )
    found = live(happened(*turns))
    assert found["My sister is Yui."].explicit
    assert not found["Nice."].explicit


def test_remember_reaches_a_memory_that_has_left_the_buffer() -> None:
    turns = (
        said(1, "My sister is Yui.", "sister", session="s"),
        said(3, "Remember that.", day=3, session="s", ask=(TurnVerb.REMEMBER, "")),
    )
    flush = Flush(at=HOUR, thread_id="s", turn_ids=("t1",))
    life = replace(happened(*turns), flushes=(flush,)).life()
    last = life.values[-1]
    assert (last.position, last.explicit, last.reason) == (3 * DAY, True, Cause("asked_to_remember"))


def test_remember_with_nothing_before_it_is_asked_back() -> None:
    life = happened(said(1, "Remember that.", ask=(TurnVerb.REMEMBER, ""))).life()
    assert [(one.turn_id, one.verb, one.why) for one in life.asked] == [("t1", "remember", "nothing_before")]


def test_a_persona_commands_nothing() -> None:
    turns = (
        said(1, "I like tea.", "tea"),
        said(2, "Forget tea.", day=1, who="Mio", ask=(TurnVerb.FORGET, "tea")),
        said(3, "Remember tea.", day=1, who="Mio", ask=(TurnVerb.REMEMBER, "tea")),
    )
    assert list(live(happened(*turns))) == ["I like tea."]
    assert happened(*turns).life().asked == ()


def test_from_now_on_makes_an_explicit_policy_of_the_span() -> None:
    text = "From now on, speak French."
    one = only(happened(said(1, text, ask=(TurnVerb.FROM_NOW_ON, "speak French"))))
    assert (one.text, one.kind, one.explicit) == ("speak French", ItemKind.POLICY, True)


@pytest.mark.parametrize("named", ["", "My code is 4711."])
def test_do_not_remember_keeps_the_turn_in_the_log_alone(named: str) -> None:
    turn = said(1, "My code is 4711. Do not keep it.", "code", ask=(TurnVerb.DO_NOT_REMEMBER, named))
    life = happened(turn, nights=3).life()
    assert life.values == ()
    assert [(one.position, one.state) for one in life.fates] == [(0, "log_only")]


def test_do_not_remember_that_means_what_was_said_just_before() -> None:
    turns = (
        said(1, "My code is 4711.", "code", session="s"),
        said(2, "Do not remember that.", day=1, session="s", ask=(TurnVerb.DO_NOT_REMEMBER, "")),
    )
    life = replace(happened(*turns), flushes=(Flush(at=HOUR, thread_id="s", turn_ids=("t1",)),)).life()
    assert life.memories_at(DAY - 1).popitem()[1].is_live
    assert not life.memories_at(DAY).popitem()[1].is_live
    assert life.turns_at(DAY)["t1"].state == "log_only"


# -- forgetting ----------------------------------------------------------------------------


def test_forget_hides_the_memory_its_turn_and_the_echo_of_its_session() -> None:
    turns = (
        said(1, "I broke up with Daniel.", "daniel", session="s"),
        said(2, "Oh no, poor Daniel!", who="Mio", day=0.001, session="s"),
        said(3, "Forget Daniel.", day=2, ask=(TurnVerb.FORGET, "Daniel")),
        said(4, "Daniel again.", day=3),
    )
    happening = happened(*turns)
    life = happening.life()
    assert live(happening, 2 * DAY - 1) != {}
    assert live(happening, 2 * DAY) == {}
    states = {turn_id: one.state.value for turn_id, one in life.turns_at(2 * DAY).items()}
    assert states == {"t1": "hidden", "t2": "hidden", "t3": "log_only"}


def test_forget_reaches_what_is_still_in_the_buffer_and_it_can_be_restored() -> None:
    turns = (
        said(1, "I have a tattoo.", "tattoo", session="s"),
        said(2, "Forget the tattoo.", day=0.001, session="s", ask=(TurnVerb.FORGET, "tattoo")),
    )
    happening = happened(*turns)
    (hidden,) = happening.life().values
    assert hidden.state is TierState.HIDDEN
    back = HandDecision(at=30 * DAY, memory_id=hidden.memory_id, what=HandVerb.RESTORE)
    restored = replace(happening, decisions=(back,))
    assert only(restored).text == "I have a tattoo."
    assert restored.life().turns_at(30 * DAY)["t1"].state == "hot"
    late = replace(back, at=30 * DAY + DAY)
    assert live(replace(happening, decisions=(late,))) == {}


def test_forget_is_asked_back_when_it_points_to_two_topics_or_to_none() -> None:
    turns = (
        said(1, "My cello lessons are fun.", "cello"),
        said(2, "My French lessons are hard.", "French"),
        said(3, "Forget my lessons.", day=1, ask=(TurnVerb.FORGET, "my lessons")),
        said(4, "Forget my yacht.", day=1, ask=(TurnVerb.FORGET, "my yacht")),
        said(5, "Forget it.", day=1, ask=(TurnVerb.FORGET, "")),
    )
    happening = happened(*turns)
    assert len(live(happening)) == 2
    assert [(one.turn_id, one.why) for one in happening.life().asked] == [
        ("t3", "several"),
        ("t4", "nothing_found"),
        ("t5", "nothing_before"),
    ]


def test_forget_without_a_span_hides_what_was_said_just_before_and_a_turn_can_be_restored() -> None:
    turns = (
        said(1, "I like tea.", "tea", session="s"),
        said(2, "Daniel and I, well.", session="s", day=0.001),
        said(3, "Oh.", session="s", who="Mio", day=0.002),
        said(4, "Forget that.", session="s", day=0.003, ask=(TurnVerb.FORGET, "")),
    )
    happening = happened(*turns)
    assert list(live(happening)) == ["I like tea."]
    states = {turn_id: one.state.value for turn_id, one in happening.life().turns_at(LATER).items()}
    assert states == {"t2": "hidden", "t4": "log_only"}
    back = HandDecision(at=DAY, memory_id="t2", what=HandVerb.RESTORE)
    assert replace(happening, decisions=(back,)).life().turns_at(DAY)["t2"].state == "hot"


@pytest.mark.parametrize(
    ("language", "older", "newer"),
    [
        ("en", "I live in Osaka.", "I do not live in Osaka any more."),
        ("en", "I drink coffee.", "I no longer drink coffee."),
        ("ja", "大阪に住んでいる。", "もう大阪には住んでいないよ。"),
        ("ja", "コーヒーを飲む。", "コーヒーはもう飲まなくなった。"),
    ],
)
def test_what_is_said_to_be_over_is_superseded(language: Language, older: str, newer: str) -> None:
    turns = (said(1, older, ""), said(2, newer, "", day=3, correct=("", newer)))
    assert [one.sources for one in live(happened(*turns, language=language)).values()] == [("t2",)]
    again = (said(1, newer, ""), said(2, newer + "!", "", day=3, correct=("", newer)))
    assert [one.sources for one in live(happened(*again, language=language)).values()] == [("t1", "t2")]


def test_what_is_said_again_after_it_was_forgotten_is_kept_anew() -> None:
    turns = (
        said(1, "I like tea.", "tea"),
        said(2, "Forget tea.", day=1, ask=(TurnVerb.FORGET, "tea")),
        said(3, "I like tea.", "tea", day=2),
    )
    assert only(happened(*turns)).sources == ("t3",)


def test_a_decision_to_forget_acts_on_every_moment_and_takes_the_same_words() -> None:
    turns = (
        said(1, "I like tea.", "tea", like="tea"),
        said(2, "Tea I really do like.", "tea", day=1, like="tea"),
        said(3, "I like tea!", "tea", day=2, who="Mio"),
        said(4, "I like jam.", "jam", day=2),
    )
    happening = replace(happened(*turns, nights=10), policy=policy_from({"promotion": {"mentions": 1}}))
    whole = live(happening, 5 * DAY)
    assert "I like tea. Tea I really do like." in whole
    forget = HandDecision(
        at=6 * DAY, memory_id=whole["I like tea. Tea I really do like."].memory_id, what=HandVerb.FORGET
    )
    life = replace(happening, decisions=(forget,)).life()
    assert {one.text for one in life.values} == {"I like jam."}
    assert [life.turns_at(turn.at)[turn.turn_id].state for turn in turns[:3]] == ["hidden"] * 3
    back = HandDecision(at=7 * DAY, memory_id=forget.memory_id, what=HandVerb.RESTORE)
    assert replace(happening, decisions=(forget, back)).life() == happening.life()


# -- corrections ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "older", "newer", "correct"),
    [
        ("en", "I live in Osaka.", "Not Osaka, I live in Kyoto.", ("Osaka", "Kyoto")),
        ("en", "My favourite color is red.", "Actually my favourite color is blue.", ("", "blue")),
        ("ja", "大阪に住んでいる。", "大阪じゃなくて京都に住んでいる。", ("大阪", "京都")),
        ("ja", "好きな色は赤だ。", "やっぱり好きな色は青だ。", ("", "青")),
    ],
)
@pytest.mark.parametrize("topic", ["same", ""])
def test_a_newer_statement_supersedes_the_older_one(
    language: Language, older: str, newer: str, correct: tuple[str, str], topic: str
) -> None:
    turns = (said(1, older, topic), said(2, newer, topic, day=3, correct=correct))
    happening = happened(*turns, language=language)
    assert list(live(happening, 3 * DAY - 1)) == [older]
    assert list(live(happening, 3 * DAY)) == []
    now = only(happening)
    assert now.sources == ("t2",)
    life = happening.life()
    (gone,) = [one for one in life.memories_at(3 * DAY).values() if not one.is_live]
    assert (gone.state, gone.superseded_by) == (TierState.SUPERSEDED, now.memory_id)
    assert (life.turns_at(3 * DAY)["t1"].state, life.turns_at(3 * DAY)["t1"].by) == ("superseded", "t2")


@pytest.mark.parametrize(
    ("older", "who"),
    [
        ("I live in Osaka.", "Mio"),
        ("A train goes to Osaka.", "Ann"),
        ("I live in a flat.", "Ann"),
    ],
)
def test_what_is_not_plainly_contradicted_stays(older: str, who: str) -> None:
    turns = (
        said(0, "I live in Osaka, in the middle.", "home"),
        said(1, older, "other", who=who, day=1),
        said(2, "Not Osaka, I live in Kyoto.", "home", day=3, correct=("Osaka", "Kyoto")),
    )
    assert older in live(happened(*turns))


@pytest.mark.parametrize(
    ("language", "older", "echo", "newer", "values"),
    [
        ("en", "I live in Kyoto.", "Kyoto, got it!", "I live in Osaka, not Kyoto.", ("Kyoto", "Osaka")),
        ("ja", "私は京都に住んでいます。", "京都ですね。", "京都じゃなくて大阪だ。", ("京都", "大阪")),
    ],
)  # fmt: skip
def test_an_old_value_that_another_said_again_goes_with_it(
    language: Language, older: str, echo: str, newer: str, values: tuple[str, str]
) -> None:
    """In the session of the older statement; what is said of other things, or elsewhere, stays."""
    turns = (
        said(1, older, "home", session="a"),
        said(2, echo, "city", who="Rin", session="a", day=0.001),
        said(3, "A heron flew by.", "heron", who="Rin", session="a", day=0.002),
        said(4, echo, "city", who="Rin", session="b", day=1),
        said(5, newer, "home", session="c", day=2, correct=values),
    )
    life = happened(*turns, language=language).life()
    states = {one.turn_id: one.state for one in life.fates if one.position >= 2 * DAY}
    assert {turn for turn, state in states.items() if state is TurnState.SUPERSEDED} == {"t1", "t2"}
    assert "A heron flew by." in live(happened(*turns, language=language))


def test_an_echo_of_what_is_denied_goes_with_it() -> None:
    turns = (
        said(1, "I'm vegetarian.", "diet", session="a"),
        said(2, "A vegetarian, noted!", "diet", who="Rin", session="a", day=0.001),
        said(3, "I am not vegetarian any more.", "diet", day=2),
    )
    denial = TurnCorrection(old=None, new=(0, len("I am not vegetarian any more")))
    life = happened(*turns[:2], replace(turns[2], correction=denial)).life()
    assert [one.text for one in life.memories_at(LATER).values() if one.is_live] == [turns[2].text]


def test_a_correction_that_may_mean_two_things_is_asked_back() -> None:
    turns = (
        said(1, "A train goes to Osaka.", "train"),
        said(2, "My aunt is from Osaka.", "aunt"),
        said(3, "Not Osaka. Kyoto.", "", day=1, correct=("Osaka", "Kyoto")),
    )
    happening = happened(*turns)
    assert len(live(happening)) == 3
    assert [(one.turn_id, one.verb, one.why) for one in happening.life().asked] == [
        ("t3", "correct", "several")
    ]


def test_what_was_asked_to_be_remembered_stays_so_in_its_new_value() -> None:
    text = "Remember that I live in Osaka."
    first = said(1, text, ask=(TurnVerb.REMEMBER, "I live in Osaka"))
    second = said(2, "Not Osaka, I live in Kyoto.", "home", day=3, correct=("Osaka", "Kyoto"))
    happening = happened(first, second, nights=6)
    assert (only(happening, 2 * DAY).tier, only(happening, 2 * DAY).text) == (Tier.LONG, "I live in Osaka")
    now = only(happening)
    assert (now.tier, now.explicit, now.sources) == (Tier.LONG, True, ("t2",))


# -- nights --------------------------------------------------------------------------------


def test_three_turns_in_ninety_days_promote_and_two_do_not() -> None:
    turns = [said(n, f"Tea number {word}.", "tea", day=n) for n, word in enumerate(["a", "b", "c"], start=1)]
    assert all(one.tier is Tier.MID for one in live(happened(*turns[:2], nights=20)).values())
    life = happened(*turns, nights=20).life()
    assert any(one.tier is Tier.LONG for one in life.values)
    assert {one.reason.word for one in life.values if one.tier is Tier.LONG} >= {"promoted_mentions"}


def test_two_statements_of_one_turn_are_one_mention() -> None:
    text = "Tea is warm. Tea is green. Tea is good."
    cuts = [(0, 12), (13, 26), (27, 39)]
    stated = tuple(SaidStatement(start=a, end=b, kind=ItemKind.FACT, topic="tea") for a, b in cuts)
    turn = replace(said(1, text), statements=stated)
    assert {one.tier for one in live(happened(turn, nights=9)).values()} == {Tier.MID}


def test_mentions_older_than_ninety_days_do_not_count() -> None:
    turns = [said(n, f"Tea number {n}.", "tea", day=day) for n, day in ((1, 0), (2, 80), (3, 95))]
    assert all(one.tier is Tier.MID for one in happened(*turns, nights=120).life().values)
    turns[2] = replace(turns[2], at=85 * DAY)
    assert any(one.tier is Tier.LONG for one in happened(*turns, nights=120).life().values)


def test_use_promotes_what_is_new_and_nothing_that_is_known() -> None:
    known = said(1, "Remember I like tea.", "tea", ask=(TurnVerb.REMEMBER, "I like tea."), like="tea")
    again = said(2, "Tea is what I like.", "drinks", day=2, like="tea")
    other = said(3, "I play chess.", "chess", day=2, like="chess")
    used = tuple(UsedAt(turn_id=one, at=3 * DAY) for one in ("t2", "t3"))
    happening = replace(happened(known, again, other, nights=9), uses=used)
    found = live(happening)
    assert found["I play chess."].tier is Tier.LONG
    assert found["I play chess."].reason.word == "promoted_useful"
    assert found["Tea is what I like."].tier is Tier.MID


def test_what_is_not_new_merges_into_its_neighbour_and_a_denial_does_not() -> None:
    ask = TurnVerb.REMEMBER
    turns = (
        said(1, "I like green tea.", "tea", ask=(ask, "I like green tea."), like="tea"),
        said(2, "I enjoy a green tea.", "drinks", day=2, ask=(ask, "I enjoy a green tea."), like="tea"),
        said(3, "I do not like green tea.", "no", day=4, ask=(ask, "I do not like green tea."), like="tea"),
    )
    happening = happened(*turns, nights=9)
    found = live(happening)
    both = "I like green tea. I enjoy a green tea."
    assert {text: one.sources for text, one in found.items()} == {
        both: ("t1", "t2"),
        "I do not like green tea.": ("t3",),
    }
    merged = [one for one in happening.life().memories_at(LATER).values() if one.reason.word == "merged"]
    assert [one.superseded_by for one in merged] == [
        found["I like green tea. I enjoy a green tea."].memory_id
    ]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_without_vectors_words_say_what_is_new(language: Language) -> None:
    texts = {
        "en": ("I like green tea.", "Green tea I like much.", "I own a boat."),
        "ja": ("緑茶が好きだ。", "とても緑茶が好きだ。", "船を持っている。"),
    }[language]
    turns = [said(n, text, str(n), day=n, ask=(TurnVerb.REMEMBER, text)) for n, text in enumerate(texts)]
    found = live(happened(*turns, nights=9, language=language))
    assert sorted(one.sources for one in found.values()) == [("t0", "t1"), ("t2",)]


def test_consolidation_keeps_seven_in_ten_and_spares_what_was_asked_for() -> None:
    turns = [said(n, f"Tea with friend number {n}.", "tea", day=n / 100, like=f"c{n}") for n in range(10)]
    turns.append(said(11, "Tea of mine.", "tea", day=0.15, ask=(TurnVerb.REMEMBER, "Tea of mine."), like="m"))
    life = happened(*turns, nights=2).life()
    rows = [one for one in life.values if one.position == 5 * HOUR]
    words = sorted(one.reason.word for one in rows)
    assert words == sorted(["promoted_explicit", *["promoted_mentions"] * 7, *["left_out"] * 3])
    left = sorted(one.sources[0] for one in rows if one.reason.word == "left_out")
    assert left == ["t0", "t1", "t2"], "of equals the newest stay"


def test_the_importance_of_a_promoted_memory_is_that_of_the_formula() -> None:
    turns = [said(n, f"Tea with friend number {n}.", "tea", day=n / 100, like=f"c{n}") for n in range(3)]
    rows = [one for one in happened(*turns, nights=2).life().values if one.tier is Tier.LONG]
    assert {one.importance for one in rows} == {0.33}
    assert dict(rows[0].reason.numbers) == {
        "mentions": 3, "likeness": 0.0, "usefulness": 0.0, "importance": 0.33
    }  # fmt: skip


def test_use_makes_hot_again_and_a_year_without_use_deletes() -> None:
    turn = said(1, "I like tea.", "tea", ask=(TurnVerb.REMEMBER, "I like tea."))
    happening = replace(happened(turn, nights=500), uses=(UsedAt(turn_id="t1", at=100 * DAY),))
    life = happening.life()
    states = [(one.position // DAY, one.state.value) for one in life.values if one.tier is Tier.LONG]
    wanted = [(0, "hot"), (30, "warm"), (90, "cool"), (100, "hot"), (130, "warm"), (190, "cool")]
    assert states == [*wanted, (280, "archived"), (465, "expired")]
    turn_states = [(one.position // DAY, one.state.value) for one in life.fates]
    assert turn_states == [
        *((30, "warm"), (90, "cool"), (100, "hot"), (130, "warm"), (190, "cool")),
        *((280, "archived"), (465, "deleted")),
    ]


@pytest.mark.parametrize(
    ("text", "wish"),
    [("My sister is called Mina.", "Remember this."), ("妹の名前はミナです。", "これを覚えておいて。")],
)
def test_what_was_to_be_remembered_waits_for_the_first_night_however_late(text: str, wish: str) -> None:
    """Where nights were missed, what a night would have promoted is promoted; the rest goes."""
    turns = (
        said(1, text, "sister", session="a"),
        said(2, wish, day=0.001, session="a", ask=(TurnVerb.REMEMBER, "")),
        said(3, "I saw a heron.", "heron", session="b"),
    )
    late = replace(happened(*turns), nights=(Night(45 * DAY),))
    kept = only(late)
    assert (kept.text, kept.tier, kept.reason.word) == (text, Tier.LONG, "promoted_explicit")


def test_what_is_pinned_neither_fades_nor_expires() -> None:
    turns = (
        said(1, "I like tea.", "tea", ask=(TurnVerb.REMEMBER, "I like tea.")),
        said(2, "I like jam.", "jam"),
    )
    happening = happened(*turns, nights=400)
    ids = {one.text: one.memory_id for one in happening.life().values}
    pins = tuple(HandDecision(at=DAY, memory_id=one, what=HandVerb.PIN) for one in ids.values())
    pinned = replace(happening, decisions=pins)
    assert {text: one.state.value for text, one in live(pinned, 399 * DAY).items()} == {
        "I like tea.": "hot",
        "I like jam.": "kept",
    }
    unpin = tuple(replace(one, at=200 * DAY, what=HandVerb.UNPIN) for one in pins)
    found = live(replace(happening, decisions=(*pins, *unpin)), 202 * DAY)
    assert {text: one.state.value for text, one in found.items()} == {"I like tea.": "archived"}


def test_a_kind_that_is_permanent_stays_in_the_archive() -> None:
    turn = said(1, "I like tea.", "tea", ask=(TurnVerb.REMEMBER, "I like tea."))
    happening = replace(
        happened(turn, nights=800), policy=policy_from({"retention": {"fact": "permanent", "turn": 40}})
    )
    assert only(happening, 799 * DAY).state is TierState.ARCHIVED
    assert happening.life().turns_at(41 * DAY)["t1"].state == "deleted"


# -- by hand -------------------------------------------------------------------------------


def test_a_text_by_hand_wins_over_later_nights_and_gives_way_to_a_correction() -> None:
    ask = TurnVerb.REMEMBER
    turns = (
        said(1, "I like green tea.", "tea", ask=(ask, "I like green tea."), like="tea"),
        said(2, "I enjoy green tea.", "tea", day=3, ask=(ask, "I enjoy green tea."), like="tea"),
        said(3, "Actually I enjoy black tea.", "tea", day=9, correct=("", "black"), like="tea"),
    )
    happening = happened(*turns, nights=15)
    memory_id = only(happening, 2 * DAY).memory_id
    edit = HandDecision(at=2 * DAY, memory_id=memory_id, what=HandVerb.EDIT, text="Ann likes tea.")
    edited = replace(happening, decisions=(edit,))
    now = only(edited, 5 * DAY)
    assert (now.text, now.sources) == ("Ann likes tea.", ("t1", "t2"))
    assert "Ann likes tea." not in live(edited, 9 * DAY)


def test_decisions_about_what_is_not_there_do_nothing() -> None:
    happening = happened(said(1, "I like tea.", "tea"), nights=3)
    nowhere = tuple(
        HandDecision(at=DAY, memory_id="m-none", what=what, text="x" if what is HandVerb.EDIT else "")
        for what in HandVerb
    )
    assert replace(happening, decisions=nowhere).life() == happening.life()


# -- what is refused -----------------------------------------------------------------------


def test_nonsense_is_refused() -> None:
    with pytest.raises(InputError, match="two turns"):
        happened(said(1, "a", "a"), said(1, "b", "b")).life()
    with pytest.raises(InputError, match="characters 0 to 9"):
        replace(said(1, "tea", "tea"), statements=(SaidStatement(start=0, end=9, kind=ItemKind.FACT),))
    with pytest.raises(InputError, match="new text"):
        HandDecision(at=0, memory_id="m", what=HandVerb.EDIT)
    with pytest.raises(InputError, match="new text"):
        HandDecision(at=0, memory_id="m", what=HandVerb.PIN, text="x")


def test_vectors_that_cannot_be_compared_are_refused() -> None:
    ask = TurnVerb.REMEMBER
    turns = [said(n, f"Tea {n}.", "tea", ask=(ask, f"Tea {n}.")) for n in range(2)]
    short = [replace(one, vector=np.ones(n + 2, dtype=np.float32)) for n, one in enumerate(turns)]
    with pytest.raises(InputError, match="one embedder"):
        happened(*short, nights=2).life()
    broken = replace(turns[0], vector=np.array([np.nan, 1.0], dtype=np.float32))
    with pytest.raises(InputError, match="not finite"):
        happened(broken, nights=2).life()
