"""The arena with units of any rows: among those of others, at the same positions, and changed by and by."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kataribe.arena import block as blocks
from kataribe.arena import shelf as shelves
from kataribe.arena.arena import Arena
from kataribe.arena.block import Block, block_of, merged
from kataribe.arena.both import search_both
from kataribe.arena.gated import ArenaShelves, EpisodeShelves, Gated, Shelves
from kataribe.arena.keywords import ShelfKeywordIndex
from kataribe.arena.segment import Postings, Segment, postings_of, postings_of_each
from kataribe.arena.table import MOST_ROWS, Tables
from kataribe.arena.vectors import ShelfVectorIndex
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Slice
from kataribe.ports import KeywordIndex, VectorSearch
from kataribe.testing.index import KeywordIndexContract, VectorSearchContract
from kataribe.testing.index_world import (
    ASKEW,
    CORNERS,
    HERE,
    THERE,
    WORDS,
    IndexWorld,
    assert_same,
    inside,
    row,
)
from kataribe.testing.reference import IndexRow, ReferenceWorld, as_vector

Address = tuple[str, str, str]
"""The space, holder and fact id of a row: what its key stands for."""


@dataclass(frozen=True)
class RowFeed:
    """The arena's `Feed` over the rows of one moment."""

    now: int
    rows: tuple[IndexRow, ...]
    keys: Mapping[Address, int]
    changes: tuple[tuple[int, str, str], ...]
    """(Revision, space, unit)."""
    is_warm: bool = False

    def revision(self, space: str) -> int:
        return max((at for at, of, _ in self.changes if of == space), default=0)

    def changed(self, space: str, since: int) -> Collection[str] | None:
        return {unit for at, of, unit in self.changes if of == space and at > since}

    def segments(
        self,
        space: str,
        holder: str,
        *,
        after: int | None = None,
        upto: int,
        units: Collection[str] | None = None,
    ) -> list[Segment]:
        by_unit: dict[str, list[IndexRow]] = {}
        for one in self.rows:
            if (one.space, one.holder) == (space, holder) and one.live:
                by_unit.setdefault(one.unit, []).append(one)
        packed = [self.packed(rows) for unit, rows in by_unit.items() if units is None or unit in units]
        kept = [s for s in packed if s.position <= upto and (after is None or s.position > after)]
        return sorted(kept, key=lambda segment: segment.position)

    def packed(self, rows: Sequence[IndexRow]) -> Segment:
        rows = sorted(rows, key=lambda r: (r.position, r.fact_id))
        return Segment(
            unit=rows[0].unit,
            positions=np.array([r.position for r in rows], dtype=np.int64),
            keys=np.array([self.keys[_address(r)] for r in rows], dtype=np.int64),
            fact_ids=tuple(r.fact_id for r in rows),
            pinned=np.zeros(len(rows), dtype=np.bool_),
            matrix=np.array([r.vector for r in rows], dtype=np.float32),
            postings=postings_of([r.terms for r in rows]),
        )

    def admitted_keys(self, gate: Gate, where: Filter) -> Collection[int]:
        return {self.keys[_address(r)] for r in self.rows if inside(r, gate) and where.matches(r.fields)}


def _address(one: IndexRow) -> Address:
    return one.space, one.holder, one.fact_id


@dataclass
class RowStore:
    """Rows that are replaced unit by unit; each state of it is a feed."""

    feed: RowFeed = field(default_factory=lambda: RowFeed(0, (), {}, ()))

    def load(self, rows: Iterable[IndexRow]) -> RowFeed:
        """Make these rows all there is, and note which units are others now."""
        old, rows = self.feed, tuple(rows)
        keys = dict(old.keys)
        for one in rows:
            keys.setdefault(_address(one), len(keys))
        units = {(one.space, one.unit) for one in (*old.rows, *rows)}
        now = old.now + 1
        changes = tuple((now, *unit) for unit in sorted(units) if _of(old.rows, unit) != _of(rows, unit))
        self.feed = RowFeed(now, rows, keys, (*old.changes, *changes))
        return self.feed


def _of(rows: Iterable[IndexRow], unit: tuple[str, str]) -> list[IndexRow]:
    return [one for one in rows if (one.space, one.unit) == unit]


