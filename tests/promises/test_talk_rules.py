"""What is remembered of users, rule by rule, through the face."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.domain.conversation.turns import turn_memories
from kataribe.domain.terms import Language
from kataribe.domain.work import WorkPolicy
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports import Embedder, Matrix, Vector
from kataribe.testing.fakes import CountingEmbedder, FailingEmbedder, FrozenClock
from support.stores import empty_store, services

BEGIN = datetime(2024, 1, 1, 9, tzinfo=UTC)


def turn(number: int, text: str | None = None, *, days: int = 0) -> kataribe.Turn:
    return kataribe.Turn(
        turn_id=f"t{number}",
        session="1",
        speaker="Ann",
        text=text or f"What was said as number {number}.",
        time=BEGIN + timedelta(days=days, minutes=number),
    )


def with_embedder(embedder: Embedder) -> Services:
    """Tried twice, at once."""
    policy = WorkPolicy(backoff_seconds=0, max_attempts=2)
    return replace(services(), embedder=lambda _: embedder, policy=policy)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(empty_store(tmp_path / "t.db"))


@pytest.fixture
def store(path: str) -> Iterator[Kataribe]:
    with kataribe.open(path, services=services()) as opened:
        opened.user("u").create(language="en", embedder="hash")
        opened.user("u").put_turns([turn(1), turn(2), turn(3, days=1)])
        opened.sync()
        yield opened


class Newer(CountingEmbedder):
    """The next release of an embedder: other vectors, of another length."""

    @property
    def embedder_id(self) -> str:
        return "hash-2"

    @property
    def dimensions(self) -> int:
        return 8

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        matrix = await super().embed_documents(texts)
        return _unit(matrix[:, :8] + 1)

    async def embed_query(self, text: str) -> Vector:
        vector: Vector = _unit((await super().embed_query(text))[None, :8] + 1)[0]
        return vector


def _unit(matrix: Matrix) -> Matrix:
    found: Matrix = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    return found


def test_a_rebuild_moves_a_user_to_the_embedder_that_is_installed(store: Kataribe, path: str) -> None:
    before = [hit.id for hit in store.known(user="u").hits]
    newer = Newer(services().embedder("hash"))
    with kataribe.open(path, services=with_embedder(newer)) as other:
        with pytest.raises(kataribe.EmbedderMismatchError, match="rebuild"):
            other.recall("number", user="u")
        with pytest.raises(kataribe.EmbedderMismatchError):
            other.user("u").sync()
        (problem, *_) = other.user("u").verify().problems
        assert "embedded by hash-1, installed is hash-2; run `kataribe rebuild --user u`" in problem
        report = other.user("u").rebuild()
        assert (report.pages, report.embedded) == (2, 3)
        assert other.user("u").info().embedder_id == "hash-2"
        assert other.verify().problems == ()
        assert [hit.id for hit in other.known(user="u").hits] == before
        assert len(other.recall("number", user="u").hits) == 3


def test_what_another_embedder_made_is_never_compared(store: Kataribe, path: str) -> None:
    """A rebuild that fails half way shows less, not vectors of two sorts."""
    newer = FailingEmbedder(Newer(services().embedder("hash")), failing={turn(1).text})
    with kataribe.open(path, services=with_embedder(newer)) as other:
        report = other.user("u").rebuild()
        assert sorted(report.failed) == ["2024-01-01"]
        found = other.recall("number", user="u")
        assert ([hit.fact_id for hit in found.hits], found.pending_turns) == (["t3"], 2)
        newer.failing.clear()
        other.sync(retry=True)
        assert len(other.recall("number", user="u").hits) == 3


def test_a_rebuild_reads_every_text_anew(store: Kataribe, path: str) -> None:
    counting = CountingEmbedder(services().embedder("hash"))
    with kataribe.open(path, services=with_embedder(counting)) as other:
        other.user("u").rebuild()
        assert sorted(counting.documents) == sorted(turn(n).text for n in (1, 2, 3))


def test_a_rebuild_of_stories_leaves_conversations(store: Kataribe) -> None:
    store.story("s").create(language="en", embedder="hash")
    store.story("s").episodes.put(no=1, text="A lamp was lit.")
    store.sync()
    store.admin.rebuild()
    assert len(store.known(user="u").hits) == 3
    assert store.verify().ok


def test_a_turn_that_cannot_be_embedded_is_kept_and_tried_again(path: str) -> None:
    """P5."""
    failing = FailingEmbedder(services().embedder("hash"), failing={"bad"})
    with kataribe.open(path, services=with_embedder(failing)) as store:
        store.user("u").create(language="en", embedder="hash")
        store.user("u").put_turns([turn(1, "bad"), turn(2), turn(3, days=1)])
        for waits in (False, True):
            report = store.user("u").sync(waits=waits)
            assert list(report.failed) == ["2024-01-01"]
            assert report.pages == (0 if waits else 1)
            told = store.known(user="u")
            assert ([hit.fact_id for hit in told.hits], told.pending_turns) == (["t3"], 2)
        assert store.user("u").turns()[0].text == "bad"
        assert store.user("u").state().pending_turns == 2
        assert store.verify().ok, "what is pending is no fault"
        failing.failing.clear()
        assert store.user("u").sync().pages == 0, "it failed too often"
        assert store.user("u").sync(retry=True).failed == {}
        assert len(store.known(user="u").hits) == 3


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE memories SET text = 'forged' WHERE fact_id = 't1'", "is not what its turn makes of it"),
        ("UPDATE memories SET live = 0 WHERE fact_id = 't1'", "is hidden and should not be"),
        ("DELETE FROM memories WHERE fact_id = 't1'", "is missing"),
        ("DELETE FROM turns WHERE turn_id = 't1'", "is of no turn"),
        ("UPDATE segments SET vectors = zeroblob(length(vectors))", "has another vector than its turn"),
        ("DELETE FROM memory_vectors", "has no vector of hash-1"),
        ("UPDATE segments SET hashes = zeroblob(length(hashes))", "has other keywords than its turn"),
    ],
)
def test_verify_tells_what_is_not_as_it_should_be(store: Kataribe, path: str, sql: str, words: str) -> None:
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(sql)
    connection.close()
    with kataribe.open(path, services=services()) as other:
        problems = other.user("u").verify().problems
        assert any(words in problem for problem in problems), problems
        other.user("u").rebuild()
        assert other.verify().problems == ()


def test_searching_asks_for_a_user_and_for_sense(store: Kataribe) -> None:
    with pytest.raises(kataribe.InputError, match="name the user instead of a story"):
        store.viewer(story="s", persona="a", at=2).search_log(["x"])
    with pytest.raises(kataribe.InputError, match="a list of words"):
        store.viewer(user="u").search_log("number")
    with pytest.raises(kataribe.InputError, match="seed"):
        store.viewer(user="u").search_log(["number"], seed=True)
    assert store.viewer(user="u").search_log([]).hits == ()
    assert store.viewer(user="u").search_log(["number"], policy=kataribe.AUTOMATIC).matched == 0, "too short"
    loose = kataribe.LogSearchPolicy(shortest=0)
    found = store.viewer(user="u").search_log(["number"], policy=loose)
    assert [hit.turn_id for hit in found.hits] == ["t3", "t2", "t1"]
    assert store.viewer(user="u", as_of=turn(2).time).search_log(["number"], policy=loose).matched == 2


def test_a_user_is_not_seen_through_another_ones_memories(store: Kataribe) -> None:
    assert turn_memories("user:u", turn(1))[0].position == turn(1).at
    store.user("v").create(language="en", embedder="hash")
    assert store.known(user="v").hits == ()
    state = store.user("v").state()
    assert (state.turns, state.sessions, state.personas, state.pending_turns) == (0, 0, (), 0)


@pytest.mark.parametrize(
    ("language", "text"), [("en", "The key will be here."), ("ja", "鍵はここにあるだろう。")]
)
def test_a_turn_ahead_of_the_clock_is_stored_and_reported(path: str, language: Language, text: str) -> None:
    clock = FrozenClock(BEGIN)
    with kataribe.open(path, services=replace(services(), clock=clock)) as store:
        store.user("u").create(language=language, embedder="hash")
        ahead, on_time = turn(1, text), replace(turn(2, text), time=BEGIN)
        assert store.user("u").put_turns([ahead, on_time]) == kataribe.StoredTurns(changed=2, ahead=("t1",))
        store.user("u").sync()
        assert store.user("u").put_turns([ahead]).ahead == ("t1",), "again when it is brought in again"
        assert len(store.user("u").turns()) == 2
        assert [hit.fact_id for hit in store.known(user="u").hits] == ["t2"]
        assert [hit.fact_id for hit in store.known(user="u", as_of=ahead.time).hits] == ["t2", "t1"]
        late = ahead.time - timedelta(milliseconds=1)
        assert [hit.fact_id for hit in store.known(user="u", as_of=late).hits] == ["t2"]
        assert store.user("u").put_turns([on_time]).ahead == ()


@pytest.mark.parametrize("text", ["The key lies under the stone.", "鍵は石の下にある。"])
def test_what_is_changed_and_changed_back_is_remembered_again(store: Kataribe, text: str) -> None:
    """What is wanted in the end was done once, but what it left in memory is gone."""
    said = turn(2, text)
    store.user("u").put_turns([said])
    store.user("u").sync()
    before = store.known(user="u").hits
    store.user("u").put_turns([replace(said, text="x")])
    store.user("u").put_turns([said])
    assert store.known(user="u").pending_turns == 1
    store.user("u").sync()
    assert store.known(user="u").hits == before
    store.user("u").delete_turns([said.turn_id])
    store.user("u").put_turns([said])
    store.user("u").sync()
    assert store.known(user="u").hits == before
    assert store.user("u").verify().problems == ()
