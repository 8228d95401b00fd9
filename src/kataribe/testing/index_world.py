"""What the contracts of indexes share: worlds of rows, gates, and what every search promises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Protocol

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from kataribe.domain.filters import Filter, parse
from kataribe.domain.gate import DENY_ALL, Gate, Slice
from kataribe.domain.memory import Candidate
from kataribe.domain.space import MemoryAddress
from kataribe.ports import KeywordIndex, Vector, VectorSearch
from kataribe.testing.reference import IndexRow


class IndexWorld(Protocol):
    """A store that can be filled with rows and searched."""

    def load(self, rows: Iterable[IndexRow]) -> None:
        """Make these rows all there is, and wait until they can be found."""

    @property
    def vectors(self) -> VectorSearch:
        """Search by likeness in what was loaded last."""

    @property
    def keywords(self) -> KeywordIndex:
        """Search by words in what was loaded last."""


Found = tuple[str, str, int, float]
"""Fact id, holder, position and score: a candidate without the store's own key."""

HERE, THERE = "story:here", "story:there"
NORTH, EAST, ASKEW = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.5, 0.5, 0.5, 0.5)
NOTHING = (0.0, 0.0, 0.0, 0.0)
CORNERS: tuple[tuple[float, ...], ...] = (
    *(tuple(sign * float(at == axis) for at in range(4)) for axis in range(4) for sign in (1, -1)),
    *product((0.5, -0.5), repeat=4),
)
"""Unit vectors whose products are exactly 0, 0.5 or 1: every sum is the same in any order."""

WORDS = ("銀河", "河鉄", "鉄道", "夜", "母", "mirror", "river", "letter", "ß", "🐈")


def row(fact_id: str, position: int, *, holder: str = "world", space: str = HERE, **more: Any) -> IndexRow:
    """Make a row by its address; it points north and says 銀河 unless told otherwise."""
    plain = IndexRow(
        space=space, holder=holder, position=position, fact_id=fact_id, vector=NORTH, terms=("銀河",)
    )
    return replace(plain, **more)


def up_to(position: int, *holders: str, space: str = HERE) -> Gate:
    """Make a gate of the world and these holders."""
    return Gate(tuple(Slice(space, holder, position) for holder in ("world", *holders)))


def plain(found: Sequence[Candidate]) -> list[Found]:
    """Give what was found without keys."""
    return [(c.fact_id, c.holder, c.position, c.score) for c in found]


def ids(found: Sequence[Candidate]) -> list[str]:
    """Give the fact ids of what was found, in order."""
    return [candidate.fact_id for candidate in found]


