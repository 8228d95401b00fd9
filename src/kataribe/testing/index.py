"""What every exact index promises: subclass `VectorSearchContract` and `KeywordIndexContract`."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.domain.filters import Filter, parse
from kataribe.domain.gate import DENY_ALL, Gate
from kataribe.domain.memory import Candidate
from kataribe.errors import EmbedderMismatchError
from kataribe.testing.index_world import (
    ASKEW,
    CORNERS,
    EAST,
    FILTERS,
    NORTH,
    NOTHING,
    RANDOM,
    WORDS,
    IndexWorld,
    SearchContract,
    assert_same,
    directions,
    gates,
    ids,
    inside,
    plain,
    row,
    up_to,
    worlds,
)
from kataribe.testing.reference import IndexRow, ReferenceWorld, as_vector


class VectorSearchContract(SearchContract):
    """What every exact `VectorSearch` promises. Subclass it and give a `world`."""

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
        world.load([row(f"f{n}", n + 1, vector=v) for n, v in enumerate(directions(40, 96, seed=3))])
        question = as_vector(directions(1, 96, seed=4)[0])
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

    def test_vectors_are_those_that_were_loaded(self, world: IndexWorld) -> None:
        """To the byte, and none from outside the gate."""
        given = directions(9, 96, seed=6)
        world.load([row(f"f{n}", n + 1, vector=v) for n, v in enumerate(given)])
        every = world.vectors.nearest(as_vector(given[0]), gate=up_to(9), top_k=9)
        keys = {candidate.key: candidate.position - 1 for candidate in every}
        found = world.vectors.vectors_of(keys.keys(), gate=up_to(5))
        assert {keys[key]: as_vector(given[keys[key]]).tobytes() for key in found} == {
            keys[key]: vector.tobytes() for key, vector in found.items()
        }
        assert {keys[key] for key in found} == set(range(5))
        assert world.vectors.vectors_of([], gate=up_to(5)) == {}
        assert world.vectors.vectors_of(keys.keys(), gate=DENY_ALL) == {}

    def test_what_is_behind_the_gate_is_counted(self, world: IndexWorld) -> None:
        """What is hidden, later or another's is not."""
        world.load([row("a", 1), row("b", 2), row("c", 1, holder="ann"), row("d", 3, live=False)])
        assert [world.vectors.size(gate) for gate in (up_to(1), up_to(9), up_to(9, "ann"))] == [1, 2, 3]
        assert world.vectors.size(DENY_ALL) == 0

    def test_scores_are_finite_and_rounded(self, world: IndexWorld) -> None:
        """Six decimals, between -1 and 1, best first."""
        world.load([row(f"f{n}", 1, vector=v) for n, v in enumerate(directions(200, 96, seed=1))])
        found = world.vectors.nearest(as_vector(directions(1, 96, seed=2)[0]), gate=up_to(1), top_k=200)
        assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
        assert all(math.isfinite(c.score) and -1 <= c.score <= 1 for c in found)
        assert all(c.score == round(c.score, 6) for c in found)

    def test_many_dense_rows_are_ranked_as_by_the_reference(self, world: IndexWorld) -> None:
        """With vectors as embedders make them."""
        rows = [row(f"f{n}", n % 7 + 1, vector=v) for n, v in enumerate(directions(600, 96, seed=5))]
        reference = ReferenceWorld()
        reference.load(rows)
        world.load(rows)
        for seed in range(10, 15):
            question = as_vector(directions(1, 96, seed=seed)[0])
            for gate, top_k in ((up_to(7), 25), (up_to(3), 600)):
                wanted = reference.vectors.nearest(question, gate=gate, top_k=top_k)
                assert_same(world.vectors.nearest(question, gate=gate, top_k=top_k), wanted)

    @RANDOM
    @given(
        rows=worlds(),
        gate=gates(),
        question=st.sampled_from((*CORNERS, NOTHING)),
        top_k=st.integers(1, 12),
        written=FILTERS,
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
        world.load([r for r in rows if inside(r, gate)])
        alone = world.vectors.nearest(vector, gate=gate, top_k=top_k, where=where)
        assert repr(plain(alone)) == repr(plain(found))


class KeywordIndexContract(SearchContract):
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

    @RANDOM
    @given(
        rows=worlds(),
        gate=gates(),
        terms=st.lists(st.sampled_from((*WORDS, "nowhere")), max_size=5),
        top_k=st.integers(1, 12),
        written=FILTERS,
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
        world.load([r for r in rows if inside(r, gate)])
        alone = world.keywords.matching(terms, gate=gate, top_k=top_k, where=where)
        assert repr(plain(alone)) == repr(plain(found))
