"""A recall whose plan says that nothing is needed searches nothing, and says why (S4-67, S4-68, P9)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe import SearchPlan
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.recall import recollection_json
from kataribe.testing.fakes import CountingEmbedder
from support.answering import FakePlanner
from support.stores import services
from support.talk import FakeReranker, talk, turn

SAID = [turn(1, "Hello! The key lies under the mill."), turn(2, "こんにちは。鍵は水車小屋の下です。")]


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder(services().embedder("hash"))


@pytest.fixture
def store(tmp_path: Path, embedder: CountingEmbedder) -> Iterator[Kataribe]:
    with talk(tmp_path / "t.db", SAID, parts={"embedder": lambda _: embedder}) as made:
        yield made


@pytest.mark.parametrize("greeting", ["Hello!", "こんにちは！", "Thanks :)", "ありがとう。"])
def test_small_talk_is_not_searched_for_unless_told_to(
    store: Kataribe, embedder: CountingEmbedder, greeting: str
) -> None:
    found = store.recall(greeting, user="u")
    assert (found.hits, found.explanation) == ((), None)
    assert found.note == "small talk: nothing is looked for"
    assert embedder.queries == [], "no index and no embedder is asked"
    assert store.recall(greeting, user="u", planner="none").hits != ()
    assert store.recall(greeting, user="u", planner="none").note is None
    assert store.viewer(user="u").recall_tool()(query=greeting) == []
    traced = [(trace.verb, len(trace.ids)) for trace in store.admin.traces(user="u")]
    assert traced == [("recall", 0), ("recall", 2), ("recall", 2), ("recall", 0)]


def test_a_question_is_searched_for(store: Kataribe) -> None:
    for question in ("Where is the key?", "鍵はどこ？"):
        found = store.recall(question, user="u")
        assert found.hits != ()
        assert found.note is None


def test_any_plan_may_say_that_nothing_is_needed(tmp_path: Path, embedder: CountingEmbedder) -> None:
    """That of a planner, with or without words of its own, and one that is handed in."""
    planner, reranker = FakePlanner(SearchPlan(needed=False)), FakeReranker()
    parts = {"planner": lambda _: planner, "embedder": lambda _: embedder, "reranker": lambda _: reranker}
    with talk(tmp_path / "t.db", SAID, parts=parts) as store:
        found = store.recall("Where is the key?", user="u", planner="any:model", reranker="any:model")
        assert (found.hits, found.note) == ((), "nothing needs to be remembered for this, says fake-planner")
        told = store.recall("Where?", user="u", intent="temporal", planner="any:model")
        assert told.hits == (), "an intent is not a wish to search"
        planner.made = SearchPlan(needed=True)
        handed = SearchPlan(needed=False, made_by="me", note="later")
        assert store.recall("Where is the key?", user="u", plan=handed).note == "later"
        assert (embedder.queries, reranker.given) == ([], [])
        assert store.recall("Where is the key?", user="u", planner="any:model").hits != ()


def test_who_explains_it_is_told_all(store: Kataribe) -> None:
    found = store.recall("Hello!", user="u", explain=True)
    told = found.explanation
    assert told is not None
    assert (told.note, told.made_by, told.admissible) == (found.note, "rules-1", 2)
    assert told.candidates == {"vectors": 0, "keywords": 0, "all": 0}
    assert len(told.slices) == 1
    assert recollection_json(found)["note"] == found.note


def test_the_viewer_and_what_is_asked_are_checked_all_the_same(store: Kataribe) -> None:
    with pytest.raises(kataribe.NotFoundError):
        store.recall("Hello!", user="nobody")
    with pytest.raises(kataribe.InputError, match="top_k"):
        store.recall("Hello!", user="u", top_k=0)
    with pytest.raises(kataribe.InputError):
        store.recall("Hello!", user="u", reranker="no such")


def test_of_a_story_too(tmp_path: Path) -> None:
    with kataribe.open(str(tmp_path / "k.db"), services=services()) as store:
        store.story("s").create(language="ja", embedder="hash")
        store.story("s").episodes.put(no=1, text="おはよう、と澪は言った。鍵は水車小屋の下にある。")
        store.sync()
        found = store.recall("おはよう", story="s", persona="mio", at=2)
        assert (found.hits, found.note) == ((), "small talk: nothing is looked for")
        assert store.recall("おはよう", story="s", persona="mio", at=2, planner="none").hits != ()
        assert store.recall("おはよう", story="s", persona="mio", at=1).note is None, "closed already"
