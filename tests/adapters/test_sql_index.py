from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from kataribe.adapters.sql import SqlLedger, queries
from kataribe.arena.arena import DEFAULT_BYTES
from kataribe.arena.keywords import ShelfKeywordIndex
from kataribe.arena.vectors import ShelfVectorIndex
from kataribe.domain.filters import parse
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.memory import Memory, Reason
from kataribe.domain.space import episode_unit, story_space
from kataribe.domain.story.inputs import Episode, Story
from kataribe.domain.terms import FactOrigin
from kataribe.errors import EmbedderMismatchError
from kataribe.ports import KeywordIndex, Transaction, VectorSearch, View
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.index import KeywordIndexContract, VectorSearchContract
from kataribe.testing.index_world import EAST, HERE, THERE, IndexWorld, ids, row, up_to
from kataribe.testing.reference import IndexRow, ReferenceWorld, as_vector


class SqlWorld:
    """Rows as memories of a ledger: a space is a story, a position one of its episodes."""

    def __init__(self, path: str, *, arena_bytes: int = DEFAULT_BYTES) -> None:
        self._ledger = SqlLedger(path, FrozenClock(), arena_bytes=arena_bytes)
        self._view = ExitStack()
        self._reading: View | None = None

    def load(self, rows: Iterable[IndexRow]) -> None:
        self._view.close()
        by_story: dict[str, dict[int, list[IndexRow]]] = {}
        for given in rows:
            story_id = given.space.removeprefix("story:")
            by_story.setdefault(story_id, {}).setdefault(given.position, []).append(given)
        with self._ledger.writing() as writing:
            for story in writing.stories():
                writing.delete_story(story.story_id)
            for story_id, episodes in by_story.items():
                _put_story(writing, story_id, episodes)
        self._reading = self._view.enter_context(self._ledger.reading())

    def close(self) -> None:
        self._view.close()
        self._ledger.close()

    @property
    def reading(self) -> View:
        assert self._reading is not None
        return self._reading

    @property
    def vectors(self) -> VectorSearch:
        return self.reading.vectors

    @property
    def keywords(self) -> KeywordIndex:
        return self.reading.keywords


def _put_story(writing: Transaction, story_id: str, episodes: dict[int, list[IndexRow]]) -> None:
    writing.put_story(
        Story(story_id=story_id, language="ja", embedder="any", embedder_id="any-1", extractor_id="none")
    )
    for no, (position, rows) in enumerate(sorted(episodes.items()), start=1):
        episode_id = f"e{no}"
        writing.put_episode(story_id, Episode(episode_id=episode_id, no=no, text=""), order_key=position)
        (shown,) = {r.live for r in rows}
        for holder in sorted({r.holder for r in rows}):
            # A unit for each holder: copies of one fact differ in these worlds.
            share = {r.fact_id: r for r in rows if r.holder == holder}
            memories = [_memory(r, episode_id, no, rows.index(r)) for r in share.values()]
            writing.replace_memories(
                story_space(story_id),
                episode_unit(episode_id, holder),
                memories,
                terms={fact_id: r.terms for fact_id, r in share.items()},
                vectors={
                    m.text_hash: np.array(share[m.fact_id].vector, dtype="<f4").tobytes() for m in memories
                },
                embedder_id="any-1",
                shown=shown,
            )


def _memory(given: IndexRow, episode_id: str, no: int, index: int) -> Memory:
    return Memory(
        memory_id=f"{episode_id}/{index}",
        space=given.space,
        holder=given.holder,
        position=given.position,
        episode_id=episode_id,
        episode_no=no,
        fact_id=given.fact_id,
        version=1,
        fact_index=index,
        text=f"text of {given.fact_id}",
        text_hash=f"{episode_id}/{index}",
        origin=FactOrigin.SUPPLIED,
        place=index,
        reason=Reason.SUPPLIED,
        extra=given.fields,
    )


