"""Logs come in as they were written, or not at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import kataribe
from conftest import outside
from kataribe.domain.conversation.turns import turn_id_for
from kataribe.domain.terms import known_by
from kataribe.formats.logs import Log, LogFormat, LogOptions, parse_log, read_log
from kataribe.formats.logtimes import filled_in, spoken_time, told_time

TOKYO = timezone(timedelta(hours=9))


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def said(text: str = "hello", **more: Any) -> dict[str, Any]:
    return {"session": "1", "speaker": "Ann", "text": text, "time": "2024-01-01T10:00:00Z", **more}


def parsed(*rows: dict[str, Any], **options: Any) -> Log:
    return parse_log(lines(*rows), "log.jsonl", LogOptions(**options))


def test_a_turn_comes_in_as_it_was_written() -> None:
    text = "  「灯台」は\u3000まだ立っている。\r\nÅ ﬁ 👩‍👧\n"
    (turn,) = parsed(
        said(text, id="t:1", caption="海", arousal=0.7, persona=["himuro", "rin"], mood={"a": [1]})
    ).turns
    assert turn.text == text
    assert (turn.turn_id, turn.caption, turn.arousal) == ("t:1", "海", 0.7)
    assert turn.audience == known_by("himuro", "rin")
    assert turn.extra == {"mood": {"a": [1]}}
    assert turn.time == datetime(2024, 1, 1, 10, tzinfo=UTC)


def test_who_holds_it_is_the_options_unless_the_line_says() -> None:
    log = parsed(said(), said(persona="world"), said(persona=["bo"]), audience=known_by("ann"))
    assert [turn.audience.holders() for turn in log.turns] == [("ann",), ("world",), ("bo",)]


def test_turns_without_ids_get_the_same_ones_again() -> None:
    rows = (said(), said("b", session=2), said("c"))
    log = parsed(*rows)
    assert [t.turn_id for t in log.turns] == [turn_id_for("1", 1), turn_id_for("2", 1), turn_id_for("1", 2)]
    assert parsed(*rows).turns == log.turns


def test_a_changed_line_changes_one_turn() -> None:
    rows = [said(str(n), time=None if n % 2 else f"2024-01-01T10:{n:02}:00Z") for n in range(20)]
    before = parsed(*rows).turns
    rows[6]["text"] = "another"
    after = parsed(*rows).turns
    assert [n for n in range(20) if before[n] != after[n]] == [6]


def test_turns_of_one_moment_keep_the_order_of_the_file() -> None:
    log = parsed(said("a", id="z"), said("b", id="y"), said("c", id="x", time="2024-01-01T10:00:00.000400Z"))
    assert [turn.ordinal for turn in log.turns] == [0, 1, 2], "a position is a millisecond"


@pytest.mark.parametrize(
    ("value", "zone", "wanted"),
    [
        ("2024-01-01T10:00:00+09:00", "UTC", datetime(2024, 1, 1, 1, tzinfo=UTC)),
        ("2024-01-01T10:00:00Z", "Asia/Tokyo", datetime(2024, 1, 1, 10, tzinfo=UTC)),
        ("2024-01-01T10:00:00", "Asia/Tokyo", datetime(2024, 1, 1, 1, tzinfo=UTC)),
        ("2024-01-01", "UTC", datetime(2024, 1, 1, tzinfo=UTC)),
        ("2024-07-01T10:00:00", "Europe/London", datetime(2024, 7, 1, 9, tzinfo=UTC)),
        (1_704_103_200, "Asia/Tokyo", datetime(2024, 1, 1, 10, tzinfo=UTC)),
        (1_704_103_200.25, "UTC", datetime(2024, 1, 1, 10, 0, 0, 250_000, tzinfo=UTC)),
    ],
)
def test_times_are_read_in_every_form(value: object, zone: str, wanted: datetime) -> None:
    (turn,) = parsed(said(time=value), timezone=zone).turns
    assert turn.time == wanted


def test_a_time_without_a_zone_is_counted() -> None:
    log = parsed(said(time="2024-01-01T10:00:00"), said(), said(time=None))
    assert (log.unzoned, log.untimed) == (1, 1)


def test_a_zones_hour_that_comes_twice_is_one_offset_for_all() -> None:
    """In the hour that comes twice two moments of one zone never compare equal, unless they are fixed."""
    rows = [said(time="2024-10-27T01:30:00"), said(time=None)]
    one, two = parsed(*rows, timezone="Europe/London").turns
    assert two.time - one.time == timedelta(milliseconds=1)
    assert parsed(*rows, timezone="Europe/London").turns == (one, two)


moments = st.none() | st.datetimes(
    min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)
)


@given(st.lists(moments, max_size=12), moments)
def test_missing_times_are_filled_in(times: list[datetime | None], start: datetime | None) -> None:
    if start is None and times and not any(times):
        with pytest.raises(kataribe.InputError, match="--start"):
            filled_in(times, start=start)
        return
    filled = filled_in(times, start=start)
    lead = next((at for at, time in enumerate(times) if time), len(times))
    tick = timedelta(milliseconds=1)
    for at, (time, full) in enumerate(zip(times, filled, strict=True)):
        if time is not None:
            assert full == time, "what is told stays"
        elif at > 0:
            assert full == filled[at - 1] + tick
    if lead and start is not None:
        assert filled[0] == start
    elif 0 < lead < len(times):
        assert filled[lead] - filled[lead - 1] == tick


def test_a_log_without_any_time_is_refused_until_it_is_told_one() -> None:
    rows = (said(time=None), said("b", time=None))
    with pytest.raises(kataribe.InputError, match="--start"):
        parsed(*rows)
    one, two = parsed(*rows, start="2024-05-01T09:00:00", timezone="Asia/Tokyo").turns
    assert one.time == datetime(2024, 5, 1, 9, tzinfo=TOKYO)
    assert two.at == one.at + 1


def test_an_earlier_time_is_kept_and_counted() -> None:
    log = parsed(
        said(time="2024-01-01T10:00:00Z"),
        said(time="2024-01-01T09:00:00Z", session="2"),
        said(time="2024-01-01T09:30:00Z"),
    )
    assert log.turned_back == 1
    assert log.turns[2].time.hour == 9


LOCOMO = {
    "conv": "c1",
    "session": 1,
    "date_time": "1:56 pm on 8 May, 2023",
    "dia_id": "D1:1",
    "turn": 0,
    "speaker": "Ann",
    "text": "Hi",
}
UTTERANCE = {
    "pair": "A-B",
    "session": 3,
    "dialogue_id": 7,
    "utt_id": "D3:1",
    "speaker": "A",
    "timestamp": "2022-08-04T22:58:56.987000",
    "text": "はじめまして",
}


def test_locomo_turns_stand_a_millisecond_apart() -> None:
    second = {**LOCOMO, "dia_id": "D1:2", "image_caption": "a boat"}
    third = {**LOCOMO, "session": 2, "dia_id": "D2:1", "date_time": "12:09 am on 13 September, 2023"}
    log = parsed(LOCOMO, second, third)
    assert (log.form, log.conversation, log.language) == (LogFormat.LOCOMO, "c1", "en")
    assert [turn.time for turn in log.turns] == [
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2023, 5, 8, 13, 56, 0, 1000, tzinfo=UTC),
        datetime(2023, 9, 13, 0, 9, tzinfo=UTC),
    ]
    assert [turn.turn_id for turn in log.turns] == ["D1:1", "D1:2", "D2:1"]
    assert log.turns[1].caption == "a boat"
    assert log.turns[0].extra == {"conversation": "c1", "turn": 0}


@pytest.mark.parametrize(
    ("text", "hour"),
    [("12:00 am on 1 Jan, 2024", 0), ("12:00 pm on 1 January 2024", 12), ("1:00 PM on 1 Jan, 2024", 13)],
)
def test_spoken_times(text: str, hour: int) -> None:
    assert spoken_time(text, UTC).moment == datetime(2024, 1, 1, hour, tzinfo=UTC)


def test_utterances_of_realpersonachat() -> None:
    log = parsed(UTTERANCE, {**UTTERANCE, "utt_id": "D3:2", "timestamp": None}, timezone="Asia/Tokyo")
    assert (log.form, log.language, log.untimed) == (LogFormat.REALPERSONACHAT, "ja", 1)
    assert log.turns[0].time == datetime(2022, 8, 4, 22, 58, 56, 987_000, tzinfo=TOKYO)
    assert log.turns[1].at == log.turns[0].at + 1
    assert log.turns[0].extra == {"conversation": "A-B", "dialogue_id": 7}


@pytest.mark.parametrize("row", [LOCOMO, UTTERANCE, said(conversation="x")])
def test_several_conversations_need_a_choice(row: dict[str, Any]) -> None:
    key = next(key for key in ("conv", "pair", "conversation") if key in row)
    other = {**row, key: "other", "text": "from the other"}
    with pytest.raises(kataribe.InputError, match=rf"--conversation: {row[key]}, other"):
        parsed(row, other)
    assert [turn.text for turn in parsed(row, other, conversation="other").turns] == ["from the other"]
    with pytest.raises(kataribe.InputError, match="no conversation 'nix'; it holds"):
        parsed(row, other, conversation="nix")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"text": ""}, "text must not be empty"),
        ({"text": None}, "'text' is null"),
        ({"speaker": 3}, "speaker must be a string"),
        ({"session": None}, "'session' is missing"),
        ({"session": True}, "session must be a string or a whole number"),
        ({"time": "yesterday"}, "not ISO 8601"),
        ({"time": True}, "time must be ISO 8601"),
        ({"time": 1e300}, "no moment"),
        ({"time": 1_704_103_200_000_000}, "divide milliseconds"),
        ({"time": "0001-01-01T00:00:00+09:00"}, "out of the years"),
        ({"arousal": 2}, "arousal must be a number from 0 to 1"),
        ({"arousal": "high"}, "arousal must be a number from 0 to 1"),
        ({"persona": []}, "persona"),
        ({"persona": ["a:b"]}, "not allowed in an id"),
        ({"id": "a\nb"}, "turn id"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(row: dict[str, Any], words: str) -> None:
    with pytest.raises(kataribe.FormatError, match="nothing was stored") as refused:
        parsed(said(), said("fine", id="b"), {**said(), **row})
    assert words in str(refused.value)
    assert (refused.value.file, refused.value.line) == ("log.jsonl", 3)


def test_the_first_few_wrong_lines_are_all_said() -> None:
    bad = [said("", id=str(n)) for n in range(9)]
    with pytest.raises(kataribe.FormatError) as refused:
        parsed(said(), *bad)
    text = str(refused.value)
    assert text.startswith("log.jsonl:2: ")
    assert [f"line {n}:" in text for n in (3, 4, 5, 6, 7)] == [True, True, True, True, False]
    assert "and 4 more" in text


def test_lines_that_are_no_json_are_said_together() -> None:
    data = lines(said()) + b"{\n" + lines(said("b")) + b"[1]\n\xff\n"
    with pytest.raises(
        kataribe.FormatError, match=r"log:2: not JSON.*line 4: must be an object.*line 5: not UTF-8"
    ):
        parse_log(data, "log")


def test_an_id_given_twice_is_refused() -> None:
    with pytest.raises(kataribe.FormatError, match=r":3: the id 'a' is that of line 1 too"):
        parsed(said(id="a"), said(id="b"), said(id="a"))


def test_an_empty_file_and_an_unknown_zone_are_refused() -> None:
    with pytest.raises(kataribe.FormatError, match="holds no turns"):
        parse_log(b"\n \n", "log")
    with pytest.raises(kataribe.InputError, match="no timezone 'Mars/Base'"):
        parsed(said(), timezone="Mars/Base")
    with pytest.raises(kataribe.InputError, match="no timezone"):
        parsed(said(), timezone="../etc")


@given(st.text(max_size=12) | st.floats(allow_nan=True) | st.integers())
def test_no_time_breaks_the_reader(value: object) -> None:
    try:
        told = told_time(value, UTC)
    except kataribe.InputError:
        return
    assert told is not None
    assert told.moment.tzinfo is not None


def test_the_real_logs_come_in_whole() -> None:
    log = read_log(outside("locomo") / "turns.jsonl", LogOptions(conversation="conv-26"))
    assert (len(log.turns), log.language, log.turned_back) == (419, "en", 0)
    assert len({turn.at for turn in log.turns}) == 419
    talk = read_log(
        outside("ja-realpersonachat") / "utterances.jsonl",
        LogOptions(conversation="AA-AI", timezone="Asia/Tokyo"),
    )
    assert (len(talk.turns), talk.language) == (1170, "ja")
