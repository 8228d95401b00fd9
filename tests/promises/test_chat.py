"""A chat is bound to its viewer once: what is said through it is held by that persona, and asked as it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store, services

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
    parts = replace(services(), clock=clock)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=parts) as made:
        yield made


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_later_chat_remembers_what_an_earlier_one_was_told(
    store: Kataribe, clock: FrozenClock, language: Language
) -> None:
    text, reply, question = LINES[language]
    chat = store.user("nora").chat(persona="akari", language=language, embedder="hash")
    assert chat.session is None
    told = chat.said(text)
    clock.advance(timedelta(minutes=5))
    answered = chat.replied(reply)
    assert [turn.speaker for turn in store.user("nora").turns()] == ["nora", "akari"]
    assert {turn.audience.holders() for turn in store.user("nora").turns()} == {("akari",)}
    assert told.session == answered.session == chat.session == "2024-05-08", "it goes on over midnight"
    assert chat.recall(question).hits == (), "it was said just now"
    later = store.user("nora").chat(persona="akari", session="later")
    assert [hit.text for hit in later.recall(question, top_k=1).hits] == [text]
    later.said(question)
    context = later.context(question)
    assert text in context.text
    assert [item.text for item in context.items][:1] == [text], "the question itself is no memory of it"
    other = store.user("nora").chat(persona="rin")
    assert other.recall(question).hits == ()
    assert text not in other.context(question).text


def test_a_chat_at_an_episode_is_talk_held_there(store: Kataribe) -> None:
    store.story("s").create(language="en", embedder="hash")
    store.story("s").cast.add(kataribe.Character(character_id="akari"))
    store.story("s").episodes.put(no=1, text="The mill stood still in the harbour.")
    store.story("s").episodes.put(no=2, text="The mill turned again.")
    store.story("s").sync()
    text, _, question = LINES["en"]
    chat = store.user("nora").chat(persona="akari", story="s", at=2, embedder="hash")
    chat.said(text)
    assert store.user("nora").turns() == ()
    assert [turn.text for turn in store.user("nora").turns(story="s", at=2)] == [text]
    after = store.user("nora").chat(persona="akari", story="s", at=2)
    assert after.recall(question).hits[0].text == text
    before = store.user("nora").chat(persona="akari", story="s", at=1)
    assert before.recall(question).hits == ()


def test_a_chat_asks_as_its_own_viewer_alone(store: Kataribe) -> None:
    chat = store.user("nora").chat(embedder="hash")
    chat.said("I came home from the harbour.", speaker="Ben")
    verbs: tuple[Any, ...] = (chat.recall, chat.context)
    for verb in verbs:
        with pytest.raises(TypeError, match="no option 'persona'"):
            verb("Who came home?", persona="akari")
    with pytest.raises(kataribe.InputError, match="name the speaker"):
        chat.replied("Welcome.")
    for keys, words in (({"story": "s"}, "give both"), ({"story": "s", "at": 1}, "name one")):
        with pytest.raises(kataribe.InputError, match=words):
            store.user("nora").chat(**keys)
    assert [turn.speaker for turn in store.user("nora").turns()] == ["Ben"]


def test_the_async_side_is_the_same(tmp_path: Path) -> None:
    async def talk() -> list[str]:
        engine = await kataribe.open_async(str(empty_store(tmp_path / "a.db")), services=services())
        try:
            chat = engine.user("nora").chat(persona="akari", embedder="hash")
            await asyncio.gather(*(chat.said(f"The lamp number n{at} is red.") for at in range(9)))
            await chat.replied("So many lamps.")
            later = engine.user("nora").chat(persona="akari")
            found = await later.recall("n4", planner="none", top_k=1)
            context = await later.context("What of n4?", planner="none")
            assert "n4" in context.text
            return [hit.text for hit in found.hits]
        finally:
            await engine.close()

    assert asyncio.run(talk()) == ["The lamp number n4 is red."]
