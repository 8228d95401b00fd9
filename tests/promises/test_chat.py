"""A chat is bound to its viewer once: what is said through it is held by that persona, and asked as it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.terms import Language
from kataribe.face import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store, engines

NOW = datetime(2024, 5, 8, 23, 59, tzinfo=UTC)
LINES: dict[Language, tuple[str, str, str]] = {
    "en": ("I left the silver key under the stone.", "I will keep that in mind.", "Where is the silver key?"),
    "ja": ("銀の鍵は石の下に置いてきたよ。", "覚えておくね。", "銀の鍵はどこ？"),
}


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock) -> Iterator[Kataribe]:
    parts = replace(engines(), clock=clock)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), engines=parts) as made:
        yield made


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_later_chat_remembers_what_an_earlier_one_was_told(
    store: Kataribe, clock: FrozenClock, language: Language
) -> None:
    text, reply, question = LINES[language]
    chat = store.chat("nora", persona="akari", language=language, embedder="hash")
    assert chat.session is None
    told = chat.said(text)
    clock.advance(timedelta(minutes=5))
    answered = chat.replied(reply)
    assert [turn.speaker for turn in store.turns("nora")] == ["nora", "akari"]
    assert {turn.audience.holders() for turn in store.turns("nora")} == {("akari",)}
    assert told.session == answered.session == chat.session == "2024-05-08", "it goes on over midnight"
    assert chat.recall(question).hits == (), "it was said just now"
    later = store.chat("nora", persona="akari", session="later")
    assert [hit.text for hit in later.recall(question, top_k=1).hits] == [text]
    later.said(question)
    context = later.context(question)
    assert text in context.text
    assert [item.text for item in context.items][:1] == [text], "the question itself is no memory of it"
    other = store.chat("nora", persona="rin")
    assert other.recall(question).hits == ()
    assert text not in other.context(question).text


def test_a_chat_at_an_episode_is_talk_held_there(store: Kataribe) -> None:
    store.add_story("s", language="en", embedder="hash")
    store.add_character("s", kataribe.Character(character_id="akari"))
    store.put_episode("s", no=1, text="The mill stood still in the harbour.")
    store.put_episode("s", no=2, text="The mill turned again.")
    store.sync("s")
    text, _, question = LINES["en"]
    chat = store.chat("nora", persona="akari", story_id="s", at=2, embedder="hash")
    chat.said(text)
    assert store.turns("nora") == ()
    assert [turn.text for turn in store.turns("nora", story_id="s", at=2)] == [text]
    after = store.chat("nora", persona="akari", story_id="s", at=2)
    assert after.recall(question).hits[0].text == text
    before = store.chat("nora", persona="akari", story_id="s", at=1)
    assert before.recall(question).hits == ()


def test_a_chat_asks_as_its_own_viewer_alone(store: Kataribe) -> None:
    chat = store.chat("nora", embedder="hash")
    chat.said("I came home from the harbour.", speaker="Ben")
    for verb in (chat.recall, chat.context):
        with pytest.raises(kataribe.InputError, match="leave persona out"):
            verb("Who came home?", persona="akari")
    with pytest.raises(kataribe.InputError, match="name the speaker"):
        chat.replied("Welcome.")
    for keys, words in (({"story_id": "s"}, "give both"), ({"story_id": "s", "at": 1}, "name one")):
        with pytest.raises(kataribe.InputError, match=words):
            store.chat("nora", **keys)
    assert [turn.speaker for turn in store.turns("nora")] == ["Ben"]


def test_the_async_side_is_the_same(tmp_path: Path) -> None:
    async def talk() -> list[str]:
        engine = await kataribe.open_async(str(empty_store(tmp_path / "a.db")), engines=engines())
        try:
            chat = engine.chat("nora", persona="akari", embedder="hash")
            await asyncio.gather(*(chat.said(f"The lamp number n{at} is red.") for at in range(9)))
            await chat.replied("So many lamps.")
            later = engine.chat("nora", persona="akari")
            found = await later.recall("n4", planner="none", top_k=1)
            context = await later.context("What of n4?", planner="none")
            assert "n4" in context.text
            return [hit.text for hit in found.hits]
        finally:
            await engine.close()

    assert asyncio.run(talk()) == ["The lamp number n4 is red."]
