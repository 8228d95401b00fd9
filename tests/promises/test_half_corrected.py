"""A turn of which one statement is corrected keeps the others, wherever it is given to anybody."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kataribe.domain.conversation.turns import Turn
from kataribe.domain.recall.context import Component
from kataribe.domain.terms import Language
from kataribe.domain.text.without import without
from kataribe.testing.fakes import FrozenClock
from support.talk import talk, turn

SAID: dict[Language, tuple[str, str]] = {
    "en": (
        "I live in Osaka. My cat is called Momo, write to momo@example.com about her.",
        "I do not live in Osaka any more. I live in Kyoto.",
    ),
    "ja": (
        "私は大阪に住んでいます。猫はモモといって、連絡先はmomo@example.comです。",
        "もう大阪には住んでいません。京都に住んでいます。",
    ),
}
LEFT: dict[Language, str] = {
    "en": "… My cat is called Momo, write to momo@example.com about her.",
    "ja": "…猫はモモといって、連絡先はmomo@example.comです。",
}
ASKED: dict[Language, str] = {"en": "What is my cat called?", "ja": "猫の名前は？"}
KEYWORDS: dict[Language, tuple[str, str]] = {"en": ("Momo", "Osaka"), "ja": ("モモ", "大阪")}
LANGUAGES: tuple[Language, ...] = ("en", "ja")


def turns_of(language: Language, *more: str) -> list[Turn]:
    said = [
        turn(number, text, speaker="u", to=["rin"]) for number, text in enumerate((*SAID[language], *more), 1)
    ]
    return [replace(one, session=f"s{one.turn_id}") for one in said]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_still_so_is_given_and_what_is_not_is_left_out(tmp_path: Path, language: Language) -> None:
    turns = turns_of(language)
    with talk(tmp_path / "t.db", turns, language=language) as store:
        viewer = store.viewer(user="u", persona="rin")
        for hits in (viewer.recall(ASKED[language]).hits, viewer.known().hits):
            assert {hit.fact_id: hit.text for hit in hits}["t1"] == LEFT[language]
        name, old = KEYWORDS[language]
        assert [hit.turn_id for hit in viewer.search_log([name]).hits] == ["t1"]
        assert [hit.turn_id for hit in viewer.search_log([old]).hits] == ["t2"]
        assert SAID[language][0] not in viewer.context(ASKED[language], min_relevance=0).text
        before = store.viewer(user="u", persona="rin", as_of=turns[0].time)
        assert [hit.text for hit in before.known().hits] == [SAID[language][0]], "it was so then"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_at_hand_leaves_it_out_too(tmp_path: Path, language: Language) -> None:
    turns = [replace(one, session="s") for one in turns_of(language)]
    clock = FrozenClock(turns[1].time + timedelta(minutes=1))
    with talk(tmp_path / "t.db", turns, language=language, parts={"clock": clock}) as store:
        short = store.context("?", user="u", persona="rin", top_k=1).part(Component.SHORT)
        assert short is not None
        told = store.viewer(user="u", persona="rin").with_words(short.text)
        assert [line for line in told.split("\n") if line.startswith("- ")] == [
            f"- u: {LEFT[language]}",
            f"- u: {SAID[language][1]}",
        ]


def test_a_turn_of_which_nothing_is_left_goes_as_a_whole(tmp_path: Path) -> None:
    more = "I do not have a cat called Momo any more, and momo@example.com is not in use any more."
    with talk(tmp_path / "t.db", turns_of("en", more, "My cat is not called Momo any more.")) as store:
        assert "t1" not in {hit.fact_id for hit in store.viewer(user="u", persona="rin").known().hits}


def test_a_turn_that_says_the_old_value_twice_goes_as_a_whole(tmp_path: Path) -> None:
    texts = ("I live in Osaka. I like that I live in Osaka by the river.", SAID["en"][1])
    turns = [turn(number, text, speaker="u", to=["rin"]) for number, text in enumerate(texts, 1)]
    with talk(tmp_path / "t.db", turns) as store:
        assert "t1" not in {hit.fact_id for hit in store.viewer(user="u", persona="rin").known().hits}


@pytest.mark.parametrize(
    ("text", "places", "left"),
    [
        ("I live in Osaka. I have a cat.", [(0, 15)], "… I have a cat."),
        ("大阪にいます。猫がいます！", [(0, 6)], "…猫がいます！"),
        ("One. Two! Three?", [(5, 8)], "One. … Three?"),
        ("One. Two. Three.", [(0, 3), (10, 15)], "… Two. …"),
        ("All of it", [(0, 9)], "…"),
        ("Nothing of it", [], "Nothing of it"),
    ],
)
def test_places_are_left_out_with_the_marks_that_end_them(
    text: str, places: list[tuple[int, int]], left: str
) -> None:
    assert without(text, places) == left