class RowWorld:
    """An `IndexWorld` whose arena lives on from one load to the next."""

    def __init__(self, arena: Arena | None) -> None:
        self._arena = arena
        self._store = RowStore()
        self._gated = gated(self._store.feed, arena)

    def load(self, rows: Iterable[IndexRow]) -> None:
        self._gated = gated(self._store.load(rows), self._arena)

    @property
    def vectors(self) -> VectorSearch:
        return ShelfVectorIndex(self._gated)

    @property
    def keywords(self) -> KeywordIndex:
        return ShelfKeywordIndex(self._gated)


def gated(feed: RowFeed, arena: Arena | None, tables: Tables | None = None) -> Gated:
    place: Shelves = EpisodeShelves(feed) if arena is None else ArenaShelves(arena, feed)
    return Gated(place, tables)


@pytest.fixture(params=[2048, 4])
def small_blocks(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """As shipped, and so small that every step folds some and leaves others apart."""
    monkeypatch.setattr(shelves, "FOLD_ROWS", request.param)
    if request.param < 2048:
        monkeypatch.setattr(blocks, "FEW_POSTINGS", 0)
        monkeypatch.setattr(shelves, "MAX_BLOCKS", 3)


@pytest.fixture(params=["arena", "an index for each unit"])
def row_world(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> RowWorld:
    monkeypatch.setattr(shelves, "FOLD_ROWS", 8)
    monkeypatch.setattr(blocks, "FEW_POSTINGS", 0)
    return RowWorld(Arena() if request.param == "arena" else None)


class TestArenaVectorIndex(VectorSearchContract):
    @pytest.fixture
    def world(self, row_world: RowWorld) -> IndexWorld:
        return row_world


class TestArenaKeywordIndex(KeywordIndexContract):
    @pytest.fixture
    def world(self, row_world: RowWorld) -> IndexWorld:
        return row_world


POSITIONS = st.integers(1, 6)
SMALL = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

_HOLDERS = ((HERE, "world"), (HERE, "氷室"), (THERE, "world"))
_UNITS = ("u1", "u2", "u3", "夜")


@st.composite
def _rows(draw: st.DrawFn, number: int) -> IndexRow:
    space, holder = _HOLDERS[number % 3]
    return row(
        # In an order that only code points give.
        f"{'zaZ記'[number % 4]}{number}",
        draw(POSITIONS),
        space=space,
        holder=holder,
        unit=draw(st.sampled_from(_UNITS)),
        vector=draw(st.sampled_from(CORNERS[:10])),
        terms=tuple(draw(st.lists(st.sampled_from(WORDS[:5]), max_size=4))),
    )


@st.composite
def histories(draw: st.DrawFn) -> list[list[IndexRow]]:
    """Draw states of a store: between two of them some rows come, go, move or change their unit."""
    rows: dict[int, IndexRow] = {n: draw(_rows(n)) for n in range(draw(st.integers(0, 14)))}
    states = [list(rows.values())]
    for _ in range(draw(st.integers(1, 5))):
        for number in draw(st.sets(st.integers(0, 23), min_size=1, max_size=4)):
            if number in rows and draw(st.booleans()):
                del rows[number]
            else:
                rows[number] = draw(_rows(number))
        states.append(list(rows.values()))
    return states


@st.composite
def _gates(draw: st.DrawFn) -> Gate:
    asked = draw(st.sets(st.sampled_from(_HOLDERS), min_size=1))
    return Gate(
        tuple(
            Slice(space, holder, draw(st.integers(0, 7)), int(space == THERE))
            for space, holder in sorted(asked)
        )
    )


@dataclass(frozen=True)
class Moment:
    """A view of the arena, and what every row says that was there then."""

    feed: RowFeed
    truth: ReferenceWorld

    @property
    def rows(self) -> tuple[IndexRow, ...]:
        return self.feed.rows


def _check_both(
    moment: Moment, arena: Arena, gate: Gate, question: tuple[float, ...], terms: list[str], top_k: int
) -> None:
    """What both searches give at once is what each gives, scored by both, laid in a table or not."""
    plain, tables, vector = gated(moment.feed, arena), Tables(), as_vector(question)
    gated(moment.feed, arena, tables).spans(gate)
    laid = gated(moment.feed, arena, tables)
    vectors, keywords = ShelfVectorIndex(plain), ShelfKeywordIndex(plain)
    near = {one.key: one.score for one in vectors.nearest(vector, gate=gate, top_k=top_k)}
    wordy = {one.key: one.score for one in keywords.matching(terms, gate=gate, top_k=top_k)}
    either = near.keys() | wordy.keys()
    for found in (plain, laid):
        own = ShelfVectorIndex(found), ShelfKeywordIndex(found)
        both = search_both(found, *own, vector, terms, gate=gate, top_k=top_k)
        similarity = dict(zip(both.keys, both.similarity, strict=True))
        keyword = dict(zip(both.keys, both.keyword, strict=True))
        assert similarity == vectors.similarities(vector, either, gate=gate)
        assert keyword == keywords.scores(terms, either, gate=gate)
        assert (len(both.keys), both.near, both.wordy) == (len(either), len(near), len(wordy))
        assert both.least == min(near.values(), default=1.0)
    every = [span.leaf.block.keys[row] for span in plain.spans(gate) for row in range(len(span.leaf.block))]
    asked = [int(key) for key in every] + [999]
    assert own[0].similarities(vector, asked, gate=gate) == vectors.similarities(vector, asked, gate=gate)
    assert own[1].scores(terms, asked, gate=gate) == keywords.scores(terms, asked, gate=gate)
    ours, theirs = (one.vectors_of(asked, gate=gate) for one in (own[0], vectors))
    assert {key: v.tolist() for key, v in ours.items()} == {key: v.tolist() for key, v in theirs.items()}


def _check(moment: Moment, arena: Arena, gate: Gate, question: tuple[float, ...], terms: list[str]) -> None:
    found, truth, vector = gated(moment.feed, arena), moment.truth, as_vector(question)
    vectors, keywords = ShelfVectorIndex(found), ShelfKeywordIndex(found)
    for top_k in (1, 2, 5, 50):
        assert_same(
            vectors.nearest(vector, gate=gate, top_k=top_k),
            truth.vectors.nearest(vector, gate=gate, top_k=top_k),
        )
        assert_same(
            keywords.matching(terms, gate=gate, top_k=top_k),
            truth.keywords.matching(terms, gate=gate, top_k=top_k),
        )
        _check_both(moment, arena, gate, question, terms, top_k)
    parts = {s.space: s.part for s in gate.slices}
    wanted = sorted({(parts[r.space], r.position) for r in moment.rows if inside(r, gate)})
    assert list(found.places(gate)) == wanted
    ours = {moment.feed.keys[_address(r)]: at for at, r in enumerate(moment.rows)}
    theirs = range(len(moment.rows))
    near = vectors.similarities(vector, [*ours, 999], gate=gate)
    assert {ours[key]: score for key, score in near.items()} == truth.vectors.similarities(
        vector, theirs, gate=gate
    )
    vecs = vectors.vectors_of([*ours, 999], gate=gate)
    assert {ours[key]: tuple(one.tolist()) for key, one in vecs.items()} == {
        at: r.vector for at, r in enumerate(moment.rows) if inside(r, gate)
    }
    scores = keywords.scores(terms, [*ours, 999], gate=gate)
    assert {ours[key]: score for key, score in scores.items()} == pytest.approx(
        truth.keywords.scores(terms, theirs, gate=gate), abs=1.5e-6
    )
    spans = found.spans(gate)
    assert sum(span.live for span in spans) == sum(inside(r, gate) for r in moment.rows)
    assert sum(span.length for span in spans) == sum(len(r.terms) for r in moment.rows if inside(r, gate))


@SMALL
@given(states=histories(), data=st.data())
def test_whatever_changed_a_search_is_that_of_the_rows_that_are_there(
    small_blocks: None, states: list[list[IndexRow]], data: st.DataObject
) -> None:
    """In the same order, up to any position, also for a reader who began before."""
    arena, store = Arena(), RowStore()
    moments: list[Moment] = []
    for rows in states:
        truth = ReferenceWorld()
        truth.load(rows)
        moments.append(Moment(store.load(rows), truth))
        terms = data.draw(st.lists(st.sampled_from(WORDS[:6]), max_size=3))
        _check(moments[-1], arena, data.draw(_gates()), data.draw(st.sampled_from(CORNERS)), terms)
        earlier = data.draw(st.sampled_from(moments))
        _check(earlier, arena, data.draw(_gates()), ASKEW, ["夜", "mirror"])


def _told(block: Block) -> list[object]:
    """Give the rows of a block with all that is known of each, in order."""
    held: dict[int, list[tuple[int, int]]] = {}
    for at, term in enumerate(block.terms.tolist()):
        start, end = block.starts[at : at + 2].tolist()
        assert block.rows[start:end].tolist() == sorted(set(block.rows[start:end].tolist())), "in order, once"
        for posting in range(start, end):
            held.setdefault(int(block.rows[posting]), []).append((term, int(block.counts[posting])))
    return [
        (
            int(block.positions[at]),
            block.fact_ids[at],
            int(block.keys[at]),
            block.units[block.unit_of[at]],
            tuple(block.matrix[at].tolist()),
            int(block.lengths[at]),
            bool(block.pinned[at]),
            sorted(held.get(at, [])),
        )
        for at in range(len(block))
    ]


def _expected(rows: Iterable[IndexRow], keys: Mapping[Address, int]) -> list[object]:
    ordered = sorted(rows, key=lambda r: (r.position, r.fact_id))
    counted = [postings_of([r.terms]) for r in ordered]
    return [
        (
            r.position,
            r.fact_id,
            keys[_address(r)],
            r.unit,
            r.vector,
            len(r.terms),
            False,
            list(zip(p.hashes.tolist(), p.counts.tolist(), strict=True)),
        )
        for r, p in zip(ordered, counted, strict=True)
    ]


@SMALL
@given(
    drawn=st.lists(st.integers(0, 59), unique=True, min_size=1, max_size=20).flatmap(
        lambda numbers: st.tuples(*(_rows(3 * n) for n in numbers))
    ),
    gone=st.sets(st.sampled_from((*_UNITS, "of nobody"))),
    seed=st.integers(0, 99),
)
def test_blocks_are_sorted_by_position_and_fact_id_however_they_are_laid(
    small_blocks: None, drawn: tuple[IndexRow, ...], gone: set[str], seed: int
) -> None:
    """At once, or merged of two in any order, with and without the rows of some units."""
    feed = RowStore().load(drawn)
    segments = feed.segments(HERE, "world", upto=99)
    np.random.default_rng(seed).shuffle(segments)
    whole = block_of(segments)
    assert _told(whole) == _expected(drawn, feed.keys)
    assert sorted(whole.units) == sorted({r.unit for r in drawn})
    cut = len(segments) // 2
    halves = [block_of(part) for part in (segments[:cut], segments[cut:]) if part]
    assert _told(merged([(half, None) for half in halves])) == _told(whole)
    leaves = [shelves.Leaf(half).without(gone) for half in halves]
    left = [r for r in drawn if r.unit not in gone]
    assert sum(leaf.size for leaf in leaves) == len(left)
    rest = merged([(leaf.block, leaf.live) for leaf in leaves])
    assert _told(rest) == _expected(left, feed.keys)
    assert sorted(rest.units) == sorted({r.unit for r in left}), "no unit without rows is kept"


@pytest.mark.parametrize("apart", [1, 2**50])
def test_terms_are_told_apart_by_their_whole_hash(apart: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where only the last bits differ."""
    monkeypatch.setattr(blocks, "FEW_POSTINGS", 0)
    hashes = [9 * apart, 3 * apart, 7 * apart]
    segments = [
        replace(
            RowStore().load([row(f"{at}", at, unit=f"u{at}")]).segments(HERE, "world", upto=99)[0],
            postings=Postings(
                hashes=np.array(sorted(hashes[at:]), dtype=np.uint64),
                rows=np.zeros(3 - at, dtype=np.uint32),
                counts=np.full(3 - at, at + 1, dtype=np.uint32),
                lengths=np.full(1, 9, dtype=np.uint32),
            ),
        )
        for at in range(3)
    ]
    block = block_of(segments)
    assert block.terms.tolist() == sorted(hashes)
    assert block.starts.tolist() == [0, 2, 5, 6]
    assert block.rows.tolist() == [0, 1, 0, 1, 2, 0]
    assert block.counts.tolist() == [1, 2, 1, 2, 3, 1]


def test_a_unit_is_taken_out_where_it_stands_among_another() -> None:
    """Between its first row and its last there are rows of others, which stay."""
    odd, even = [
        [row(f"{n}", n, unit=unit) for n in range(first, 9, 2)] for first, unit in ((1, "odd"), (2, "even"))
    ]
    feed = RowStore().load([*odd, *even])
    shelf = shelves.shelf_of(feed.segments(HERE, "world", upto=99))
    (leaf,) = shelf.replaced(["odd"], [])
    assert leaf.size == len(even)
    later = feed.packed([replace(one, position=one.position + 1) for one in odd])
    (leaf,) = shelf.replaced(["odd"], [later])
    assert leaf.block.positions.tolist() == [2, 2, 4, 4, 6, 6, 8, 8]
    assert list(leaf.block.fact_ids) == ["1", "2", "3", "4", "5", "6", "7", "8"]


def test_units_that_lie_behind_each_other_are_laid_without_comparing_fact_ids() -> None:
    """So that laying many takes no longer than it did; equals inside a unit stand in order already."""

    class Uncompared(str):
        __slots__ = ()

        def __lt__(self, other: object) -> bool:
            raise AssertionError("compared")

    feed = RowStore().load([row(f"{n}", n // 4, unit=f"u{n // 8}") for n in range(64)])
    segments = [
        replace(s, fact_ids=tuple(Uncompared(name) for name in s.fact_ids))
        for s in feed.segments(HERE, "world", upto=99)
    ]
    block = block_of(segments[::-1])
    assert block.positions.tolist() == sorted(block.positions.tolist())
    behind, before = block_of(segments[4:]), block_of(segments[:4])
    assert merged([(behind, None), (before, None)]).positions.tolist() == block.positions.tolist()


def test_shares_counted_together_are_counted_as_each_by_itself() -> None:
    shares = [[["key", "tower", "key"], []], [], [["鍵", "塔"], ["key"], ["塔", "鍵", "塔"]]]
    for together, documents in zip(postings_of_each(shares), shares, strict=True):
        alone = postings_of(documents)
        for name in ("hashes", "rows", "counts", "lengths"):
            one, other = getattr(together, name), getattr(alone, name)
            assert one.tolist() == other.tolist()
            assert one.dtype == other.dtype
        assert sorted(together.hashes.tolist()) == together.hashes.tolist()
        assert int(together.counts.sum()) == int(together.lengths.sum()) == sum(map(len, documents))


class TestTables:
    """A gate that is asked for again is laid together once, and only as long as its shelves stay."""

    def test_a_small_gate_is_laid_when_it_is_asked_for_again(self) -> None:
        store, arena, tables = RowStore(), Arena(), Tables()
        feed = store.load([row("a", 1), row("b", 2)])
        gate = Gate((Slice(HERE, "world", 5),))
        assert tables.of(gated(feed, arena).spans(gate)) is None
        laid = tables.of(gated(feed, arena).spans(gate))
        assert laid is not None
        assert len(laid.keys) == 2
        assert tables.of(gated(feed, arena).spans(gate)) is laid

    def test_what_is_laid_is_let_go_when_a_unit_changes(self) -> None:
        store, arena, tables = RowStore(), Arena(), Tables()
        gate = Gate((Slice(HERE, "world", 5),))
        for _ in range(2):
            feed = store.load([row("a", 1), row("b", 2)])
            tables.of(gated(feed, arena).spans(gate))
        changed = store.load([row("a", 1)])
        assert tables.of(gated(changed, arena).spans(gate)) is None
        laid = tables.of(gated(changed, arena).spans(gate))
        assert laid is not None
        assert len(laid.keys) == 1

    def test_a_large_gate_is_searched_span_by_span(self) -> None:
        store, arena, tables = RowStore(), Arena(), Tables()
        feed = store.load([row(f"f{n}", 1) for n in range(MOST_ROWS + 1)])
        gate = Gate((Slice(HERE, "world", 5),))
        assert [tables.of(gated(feed, arena).spans(gate)) for _ in range(3)] == [None] * 3

    def test_no_more_is_kept_than_fits(self) -> None:
        store, arena, tables = RowStore(), Arena(), Tables(most_bytes=1)
        feed = store.load([row("a", 1), row("b", 2)])
        gates = [Gate((Slice(HERE, "world", upto),)) for upto in (1, 2)]
        for gate in (*gates, *gates):
            tables.of(gated(feed, arena).spans(gate))
        assert tables.of(gated(feed, arena).spans(gates[0])) is None
