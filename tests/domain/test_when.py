"""Dates and episodes in the words of a question."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.domain.recall.when import asked_when

TOKYO = timezone(timedelta(hours=9))
NOW = datetime(2023, 3, 15, 10, 0, tzinfo=TOKYO)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What did I do last summer?", "2022-06-01 to 2022-08-31"),
        ("Where was I on last New Year's Eve?", "2022-12-31"),
        ("What did Ann bake on 7 May 2022?", "2022-05-07"),
        ("And on May 7th?", "2022-05-07"),
        ("In May we moved, didn't we?", "2022-05-01 to 2022-05-31"),
        ("what did we say a few days ago", "2023-03-11 to 2023-03-13"),
        ("Who came two weeks ago?", "2023-02-27 to 2023-03-05"),
        ("What was it like in winter 2021?", "2021-01-01 to 2021-02-28 and 2021-12-01 to 2022-02-28"),
        ("What did I eat yesterday?", "2023-03-14"),
        ("Who called last Friday?", "2023-03-10"),
        ("What about Christmas of 2020?", "2020-12-24 to 2020-12-25"),
        ("what did I buy last month", "2023-02-01 to 2023-02-28"),
        ("2022年の夏はどこに行った？", "2022-06-01 to 2022-08-31"),
        ("去年の大晦日は誰といた？", "2022-12-31"),
        ("先週の金曜日に会った人は？", "2023-03-10"),
        ("二日前の晩ごはんは何だっけ", "2023-03-13"),
        ("3か月前に始めたことは？", "2022-12-01 to 2022-12-31"),
        ("8月に行った旅行の話", "2022-08-01 to 2022-08-31"),
        ("クリスマスに何をもらった？", "2022-12-24 to 2022-12-25"),
        ("２０２２年８月１５日は何をしてた？", "2022-08-15"),
        ("二〇二二年は覚えてる？ 一昨年の秋は？", "2021-09-01 to 2021-11-30"),
        ("先月の10日の約束", "2023-02-10"),
    ],
)
def test_a_time_becomes_days_back_from_now(question: str, said: str) -> None:
    found = asked_when(question, now=NOW)
    assert found is not None
    assert found.said == said
    assert found.episodes is None


@pytest.mark.parametrize(
    ("question", "episodes"),
    [
        ("What happened three chapters ago?", (7, 7)),
        ("Who came in chapter 4?", (4, 4)),
        ("What changed during the previous two episodes?", (8, 9)),
        ("What was lost in the last chapter?", (9, 9)),
        ("chapters 2 to 5, what of the ship?", (2, 5)),
        ("三話前に何があった？", (7, 7)),
        ("第3話で誰が来た？", (3, 3)),
        ("第二章から第四章で船はどうなった", (2, 4)),
        ("前回の話を覚えてる？", (9, 9)),
        ("最初の話で何をなくした？", (1, 1)),
    ],
)
def test_a_place_in_a_story_becomes_episodes_before_its_own(question: str, episodes: tuple[int, int]) -> None:
    found = asked_when(question, at=10)
    assert found is not None
    assert (found.episodes, found.spans) == (episodes, ())


@pytest.mark.parametrize(
    "question",
    [
        "May I come in?",
        "Did the march tire you?",
        "I fall asleep, why?",
        "Who is Augusta?",
        "来年の夏はどうする？",
        "何を食べた？",
        "二月堂はどこ？",
        "春子さんは元気？",
        "",
    ],
)
def test_other_words_name_no_time(question: str) -> None:
    assert asked_when(question, now=NOW, at=10) is None


def test_what_lies_ahead_is_not_asked_about() -> None:
    assert asked_when("What happens in chapter 12?", at=10) is None
    assert asked_when("第10話は？", at=10) is None
    assert asked_when("What is on 3 May 2024?", now=NOW) is None


def test_a_day_begins_where_the_asker_has_midnight() -> None:
    here, there = (asked_when("yesterday", now=NOW.astimezone(zone)) for zone in (TOKYO, UTC))
    assert here is not None
    assert there is not None
    assert there.spans[0][0] - here.spans[0][0] == 9 * 3600 * 1000
    assert here.holds(int(datetime(2023, 3, 14, 0, 30, tzinfo=TOKYO).timestamp() * 1000))
    assert not here.holds(int(datetime(2023, 3, 15, 0, 0, tzinfo=TOKYO).timestamp() * 1000))


@given(
    question=st.text(alphabet="0123456789年月日話章前先週 昨去の春夏Maylastepiod agofthe", max_size=40),
    now=st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9990, 1, 1), timezones=st.just(UTC)),
    at=st.integers(1, 5000),
)
def test_whatever_is_asked_is_read_or_left_alone(question: str, now: datetime, at: int) -> None:
    found = asked_when(question, now=now, at=at)
    if found is not None and found.episodes is not None:
        assert 1 <= found.episodes[0] <= found.episodes[1] < at
    elif found is not None:
        assert all(first < end and first <= now.timestamp() * 1000 for first, end in found.spans)
