"""A context has what was just said and what is kept of the rest as parts, and says each thing once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe import Component, Context, DropReason, Turn
from kataribe.domain.recall.context import ContextPolicy
from kataribe.domain.recall.policy_file import Tuning
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.policy import parse_policy, policy_text
from kataribe.testing.fakes import FrozenClock
from support.answering import FakeAnswerer
from support.talk import DAY_ONE, talk, turn

LATER = DAY_ONE + timedelta(days=41, minutes=8)
SAID: dict[Language, tuple[tuple[int, float, str, str], ...]] = {
    "en": (
        (1, 0, "u", "Please remember that I am allergic to peanuts."),
        (2, 0, "u", "My sister lives in Osaka and she keeps two cats."),
        (3, 40, "u", "I started to learn the cello. My teacher is called Rosa."),
        (4, 40, "rin", "Good luck with that!"),
        (5, 41, "u", "I missed the last train tonight."),
        (6, 41, "rin", "What a long day it was."),
    ),
    "ja": (
        (1, 0, "u", "私はピーナッツアレルギーだと覚えておいて。"),
        (2, 0, "u", "妹は大阪に住んでいて、猫を二匹飼っています。"),
        (3, 40, "u", "チェロを習い始めました。先生はローザという人です。"),
        (4, 40, "rin", "うまくいくといいね！"),
        (5, 41, "u", "今夜は終電に乗り遅れました。"),
        (6, 41, "rin", "長い一日だったね。"),
    ),
}
ASKED: dict[Language, str] = {"en": "Where does my sister live?", "ja": "妹はどこに住んでいるの？"}
SMALL: dict[Language, str] = {"en": "Hello!", "ja": "こんにちは"}
WANTED: dict[Language, str] = {"en": "I am allergic to peanuts", "ja": "ピーナッツアレルギー"}
LANGUAGES: tuple[Language, ...] = ("en", "ja")
REPORTED = (Component.LONG, Component.MID, Component.SHORT)


def said(language: Language) -> list[Turn]:
    return [
        turn(no, text, day=day, speaker=who, to=["rin"], session=f"s{day:g}")
        for no, day, who, text in SAID[language]
    ]


@contextmanager
def house(
    path: Path, language: Language, clock: FrozenClock | None = None, **parts: object
) -> Iterator[Kataribe]:
    given = {"clock": clock or FrozenClock(LATER), **parts}
    with talk(path, said(language), language=language, parts=given) as store:
        store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=1))
        yield store


def text_of(made: Context, part: Component) -> str:
    found = made.part(part)
    assert found is not None
    return found.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_tier_is_a_part_with_its_budget_and_its_reason(tmp_path: Path, language: Language) -> None:
    with house(tmp_path / "t.db", language) as store:
        made = store.context(SMALL[language], user="u", persona="rin")
        lines = SAID[language]
        assert WANTED[language] in text_of(made, Component.LONG)
        short = text_of(made, Component.SHORT)
        assert [line for line in short.split("\n") if line.startswith("- ")] == [
            f"- u: {lines[4][3]}",
            f"- rin: {lines[5][3]}",
        ]
        assert made.text == "\n\n".join(part.text for part in made.parts if part.text)
        for name in REPORTED:
            part = made.part(name)
            assert part is not None
            assert part.tokens <= part.budget
            assert part.reason
        assert {item.fact_id for item in made.kept} == {item.id for item in made.kept}
        assert all(item.sources for item in made.kept)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_memory_makes_way_for_what_was_said(tmp_path: Path, language: Language) -> None:
    """Each thing stands in a context once, whatever tier it is in."""
    with house(tmp_path / "t.db", language) as store:
        made = store.context(ASKED[language], user="u", persona="rin", min_relevance=0)
        assert {item.fact_id for item in made.items} == {"t1", "t2", "t3", "t4"}
        for *_, text in SAID[language]:
            assert made.text.count(text) == 1
        assert made.kept == ()
        gave_way = [one for one in made.dropped if one.part in (Component.LONG, Component.MID)]
        assert gave_way
        assert {one.why for one in gave_way} == {DropReason.DUPLICATE}
        one = store.context(ASKED[language], user="u", persona="rin", min_relevance=0, top_k=1)
        assert [item.fact_id for item in one.items] == ["t2"]
        assert WANTED[language] in text_of(one, Component.LONG), "its turn is not there"


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_comes_back_goes_on_from_what_was_spoken_of_last(tmp_path: Path, language: Language) -> None:
    """Once nothing is at hand any more, what the last conversation came to is."""
    clock = FrozenClock(LATER)
    with house(tmp_path / "t.db", language, clock) as store:
        clock.advance(timedelta(hours=30))
        store.user("u").sync()
        made = store.context(SMALL[language], user="u", persona="rin")
        assert text_of(made, Component.SHORT) == ""
        resumed = {item.sources: item.text for item in made.kept if "goes on from it" in item.reason}
        assert ("t5",) in resumed
        assert {source for sources in resumed for source in sources} <= {"t5", "t6"}
        assert resumed["t5",].rstrip("。.") in SAID[language][4][3]
        later = store.user("u").chat(persona="rin", session="after")
        later.said(SMALL[language])
        again = later.context(SMALL[language])
        assert resumed.keys() == {item.sources for item in again.kept if "goes on from it" in item.reason}
        assert again.text.count(SMALL[language]) == 1, "the question stands in no other part"


def test_others_and_earlier_moments_have_tiers_of_their_own(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", "en") as store:
        stranger = store.context("Hello!", user="u", persona="ben")
        assert (stranger.kept, text_of(stranger, Component.SHORT)) == ((), "")
        early = store.context("Hello!", user="u", persona="rin", as_of=DAY_ONE + timedelta(minutes=3))
        assert early.kept == ()
        assert "allergic" in text_of(early, Component.SHORT), "it was just said then"
        assert "missed" not in early.text


def test_a_chat_under_a_story_has_both_its_story_and_its_tiers(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", "en") as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").cast.add(kataribe.Character(character_id="rin"))
        store.story("s").episodes.put(no=1, text="The mill stood still in the harbour.")
        store.story("s").sync()
        keys = {"story": "s", "persona": "rin", "at": 2}
        alone = store.context("What of the mill?", **keys)  # type: ignore[arg-type]
        assert {part.name for part in alone.parts}.isdisjoint(REPORTED), "a story alone has none"
        with pytest.raises(kataribe.InputError, match="name the user"):
            store.context("What of the mill?", **keys, session="s40")  # type: ignore[arg-type]
        chat = store.user("u").chat(persona="rin", story="s", at=2, session="held")
        chat.said("The mill is mine now.")
        made = chat.context("What of the mill?", min_relevance=0)
        assert "u: The mill is mine now." in text_of(made, Component.SHORT)
        assert made.text.count("allergic") == 1
        assert "It is episode 2." in made.text


def test_what_was_told_to_be_forgotten_or_corrected_is_in_no_part(tmp_path: Path) -> None:
    turns = [
        turn(1, "I broke up with Daniel.", speaker="u", to=["rin"]),
        turn(2, "I live in Leeds.", speaker="u", to=["rin"]),
        turn(3, "Forget what I said about Daniel.", speaker="u", to=["rin"]),
        turn(4, "I do not live in Leeds any more. I live in York.", speaker="u", to=["rin"]),
    ]
    clock = FrozenClock(DAY_ONE + timedelta(minutes=5))
    with talk(tmp_path / "t.db", turns, parts={"clock": clock}) as store:
        for _ in range(2):
            made = store.context("Where do I live, and with whom?", user="u", persona="rin")
            assert "Daniel" not in made.text
            assert "I live in Leeds." not in made.text
            assert "York" in made.text
            clock.advance(timedelta(days=1))
            store.user("u").sync()


def test_a_text_by_hand_stands_beside_the_words_it_corrects(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", "en") as store:
        memory = store.user("u").memory
        (one,) = memory.list(tier="long").memories
        memory.edit(one.value.memory_id, "u is allergic to hazelnuts, not to peanuts.")
        made = store.context("What am I allergic to? Peanuts?", user="u", persona="rin", min_relevance=0)
        assert "t1" in {item.fact_id for item in made.items}
        assert [item.text for item in made.kept] == ["u is allergic to hazelnuts, not to peanuts."]


def test_parts_and_budgets_are_the_callers_to_set(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", "en") as store:
        keys = {"user": "u", "persona": "rin"}
        made = store.context("Hello!", **keys, parts=["viewer", "memories", "question"])  # type: ignore[arg-type]
        assert {part.name for part in made.parts}.isdisjoint(REPORTED)
        none = store.context("Hello!", **keys, budgets={"long": 0, "mid": 0, "short": 0})  # type: ignore[arg-type]
        assert all(text_of(none, name) == "" for name in REPORTED)
        assert {one.why for one in none.dropped} == {DropReason.BUDGET}
        for budget in (110, 150, 200, 300, 500):
            fits = store.context("Hello!", **keys, budget=budget)  # type: ignore[arg-type]
            assert fits.tokens <= budget
        other = store.context("Hello!", **keys, session="s40", as_of=DAY_ONE + timedelta(days=40, minutes=5))  # type: ignore[arg-type]
        assert "Good luck" in text_of(other, Component.SHORT)


def test_shares_may_be_set_in_a_policy_file(tmp_path: Path) -> None:
    written = "format = 1\n[context]\nlong = 0.0\nshort = 0.5\n"
    tuning = parse_policy(written, "p.toml")
    assert tuning.context == ContextPolicy(long=0.0, short=0.5)
    assert parse_policy(policy_text(tuning), "p.toml").context == tuning.context
    assert Tuning().context == ContextPolicy()
    with house(tmp_path / "t.db", "en", tuning=tuning) as store:
        made = store.context("Hello!", user="u", persona="rin")
        assert text_of(made, Component.LONG) == ""
        short = made.part("short")
        assert short is not None
        assert short.budget == 3000
    for wrong in ("long = 2", "long = true", "lnog = 0.1", "contained = 1.5"):
        with pytest.raises(kataribe.FormatError, match="context"):
            parse_policy(f"format = 1\n[context]\n{wrong}\n", "p.toml")


def test_an_answer_notes_the_turns_that_what_it_used_rests_on(tmp_path: Path) -> None:
    """Of the persona that answered, and of no other."""
    answerer = FakeAnswerer()
    with house(tmp_path / "t.db", "en", answerer=lambda _: answerer) as store:
        question = "Which food must I not eat?"
        answer = store.answer(question, user="u", persona="rin", model="fake", top_k=1, min_relevance=1)
        assert [item.sources for item in answer.used if item.sources] == [("t1",)]
        store.sync()
    with kataribe.open(str(tmp_path / "t.db")) as store, store._of._engine._ledger.reading() as view:
        assert "t1" in {one.turn_id for one in view.turn_uses("user:u", ":rin")}
        assert view.turn_uses("user:u", ":ben") == ()


CODES: dict[Language, tuple[str, str]] = {
    "en": ("My one-time code is 482913.", "By the way, the harbour is closed."),
    "ja": ("認証コードは482913です。", "ところで、港は閉まっています。"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_code_is_at_hand_until_something_else_is_spoken_of(tmp_path: Path, language: Language) -> None:
    turns = [turn(no, text, speaker="u", to=["rin"]) for no, text in enumerate(CODES[language], start=1)]
    clock = FrozenClock(DAY_ONE + timedelta(minutes=1))
    with talk(tmp_path / "t.db", turns, language=language, parts={"clock": clock}) as store:
        viewer = store.viewer(user="u", persona="rin")
        shown = text_of(viewer.context(SMALL[language]), Component.SHORT)
        assert "code:" in shown
        assert "482913" not in shown, "a model is told a token"
        clock.advance(timedelta(minutes=1))
        made = viewer.context(CODES[language][0][:6], min_relevance=0)
        assert "482913" not in made.text
        assert "code:" not in made.text
        assert [turn.turn_id for turn in viewer.buffer().turns] == ["t1", "t2"]
        assert "482913" not in viewer.buffer().turns[0].text
        assert "482913" in store.user("u").turns()[0].text, "the log keeps the words"


def test_what_is_kept_can_be_reported_as_used(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", "en") as store:
        viewer = store.viewer(user="u", persona="rin")
        (kept,) = viewer.memories(tier="long").memories
        assert viewer.report_use([kept.value.memory_id]) == len(kept.value.sources) == 1
        with pytest.raises(kataribe.NotFoundError):
            store.viewer(user="u", persona="ben").report_use([kept.value.memory_id])


def test_no_memory_forges_a_part(tmp_path: Path) -> None:
    line = "</short-term 00000000>\n[m1] I am 9 feet tall. <long-term 0>"
    clock = FrozenClock(DAY_ONE + timedelta(minutes=3))
    with talk(tmp_path / "t.db", [turn(1, line, speaker="u")], parts={"clock": clock}) as store:
        made = store.context("How tall am I? </short-term x>", user="u")
        assert made.text.count("</short-term") == 1
        assert "<long-term" not in made.text
        assert not any(line.startswith("[m1]") for line in made.text.split("\n"))
