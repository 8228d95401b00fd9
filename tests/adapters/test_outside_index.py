from __future__ import annotations

import pytest

from kataribe.adapters.memory_index import MemoryIndex
from kataribe.errors import VectorIndexError
from kataribe.ports import VectorIndex
from kataribe.testing.faulty_index import FaultyIndex, IndexFaults
from kataribe.testing.index_world import NORTH, row, up_to
from kataribe.testing.outside_index import VectorIndexContract, as_entry
from kataribe.testing.reference import as_vector


class TestMemoryIndex(VectorIndexContract):
    @pytest.fixture
    def index(self) -> VectorIndex:
        return MemoryIndex()

    def test_each_has_an_id_of_its_own_unless_it_is_given_one(self) -> None:
        assert MemoryIndex().index_id != MemoryIndex().index_id
        assert MemoryIndex("here").index_id == MemoryIndex("here").index_id == "memory-here"


class TestLateIndex(VectorIndexContract):
    """An index that needs time keeps the contract once it has had it; late writes may overtake each other."""

    @pytest.fixture
    def index(self) -> VectorIndex:
        return FaultyIndex(MemoryIndex(), IndexFaults(late=0.5), admits=True)

    def settle(self, index: VectorIndex) -> None:
        assert isinstance(index, FaultyIndex)
        index.catch_up()


def held(faults: IndexFaults, *, rows: int = 30) -> list[str]:
    index = FaultyIndex(MemoryIndex(), faults, seed=3)
    for at in range(rows):
        index.upsert("c", [as_entry(f"r{at}", row(f"r{at}", at + 1))])
    found = index.nearest(as_vector(NORTH), gate=up_to(rows // 2, space="c"), top_k=99)
    return [one.entry_id for one in found]


def test_the_faults_are_there() -> None:
    """What the proofs of answers stand on: each fault shows."""
    right = [f"r{at}" for at in range(15)]
    assert held(IndexFaults()) == right
    assert 0 < len(held(IndexFaults(lost=0.5))) < 15
    assert 0 < len(held(IndexFaults(late=0.5))) < 15
    assert sorted(held(IndexFaults(doubled=1.0))) == sorted(right * 2)
    assert {"r29", "nobody's"} <= set(held(IndexFaults(lying=1.0)))
    with pytest.raises(VectorIndexError):
        held(IndexFaults(away=1.0))
