"""The rules of searching past logs, each by its row."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import timedelta

import hypothesis.strategies as st
import pytest
from hypothesis import given

import kataribe
from kataribe.domain.conversation.turns import Turn, turn_memories
from kataribe.domain.gate import EPOCH
from kataribe.domain.memory import Memory
from kataribe.domain.recall.log_search import (
    AUTOMATIC,
    SEARCH_TOOL,
    LogSearchPolicy,
    cut,
    distinctive,
    folded,
    search,
    slots,
)
from kataribe.domain.space import user_space

SPACE = user_space("u")
LONG_ENOUGH = " and this goes on for long enough to be kept"


def turn(at: int, text: str, *, speaker: str = "Ann", caption: str | None = None) -> Memory:
    made = Turn(
        turn_id=f"t{at}",
        session="1",
        speaker="Ann",
        text=text,
        time=EPOCH + timedelta(minutes=at),
        caption=caption,
    )
    memory = turn_memories(SPACE, made)[0]
    assert memory.said is not None
    # Named afterwards: of the system no memory is made, but older releases made them.
    return replace(memory, said=replace(memory.said, speaker=speaker))


def found(
    turns: list[Memory], *keywords: str, policy: LogSearchPolicy = SEARCH_TOOL, seed: int = 0
) -> list[str]:
    return [hit.turn_id for hit in search(turns, keywords, policy, seed=seed)[0]]


def test_two_newest_and_two_oldest_come_newest_first() -> None:
    """S4-93."""
    turns = [turn(at, f"{at} the harbour{LONG_ENOUGH}") for at in range(9)]
    assert found(turns, "harbour") == ["t8", "t7", "t1", "t0"]
    assert found(list(reversed(turns)), "harbour") == ["t8", "t7", "t1", "t0"]


def test_one_from_between_is_drawn_by_the_seed() -> None:
    """S4-74: five, and the same five for the same seed."""
    turns = [turn(at, f"{at} the harbour{LONG_ENOUGH}") for at in range(40)]
    drawn = {seed: found(turns, "harbour", policy=AUTOMATIC, seed=seed) for seed in range(30)}
    for seed, ids in drawn.items():
        assert len(ids) == 5
        assert [*ids[:2], *ids[3:]] == ["t39", "t38", "t1", "t0"]
        assert ids == found(turns, "harbour", policy=AUTOMATIC, seed=seed)
    assert len({ids[2] for ids in drawn.values()}) > 10, "the lot is not always the same"


@given(
    st.integers(0, 30),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(-5, 5),
)
def test_slots_are_filled_without_overlap(
    count: int, newest: int, oldest: int, middle: int, seed: int
) -> None:
    """S4-94: each once; as many as there are, up to the sum of the slots."""
    policy = LogSearchPolicy(newest=newest, oldest=oldest, middle=middle)
    chosen = slots(count, policy, seed=seed)
    assert list(chosen) == sorted(set(chosen))
    assert len(chosen) == min(count, newest + oldest + middle)
    assert set(chosen) <= set(range(count))
    if newest:
        assert chosen[-newest:] == tuple(range(max(0, count - newest), count))
    if oldest:
        assert chosen[:oldest] == tuple(range(min(oldest, count)))


def test_what_begins_alike_comes_once() -> None:
    """S4-75: the first 200 characters of normalised text; the newest is kept."""
    start = "the harbour " + "x" * 188
    turns = [turn(0, f"{start}A"), turn(1, f"{start}  B"), turn(2, f"the harbour is another{LONG_ENOUGH}")]
    assert found(turns, "harbour") == ["t2", "t1"]
    turns.append(turn(3, f"{start[:-1]}y"))
    assert found(turns, "harbour") == ["t3", "t2", "t1"]


def test_the_system_is_not_searched() -> None:
    """S4-76."""
    turns = [
        turn(at, f"the harbour {at}{LONG_ENOUGH}", speaker=who)
        for at, who in enumerate(("system", "SYSTEM", "Ｓｙｓｔｅｍ", "System Ann", "Ann", "Tool"))
    ]
    assert found(turns, "harbour") == ["t4", "t3"]


def test_short_turns_are_skipped_and_long_ones_cut_around_the_word() -> None:
    """S4-77."""
    long = f"{'a ' * 400}HARBOUR{' b' * 400}"
    turns = [turn(0, "the harbour"), turn(1, "harbour".ljust(30, "!")), turn(2, long)]
    hits, matched = search(turns, ["harbour"], AUTOMATIC, seed=0)
    assert [hit.turn_id for hit in hits] == ["t2", "t1"]
    assert matched == 2
    assert (hits[0].is_cut, hits[0].characters, len(hits[0].text)) == (True, len(long), 500)
    assert "HARBOUR" in hits[0].text
    assert hits[0].text in long
    assert not hits[1].is_cut
    policy = LogSearchPolicy(shortest=0, longest=10)
    assert found(turns, "harbour", policy=policy) == ["t2", "t1", "t0"]
    # Who searches on purpose gets the short ones too.
    on_purpose, matched = search(turns, ["harbour"], SEARCH_TOOL, seed=0)
    assert ([hit.turn_id for hit in on_purpose], matched) == (["t2", "t1", "t0"], 3)
    assert on_purpose[0].is_cut


@given(st.text(max_size=80), st.text(min_size=1, max_size=8), st.text(max_size=80), st.integers(1, 60))
def test_a_cut_text_is_a_part_of_it(before: str, word: str, after: str, longest: int) -> None:
    text = before + word + after
    shown, is_cut = cut(text, word, longest)
    assert shown in text
    assert len(shown) == min(len(text), longest)
    assert is_cut is (len(text) > longest)


def test_the_end_that_is_in_context_is_left_out() -> None:
    """S4-73, S4-95: turns of people are counted, the system's are not."""
    turns = [turn(at, f"the harbour {at}{LONG_ENOUGH}") for at in range(4)]
    turns.append(turn(9, "be brief", speaker="system"))
    assert found(turns, "harbour", policy=LogSearchPolicy(exclude_last=2)) == ["t1", "t0"]
    assert found(turns, "harbour", policy=LogSearchPolicy(exclude_last=99)) == []


