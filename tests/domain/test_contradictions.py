"""Contradictions told by rule: how many are found, and how many are seen where there are none.

The pairs in `story_checks` were written before the rules. `chosen` is what rules were written on;
`held_back` is only counted: nobody looks into it to mend a rule.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from conftest import outside
from kataribe.domain.story.contradictions import Clash, Statement, find_clashes
from kataribe.domain.terms import Language
from kataribe.domain.text.paragraphs import paragraphs, sentences

PAIRS = Path(__file__).parent.parent / "story_checks"
TELLERS = {"I", "俺", "私"}
LANGUAGES: tuple[Language, ...] = ("ja", "en")


def told(side: str, no: int, text: str, language: Language) -> list[Statement]:
    spans = sentences(text, 0, len(text), language)
    return [Statement(f"{side}:{n}", no, text[start:end]) for n, (start, end) in enumerate(spans)]


def clashes(pair: dict[str, Any], language: Language) -> list[Clash]:
    """Find what is between the two sides of a pair, in two episodes."""
    given = [*told("one", 2, pair["one"], language), *told("two", 4, pair["two"], language)]
    names = {name: [name] for name in pair["cast"] if name not in TELLERS}
    found = find_clashes(given, language, names)
    return [clash for clash in found if clash.one.split(":")[0] != clash.other.split(":")[0]]


def pairs(half: str, language: Language) -> list[dict[str, Any]]:
    lines = (PAIRS / f"{half}.{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("half", ["chosen", "held_back"])
def test_six_in_ten_planted_contradictions_are_found_and_one_in_twenty_innocent_pairs_at_most(
    half: str, language: Language
) -> None:
    given = pairs(half, language)
    found = [(pair["planted"], bool(clashes(pair, language))) for pair in given]
    assert (
        [planted for planted, _ in found].count(True) == [planted for planted, _ in found].count(False) == 30
    )
    assert found.count((True, True)) >= 0.60 * 30
    assert found.count((False, True)) <= 0.05 * 30


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_contradiction_is_found(language: Language) -> None:
    kinds = {
        clash.kind.value
        for pair in pairs("chosen", language)
        if pair["planted"]
        for clash in clashes(pair, language)
    }
    assert kinds == {"age", "date", "dead", "body", "thing", "kin", "place"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_two_sentences_are_named_in_story_order_and_it_is_said_what_differs(language: Language) -> None:
    for pair in pairs("chosen", language):
        for clash in clashes(pair, language):
            assert clash.one.startswith("one:"), pair
            assert clash.other.startswith("two:"), pair
            assert clash.says


def test_a_name_that_two_share_names_nobody() -> None:
    given = [Statement("a", 1, "Crane was dead."), Statement("b", 2, "Crane laughed.")]
    assert find_clashes(given, "en", {"crane": ["Crane"]})
    assert not find_clashes(given, "en", {"crane": ["Crane"], "brother": ["Crane"]})


CASTS: dict[str, dict[str, tuple[str, ...]]] = {
    "ja-botchan": {"kiyo": ("清",), "akashatsu": ("赤シャツ",), "noda": ("野だ",), "hotta": ("山嵐", "堀田")},
    "ja-ginga-tetsudo": {"g": ("ジョバンニ",), "c": ("カムパネルラ",), "z": ("ザネリ",)},
    "ja-sanshiro": {
        name: (name,) for name in ("三四郎", "美禰子", "与次郎", "野々宮", "広田", "よし子", "原口")
    },
    "en-jekyll-hyde": {
        name: (name,)
        for name in ("Utterson", "Jekyll", "Hyde", "Lanyon", "Poole", "Enfield", "Guest", "Carew")
    },
    "en-treasure-island": {
        "silver": ("Silver", "Long John"),
        "hawkins": ("Jim", "Hawkins"),
        "bones": ("Billy Bones",),
        **{
            name: (name,)
            for name in ("Livesey", "Trelawney", "Smollett", "Pew", "Flint", "Gray", "Redruth", "Dick")
        },
    },
}


@pytest.mark.parametrize("work", sorted(CASTS))
def test_a_novel_is_seldom_accused(work: str) -> None:
    language: Language = "ja" if work.startswith("ja") else "en"
    given = []
    for line in (outside(work) / "episodes.jsonl").read_text(encoding="utf-8").splitlines():
        episode = json.loads(line)
        for start, end in paragraphs(episode["text"]):
            given += told(
                f"{episode['episode_no']}:{start}",
                episode["episode_no"],
                episode["text"][start:end],
                language,
            )
    found = find_clashes(given, language, CASTS[work])
    assert len(given) > 700
    assert len(found) <= 2, found


def steps(given: list[Statement], language: Language, names: dict[str, list[str]]) -> int:
    """Count the lines of Python that run: that depends on no machine and no load."""
    counted = 0

    def line(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal counted
        counted += event == "line"
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        find_clashes(given, language, names)
    finally:
        sys.settrace(before)
    return counted


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_work_grows_with_the_sentences_and_not_with_their_pairs(language: Language) -> None:
    given = [side for pair in pairs("chosen", language) for side in (pair["one"], pair["two"])]
    names = {
        name: [name] for pair in pairs("chosen", language) for name in pair["cast"] if name not in TELLERS
    }

    def story(times: int) -> list[Statement]:
        return [Statement(f"{n}", n // 20 + 1, text) for n, text in enumerate(given * times)]

    find_clashes(story(1), language, names)
    few, many = steps(story(2), language, names), steps(story(8), language, names)
    assert many < 5 * few
