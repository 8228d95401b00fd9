"""What every index outside the store promises: subclass `VectorIndexContract` and give an `index`."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.domain.gate import DENY_ALL, Gate
from kataribe.ports import IndexEntry, Proposal, VectorIndex
from kataribe.testing.index_world import (
    ASKEW,
    CORNERS,
    EAST,
    HERE,
    NORTH,
    NOTHING,
    RANDOM,
    THERE,
    directions,
    gates,
    row,
    up_to,
    worlds,
)
from kataribe.testing.reference import IndexRow, ReferenceWorld, as_vector


def as_entry(entry_id: str, given: IndexRow, *, revision: int = 1) -> IndexEntry:
    """Make what an index is given of a row; the row's space is its collection."""
    return IndexEntry(
        entry_id=entry_id,
        holder=given.holder,
        position=given.position,
        fact_id=given.fact_id,
        revision=revision,
        vector=as_vector(given.vector),
    )


class VectorIndexContract:
    """What every `VectorIndex` promises. Subclass it and give an empty `index`."""

    @pytest.fixture
    def index(self) -> VectorIndex:
        """Give an empty index."""
        raise NotImplementedError

    def settle(self, index: VectorIndex) -> None:
        """Wait until what was written can be found; override where the back end needs time."""

    def load(self, index: VectorIndex, rows: Iterable[IndexRow]) -> None:
        """Put each row under its fact id, in the collection of its space."""
        for one in rows:
            index.upsert(one.space, [as_entry(one.fact_id, one)])
        self.settle(index)

    def ids(self, index: VectorIndex, gate: Gate, *, top_k: int = 9) -> list[str]:
        """Look to the north, and give the ids that are proposed."""
        return [one.entry_id for one in index.nearest(as_vector(NORTH), gate=gate, top_k=top_k)]

    def test_the_most_similar_are_proposed_first(self, index: VectorIndex) -> None:
        """As they were named, in their collection."""
        rows = [row("遠い", 1, vector=EAST), row("vec:e1:v1:world:world:0", 2), row("near", 3, vector=ASKEW)]
        self.load(index, rows)
        found = index.nearest(as_vector(NORTH), gate=up_to(9), top_k=2)
        assert found == (Proposal(HERE, "vec:e1:v1:world:world:0"), Proposal(HERE, "near"))

    def test_neither_the_future_nor_others_secrets_are_proposed(self, index: VectorIndex) -> None:
        """By an index that keeps to the gate; another one is given room for them."""
        self.load(index, [row("past", 1, vector=ASKEW), row("future", 2), row("secret", 1, holder="氷室")])
        assert index.capabilities.filters == (self.ids(index, up_to(1), top_k=1) == ["past"])
        if index.capabilities.filters:
            assert self.ids(index, up_to(1)) == ["past"]

    def test_no_other_collection_is_looked_at(self, index: VectorIndex) -> None:
        """Whatever it holds under the same ids."""
        self.load(index, [row("a", 1, vector=EAST), row("a", 1, space=THERE), row("b", 1, space=THERE)])
        assert index.nearest(as_vector(NORTH), gate=up_to(9), top_k=9) == (Proposal(HERE, "a"),)
        assert self.ids(index, up_to(9, space="nowhere")) == []

    def test_twice_put_is_once_put(self, index: VectorIndex) -> None:
        """And what is put again is where it was put last."""
        entry = as_entry("a", row("a", 1))
        for _ in range(2):
            index.upsert(HERE, [entry, as_entry("b", row("b", 2, vector=ASKEW))])
        self.settle(index)
        assert self.ids(index, up_to(9)) == ["a", "b"]
        index.upsert(HERE, [as_entry("a", row("a", 1, vector=EAST), revision=2)])
        self.settle(index)
        assert self.ids(index, up_to(9)) == ["b", "a"]

    def test_what_comes_late_does_not_take_the_place_of_what_is_newer(self, index: VectorIndex) -> None:
        """Writes may overtake each other."""
        index.upsert(HERE, [as_entry("a", row("a", 1, vector=EAST), revision=7)])
        index.upsert(HERE, [as_entry("b", row("b", 1, vector=ASKEW), revision=7)])
        index.upsert(HERE, [as_entry("a", row("a", 1), revision=6)])
        self.settle(index)
        assert self.ids(index, up_to(9)) == ["b", "a"]

    def test_what_is_deleted_is_gone(self, index: VectorIndex) -> None:
        """Of any length; what is not there is passed over."""
        self.load(index, [row("a", 1), row("b", 2), row("short", 3, vector=(1.0, 0.0))])
        index.delete(HERE, ["b", "short", "nobody"])
        index.delete(HERE, ["b"])
        index.delete("nowhere", ["a"])
        index.delete(HERE, [])
        self.settle(index)
        assert self.ids(index, up_to(9)) == ["a"]
        assert index.nearest(as_vector((1.0, 0.0)), gate=up_to(9), top_k=9) == ()

    def test_vectors_of_another_length_are_passed_over(self, index: VectorIndex) -> None:
        """They are those of an embedder that is being replaced."""
        self.load(index, [row("a", 1), row("short", 1, vector=(1.0, 0.0))])
        assert self.ids(index, up_to(9)) == ["a"]
        found = index.nearest(as_vector((1.0, 0.0)), gate=up_to(9), top_k=9)
        assert [one.entry_id for one in found] == ["short"]

    def test_silence_is_legal(self, index: VectorIndex) -> None:
        """Empty, closed, or asked for none."""
        assert self.ids(index, up_to(9)) == []
        self.load(index, [row("a", 1)])
        assert self.ids(index, DENY_ALL) == []
        assert self.ids(index, up_to(9), top_k=0) == []
        index.upsert(HERE, [])
        assert self.ids(index, up_to(9)) == ["a"]

    def test_many_dense_rows_are_proposed(self, index: VectorIndex) -> None:
        """An exact index proposes those of the reference in its order, another one most of them."""
        rows = [row(f"f{n:03}", n % 7 + 1, vector=v) for n, v in enumerate(directions(300, 48, seed=5))]
        reference = ReferenceWorld()
        reference.load(rows)
        self.load(index, rows)
        for seed in range(10, 14):
            question = as_vector(directions(1, 48, seed=seed)[0])
            wanted = [one.fact_id for one in reference.vectors.nearest(question, gate=up_to(5), top_k=25)]
            found = [one.entry_id for one in index.nearest(question, gate=up_to(5), top_k=25)]
            assert len(found) == len(set(found)) == 25
            if index.capabilities.exact and index.capabilities.filters:
                assert found == wanted

    def test_closing_twice_is_closing(self, index: VectorIndex) -> None:
        """Whether or not anything was written."""
        self.load(index, [row("a", 1)])
        index.close()
        index.close()

    @RANDOM
    @given(
        rows=worlds(),
        gate=gates(),
        question=st.sampled_from((*CORNERS, NOTHING)),
        top_k=st.integers(1, 12),
    )
    def test_random_worlds_agree_with_the_reference(
        self,
        index: VectorIndex,
        rows: list[IndexRow],
        gate: Gate,
        question: tuple[float, ...],
        top_k: int,
    ) -> None:
        """An exact index proposes what the store itself would find, and loses it again when it is told to."""
        reference = ReferenceWorld()
        reference.load(rows)
        held = {(one.space, f"r{at}"): one for at, one in enumerate(rows) if one.live}
        for (space, entry_id), one in held.items():
            index.upsert(space, [as_entry(entry_id, one)])
        self.settle(index)
        found = index.nearest(as_vector(question), gate=gate, top_k=top_k)
        for space, entry_id in held:
            index.delete(space, [entry_id])
        self.settle(index)
        assert index.nearest(as_vector(question), gate=gate, top_k=top_k) == ()
        if index.capabilities.exact and index.capabilities.filters:
            wanted = reference.vectors.nearest(as_vector(question), gate=gate, top_k=top_k)
            assert [(held[one].fact_id, held[one].holder) for one in found] == [
                (one.fact_id, one.holder) for one in wanted
            ]
