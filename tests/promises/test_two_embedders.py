"""One viewer whose story and user are remembered by two embedders: each by its own, never mixed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.memory import Kind
from kataribe.domain.recall.policy_file import Tuned, Tuning
from kataribe.domain.terms import Language
from kataribe.testing.fakes import CountingEmbedder
from support.stores import empty_store, services

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
OTHER = "other-1"


@dataclass(frozen=True)
class Words:
    language: Language
    fact: str
    turn: str
    question: str


BOTH = pytest.mark.parametrize(
    "words",
    [
        Words("en", "The lantern hangs in the mill.", "I keep a lantern on my boat.", "Where is a lantern?"),
        Words("ja", "灯籠は水車小屋に下がっている。", "私は舟に灯籠を置いている。", "灯籠はどこ？"),
    ],
    ids=lambda words: words.language,
)


class OtherEmbedder(CountingEmbedder):
    """The same vectors under another id: nothing may compare them all the same."""

    @property
    def embedder_id(self) -> str:
        return OTHER


@contextmanager
def world(
    folder: Path, words: Words, **minimums: float
) -> Iterator[tuple[kataribe.Kataribe, CountingEmbedder, CountingEmbedder]]:
    """Give a store with one fact and one turn, and who embedded them; `minimums` are those of turns."""
    inner = services().embedder("hash")
    by_name = {"hash": CountingEmbedder(inner), "other": OtherEmbedder(inner)}
    ids = {"story": inner.embedder_id, "user": OTHER}
    tuning = Tuning(
        embedders={ids[whose]: Tuned(minimums={Kind.TURN: least}) for whose, least in minimums.items()}
    )
    parts = replace(services(), embedder=lambda name: by_name[name], tuning=tuning)
    with kataribe.open(str(empty_store(folder / "two.db")), services=parts) as store:
        store.story("s").create(language=words.language, embedder="hash")
        store.story("s").episodes.put(no=1, text=words.fact)
        store.user("u").create(language=words.language, embedder="other")
        store.user("u").put_turns(
            [Turn(turn_id="t1", session="1", speaker="Ann", text=words.turn, time=NOON)]
        )
        store.sync()
        yield store, by_name["hash"], by_name["other"]


def viewer() -> Any:
    later = NOON + timedelta(days=1)
    return {"story": "s", "persona": "bo", "at": 2, "user": "u", "as_of": later}


@BOTH
def test_a_question_is_embedded_once_by_each(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as (store, of_story, of_user):
        found = store.recall(words.question, **viewer())
        assert {hit.text for hit in found.hits} == {words.fact, words.turn}
        assert of_story.documents == [words.fact]
        assert of_user.documents == [words.turn]
        assert (len(of_story.queries), len(of_user.queries)) == (1, 1)


@BOTH
def test_a_context_holds_a_turn_to_the_minimum_of_its_own_embedder(tmp_path: Path, words: Words) -> None:
    # Words that a question and a turn share speak for it: this asks for something else.
    question = "Who paints fences?" if words.language == "en" else "猫の名前は何？"
    for minimums, is_kept in (({}, True), ({"story": 0.99}, True), ({"user": 0.99}, False)):
        with world(tmp_path, words, **minimums) as (store, _, _):
            made = store.context(question, **viewer(), planner="none")
            # What is kept of the last conversation is another part, which no question is asked for.
            recalled = made.part("memories")
            assert (recalled is not None and words.turn in recalled.text) is is_kept, minimums
