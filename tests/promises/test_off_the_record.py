"""What is said off the record is kept in the process alone: no byte of it is written anywhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe import Component
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.answering import FakeAnswerer
from support.stores import empty_store, services
from support.talk import DAY_ONE

SAID: dict[Language, tuple[str, str, str]] = {
    "en": ("I left the silver key under the stone.", "The marmalade cipher is mine.", "marmalade"),
    "ja": ("銀の鍵は石の下に置いてきたよ。", "合言葉は夏みかんなんだ。", "夏みかん"),
}
LANGUAGES: tuple[Language, ...] = ("en", "ja")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(DAY_ONE)


@pytest.fixture
def answerer() -> FakeAnswerer:
    return FakeAnswerer()


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock, answerer: FakeAnswerer) -> Iterator[Kataribe]:
    parts = replace(services(), clock=clock, answerer=lambda _: answerer)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=parts) as made:
        yield made


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_byte_of_it_is_written(
    store: Kataribe, tmp_path: Path, language: Language, caplog: pytest.LogCaptureFixture
) -> None:
    open_, secret, word = SAID[language]
    chat = store.user("nora").chat(persona="akari", language=language, embedder="hash")
    chat.said(open_)
    traces = store.admin.traces(user="nora")
    with caplog.at_level(logging.DEBUG):
        off = chat.off_the_record()
        off.said(secret)
        off.replied(secret)
        assert secret in off.context(open_).text
        off.context(open_, budgets={"recent": 0})
        off.recall(secret)
        answer = off.reply(secret, model="fake")
        off.replied(answer.text)
        store.user("nora").sync()
        store.user("nora").memory.list()
    assert word not in caplog.text
    assert [turn.text for turn in store.user("nora").turns()] == [open_]
    assert store.admin.traces(user="nora") == traces, "not even that something was asked"
    with store._of._engine._ledger.reading() as view:
        assert view.turn_uses("user:nora", ":akari") == ()
    store.close()
    for file in tmp_path.iterdir():
        assert word.encode() not in file.read_bytes(), file.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_at_hand_for_as_long_as_a_buffer_is(
    store: Kataribe, clock: FrozenClock, answerer: FakeAnswerer, language: Language
) -> None:
    open_, secret, _ = SAID[language]
    chat = store.user("nora").chat(persona="akari", language=language, embedder="hash")
    chat.said(open_)
    off = chat.off_the_record()
    off.said(secret)
    made = off.context(open_)
    recent, short = made.part(Component.RECENT), made.part(Component.SHORT)
    assert recent is not None
    assert f"- nora: {secret}" in recent.text
    assert short is not None
    assert off.context(secret).text.count(secret) == 1, "the question is not said twice"
    assert secret not in chat.context(open_).text, "the chat itself knows nothing of it"
    off.reply(secret, model="fake")
    assert open_ in str(answerer.asked[-1]["context"]), "what was said on the record stays known"
    clock.advance(timedelta(minutes=10))
    assert secret not in off.context(open_).text
    for number in range(13):
        off.said(f"{secret} {number}")
    assert off.context(open_).text.count(secret) == 12


def test_what_is_no_text_is_refused(store: Kataribe) -> None:
    off = store.user("nora").chat(language="en", embedder="hash").off_the_record()
    with pytest.raises(kataribe.InputError, match="empty"):
        off.said(" ")
    with pytest.raises(kataribe.InputError, match="name the speaker"):
        off.replied("Well.")
    with pytest.raises(kataribe.NotFoundError):
        off.context("Who am I?")