def test_words_match_in_any_width_and_case() -> None:
    turns = [
        turn(0, "ﾊｰﾊﾞｰの灯台で、ＡＢＣ社の人に会ったという話を聞いたのはいつだったろう。"),
        turn(1, f"We met at ABC{LONG_ENOUGH}"),
        turn(2, f"nothing to see{LONG_ENOUGH}", caption="the ABC building"),
    ]
    assert found(turns, "abc") == ["t2", "t1", "t0"]
    assert found(turns, "ハーバー") == ["t0"]
    hits, _ = search(turns, ["灯台", "abc"], SEARCH_TOOL, seed=0)
    assert [hit.keywords for hit in hits] == [("abc",), ("abc",), ("灯台", "abc")]


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_word_that_stands_there_is_found(before: str, after: str) -> None:
    # Spaces keep what stands beside the word from being composed with it.
    text = f"{before} 灯台 {after}".ljust(120, "。")
    assert found([turn(0, text)], "灯台") == ["t0"]
    assert found([turn(0, unicodedata.normalize("NFKD", text))], "灯台") == ["t0"]


@pytest.mark.parametrize(
    ("keyword", "language", "is_kept"),
    [
        ("the", "en", False),
        ("What is", "en", False),
        ("です", "ja", False),
        ("the", "ja", False),
        ("あ", "ja", False),
        ("x", "en", False),
        (" ", "en", False),
        ("!?", "en", False),
        ("母", "ja", True),
        ("灯台", "ja", True),
        ("harbour", "en", True),
        ("What is Zen", "en", True),
    ],
)
def test_common_words_are_not_looked_for_and_it_is_said(keyword: str, language: str, is_kept: bool) -> None:
    """S4-72."""
    kept, ignored = distinctive([keyword], language)  # type: ignore[arg-type]
    assert (kept == (keyword,)) is is_kept
    assert bool(ignored) is not is_kept
    assert all(reason for _, reason in ignored)


def test_none_to_three_keywords() -> None:
    """S4-72."""
    assert distinctive([], "en") == ((), ())
    assert distinctive(["Zen", "ＺＥＮ"], "en") == (("Zen",), (("ＺＥＮ", "the same as another"),))
    with pytest.raises(kataribe.InputError, match="at most 3 keywords"):
        distinctive(["a1", "b1", "c1", "d1"], "en")
    with pytest.raises(kataribe.InputError, match="a list of words"):
        distinctive("harbour", "en")


@pytest.mark.parametrize(
    "wrong",
    [{"newest": -1}, {"middle": True}, {"longest": 0}, {"alike": 0}, {"oldest": 1001}, {"shortest": 1.5}],
)
def test_a_policy_refuses_nonsense(wrong: dict[str, int]) -> None:
    with pytest.raises(kataribe.InputError):
        LogSearchPolicy(**wrong)


@given(st.text(max_size=60))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)
