"""Where a user is to be asked first, nothing is remembered before it agrees, and nothing after it refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.domain.privacy.profile import ConsentStep
from kataribe.domain.terms import Language
from kataribe.errors import InputError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Words(NamedTuple):
    language: Language
    fact: str
    ask: str
    yes: str
    no: str
    about: str
    aside: str


JA = Words(
    "ja",
    "京都の祇園に住んでいる",
    "はじめまして。話してくれたことを覚えておいてもいいですか？",
    "うん、いいよ",
    "いいえ、結構です",
    "祇園",
    "そういえば昨日は雨だったね",
)
EN = Words(
    "en",
    "I live in the old mill by the river",
    "Nice to meet you. May I remember what you tell me?",
    "Yes, please.",
    "No, thanks.",
    "mill",
    "By the way, it rained yesterday",
)
BOTH = pytest.mark.parametrize("told", [JA, EN], ids=["ja", "en"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    return empty_store(tmp_path / "db" / "k.db")


@pytest.fixture
def k(path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(path)) as made:
        for words in (JA, EN):
            made.user(words.language).create(language=words.language, embedder="hash")
        yield made


def turn(
    user: str,
    at: int,
    text: str,
    *,
    speaker: str | None = None,
    held: Sequence[str] = ("himuro",),
    session: str = "s",
) -> kataribe.Turn:
    return kataribe.Turn(
        turn_id=f"{session}{at}",
        session=session,
        speaker=speaker or user,
        text=text,
        time=NOON + timedelta(minutes=at),
        audience=kataribe.known_by(*held) if held else kataribe.PUBLIC,
    )


def say(k: Kataribe, user: str, *turns: kataribe.Turn) -> None:
    k.user(user).put_turns(turns)
    k.sync()


def talk(told: Words, *, reply: str | None, held: Sequence[str] = ("himuro",)) -> list[kataribe.Turn]:
    user = told.language
    said = [
        turn(user, 0, told.fact, held=held),
        turn(user, 1, told.ask, speaker="himuro", held=held),
    ]
    return said if reply is None else [*said, turn(user, 2, reply, held=held)]


def found(k: Kataribe, told: Words, persona: str | None = "himuro") -> list[str]:
    viewer = k.viewer(user=told.language, as_of=NOON + timedelta(days=400), persona=persona)
    recalled = [hit.text for hit in viewer.recall(told.about).hits]
    logged = [hit.text for hit in viewer.search_log([told.about]).hits]
    kept = [one.value.text for one in viewer.memories().memories]
    threads = [said.text for one in viewer.threads().threads for said in one.thread.turns]
    linked = [told.fact] * (told.about in repr(viewer.associate(told.about).found))
    return [*recalled, *logged, *kept, *threads, *linked]


def night(k: Kataribe, user: str, *, days: float) -> kataribe.NightReport:
    return k.user(user).memory.nightly(at=NOON + timedelta(days=days))


@BOTH
def test_nothing_is_remembered_before_the_user_agrees_and_all_of_it_after(k: Kataribe, told: Words) -> None:
    k.user(told.language).profile.require()
    say(k, told.language, *talk(told, reply=None))
    night(k, told.language, days=0.01)
    assert found(k, told) == []
    say(k, told.language, turn(told.language, 2, told.yes))
    assert told.fact in found(k, told)
    (given,) = [one for one in k.user(told.language).profile.consents() if one.key == "remember:himuro"]
    assert (given.step, given.evidence.turn_id) == (ConsentStep.GIVEN, "s2")
    assert k.verify().problems == ()


@BOTH
def test_within_the_session_what_was_said_is_at_hand_all_the_same(k: Kataribe, told: Words) -> None:
    k.user(told.language).profile.require()
    say(k, told.language, *talk(told, reply=told.no))
    viewer = k.viewer(user=told.language, persona="himuro", as_of=NOON + timedelta(minutes=3))
    assert [one.text for one in viewer.buffer().turns] == [told.fact, told.ask, told.no]
    assert told.fact in viewer.context(told.about).text
    later = k.viewer(user=told.language, persona="himuro", as_of=NOON + timedelta(days=1))
    assert told.fact not in later.context(told.about).text


@BOTH
def test_the_question_stands_in_the_context_until_it_was_asked(k: Kataribe, told: Words) -> None:
    def asks(minute: int) -> bool:
        viewer = k.viewer(user=told.language, persona="himuro", as_of=NOON + timedelta(minutes=minute))
        style = [part for part in viewer.context(told.aside).parts if part.name == "style"]
        return any("not asked yet" in part.reason for part in style)

    assert not asks(0)
    k.user(told.language).profile.require("himuro")
    say(k, told.language, turn(told.language, 0, told.fact))
    assert asks(0)
    say(k, told.language, turn(told.language, 1, told.ask, speaker="himuro"))
    assert not asks(1)
    say(k, told.language, turn(told.language, 2, told.aside))
    assert not asks(2)
    assert found(k, told) == []


@BOTH
def test_a_yes_counts_as_the_reply_to_the_question_alone(k: Kataribe, told: Words) -> None:
    k.user(told.language).profile.require()
    say(
        k,
        told.language,
        turn(told.language, 0, told.fact),
        turn(told.language, 1, told.yes),
        turn(told.language, 2, told.ask, speaker="himuro"),
        turn(told.language, 3, told.aside),
        turn(told.language, 4, told.yes),
        turn(told.language, 5, told.ask, speaker="himuro", session="other"),
        turn(told.language, 6, told.yes, speaker="mallory", session="other"),
    )
    assert found(k, told) == []


@BOTH
def test_a_refusal_holds_and_what_was_said_before_it_never_comes_back(k: Kataribe, told: Words) -> None:
    profile = k.user(told.language).profile
    profile.require()
    say(k, told.language, *talk(told, reply=told.no))
    profile.waive()
    profile.give("remember", by_hand=True)
    assert found(k, told) == []
    night(k, told.language, days=1)
    assert k.user(told.language).turns() == ()
    say(k, told.language, turn(told.language, 2000, told.fact, session="later"))
    assert found(k, told) == []
    profile.give("remember:himuro", by_hand=True)
    say(k, told.language, turn(told.language, 10**6, told.fact, session="anew"))
    assert told.aside not in found(k, told)
    assert k.verify().problems == ()


@BOTH
def test_what_nobody_answered_goes_at_night_once_it_is_at_hand_no_more(path: Path, told: Words) -> None:
    clock, user = FrozenClock(NOON), told.language
    with kataribe.open(str(path), services=kataribe.default_services(clock)) as k:
        k.user(user).create(language=user, embedder="hash")
        say(k, user, turn(user, -9, told.aside))
        k.user(user).profile.require("himuro")
        say(k, user, turn(user, 1, told.fact), turn(user, 1, told.fact, held=("mio",), session="m"))
        for hours, left in ((1, 3), (2, 3), (3, 2)):
            clock.set(NOON + timedelta(hours=hours))
            assert k.user(user).memory.nightly().let_go == 3 - left
            assert len(k.user(user).turns()) == left
        # What was said before it was asked for is given to nobody, and stays for the answer.
        assert told.aside not in found(k, told)
        k.user(user).profile.give("remember:himuro", by_hand=True)
        k.sync()
        assert told.aside in repr(k.viewer(user=user, persona="himuro").recall(told.aside))


@BOTH
def test_each_persona_is_asked_for_and_the_others_remember_on(k: Kataribe, told: Words) -> None:
    k.user(told.language).profile.require("himuro")
    say(k, told.language, turn(told.language, 0, told.fact, held=("himuro", "mio")))
    assert found(k, told) == []
    assert told.fact in found(k, told, "mio")
    k.user(told.language).profile.give("remember:himuro", by_hand=True)
    k.sync()
    assert told.fact in found(k, told)


@BOTH
def test_what_is_told_to_all_needs_the_consent_to_all(k: Kataribe, told: Words) -> None:
    k.user(told.language).profile.require()
    say(k, told.language, turn(told.language, 0, told.fact, held=()))
    k.user(told.language).profile.give("remember:himuro", by_hand=True)
    k.sync()
    assert (found(k, told), found(k, told, None)) == ([], [])
    k.user(told.language).profile.give("remember", by_hand=True)
    k.sync()
    assert told.fact in found(k, told, None)


@BOTH
def test_withdrawing_takes_what_was_remembered_and_the_words_where_nobody_else_has_them(
    k: Kataribe, told: Words
) -> None:
    say(
        k,
        told.language,
        turn(told.language, 0, told.fact),
        turn(told.language, 1, told.fact, held=("himuro", "mio"), session="t"),
    )
    night(k, told.language, days=1)
    before = found(k, told, "mio")
    k.user(told.language).profile.withdraw("remember:himuro")
    assert found(k, told) == []
    k.sync()
    assert found(k, told) == []
    assert found(k, told, "mio") == before
    assert [one.turn_id for one in k.user(told.language).turns()] == ["t1"]
    k.user(told.language).profile.give("remember:himuro", by_hand=True)
    k.sync()
    assert found(k, told) == []
    assert k.verify().problems == ()


@BOTH
def test_no_profile_is_made_of_what_may_not_be_remembered(k: Kataribe, told: Words) -> None:
    profile = k.user(told.language).profile
    profile.require()
    wish = "敬語で話して" if told.language == "ja" else "Please speak formally."
    say(k, told.language, turn(told.language, 0, wish))
    assert profile.show() == ()
    say(
        k,
        told.language,
        turn(told.language, 1, told.ask, speaker="himuro"),
        turn(told.language, 2, told.yes),
    )
    assert [one.key for one in profile.show()] == ["honorific"]
    profile.withdraw("remember")
    assert profile.show() == ()


def test_a_consent_has_no_value_and_names_a_persona(k: Kataribe) -> None:
    profile = k.user("en").profile
    with pytest.raises(InputError, match="consent"):
        profile.set("remember", True, by_hand=True)
    with pytest.raises(InputError, match="persona"):
        profile.give("remember:a:b", by_hand=True)
    with pytest.raises(InputError):
        profile.require("world")


@BOTH
def test_whoever_is_not_asked_for_sees_no_difference(tmp_path: Path, told: Words) -> None:
    """What others consented to changes no byte of what a viewer is given (P2)."""

    def lived(name: str, *, asks: bool) -> list[object]:
        (tmp_path / name).mkdir()
        with kataribe.open(str(empty_store(tmp_path / name / "k.db"))) as made:
            made.user(told.language).create(language=told.language, embedder="hash")
            if asks:
                made.user(told.language).profile.require("himuro")
                say(made, told.language, *talk(told, reply=told.no))
            say(made, told.language, turn(told.language, 9, told.fact, held=("mio",), session="m"))
            night(made, told.language, days=2)
            viewer = made.viewer(user=told.language, persona="mio", as_of=NOON + timedelta(days=3))
            return [
                viewer.recall(told.about),
                viewer.memories().memories,
                viewer.context(told.about).text,
                viewer.threads(),
            ]

    assert repr(lived("a", asks=True)) == repr(lived("b", asks=False))


@settings(max_examples=12)
@given(data=st.data())
def test_consent_is_that_of_the_turns_in_whatever_order_they_come(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    told = data.draw(st.sampled_from([JA, EN]))
    user = told.language
    lines = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from([told.fact, told.ask, told.yes, told.no, told.aside]),
                st.sampled_from([("himuro",), ("mio",), ("himuro", "mio"), ()]),
            ),
            min_size=2,
            max_size=7,
        )
    )
    turns = [
        turn(user, at, text, speaker="himuro" if text == told.ask else user, held=held)
        for at, (text, held) in enumerate(lines)
    ]
    order = data.draw(st.permutations(turns))
    gone = data.draw(st.sets(st.sampled_from([one.turn_id for one in turns])))
    left = [one for one in turns if one.turn_id not in gone]

    def lived(steps: Sequence[Sequence[kataribe.Turn]], *, drops: bool) -> list[object]:
        path = empty_store(tmp_path_factory.mktemp("k") / "k.db")
        with kataribe.open(str(path)) as made:
            made.user(user).create(language=user, embedder="hash")
            made.user(user).profile.require()
            for each in steps:
                made.user(user).put_turns(each)
            if drops:
                made.user(user).delete_turns(gone)
            made.sync()
            assert made.verify().problems == ()
            return [found(made, told, persona) for persona in ("himuro", "mio", None)]

    assert lived([[one] for one in order], drops=True) == lived([left] if left else [], drops=False)
