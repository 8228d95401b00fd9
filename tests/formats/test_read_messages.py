"""Lists of messages, ChatGPT's exports and diaries come in as they were written, or not at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.terms import known_by
from kataribe.formats.logs import Log, LogFormat, LogOptions, parse_log, read_log

START = "2024-05-08T10:00:00Z"
LIST: list[Any] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I left the key under the stone."},
    {"role": "assistant", "content": "I will keep that in mind."},
    {"role": "tool", "content": "42", "tool_call_id": "1"},
    {
        "role": "user",
        "name": "Ben",
        "content": [{"type": "text", "text": "鍵はどこ？"}, {"type": "image_url"}],
    },
]
OPTIONS = LogOptions(user="nora", assistant="akari", audience=known_by("akari"), start=START)


def parsed(value: object, options: LogOptions = OPTIONS) -> Log:
    return parse_log(json.dumps(value, ensure_ascii=False, indent=1).encode(), "chat.json", options)


def said(log: Log) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in log.turns]


def node(name: str, parent: str | None, message: dict[str, Any] | None, *children: str) -> dict[str, Any]:
    return {"id": name, "parent": parent, "children": list(children), "message": message}


def message(name: str, role: str, *parts: object, at: float | None = None, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": list(parts)}
    return {
        "id": name,
        "author": {"role": role},
        "create_time": at,
        "content": content,
        "recipient": "all",
        **more,
    }


def conversation(**more: Any) -> dict[str, Any]:
    """A tree whose question was asked anew: the first branch is not shown any more."""
    hidden: dict[str, Any] = {"metadata": {"is_visually_hidden_from_conversation": True}}
    code = {"content": {"content_type": "code", "text": "1 + 1"}}
    picture = {
        "content": {"content_type": "multimodal_text", "parts": [{"asset_pointer": "x"}, "看板だよ。"]}
    }
    return {
        "title": "Keys",
        "conversation_id": "c-1",
        "create_time": 1704103200.0,
        "current_node": "g",
        "mapping": {
            "root": node("root", None, None, "a"),
            "a": node("a", "root", message("a", "system", ""), "b"),
            "b": node("b", "a", message("b", "user", "hidden", **hidden), "c", "x"),
            "x": node("x", "b", message("x", "user", "Where is my lamp?", at=1704103200.5)),
            "c": node("c", "b", message("c", "user", "Where is my key?", at=1704103260.25), "d"),
            "d": node(
                "d", "c", message("d", "assistant", "search()", at=1704103261.0, recipient="browser"), "e"
            ),
            "e": node("e", "d", {**message("e", "assistant", at=1704103262.0), **code}, "f"),
            "f": node("f", "e", message("f", "assistant", "Under the stone.", at=1704103263.0), "g"),
            "g": node("g", "f", {**message("g", "user"), **picture}),
        },
        **more,
    }


def test_a_list_of_messages_is_one_session() -> None:
    log = parsed(LIST)
    assert log.form is LogFormat.OPENAI
    assert said(log) == [
        ("nora", "I left the key under the stone."),
        ("akari", "I will keep that in mind."),
        ("Ben", "鍵はどこ？"),
    ]
    assert log.left_out == {"not text": 1, "system": 1, "tool": 1}
    assert {turn.audience for turn in log.turns} == {known_by("akari")}
    assert [turn.time for turn in log.turns] == [
        datetime(2024, 5, 8, 10, tzinfo=UTC) + timedelta(milliseconds=at) for at in range(3)
    ]
    assert len({turn.session for turn in log.turns}) == 1
    assert parsed({"messages": LIST}).turns == parsed([{"messages": LIST}]).turns == log.turns
    lines = "".join(json.dumps(one) + "\n" for one in LIST).encode()
    assert said(parse_log(lines, "chat.jsonl", OPTIONS)) == said(log)


def test_lists_that_begin_alike_are_sessions_of_their_own() -> None:
    rows = [{"messages": LIST}, {"messages": [*LIST, {"role": "user", "content": "More."}]}]
    log = parse_log("".join(json.dumps(row) + "\n" for row in rows).encode(), "chat.jsonl", OPTIONS)
    first, second = dict.fromkeys(turn.session for turn in log.turns)
    assert second == f"{first}-2"
    assert len({turn.turn_id for turn in log.turns}) == len(log.turns) == 7


def test_of_chatgpts_export_the_branch_that_is_shown_is_read() -> None:
    log = parsed([conversation()])
    assert log.form is LogFormat.CHATGPT
    assert said(log) == [("nora", "Where is my key?"), ("akari", "Under the stone."), ("nora", "看板だよ。")]
    assert [turn.turn_id for turn in log.turns] == ["c", "f", "g"]
    assert {turn.session for turn in log.turns} == {"c-1"}
    assert log.turns[0].time == datetime(2024, 1, 1, 10, 1, 0, 250000, tzinfo=UTC)
    assert log.turns[2].time == log.turns[1].time + timedelta(milliseconds=1), "one without a time"
    assert log.left_out == {"not text": 2, "system": 2, "tool": 1}
    assert said(parsed([conversation(current_node=None)])) == said(log)
    assert said(parsed(conversation())) == said(log), "one conversation by itself"


def test_every_conversation_is_a_session_and_one_can_be_chosen() -> None:
    other = json.loads(json.dumps(conversation(conversation_id="c-2", title="Lamps", current_node="x2")))
    other["mapping"] = {
        "r": node("r", None, None, "x2"),
        "x2": node("x2", "r", message("x2", "user", "My lamp is red.", at=1.0)),
    }
    assert [turn.session for turn in parsed([conversation(), other]).turns] == ["c-1", "c-1", "c-1", "c-2"]
    for name in ("Lamps", "c-2"):
        log = parsed([conversation(), other], LogOptions(conversation=name, user="nora", assistant="akari"))
        assert said(log) == [("nora", "My lamp is red.")]


@pytest.mark.parametrize(
    ("value", "options", "words"),
    [
        (LIST, LogOptions(start=START), "what an assistant said needs the persona"),
        (LIST, LogOptions(assistant="akari"), "say with --start"),
        (LIST, LogOptions(conversation="x"), "holds no conversation 'x'"),
        ([{"role": "system", "content": "x"}], OPTIONS, "holds no turns"),
        ([], OPTIONS, "holds no turns"),
        ([{"role": "robot", "content": "x"}], OPTIONS, "chat.json:1: role must be"),
        ([conversation(), {"title": "x"}], OPTIONS, "has no 'mapping'"),
        ([conversation()], LogOptions(conversation="x"), "neither by id nor by title"),
        ([conversation(current_node="nix")], OPTIONS, "a message 'nix' that it does not hold"),
        ([conversation(mapping={"g": node("g", "g", None)})], OPTIONS, "go in a circle"),
        ([{"messages": LIST}, 7], OPTIONS, "chat.json:2: must be a list of messages"),
        (LIST, LogOptions(form=LogFormat.DIARY), "a diary is a folder"),
    ],
)
def test_what_cannot_be_read_is_refused(value: object, options: LogOptions, words: str) -> None:
    with pytest.raises(kataribe.InputError, match=words):
        parsed(value, options)


def test_a_diary_is_read_day_by_day(tmp_path: Path) -> None:
    (tmp_path / "2024-01-06.md").write_text("灯台まで歩いた。\n", "utf-8")
    (tmp_path / "2024-01-05.md").write_text(
        "---\nmood: calm\n---\n# Friday\n\nI walked to the harbour.\nIt rained.\r\n\r\n  Then home.\n",
        "utf-8",
    )
    (tmp_path / "notes.md").write_text("no day", "utf-8")
    log = read_log(tmp_path, LogOptions(speaker="Nora", timezone="Asia/Tokyo"))
    assert log.form is LogFormat.DIARY
    assert [(turn.session, turn.speaker, turn.text) for turn in log.turns] == [
        ("2024-01-05", "Nora", "# Friday\n\nI walked to the harbour.\nIt rained."),
        ("2024-01-05", "Nora", "  Then home."),
        ("2024-01-06", "Nora", "灯台まで歩いた。"),
    ]
    assert [turn.time.isoformat(timespec="milliseconds") for turn in log.turns] == [
        "2024-01-05T00:00:00.000+09:00",
        "2024-01-05T00:00:00.001+09:00",
        "2024-01-06T00:00:00.000+09:00",
    ]
    other = read_log(tmp_path, LogOptions(speaker="Ben"))
    assert not {turn.turn_id for turn in log.turns} & {turn.turn_id for turn in other.turns}


def test_a_diary_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(kataribe.InputError, match="--speaker"):
        read_log(tmp_path)
    with pytest.raises(kataribe.InputError, match="holds no file called as a day"):
        read_log(tmp_path, LogOptions(speaker="Nora"))
    with pytest.raises(kataribe.InputError, match="is a folder, which is read as a diary"):
        read_log(tmp_path, LogOptions(form=LogFormat.TURNS))
    (tmp_path / "2024-02-31.md").write_text("x")
    with pytest.raises(kataribe.InputError, match="its name is no day"):
        read_log(tmp_path, LogOptions(speaker="Nora"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("time", "2024-01-01T10:00:00Z"),
        ("timestamp", "2024-01-01T10:00:00+00:00"),
        ("created_at", 1704103200),
        ("create_time", 1704103200.0),
        ("timestamp", 1704103200000),
    ],
)
@pytest.mark.parametrize("text", ["昨日は雨だった。", "It rained yesterday."])
def test_a_message_says_when_it_was_said_in_the_field_its_program_writes(
    field: str, value: object, text: str
) -> None:
    rows = [{"role": "user", "content": text, field: value}, {"role": "user", "content": "ok"}]
    log = parse_log(json.dumps(rows).encode(), "m.json", LogOptions(user="nora"))
    assert [turn.time.isoformat() for turn in log.turns] == [
        "2024-01-01T10:00:00+00:00",
        "2024-01-01T10:00:00.001000+00:00",
    ]
    assert log.untimed == 1


def test_a_time_in_another_field_is_refused_like_any_other() -> None:
    rows = [{"role": "user", "content": "ok", "created_at": "yesterday"}]
    with pytest.raises(kataribe.FormatError, match="ISO 8601"):
        parse_log(json.dumps(rows).encode(), "m.json", LogOptions(user="nora"))
