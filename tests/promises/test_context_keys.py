"""Whatever a recall may be told, a context may be told too, and it is heeded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.recall.requests import RecallKeys
from kataribe.engine import Engine
from kataribe.face.sync.kataribe import Kataribe
from support.talk import FakeReranker, talk, turn

SAID = [turn(1, "The key lies under the mill."), turn(2, "鍵は水車小屋の下にある。"), turn(3, "The key!")]
TOLD: dict[str, Any] = {
    "user": "u", "persona": "rin", "as_of": turn(9, "x").time, "where": {"speaker": "Ann"}, "top_k": 7,
    "explain": True, "intent": "temporal", "planner": "rules", "reranker": "short", "recent": ["Well."],
    "story": None, "at": None, "archived": True,
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    reranker = FakeReranker()
    with talk(tmp_path / "t.db", SAID, parts={"reranker": lambda _: reranker}) as made:
        yield made


@pytest.mark.parametrize("verb", ["context", "answer"])
def test_every_key_reaches_recall(store: Kataribe, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    given: list[dict[str, Any]] = []
    plain = Engine.recall_in_tokens

    async def noted(self: Engine, question: str, **asked: Any) -> kataribe.Recollection:
        given.append(asked)
        return await plain(self, question, **asked)

    monkeypatch.setattr(Engine, "recall_in_tokens", noted)
    getattr(store, verb)("Where is the key?", **TOLD)
    kept_here = {"min_similarity", "min_relevance", "plan", "reader", "read"}
    assert set(TOLD) == set(RecallKeys.__annotations__) - kept_here, "none is forgotten in this test"
    assert {key: given[0][key] for key in TOLD} == TOLD
    assert given[0]["plan"].made_by == "rules-1", "planned once, for both"


@pytest.mark.parametrize("question", ["Hello!", "こんにちは", "Where is the key?"])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"top_k": 0}, "top_k"), ({"intent": "sad"}, "intent"), ({"where": {"$x": 1}}, "x")],
)
def test_what_is_wrong_is_refused_though_nothing_is_searched(
    store: Kataribe, question: str, wrong: dict[str, Any], words: str
) -> None:
    with pytest.raises(kataribe.KataribeError, match=words):
        store.context(question, user="u", **wrong)


def test_an_intent_that_is_told_is_that_of_the_plan(store: Kataribe) -> None:
    made = store.context("鍵はどこ？", user="u", intent="emotional")
    assert made.plan is not None
    assert (made.plan.intent.value, made.plan.detected) == ("emotional", True)
