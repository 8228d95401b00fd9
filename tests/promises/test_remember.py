"""A list of messages, sent again and again as it grows: what is new is stored, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.hits import turn_hits
from support.stores import empty_store, services

NOW = datetime(2024, 5, 8, 10, 0, tzinfo=UTC)
CHAT: list[Any] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I left the silver key under the stone."},
    {"role": "assistant", "content": "I will keep that in mind."},
    {"role": "user", "content": [{"type": "text", "text": "And this is the mill."}, {"type": "image_url"}]},
]
JAPANESE: list[Any] = [
    {"role": "user", "name": "蓮", "content": "銀の鍵は石の下に置いてきたよ。"},
    {"role": "assistant", "content": "覚えておくね。"},
]
FOR: dict[str, Any] = {"persona": "akari"}


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock) -> Iterator[Kataribe]:
    parts = replace(services(), clock=clock)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=parts) as made:
        made.user("nora").create(language="en", embedder="hash")
        yield made


def said(store: Kataribe) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in store.user("nora").turns()]


def test_a_list_of_messages_is_remembered(store: Kataribe) -> None:
    report = store.user("nora").remember(CHAT, **FOR)
    assert (report.new, report.changed, report.unchanged, report.pending) == (3, 0, 0, None)
    assert report.left_out == {"not text": 1, "system": 1}
    assert (report.holders, report.made, report.ahead) == (("akari",), False, ())
    assert said(store) == [
        ("nora", "I left the silver key under the stone."),
        ("akari", "I will keep that in mind."),
        ("nora", "And this is the mill."),
    ]
    times = [turn.time for turn in store.user("nora").turns()]
    assert times == [NOW - timedelta(milliseconds=left) for left in (2, 1, 0)]
    found = store.recall("Where is the silver key?", user="nora", persona="akari")
    assert found.hits[0].text == "I left the silver key under the stone."
    assert found.pending_turns == 0
    assert store.recall("Where is the silver key?", user="nora").hits == ()
    assert store.user("nora").verify().ok


def test_a_list_sent_again_adds_only_what_has_come_to_it(store: Kataribe, clock: FrozenClock) -> None:
    store.user("nora").remember(CHAT, **FOR)
    before = store.user("nora").turns()
    for number in range(3):
        clock.advance()
        more = [*CHAT, *({"role": "user", "content": f"More {at}."} for at in range(number + 1))]
        report = store.user("nora").remember(more, **FOR)
        assert (report.new, report.changed, report.unchanged) == (1, 0, 3 + number)
        assert store.user("nora").turns()[:3] == before
        assert store.user("nora").turns()[-1].time == clock.now()
    assert (store.user("nora").remember(CHAT, **FOR).new, len(store.user("nora").turns())) == (0, 6), (
        "a shorter one takes nothing away"
    )


def test_an_edited_message_is_refused_unless_it_replaces(store: Kataribe, clock: FrozenClock) -> None:
    store.user("nora").remember(CHAT, **FOR)
    before = store.user("nora").turns()
    edited = [
        CHAT[0],
        {"role": "user", "content": "I lost the key."},
        *CHAT[2:],
        {"role": "user", "content": "So."},
    ]
    edited[2] = {"role": "assistant", "content": CHAT[2]["content"]}
    session = before[0].session
    clock.advance()
    with pytest.raises(kataribe.ConflictError, match="message 2 is another than was stored of session"):
        store.user("nora").remember(edited, session=session, **FOR)
    assert store.user("nora").turns() == before, "nothing of it is stored"
    report = store.user("nora").remember(edited, session=session, replace=True, **FOR)
    assert (report.new, report.changed, report.unchanged) == (1, 1, 2)
    after = store.user("nora").turns()
    assert [turn.time for turn in after[:3]] == [turn.time for turn in before]
    assert after[0].text == "I lost the key."
    found = store.recall("silver key stone", user="nora", persona="akari", planner="none")
    assert all("silver" not in hit.text for hit in found.hits)
    assert store.user("nora").verify().ok


def test_it_goes_on_with_what_was_said_one_by_one(store: Kataribe, clock: FrozenClock) -> None:
    for message, speaker in ((CHAT[1], "nora"), (CHAT[2], "akari")):
        clock.advance()
        store.user("nora").said(message["content"], speaker=speaker, persona="akari", session="1")
    clock.advance()
    report = store.user("nora").remember(CHAT, session="1", **FOR)
    assert (report.new, report.unchanged, report.sessions) == (1, 2, ("1",))
    clock.advance()
    store.user("nora").said("Good night.", speaker="nora", persona="akari", session="1")
    again = [
        *CHAT,
        {"role": "user", "content": "Good night."},
        {"role": "assistant", "content": "Good night."},
    ]
    report = store.user("nora").remember(again, session="1", **FOR)
    assert (report.new, len(store.user("nora").turns())) == (1, 5)


def test_strings_and_our_own_form_are_taken_and_conversations_kept_apart(store: Kataribe) -> None:
    own = {
        "speaker": "Ben",
        "text": "The mill opens on Friday.",
        "time": "2024-05-01T09:00:00+09:00",
        "id": "b:1",
        "session": "old",
        "persona": "world",
        "caption": "a mill",
        "arousal": 0.5,
        "mood": "calm",
    }
    report = store.user("nora").remember(["I came home.", own, "The lamp is red."], speaker="Nora")
    assert report.new == 3
    first, second, third = store.user("nora").turns()
    assert (first.turn_id, first.session, first.caption, first.arousal) == ("b:1", "old", "a mill", 0.5)
    assert (first.extra, first.time.isoformat()) == ({"mood": "calm"}, "2024-05-01T09:00:00+09:00")
    assert (second.speaker, second.session, second.audience.world) == ("Nora", third.session, True)
    assert (
        store.user("nora").remember(["I came home.", own, "The lamp is red."], speaker="Nora").unchanged == 3
    )
    other = store.user("nora").remember(["The lamp is out."], speaker="Nora")
    assert other.sessions != (second.session,)
    with pytest.raises(kataribe.ConflictError, match="the id 'b:1' is that of another turn"):
        store.user("nora").remember([{**own, "session": "new"}])


def test_a_japanese_list_makes_its_user_and_is_found(store: Kataribe) -> None:
    report = store.user("ren").remember(JAPANESE, persona="akari", embedder="hash")
    assert (report.made, report.user.language, report.new) == (True, "ja", 2)
    found = store.recall("鍵はどこ？", user="ren", persona="akari")
    first = turn_hits(found.hits)[0]
    assert (first.speaker, first.text) == ("蓮", "銀の鍵は石の下に置いてきたよ。")


def test_talk_under_a_story_is_remembered_there(store: Kataribe) -> None:
    store.story("s").create(language="en", embedder="hash")
    store.story("s").episodes.put(no=1, text="The mill stood still.")
    store.story("s").cast.add(kataribe.Character(character_id="akari"))
    with pytest.raises(kataribe.InputError, match="name at least one"):
        store.user("nora").remember(CHAT, story="s", at=1)
    assert store.user("nora").remember(CHAT, story="s", at=1, **FOR).new == 3
    found = store.recall("silver key", user="nora", story="s", persona="akari", at=1, planner="none")
    assert found.hits[0].text == "I left the silver key under the stone."
    assert store.user("nora").turns() == ()


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "assistant", "content": "x"}], "messages:1: what an assistant said needs the persona"),
        ([{"role": "robot", "content": "x"}], "role must be user, assistant"),
        (["x", 7], "messages:2: must be a text or an object, not 7"),
        ([{"role": "user", "content": 7}], "content must be a text or a list of parts"),
        ([{"text": "x"}], "'speaker'"),
        ("x", "messages must be a list"),
    ],
)
def test_what_cannot_be_read_stores_nothing(store: Kataribe, messages: Any, words: str) -> None:
    with pytest.raises(kataribe.InputError, match=words):
        store.user("nora").remember(messages)
    assert store.user("nora").turns() == ()


def test_what_is_no_text_and_what_tools_say_is_left_out(store: Kataribe) -> None:
    report = store.user("nora").remember(
        [
            {"role": "developer", "content": "x"},
            {"role": "tool", "content": "x", "tool_call_id": "1"},
            {"role": "assistant", "content": None, "tool_calls": [{}]},
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]},
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "one"}, {"text": "two"}],
            },
        ],
        **FOR,
    )
    assert report.left_out == {"not text": 1, "system": 1, "tool": 2}
    assert said(store) == [("nora", "one\ntwo")]