@pytest.fixture(scope="module", params=["arena", "an index for each episode", "a tiny arena"])
def sql_world(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[SqlWorld]:
    """Plan A (S0-33), plan B (S0-34), and an arena that drops its shelves all the time."""
    size = {"arena": DEFAULT_BYTES, "an index for each episode": 0, "a tiny arena": 1}[request.param]
    world = SqlWorld(str(tmp_path_factory.mktemp("index") / "index.db"), arena_bytes=size)
    yield world
    world.close()


class TestReferenceVectorIndex(VectorSearchContract):
    @pytest.fixture
    def world(self) -> IndexWorld:
        return ReferenceWorld()


class TestReferenceKeywordIndex(KeywordIndexContract):
    @pytest.fixture
    def world(self) -> IndexWorld:
        return ReferenceWorld()


class TestSqlVectorIndex(VectorSearchContract):
    @pytest.fixture
    def world(self, sql_world: SqlWorld) -> IndexWorld:
        return sql_world

    def test_it_is_the_one_of_the_store(self, sql_world: SqlWorld) -> None:
        sql_world.load([])
        assert isinstance(sql_world.vectors, ShelfVectorIndex)

    def test_vectors_of_two_lengths_behind_one_gate_are_refused(self, sql_world: SqlWorld) -> None:
        sql_world.load([row("old", 1), row("new", 2, vector=(1.0, 0.0))])
        for question in ((1.0, 0.0), (1.0, 0.0, 0.0, 0.0)):
            with pytest.raises(EmbedderMismatchError):
                sql_world.vectors.nearest(as_vector(question), gate=up_to(2), top_k=1)

    def test_vectors_of_another_length_outside_the_gate_do_not_matter(self, sql_world: SqlWorld) -> None:
        short = (1.0, 0.0)
        sql_world.load([row("a", 1), row("b", 2, vector=short), row("c", 1, space=THERE, vector=short)])
        assert ids(sql_world.vectors.nearest(as_vector(EAST), gate=up_to(1), top_k=9)) == ["a"]

    def test_similarities_of_very_many_rows_are_found(self, sql_world: SqlWorld) -> None:
        sql_world.load([row(f"f{n}", 1) for n in range(1200)])
        found = sql_world.vectors.nearest(as_vector(EAST), gate=up_to(1), top_k=2000)
        scores = sql_world.vectors.similarities(as_vector(EAST), [c.key for c in found], gate=up_to(1))
        assert len(scores) == 1200


class TestSqlKeywordIndex(KeywordIndexContract):
    @pytest.fixture
    def world(self, sql_world: SqlWorld) -> IndexWorld:
        return sql_world

    def test_it_is_the_one_of_the_store(self, sql_world: SqlWorld) -> None:
        sql_world.load([])
        assert isinstance(sql_world.keywords, ShelfKeywordIndex)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ({"episode_no": 2}, ["b"]),
        ({"episode_no": {"$lte": 2}}, ["a", "b"]),
        ({"episode_id": "e1"}, ["a"]),
        ({"scope": "character"}, ["d"]),
        ({"character_id": "world"}, ["a", "b", "c"]),
        ({"kind": "fact", "importance": 3, "pinned": False}, ["a", "b", "c", "d"]),
        ({"fact_id": {"$in": ["a", "d", "x"]}}, ["a", "d"]),
        ({"text": "text of c"}, ["c"]),
    ],
)
def test_our_own_fields_can_be_asked(
    sql_world: SqlWorld, written: dict[str, object], wanted: list[str]
) -> None:
    sql_world.load(
        [
            *(row("other", n, space=THERE) for n in (1, 2, 3, 4)),
            row("a", 10),
            row("b", 20),
            row("c", 30),
            row("d", 30, holder="ann"),
        ]
    )
    gate, where = up_to(99, "ann"), parse(written)
    assert ids(sql_world.vectors.nearest(as_vector(EAST), gate=gate, top_k=9, where=where)) == wanted
    assert sorted(ids(sql_world.keywords.matching(("銀河",), gate=gate, top_k=9, where=where))) == wanted
    assert [m.fact_id for m in sql_world.reading.admitted(gate, where=where)] == wanted


def test_what_is_admitted_is_what_the_searches_may_find(sql_world: SqlWorld) -> None:
    sql_world.load(
        [
            row("a", 1),
            row("b", 2, holder="ann"),
            row("hidden", 3, live=False),
            row("late", 4),
            row("secret", 1, holder="氷室"),
            row("elsewhere", 1, space=THERE),
        ]
    )
    gate = up_to(3, "ann")
    admitted = sql_world.reading.admitted(gate)
    assert [(m.space, m.fact_id) for m in admitted] == [(HERE, "a"), (HERE, "b")]
    found = sql_world.vectors.nearest(as_vector(EAST), gate=gate, top_k=9)
    assert {c.key for c in found} == {m.key for m in admitted}
    keys = [m.key for m in sql_world.reading.memories(HERE)]
    assert sql_world.reading.admitted(gate, keys=keys) == admitted
    assert sql_world.reading.admitted(gate, keys=()) == ()
    facts = ["a", "b", "hidden", "late", "secret", "elsewhere"]
    assert sql_world.reading.admitted_facts(gate, facts) == {"a": (0, 1), "b": (0, 2)}


def test_the_future_is_not_scanned(tmp_path: Path) -> None:
    """A slice is a prefix of the index: the plan seeks by position, and asks nothing outside it."""
    gate = Gate((Slice("story:s", "world", 7), Slice("story:s", "ann", 7)))
    sql, given = queries.from_gate("key", gate)
    with (
        contextlib.closing(SqlLedger(str(tmp_path / "k.db"), FrozenClock())) as ledger,
        ledger.reading() as reading,
    ):
        plan = [row.detail for row in queries.ask(reading._driver, f"EXPLAIN QUERY PLAN {sql}", given)]
    seeks = [line for line in plan if "memories" in line]
    assert len(seeks) == 2
    assert all("(space=? AND holder=? AND live=? AND position<?)" in line for line in seeks)


@pytest.mark.parametrize("table", ["memories", "segments"])
def test_what_belongs_to_a_unit_is_looked_up_by_an_index(tmp_path: Path, table: str) -> None:
    """Else whoever goes through all units of a story reads all of it for each."""
    path = tmp_path / "k.db"
    SqlLedger(str(path), FrozenClock()).close()
    sql = f"SELECT * FROM {table} WHERE space = ? AND {queries.OF_UNIT}"
    with contextlib.closing(sqlite3.connect(path)) as driver:
        plan = driver.execute(f"EXPLAIN QUERY PLAN {sql}", ("story:s", *queries.of_unit("e"))).fetchall()
    assert f"USING INDEX ix_{table}_unit (space=? AND unit>? AND unit<?)" in str(plan)


def test_a_unit_has_its_shares_and_no_other_unit(tmp_path: Path) -> None:
    given = ("e", "e:rin", "e:凛", "e:", "e;", "ee", "e!", "e1", "d", "f", "E")
    with contextlib.closing(sqlite3.connect(":memory:")) as driver:
        driver.execute("CREATE TABLE t (unit TEXT)")
        driver.executemany("INSERT INTO t VALUES (?)", [(one,) for one in given])
        found = driver.execute(f"SELECT unit FROM t WHERE {queries.OF_UNIT}", queries.of_unit("e"))
        assert {one for (one,) in found} == {"e", "e:rin", "e:凛"}