def assert_same(found: Sequence[Candidate], wanted: Sequence[Candidate]) -> None:
    """Hold the ids and their order against the reference's, and the scores to the last decimal."""
    assert [c[:3] for c in plain(found)] == [c[:3] for c in plain(wanted)]
    assert [c.part for c in found] == [c.part for c in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert one.score == pytest.approx(other.score, abs=1.5e-6)


_HOLDERS = ("world", "ann", "氷室", "Ann")
_POSITIONS = (1, 2, 3, 2**32, 2**33)
_UNITS = ("a", "b", "夜")

_FIELDS = st.fixed_dictionaries(
    {}, optional={"weather": st.sampled_from(["rain", "雪"]), "weight": st.integers(0, 3)}
)
FILTERS: st.SearchStrategy[dict[str, object] | None] = st.sampled_from(
    [None, {}, {"weather": "雪"}, {"weather": {"$ne": "rain"}}, {"weight": {"$gte": 2}}, {"weight": 1}]
)


@st.composite
def worlds(draw: st.DrawFn) -> list[IndexRow]:
    """Draw rows of two spaces, some of them hidden."""
    hidden = draw(st.sets(st.tuples(st.sampled_from((HERE, THERE)), st.sampled_from(_POSITIONS)), max_size=3))
    rows: list[IndexRow] = []
    for number in range(draw(st.integers(0, 25))):
        space = draw(st.sampled_from((HERE, HERE, HERE, THERE)))
        position = draw(st.sampled_from(_POSITIONS))
        for holder in draw(st.sets(st.sampled_from(_HOLDERS), min_size=1, max_size=2)):
            rows.append(
                IndexRow(
                    space=space,
                    holder=holder,
                    position=position,
                    # Not in the order of writing, and in an order that only code points give.
                    fact_id=f"{'zaZ記'[number % 4]}{number}",
                    vector=draw(st.sampled_from((*CORNERS, NOTHING))),
                    terms=tuple(draw(st.lists(st.sampled_from(WORDS), max_size=6))),
                    live=(space, position) not in hidden,
                    fields=draw(_FIELDS),
                    unit=draw(st.sampled_from(_UNITS)),
                )
            )
    return sorted(rows, key=lambda r: (r.fact_id, r.holder))


@st.composite
def gates(draw: st.DrawFn) -> Gate:
    """Draw a gate with at most one slice for each holder of a space, as viewers have."""
    holders = draw(st.sets(st.sampled_from(_HOLDERS), max_size=3))
    spaces = draw(st.sampled_from(((HERE,), (HERE,), (THERE,), (HERE, THERE), (THERE, HERE))))
    return Gate(
        tuple(
            Slice(space, holder, draw(st.sampled_from(_POSITIONS)), part)
            for part, space in enumerate(spaces)
            for holder in sorted(holders)
        )
    )


def inside(r: IndexRow, gate: Gate) -> bool:
    """Whether a gate admits a row."""
    return r.live and gate.admits(MemoryAddress(r.space, r.holder, r.position))


# Subclasses run the same test on other back ends, each on one world that every example refills.
RANDOM = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


class SearchContract:
    """What both searches promise; `search` asks the one that is tested."""

    @pytest.fixture
    def world(self) -> IndexWorld:
        """Give a world to be filled."""
        raise NotImplementedError

    def search(
        self, world: IndexWorld, gate: Gate, *, top_k: int = 9, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Search in a way that finds every row made by `row`."""
        raise NotImplementedError

    def far(self) -> dict[str, Any]:
        """Give what makes a row a poorer match than others."""
        raise NotImplementedError

    def test_the_future_is_never_found(self, world: IndexWorld) -> None:
        """However well it fits."""
        world.load([row("past", 1, **self.far()), row("now", 2, **self.far()), row("future", 3)])
        assert sorted(ids(self.search(world, up_to(2)))) == ["now", "past"]
        assert ids(self.search(world, up_to(2), top_k=1)) == ["past"]
        assert self.search(world, up_to(0)) == ()

    def test_other_holders_are_never_found(self, world: IndexWorld) -> None:
        """Ids that look alike are others."""
        others = [row(f"of {who}", 1, holder=who) for who in ("ann", "Ann", "an", "ann ", "氷室", "worl")]
        world.load([row("known", 1, **self.far()), *others])
        assert ids(self.search(world, up_to(9))) == ["known"]
        assert sorted(ids(self.search(world, up_to(9, "ann")))) == ["known", "of ann"]

    def test_other_spaces_are_never_found(self, world: IndexWorld) -> None:
        """Nor those whose name begins or ends like ours."""
        spaces = (THERE, f"{HERE}s", HERE[:-1], "story:Here")
        world.load([row("ours", 1, **self.far()), *(row(f"of {s[6:]}", 1, space=s) for s in spaces)])
        assert ids(self.search(world, up_to(9))) == ["ours"]

    def test_hidden_rows_are_never_found(self, world: IndexWorld) -> None:
        """A hidden row is as good as gone."""
        world.load([row("seen", 1, **self.far()), row("hidden", 2, live=False)])
        assert ids(self.search(world, up_to(9))) == ["seen"]

    def test_each_slice_has_its_own_end(self, world: IndexWorld) -> None:
        """One holder's later position opens nothing of another's."""
        world.load([row(f"{who} {at}", at, holder=who) for who in ("world", "ann") for at in (1, 2, 3)])
        gate = Gate((Slice(HERE, "world", 1), Slice(HERE, "ann", 2)))
        assert sorted(ids(self.search(world, gate))) == ["ann 1", "ann 2", "world 1"]

    def test_top_k_is_filled_when_it_can_be(self, world: IndexWorld) -> None:
        """No more, no fewer, however much better what lies outside fits."""
        world.load(
            [
                *(row(f"in {n:03}", 1, **self.far()) for n in range(30)),
                *(row(f"out {n:03}", 2) for n in range(200)),
                *(row(f"secret {n:03}", 1, holder="ann") for n in range(200)),
            ]
        )
        for top_k in (0, 1, 29, 30, 31, 300):
            assert len(self.search(world, up_to(1), top_k=top_k)) == min(top_k, 30)

    def test_top_k_is_filled_behind_a_filter_too(self, world: IndexWorld) -> None:
        """What the filter drops takes nobody's place."""
        rain = [row(f"rain {n:03}", 1, fields={"weather": "rain"}) for n in range(200)]
        snow = [row(f"snow {n:03}", 2, fields={"weather": "雪"}, **self.far()) for n in range(20)]
        world.load([*rain, *snow])
        for top_k in (1, 19, 20, 21):
            found = self.search(world, up_to(2), top_k=top_k, where=parse({"weather": "雪"}))
            assert ids(found) == [f"snow {n:03}" for n in range(min(top_k, 20))]

    def test_a_filter_never_widens(self, world: IndexWorld) -> None:
        """It is AND-ed with the gate, whatever it says."""
        world.load([row("past", 1), row("future", 2), row("secret", 1, holder="ann")])
        wide: list[dict[str, object]] = [
            {},
            {"$or": [{}, {"fact_id": "future"}]},
            {"$not": {"nowhere": 1}},
            {"nowhere": {"$ne": 1}},
            {"nowhere": {"$exists": False}},
        ]
        for written in wide:
            assert ids(self.search(world, up_to(1), where=parse(written))) == ["past"]

    def test_parts_of_a_filter_are_anded(self, world: IndexWorld) -> None:
        """All of what is asked must hold."""
        fields: list[dict[str, object]] = [
            {"weather": "雪", "weight": 1},
            {"weather": "雪", "weight": 3},
            {"weather": "rain", "weight": 3},
            {},
        ]
        world.load([row(f"f{n}", 1, fields=given_) for n, given_ in enumerate(fields)])
        both = parse({"weather": "雪", "weight": {"$gt": 2}})
        assert ids(self.search(world, up_to(1), where=both)) == ["f1"]
        assert self.search(world, up_to(1), where=parse({"weather": {"$in": []}})) == ()

    def test_ties_go_by_position_then_fact_then_holder(self, world: IndexWorld) -> None:
        """And by nothing else, such as the order of writing."""
        addresses = [
            (2, "a", "world"),
            (1, "b", "world"),
            (1, "b", "ann"),
            (1, "a", "world"),
            (1, "Z", "world"),
            (10, "0", "ann"),
            (1, "記", "氷室"),
        ]
        wanted = sorted(addresses)
        for written in (addresses, addresses[::-1]):
            world.load([row(fact, at, holder=holder) for at, fact, holder in written])
            found = self.search(world, up_to(10, "ann", "氷室"))
            assert [(c.position, c.fact_id, c.holder) for c in found] == wanted
            for top_k in range(1, len(wanted)):
                assert self.search(world, up_to(10, "ann", "氷室"), top_k=top_k) == found[:top_k]

    def test_ties_are_kept_however_many_there_are(self, world: IndexWorld) -> None:
        """A shortcut that keeps the best few must not choose among equals by chance."""
        world.load([row(f"f{n:04}", n // 100 + 1) for n in range(700)])
        found = self.search(world, up_to(7), top_k=5)
        assert ids(found) == [f"f{n:04}" for n in range(5)]

    def test_a_later_part_of_the_gate_comes_after_an_earlier_one(self, world: IndexWorld) -> None:
        """A branch's memories come after its parent's, however low their positions are."""
        rows = [
            row("Z", 1, space=THERE),
            row("b", 9, space=HERE),
            row("a", 5, space=HERE, holder="ann"),
            row("a", 2, space=THERE, holder="ann"),
            row("past the fork", 10, space=HERE),
            row("of another", 1, space=f"{THERE}s"),
        ]
        gate = Gate(
            tuple(
                Slice(space, holder, upto, part)
                for part, (space, upto) in enumerate(((HERE, 9), (THERE, 2)))
                for holder in ("world", "ann")
            )
        )
        wanted = [(0, 5, "a"), (0, 9, "b"), (1, 1, "Z"), (1, 2, "a")]
        for written in (rows, rows[::-1]):
            world.load(written)
            for top_k in range(1, 6):
                found = self.search(world, gate, top_k=top_k)
                assert [(c.part, c.position, c.fact_id) for c in found] == wanted[:top_k]

    def test_units_may_overlap(self, world: IndexWorld) -> None:
        """Rows that are stored together stand among others, and change without them."""
        addresses = [
            (at, f"{'zaZ記'[n % 4]}{n}", "abc"[n % 3]) for n, at in enumerate((1, 1, 2, 2, 2, 3, 3) * 2)
        ]
        for gone in (None, "a", "b", "c", None):
            rows = [row(fact, at, unit=unit) for at, fact, unit in addresses if unit != gone]
            world.load(rows)
            wanted = sorted((r.position, r.fact_id) for r in rows)
            for upto in (1, 2, 3):
                inside = [one for one in wanted if one[0] <= upto]
                for top_k in range(1, len(inside) + 1):
                    found = self.search(world, up_to(upto), top_k=top_k)
                    assert [(c.position, c.fact_id) for c in found] == inside[:top_k]

    def test_deny_all_gives_nothing(self, world: IndexWorld) -> None:
        """A closed gate is not an open one."""
        world.load([row("any", 1)])
        assert self.search(world, DENY_ALL) == ()
        assert self.search(world, DENY_ALL, where=parse({})) == ()

    def test_an_empty_world_gives_nothing(self, world: IndexWorld) -> None:
        """Silence is legal."""
        world.load([])
        assert self.search(world, up_to(9)) == ()

    def test_large_positions_are_kept(self, world: IndexWorld) -> None:
        """Order keys have gaps of 2 to the 32."""
        world.load([row("early", 2**32), row("late", 2**48)])
        assert ids(self.search(world, up_to(2**48 - 1))) == ["early"]
        assert [c.position for c in self.search(world, up_to(2**48))] == [2**32, 2**48]

    def test_what_lies_outside_changes_no_byte(self, world: IndexWorld) -> None:
        """Ids, order and scores are the same whether or not it is there (P2)."""
        inside = [
            row("a", 1, terms=("銀河", "夜", "夜"), vector=ASKEW),
            row("b", 2, terms=("銀河", "river"), vector=NORTH),
            row("c", 1, holder="ann", terms=("銀河",) * 3 + ("母",), vector=EAST),
        ]
        outside = [
            row("late", 3),
            row("secret", 1, holder="氷室", terms=("夜",) * 50),
            row("elsewhere", 1, space=THERE, terms=("river", "銀河") * 9),
            row("hidden", 4, live=False),
        ]
        world.load(inside)
        alone = plain(self.search(world, up_to(2, "ann")))
        assert len(alone) == 3
        world.load([*outside, *inside])
        assert repr(plain(self.search(world, up_to(2, "ann")))) == repr(alone)


def directions(count: int, dimensions: int, *, seed: int) -> list[tuple[float, ...]]:
    """Give random unit vectors, the same ones for a seed."""
    matrix = np.random.default_rng(seed).standard_normal((count, dimensions))
    rows: list[Vector] = list((matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32))
    return [tuple(r.tolist()) for r in rows]
