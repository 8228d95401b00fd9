"""What every exact index promises: subclass `VectorIndexContract` and `KeywordIndexContract`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Protocol

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kataribe.domain.filters import Filter, parse
from kataribe.domain.gate import DENY_ALL, Gate, Slice
from kataribe.domain.memory import Candidate
from kataribe.errors import EmbedderMismatchError
from kataribe.ports import KeywordIndex, Vector, VectorIndex
from kataribe.testing.reference import IndexRow, ReferenceWorld, as_vector


class IndexWorld(Protocol):
    """A store that can be filled with rows and searched."""

    def load(self, rows: Iterable[IndexRow]) -> None:
        """Make these rows all there is, and wait until they can be found."""

    @property
    def vectors(self) -> VectorIndex:
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

_FIELDS = st.fixed_dictionaries(
    {}, optional={"weather": st.sampled_from(["rain", "雪"]), "weight": st.integers(0, 3)}
)
_FILTERS: st.SearchStrategy[dict[str, object] | None] = st.sampled_from(
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


def _inside(r: IndexRow, gate: Gate) -> bool:
    return r.live and gate.admits(space=r.space, holder=r.holder, position=r.position)


# Subclasses run the same test on other back ends, each on one world that every example refills.
_random = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


class _SearchContract:
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


class VectorIndexContract(_SearchContract):
    """What every exact `VectorIndex` promises. Subclass it and give a `world`."""

    def search(
        self, world: IndexWorld, gate: Gate, *, top_k: int = 9, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Look to the north."""
        return world.vectors.nearest(as_vector(NORTH), gate=gate, top_k=top_k, where=where)

    def far(self) -> dict[str, Any]:
        """Give a vector that is off the north."""
        return {"vector": ASKEW}

    def test_the_most_similar_come_first(self, world: IndexWorld) -> None:
        """Scores are cosines, opposite and unrelated rows counted in."""
        vectors = {"same": NORTH, "near": ASKEW, "across": EAST, "blank": NOTHING, "against": (-1.0, 0, 0, 0)}
        world.load([row(fact, 5 - n, vector=v) for n, (fact, v) in enumerate(vectors.items())])
        found = world.vectors.nearest(as_vector(NORTH), gate=up_to(9), top_k=9)
        assert [(c.fact_id, c.score) for c in found] == [
            ("same", 1.0),
            ("near", 0.5),
            ("blank", 0.0),
            ("across", 0.0),
            ("against", -1.0),
        ]

    def test_a_wrong_dimension_is_refused(self, world: IndexWorld) -> None:
        """Longer and shorter questions alike; a closed gate reads nothing that could not fit."""
        world.load([row("a", 1), row("b", 2)])
        for wrong in ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0)):
            with pytest.raises(EmbedderMismatchError):
                world.vectors.nearest(as_vector(wrong), gate=up_to(9), top_k=1)
            assert world.vectors.nearest(as_vector(wrong), gate=DENY_ALL, top_k=1) == ()

    def test_similarities_are_those_of_the_search(self, world: IndexWorld) -> None:
        """The score of a row does not depend on how it is asked for (P2)."""
        world.load([row(f"f{n}", n + 1, vector=v) for n, v in enumerate(_directions(40, 96, seed=3))])
        question = as_vector(_directions(1, 96, seed=4)[0])
        found = world.vectors.nearest(question, gate=up_to(99), top_k=99)
        scores = {c.key: c.score for c in found}
        gate = up_to(99)
        assert world.vectors.similarities(question, scores.keys(), gate=gate) == scores
        for key, score in scores.items():
            assert world.vectors.similarities(question, [key], gate=gate) == {key: score}
        assert world.vectors.similarities(question, [], gate=gate) == {}
        inside = {c.key: c.score for c in found if c.position <= 20}
        assert world.vectors.similarities(question, scores.keys(), gate=up_to(20)) == inside
        assert world.vectors.similarities(question, scores.keys(), gate=DENY_ALL) == {}
        for cut in (1, 3, 7):
            assert plain(world.vectors.nearest(question, gate=up_to(99), top_k=cut)) == plain(found[:cut])

    def test_scores_are_finite_and_rounded(self, world: IndexWorld) -> None:
        """Six decimals, between -1 and 1, best first."""
        world.load([row(f"f{n}", 1, vector=v) for n, v in enumerate(_directions(200, 96, seed=1))])
        found = world.vectors.nearest(as_vector(_directions(1, 96, seed=2)[0]), gate=up_to(1), top_k=200)
        assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
        assert all(math.isfinite(c.score) and -1 <= c.score <= 1 for c in found)
        assert all(c.score == round(c.score, 6) for c in found)

    def test_many_dense_rows_are_ranked_as_by_the_reference(self, world: IndexWorld) -> None:
        """With vectors as embedders make them."""
        rows = [row(f"f{n}", n % 7 + 1, vector=v) for n, v in enumerate(_directions(600, 96, seed=5))]
        reference = ReferenceWorld()
        reference.load(rows)
        world.load(rows)
        for seed in range(10, 15):
            question = as_vector(_directions(1, 96, seed=seed)[0])
            for gate, top_k in ((up_to(7), 25), (up_to(3), 600)):
                wanted = reference.vectors.nearest(question, gate=gate, top_k=top_k)
                assert_same(world.vectors.nearest(question, gate=gate, top_k=top_k), wanted)

    @_random
    @given(
        rows=worlds(),
        gate=gates(),
        question=st.sampled_from((*CORNERS, NOTHING)),
        top_k=st.integers(1, 12),
        written=_FILTERS,
    )
    def test_random_worlds_agree_with_the_reference(
        self,
        world: IndexWorld,
        rows: list[IndexRow],
        gate: Gate,
        question: tuple[float, ...],
        top_k: int,
        written: dict[str, object] | None,
    ) -> None:
        """The same ids in the same order, and not a byte else when the rest is not there."""
        where = None if written is None else parse(written)
        vector = as_vector(question)
        reference = ReferenceWorld()
        reference.load(rows)
        world.load(rows)
        found = world.vectors.nearest(vector, gate=gate, top_k=top_k, where=where)
        assert_same(found, reference.vectors.nearest(vector, gate=gate, top_k=top_k, where=where))
        world.load([r for r in rows if _inside(r, gate)])
        alone = world.vectors.nearest(vector, gate=gate, top_k=top_k, where=where)
        assert repr(plain(alone)) == repr(plain(found))


