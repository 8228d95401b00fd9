"""Where a conversation is cut into threads, and what is at hand of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from kataribe.domain.conversation.buffer import Buffer, BufferLimit, BufferPolicy, fill_buffer
from kataribe.domain.conversation.threads import Thread, ThreadBreak, ThreadPolicy, cut_threads, turns_away
from kataribe.domain.conversation.turns import Role, Turn
from kataribe.domain.terms import Language
from kataribe.errors import InputError
from support.talk import DAY_ONE, turn

POLICY = ThreadPolicy()


def said(seconds: float, text: str = "Yes.", *, no: int | None = None, **more: object) -> Turn:
    made = turn(1, text)
    named = f"t{seconds:g}" if no is None else f"t{no}"
    return replace(made, turn_id=named, time=DAY_ONE + timedelta(seconds=seconds), **more)  # type: ignore[arg-type]


def cut(turns: Sequence[Turn], *, language: Language = "en", **more: object) -> tuple[Thread, ...]:
    return cut_threads(turns, language=language, **{"policy": POLICY, **more})  # type: ignore[arg-type]


def shape(threads: Sequence[Thread]) -> list[tuple[str, int]]:
    return [(thread.began.value, len(thread.turns)) for thread in threads]


def test_a_thread_ends_when_nothing_is_said_for_ten_minutes() -> None:
    threads = cut([said(0), said(599), said(599 + 600)])
    assert shape(threads) == [("first", 2), ("idle", 1)]
    assert (threads[0].ended, threads[0].ended_by) == (said(1199).at, ThreadBreak.IDLE)
    assert threads[1].ended is None


def test_a_thread_that_is_idle_now_is_over_though_nothing_follows() -> None:
    last = said(0)
    (thread,) = cut([last], now=last.at + 600_000)
    assert (thread.ended, thread.ended_by) == (last.at + 600_000, ThreadBreak.IDLE)
    (goes_on,) = cut([last], now=last.at + 599_999)
    assert goes_on.ended is None


def test_a_thread_has_twelve_messages_whoever_speaks() -> None:
    threads = cut([said(no, speaker="Ann" if no % 2 else "Rin") for no in range(25)])
    assert shape(threads) == [("first", 12), ("full", 12), ("full", 1)]
    assert threads[0].counts == {"Rin": 6, "Ann": 6}


def test_another_domain_begins_a_thread() -> None:
    turns = [said(0, extra={"domain": "work"}), said(1), said(2, extra={"domain": "home"})]
    threads = cut(turns)
    assert shape(threads) == [("first", 2), ("domain", 1)]
    assert [thread.domain for thread in threads] == ["work", "home"]


@pytest.mark.parametrize(
    ("language", "text", "turns"),
    [
        ("en", "By the way, did you call her?", True),
        ("en", "Oh, btw I moved.", True),
        ("en", "So… on another note, the cat is well.", True),
        ("en", "I came by the way you showed me.", False),
        ("en", "Anyways!", True),
        ("en", "Anywayward is no word.", False),
        ("ja", "ところで、明日は空いてる？", True),
        ("ja", "あ、そういえば猫が来たんだ。", True),
        ("ja", "えっと、話は変わるけど引っ越すの。", True),
        ("ja", "ﾄｺﾛﾃﾞ", False),
        ("ja", "行くところで会った。", False),
        ("ja", "今日はところで終わる詩を読んだ。", False),
    ],
)
def test_words_that_change_the_subject_begin_a_thread(language: Language, text: str, turns: bool) -> None:
    assert turns_away(text, language) is turns
    began = [thread.began for thread in cut([said(0), said(1, text)], language=language)]
    assert began == ([ThreadBreak.FIRST, ThreadBreak.PHRASE] if turns else [ThreadBreak.FIRST])


def test_what_is_unlike_all_that_was_spoken_of_begins_a_thread() -> None:
    long = "a message that is long enough to be about something"
    turns = [said(0, long), said(1, long), said(2, long), said(3, "No."), said(4, long)]
    away, near = np.array([0, 1], dtype=np.float32), np.array([1, 0], dtype=np.float32)
    vectors = {"t0": near, "t1": near, "t2": away, "t3": near, "t4": away}
    threads = cut(turns, policy=ThreadPolicy(likeness=0.1), vectors=vectors)
    assert shape(threads) == [("first", 2), ("topic", 3)], "what is short is like nothing in particular"
    assert shape(cut(turns, vectors=vectors)) == [("first", 5)], "likeness that nobody measured is not asked"


def test_the_systems_turns_are_of_no_thread() -> None:
    (thread,) = cut([said(0), said(1, role=Role.SYSTEM), said(2, speaker="tool"), said(3)])
    assert [one.turn_id for one in thread.turns] == ["t0", "t3"]


turns_of_talk = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=4000),
        st.sampled_from(["Yes.", "By the way, look.", "a message that is long enough to be of something"]),
        st.sampled_from(["s1", "s2"]),
    ),
    max_size=40,
    unique_by=lambda one: one[0],
)


@given(told=turns_of_talk, shuffled=st.randoms(use_true_random=False))
def test_a_turn_moves_only_what_follows_it(told: list[tuple[int, str, str]], shuffled: object) -> None:
    turns = [said(at, text, session=session) for at, text, session in told]
    whole = cut(turns)
    assert cut(sorted(turns, key=lambda one: one.turn_id)) == whole, "in whatever order they come"
    assert sorted(one.turn_id for thread in whole for one in thread.turns) == sorted(
        one.turn_id for one in turns
    )
    for latest in turns[::3]:
        before = [one for one in turns if one.at < latest.at]
        now = latest.at - 1
        assert [one for one in cut(before, now=now) if one.ended is not None] == [
            one for one in cut(turns, now=now) if one.ended is not None and one.ended <= now
        ]


def count(text: str) -> int:
    return len(text)


NOW = said(1000).at
THREE = [said(990, no=1), said(991, no=2), said(992, no=3)]


@pytest.mark.parametrize(
    ("policy", "turns", "kept", "limit"),
    [
        (
            BufferPolicy(messages=2),
            THREE,
            ["t2", "t3"],
            "messages",
        ),
        (
            BufferPolicy(tokens=19),
            THREE,
            ["t2", "t3"],
            "tokens",
        ),
        (BufferPolicy(ttl_seconds=9), [said(991, no=1), said(992, no=2)], ["t2"], "ttl"),
        (BufferPolicy(idle_seconds=8), [said(991, no=1), said(992, no=2)], [], "idle"),
        (BufferPolicy(), [said(991, no=1), said(992, no=2)], ["t1", "t2"], None),
        (BufferPolicy(tokens=3), [said(991, no=1)], [], "tokens"),
        (BufferPolicy(), [], [], None),
    ],
)
def test_each_limit_of_the_buffer_holds_by_itself(
    policy: BufferPolicy, turns: list[Turn], kept: list[str], limit: str | None
) -> None:
    found, tokens, ended_by = fill_buffer(turns, now=NOW, count=count, policy=policy)
    assert [one.turn_id for one in found] == kept
    assert tokens == sum(len(f"{one.speaker}: {one.text}") for one in found)
    assert ended_by == limit


@pytest.mark.parametrize("policy", [BufferPolicy()])
def test_the_buffer_is_as_specified(policy: BufferPolicy) -> None:
    """U-9: 12 messages, 6,000 tokens, idle for 10 minutes, two hours old."""
    assert (policy.messages, policy.tokens, policy.idle_seconds, policy.ttl_seconds) == (12, 6000, 600, 7200)
    assert Buffer().turns == ()
    assert BufferLimit("idle") is BufferLimit.IDLE


@pytest.mark.parametrize(
    "wrong", [{"messages": 0}, {"tokens": 1.5}, {"idle_seconds": 0}, {"ttl_seconds": True}]
)
def test_limits_that_are_none_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        BufferPolicy(**wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        ThreadPolicy(turns=0)
