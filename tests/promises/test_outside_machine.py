"""The property machines with an index outside the store: whatever it does, answers stay the store's.

Without faults every answer is byte for byte what a store without it gives. With faults nothing
comes back from outside the gate (P1), every score is exact, and an answer that lacks something says so.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import rule

import kataribe
from kataribe.adapters.memory_index import MemoryIndex
from kataribe.domain.memory import Recollection
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports import VectorIndex
from kataribe.read.preselect import MAY_MISS, UNREACHED
from kataribe.testing.faulty_index import FaultyIndex, IndexFaults
from promises.test_machine import QUESTIONS
from promises.test_mixed_machine import ASKERS, JapaneseMixedMachine, MixedMachine, keys
from support.effort import walks
from support.stores import empty_store, services

FAULTS = (
    IndexFaults(late=0.6),
    IndexFaults(doubled=0.6),
    IndexFaults(lost=0.4),
    IndexFaults(lying=0.6),
    IndexFaults(away=0.3),
    IndexFaults(late=0.3, doubled=0.3, lost=0.3, lying=0.3, away=0.1),
)


def with_index(store: str, index: VectorIndex) -> Kataribe:
    return kataribe.open(store, services=replace(services(), index=index))


class OutsideMachine(MixedMachine):
    """Both handles ask one index, which misses nothing."""

    def other(self, store: str) -> Kataribe:
        self.index = MemoryIndex()
        return with_index(store, self.index)

    def __init__(self) -> None:
        super().__init__()
        self.handles[0].close()
        self.handles[0] = with_index(str(self.path / "store.db"), self.index)

    @rule(again=st.booleans())
    def feed(self, again: bool) -> None:
        """Bring the index up at any moment."""
        self.store.admin.index.feed(again=again)
        lag = self.store.admin.index.lag()
        assert lag is not None
        assert lag.is_fed

    def compare(self) -> None:
        # A walk may end before the user is met.
        if not self.handles[0].admin.users():
            return
        super().compare()
        if self.is_in:
            found = self.store.recall(QUESTIONS[self.language][0], **keys(ASKERS[2]))
            assert found.warnings == ()


class JapaneseOutsideMachine(JapaneseMixedMachine, OutsideMachine):
    """The same in Japanese, with two embedders in one gate."""


class FaultyMachine(MixedMachine):
    """The second handle asks an index with faults, which declares that it misses nothing."""

    def other(self, store: str) -> Kataribe:
        self.index = FaultyIndex(MemoryIndex(), IndexFaults(lost=0.4), seed=len(store))
        return with_index(store, self.index)

    @rule(faults=st.sampled_from(FAULTS))
    def go_wrong(self, faults: IndexFaults) -> None:
        """From here on other things go wrong."""
        self.index.faults = faults

    @rule()
    def catch_up(self) -> None:
        """What is late comes now, in any order."""
        self.index.catch_up()

    @rule()
    def feed(self) -> None:
        """Bring the index up, as far as it lets anybody."""
        try:
            self.handles[1].admin.index.feed()
        except kataribe.VectorIndexError:
            assert self.index.faults.away

    def compare(self) -> None:
        """Whatever the index says, its answers are as good as they say they are."""
        if not self.is_in or not self.handles[0].admin.users():
            return
        self.handles[1].sync()
        right, mine = self.handles
        for asker in ASKERS:
            viewer = keys(asker)
            known = {hit.id for hit in right.known(**viewer).hits}
            for question in QUESTIONS[self.language]:
                every = right.recall(question, top_k=50, **viewer)
                for top_k in (2, 50):
                    wanted = right.recall(question, top_k=top_k, **viewer)
                    found = mine.recall(question, top_k=top_k, **viewer)
                    assert {hit.id for hit in found.hits} <= known, "P1"
                    assert likeness(found).items() <= likeness(every).items()
                    assert found.hits == wanted.hits or MAY_MISS in found.warnings
                    assert set(found.warnings) <= {MAY_MISS, UNREACHED}


def likeness(found: Recollection) -> dict[str, float]:
    """Give how like the question each hit is."""
    return {hit.id: hit.parts["similarity"] for hit in found.hits}


TestOutside = OutsideMachine.TestCase
TestOutside.settings = walks(3, 10)
TestJapaneseOutside = JapaneseOutsideMachine.TestCase
TestJapaneseOutside.settings = walks(2, 8)
TestFaulty = FaultyMachine.TestCase
TestFaulty.settings = walks(5, 12)


def test_an_answer_that_lacks_what_an_index_lost_says_so(tmp_path: Path) -> None:
    """Though the index declares that it misses nothing, and nothing else went wrong."""
    index = FaultyIndex(MemoryIndex(), IndexFaults(lost=1.0))
    with with_index(str(empty_store(tmp_path / "k.db")), index) as opened:
        opened.story("s").create(language="ja", embedder="hash")
        opened.story("s").episodes.put(no=1, text="アンは水車小屋へ行った。")
        opened.sync()
        found = opened.recall("zzz", story="s", persona="ann", at=2)
        assert (found.hits, found.warnings) == ((), (MAY_MISS,))
        index.faults = IndexFaults()
        opened.admin.index.feed(again=True)
        found = opened.recall("zzz", story="s", persona="ann", at=2)
        assert (len(found.hits), found.warnings) == (1, ())


@pytest.mark.parametrize(
    ("language", "text", "question"),
    [
        ("en", "Ann went to the mill.", "Where did Ann go?"),
        ("ja", "アンは水車小屋へ行った。", "アンはどこ？"),
    ],
)
def test_now_is_asked_of_the_index_as_of_the_number_it_is(
    tmp_path: Path, language: Language, text: str, question: str
) -> None:
    index = MemoryIndex()
    with with_index(str(empty_store(tmp_path / "k.db")), index) as opened:
        opened.story("s").create(language=language, embedder="hash")
        for no in (1, 2, 3):
            opened.story("s").episodes.put(no, text)
        opened.sync()
        assert opened.recall(question, story="s", persona="ann", at=1).hits == ()
        now = opened.recall(question, story="s", persona="ann", at="now")
        assert now == opened.recall(question, story="s", persona="ann", at=4)
        assert (len(now.hits), now.warnings, now.viewer.at) == (3, (), 4)
        (many,) = opened.recall_many(question, [{"story": "s", "persona": "ann", "at": "now"}])
        assert many == now