class KeywordIndexContract(_SearchContract):
    """What every `KeywordIndex` promises. Subclass it and give a `world`."""

    def search(
        self, world: IndexWorld, gate: Gate, *, top_k: int = 9, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Ask for 銀河."""
        return world.keywords.matching(("銀河",), gate=gate, top_k=top_k, where=where)

    def far(self) -> dict[str, Any]:
        """Give a text in which 銀河 is one word among many."""
        return {"terms": ("銀河", *"abcdefgh")}

    def test_any_of_the_words_finds(self, world: IndexWorld) -> None:
        """More of them and rarer ones come first; none of them is not found."""
        world.load(
            [
                row("both", 3, terms=("銀河", "母")),
                row("rare", 2, terms=("母", "x")),
                row("common", 1, terms=("銀河", "x")),
                row("common too", 1, terms=("銀河", "y")),
                row("neither", 1, terms=("夜", "x")),
            ]
        )
        found = world.keywords.matching(("銀河", "母", "nowhere"), gate=up_to(9), top_k=9)
        assert ids(found) == ["both", "rare", "common", "common too"]
        assert world.keywords.matching(("nowhere",), gate=up_to(9), top_k=9) == ()
        assert world.keywords.matching((), gate=up_to(9), top_k=9) == ()

    def test_scores_are_those_of_the_search(self, world: IndexWorld) -> None:
        """The score of a row does not depend on how it is asked for (P2)."""
        world.load(
            [row(f"f{n}", n + 1, terms=("銀河",) * (n % 4) + ("夜", "母")[: n % 3]) for n in range(30)]
        )
        terms = ("銀河", "母", "nowhere")
        found = {c.key: c.score for c in world.keywords.matching(terms, gate=up_to(20), top_k=99)}
        every = {c.key: 0.0 for c in world.keywords.matching(("夜", *terms), gate=up_to(99), top_k=99)}
        asked = world.keywords.scores(terms, every.keys() | found.keys(), gate=up_to(20))
        assert {key: score for key, score in asked.items() if score} == found
        assert 0 < len(found) < len(asked) < len(every)
        assert world.keywords.scores(terms, every, gate=DENY_ALL) == {}
        assert world.keywords.scores(terms, (), gate=up_to(20)) == {}
        assert set(world.keywords.scores((), found, gate=up_to(20)).values()) == {0.0}

    def test_asking_twice_is_asking_once(self, world: IndexWorld) -> None:
        """A word said twice in a question weighs no more, and order means nothing."""
        world.load([row("a", 1, terms=("銀河", "母")), row("b", 1, terms=("母", "母")), row("c", 1)])
        once = world.keywords.matching(("母", "銀河"), gate=up_to(1), top_k=9)
        assert world.keywords.matching(("銀河", "母", "銀河", "母"), gate=up_to(1), top_k=9) == once

    def test_words_are_compared_whole(self, world: IndexWorld) -> None:
        """Neither parts of words nor what looks alike is found."""
        world.load(
            [row(f"f{n}", 1, terms=(w,)) for n, w in enumerate(("銀河", "河", "River", "river", "rive"))]
        )
        assert ids(world.keywords.matching(("river",), gate=up_to(1), top_k=9)) == ["f3"]
        assert ids(world.keywords.matching(("河",), gate=up_to(1), top_k=9)) == ["f1"]
        assert world.keywords.matching(("%", "_", "*", "銀"), gate=up_to(1), top_k=9) == ()

    def test_a_row_without_words_is_not_found(self, world: IndexWorld) -> None:
        """It is counted as a row, though."""
        world.load([row("silent", 1, terms=()), row("telling", 1)])
        assert ids(self.search(world, up_to(1))) == ["telling"]
        world.load([row("silent", 1, terms=())])
        assert self.search(world, up_to(1)) == ()

    def test_a_filter_changes_no_score(self, world: IndexWorld) -> None:
        """Counts are those of the gate, whatever the caller filters away."""
        rows = [row(f"f{n}", 1, terms=("銀河",) * (n + 1) + ("夜",), fields={"weight": n}) for n in range(6)]
        world.load(rows)
        every = {c.fact_id: c.score for c in self.search(world, up_to(1))}
        some = self.search(world, up_to(1), where=parse({"weight": {"$gte": 3}}))
        assert {c.fact_id: c.score for c in some} == {f"f{n}": every[f"f{n}"] for n in (3, 4, 5)}

    def test_scores_are_finite_positive_and_rounded(self, world: IndexWorld) -> None:
        """Even for a word that every row holds."""
        world.load([row(f"f{n}", 1, terms=("銀河",) * (n + 1)) for n in range(30)])
        found = self.search(world, up_to(1), top_k=30)
        assert len(found) == 30
        assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
        assert all(math.isfinite(c.score) and c.score > 0 and c.score == round(c.score, 6) for c in found)

    def test_the_formula_is_bm25(self, world: IndexWorld) -> None:
        """With k1 1.2 and b 0.75, worked out by hand."""
        world.load([row("a", 1, terms=("銀河", "銀河", "夜")), row("b", 1, terms=("夜",))])
        (found,) = self.search(world, up_to(1))
        wanted = math.log(1 + 1.5 / 1.5) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
        assert found.score == pytest.approx(wanted, abs=1e-6)

    @_random
    @given(
        rows=worlds(),
        gate=gates(),
        terms=st.lists(st.sampled_from((*WORDS, "nowhere")), max_size=5),
        top_k=st.integers(1, 12),
        written=_FILTERS,
    )
    def test_random_worlds_agree_with_the_reference(
        self,
        world: IndexWorld,
        rows: list[IndexRow],
        gate: Gate,
        terms: list[str],
        top_k: int,
        written: dict[str, object] | None,
    ) -> None:
        """The same ids in the same order, and not a byte else when the rest is not there."""
        where = None if written is None else parse(written)
        reference = ReferenceWorld()
        reference.load(rows)
        world.load(rows)
        found = world.keywords.matching(terms, gate=gate, top_k=top_k, where=where)
        assert_same(found, reference.keywords.matching(terms, gate=gate, top_k=top_k, where=where))
        world.load([r for r in rows if _inside(r, gate)])
        alone = world.keywords.matching(terms, gate=gate, top_k=top_k, where=where)
        assert repr(plain(alone)) == repr(plain(found))


def _directions(count: int, dimensions: int, *, seed: int) -> list[tuple[float, ...]]:
    """Give random unit vectors, the same ones for a seed."""
    matrix = np.random.default_rng(seed).standard_normal((count, dimensions))
    rows: list[Vector] = list((matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32))
    return [tuple(r.tolist()) for r in rows]
