"""What was asked lately is not embedded again; no other asker can tell, and an erasure forgets it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kataribe
from kataribe.domain.gate import Viewer
from kataribe.engine.asked_before import MOST_KEPT, AskedBefore
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports import Vector
from support.erasing import erase
from support.stores import empty_store, services

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SAID = {"en": "The silver key lies under the mill.", "ja": "銀の鍵は水車小屋の下にある。"}
ASKED = {"en": "Where is the silver key?", "ja": "銀の鍵はどこ？"}


class Counting:
    """An embedder that counts what it is asked to embed, and is another one when told to be."""

    def __init__(self) -> None:
        self._inner = services().embedder("hash")
        self.asked: list[str] = []

    async def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return await self._inner.embed_query(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture(params=["en", "ja"])
def language(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def store(tmp_path: Path, embedder: Counting, language: Any) -> Iterator[Kataribe]:
    parts = replace(services(), embedder=lambda _: embedder)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=parts) as made:
        for user in ("nora", "ren"):
            made.user(user).create(language=language, embedder="hash")
            made.user(user).said(SAID[language], speaker=user, persona="rin", time=NOW)
        yield made


def texts(store: Kataribe, question: str, user: str = "nora", persona: str = "rin") -> list[str]:
    return [hit.text for hit in store.recall(question, user=user, persona=persona).hits]


def test_the_same_words_of_the_same_asker_are_embedded_once(
    store: Kataribe, embedder: Counting, language: Any
) -> None:
    first = texts(store, ASKED[language])
    assert first == [SAID[language]]
    assert texts(store, ASKED[language]) == first
    store.user("nora").said(f"{SAID[language]} 2", speaker="nora", persona="rin")
    # A write makes no vector wrong, and what was said since is there.
    assert len(texts(store, ASKED[language])) == 2
    assert len(embedder.asked) == 1
    texts(store, f"{ASKED[language]} 2")
    assert len(embedder.asked) == 2


def test_another_asker_is_no_quicker_for_it(store: Kataribe, embedder: Counting, language: Any) -> None:
    texts(store, ASKED[language])
    texts(store, ASKED[language], user="ren")
    texts(store, ASKED[language], persona="mei")
    assert len(embedder.asked) == 3


def test_an_erasure_forgets_what_its_user_asked_and_nothing_of_others(
    store: Kataribe, embedder: Counting, language: Any
) -> None:
    for user in ("nora", "ren"):
        texts(store, ASKED[language], user=user)
    kept = store._of._engine._asked_before
    assert (kept.held("nora"), kept.held("ren")) == (1, 1)
    assert erase(store, "nora").complete
    assert (kept.held("nora"), kept.held("ren")) == (0, 1)
    texts(store, ASKED[language], user="ren")
    assert len(embedder.asked) == 2


def test_what_is_asked_while_a_user_is_erased_is_not_kept() -> None:
    kept, viewer = AskedBefore(), Viewer(persona="rin", user="nora", as_of=NOW)
    before = kept.erasures
    kept.forget("nora")
    kept.keep(viewer, "e", "words", np.zeros(3, np.float32), erasures=before)
    assert kept.held("nora") == 0
    assert kept.get(viewer, "e", "words") is None


def test_so_many_are_kept_and_the_one_asked_for_longest_ago_goes_first() -> None:
    kept, viewer = AskedBefore(), Viewer(persona="rin", user="nora", as_of=NOW)
    for number in range(MOST_KEPT):
        kept.keep(viewer, "e", str(number), np.full(3, number, np.float32), erasures=0)
    assert kept.get(viewer, "e", "0") is not None
    kept.keep(viewer, "e", "more", np.zeros(3, np.float32), erasures=0)
    assert kept.held("nora") == MOST_KEPT == 500
    assert kept.get(viewer, "e", "1") is None
    assert kept.get(viewer, "e", "0") is not None
    # Another model's vectors are others.
    assert kept.get(viewer, "another", "0") is None
