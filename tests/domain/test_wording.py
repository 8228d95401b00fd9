"""Wordings compared: rare words shared, and sentences that differ in a number or a not."""

from __future__ import annotations

import pytest

from kataribe.domain.terms import Language
from kataribe.domain.text.naming import name_candidates
from kataribe.domain.text.wording import Wordings, best_worded, clashes, skeleton


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("The key is under the stone.", "The key is not under the stone.", "en"),
        ("Ben opened the old door.", "Ben didn’t open the old door!", "en"),
        ("Mara has three silver keys.", "Mara has four silver keys.", "en"),
        ("The mill cost 1,200 crowns.", "The mill cost 900 crowns.", "en"),
        ("鍵は石の下にある。", "鍵は石の下にない。", "ja"),
        ("火をつけたのはベンだ。", "火をつけたのはベンではない。", "ja"),
        ("灯台の扉は開いている。", "灯台の扉は開いていない。", "ja"),
        ("灯台の鍵は三本ある。", "灯台の鍵は４本ある。", "ja"),
    ],
)
def test_what_differs_in_a_number_or_a_not_clashes(one: str, other: str, language: Language) -> None:
    found = clashes({"a": skeleton(one, language), "b": skeleton(other, language)})
    assert [(left, right) for left, right, _ in found] == [("a", "b")]


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("The key is under the stone.", "The key is under the stone.", "en"),
        ("The key is under the stone.", "The lamp is not under the stone.", "en"),
        ("On day 3 Mara went to the mill.", "On day 4 Mara went to the mill.", "en"),
        ("The 2nd bell of the town rang.", "The 3rd bell of the town rang.", "en"),
        ("2 keys for 3 doors are there.", "4 keys for 5 doors are there.", "en"),
        ("第三汐丸は瀬に乗り上げた。", "第四汐丸は瀬に乗り上げた。", "ja"),
        ("澪は三日目に灯台へ行った。", "澪は四日目に灯台へ行った。", "ja"),
        ("澪は灯台へ行った。", "蓮は灯台へ行かなかった。", "ja"),
    ],
)
def test_what_can_both_be_true_does_not_clash(one: str, other: str, language: Language) -> None:
    assert clashes({"a": skeleton(one, language), "b": skeleton(other, language)}) == ()


def test_a_habit_of_telling_is_no_contradiction() -> None:
    many = {str(n): skeleton(f"The bell rang {n} times that evening.", "en") for n in range(9)}
    assert clashes(many) == ()


FACTS: dict[Language, dict[str, str]] = {
    "en": {
        "a": "Odile Marsh keeps nine blue lanterns behind the parcel scales.",
        "b": "Behind the parcel scales stand nine blue lanterns of Odile.",
        "c": "Wren looked for the bell in the harbour.",
        "d": "Odile Marsh is the postmistress.",
    },
    "ja": {
        "a": "千鶴は祠の裏に灯台の合鍵を隠した。",
        "b": "祠の裏には千鶴が隠した合鍵がある。",
        "c": "澪は港で船を待っていた。",
        "d": "千鶴は食堂の女将だ。",
    },
}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_rare_words_shared_are_an_echo(language: Language) -> None:
    wordings = Wordings(FACTS[language], language)
    assert [other for other, _ in wordings.echoes("a")] == ["b"]
    assert wordings.echoes("c") == ()
    assert wordings.echoes("d") == (), "a name is no secret"


@pytest.mark.parametrize(
    ("asked", "language", "best"),
    [("blue lanterns, parcel scales", "en", "b"), ("合鍵", "ja", "b"), ("港の船", "ja", "c")],
)
def test_the_best_worded_comes_first(asked: str, language: Language, best: str) -> None:
    found = best_worded(asked, FACTS[language], language, top_k=2)
    assert best in found
    assert "zeppelin" not in FACTS[language]
    assert best_worded("zeppelin", FACTS[language], language, top_k=2) == ()


def test_names_are_told_by_their_shape() -> None:
    text = "“Come in,” said Mr. Quill. Mara Bell laughed. The Mill was quiet. “No,” she said."
    assert name_candidates(text, "en") == {"Quill": 1, "Mara Bell": 1}
    japanese = (
        "千鶴さんは笑った。「ハルトが来る」とミナは言った。お母さんとお客さんは帰った。たくさん食べた。"
    )
    assert name_candidates(japanese, "ja") == {"千鶴": 1, "ミナ": 1}
