"""The arena while episodes come, go, move and hide: always what a fresh reading gives."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from kataribe.adapters.sql import SqlLedger
from kataribe.arena import shelf as shelves
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.memory import Memory, Reason
from kataribe.domain.space import story_space
from kataribe.domain.story.inputs import Episode, Story
from kataribe.domain.terms import FactOrigin
from kataribe.ports import Transaction, View
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.index_world import plain
from support.effort import walks

WORDS = ("銀河", "河鉄", "夜", "mirror", "river", "letter")
HOLDERS = ("world", "ann", "氷室")
EPISODES = 8
picks = st.integers(0, 10_000)


def _unit(seed: int) -> bytes:
    vector = np.random.default_rng(seed).standard_normal(24)
    return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()


def _fill(writing: Transaction, story_id: str, no: int, position: int, version: int, count: int) -> None:
    episode_id = f"e{no}"
    memories = [
        Memory(
            memory_id=f"{episode_id}/{version}/{at}/{holder}",
            space=story_space(story_id),
            holder=holder,
            position=position,
            episode_id=episode_id,
            episode_no=no,
            fact_id=f"f{(at * 7) % 11}-{no}",
            version=version,
            fact_index=at,
            text=f"{no} {version} {at}",
            text_hash=f"{no}/{version}/{at}",
            origin=FactOrigin.SUPPLIED,
            place=at,
            reason=Reason.SUPPLIED,
        )
        for at in range(count)
        for holder in HOLDERS[: 1 + (version + at) % 3]
    ]
    hashes = {m.text_hash: seed for seed, m in enumerate(memories)}
    writing.replace_memories(
        story_space(story_id),
        episode_id,
        memories,
        terms={
            m.fact_id: [WORDS[(hashes[m.text_hash] + version * k) % len(WORDS)] for k in range(1 + at % 5)]
            for at, m in enumerate(memories)
        },
        vectors={hashed: _unit(seed * 31 + version * 7 + no) for hashed, seed in hashes.items()},
        embedder_id="any-1",
        shown=True,
    )


def everything(reading: View) -> list[object]:
    """Give what several gates and questions find."""
    found: list[object] = []
    for upto in (1, 3 * 2**32, 99 * 2**32):
        for holders in (("world",), ("world", "ann"), ("world", "ann", "氷室")):
            gate = Gate(tuple(Slice("story:s", holder, upto) for holder in holders))
            question = np.frombuffer(_unit(5), dtype="<f4")
            for top_k in (3, 500):
                near = reading.vectors.nearest(question, gate=gate, top_k=top_k)
                found.append(plain(near))
                found.append(plain(reading.keywords.matching(WORDS[1:5], gate=gate, top_k=top_k)))
            keys = [c.key for c in near]
            found.append(sorted(reading.vectors.similarities(question, keys, gate=gate).values()))
    return found


class ArenaMachine(RuleBasedStateMachine):
    """Two handles with arenas (one drops everything all the time) and one without, on one file."""

    fold_rows = 2048

    def __init__(self) -> None:
        super().__init__()
        self.monkeypatch = pytest.MonkeyPatch()
        self.monkeypatch.setattr(shelves, "FOLD_ROWS", self.fold_rows)

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="kataribe-arena-")
        path = str(Path(self.folder.name) / "a.db")
        self.writer = SqlLedger(path, FrozenClock())
        self.readers = [
            SqlLedger(path, FrozenClock()),
            SqlLedger(path, FrozenClock(), arena_bytes=1),
            self.writer,
        ]
        self.plain = SqlLedger(path, FrozenClock(), arena_bytes=0)
        self.make_story()

    def make_story(self) -> None:
        self.versions = dict.fromkeys(range(1, EPISODES + 1), 1)
        self.keys = {no: no * 2**32 for no in self.versions}
        with self.writer.writing() as writing:
            writing.put_story(
                Story(story_id="s", language="ja", embedder="any", embedder_id="any-1", extractor_id="x")
            )
            for no, key in self.keys.items():
                writing.put_episode("s", Episode(episode_id=f"e{no}", no=no, text=""), order_key=key)
                _fill(writing, "s", no, key, 1, no % 4)

    @rule(no=st.integers(1, EPISODES), count=st.integers(0, 9))
    def replace(self, no: int, count: int) -> None:
        self.versions[no] += 1
        with self.writer.writing() as writing:
            _fill(writing, "s", no, self.keys[no], self.versions[no], count)

    @rule(no=st.integers(1, EPISODES), shown=st.booleans())
    def show(self, no: int, shown: bool) -> None:
        with self.writer.writing() as writing:
            writing.show("story:s", {f"e{no}": shown})

    @rule(pick=picks)
    def move(self, pick: int) -> None:
        """Turn the order of two episodes round."""
        one, other = 1 + pick % EPISODES, 1 + (pick // 10) % EPISODES
        self.keys[one], self.keys[other] = self.keys[other], self.keys[one]
        with self.writer.writing() as writing:
            writing.set_numbers("s", {}, {f"e{no}": self.keys[no] for no in {one, other}})

    @rule(pick=picks)
    def undone(self, pick: int) -> None:
        """What is rolled back was never there, not even for the one who looked inside."""
        no = 1 + pick % EPISODES
        with self.writer.reading() as reading:
            before = everything(reading)
        with pytest.raises(ZeroDivisionError):
            self.fail_after_filling(no, before)
        with self.writer.reading() as reading:
            assert everything(reading) == before

    def fail_after_filling(self, no: int, before: list[object]) -> None:
        with self.writer.writing() as writing:
            _fill(writing, "s", no, self.keys[no], 999, 5)
            assert everything(writing) != before
            raise ZeroDivisionError

    @rule(keep=st.booleans())
    def make_again(self, keep: bool) -> None:
        """Delete the story, or rename it away and back, under the same episode ids."""
        with self.writer.writing() as writing:
            if keep:
                writing.rename_story("s", "other")
            else:
                writing.delete_story("s")
        self.look()
        if keep:
            with self.writer.writing() as writing:
                writing.rename_story("other", "s")
        else:
            self.make_story()

    @rule(at=st.integers(0, 2), pick=picks)
    def look_back(self, at: int, pick: int) -> None:
        """A reader that began before a change does not see it, though others do."""
        with self.readers[at].reading() as early:
            wanted = everything(early)
            self.replace(1 + pick % EPISODES, pick % 7)
            with self.readers[at].reading() as late:
                everything(late)
                assert everything(early) == wanted

    @rule()
    def look(self) -> None:
        with self.plain.reading() as reading:
            wanted = everything(reading)
        for ledger in self.readers:
            with ledger.reading() as reading:
                assert everything(reading) == wanted

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.look()
            for ledger in {*self.readers, self.plain}:
                ledger.close()
            self.folder.cleanup()
        self.monkeypatch.undo()


class FoldingMachine(ArenaMachine):
    """The same with blocks so small that every step folds or leaves them apart."""

    fold_rows = 8


TestArena = ArenaMachine.TestCase
TestArena.settings = walks(25, 20)
TestFolding = FoldingMachine.TestCase
TestFolding.settings = walks(25, 20)


def test_threads_that_ask_at_once_get_the_same(tmp_path: Path) -> None:
    """While another handle changes what is there, every view is of one moment."""
    path = str(tmp_path / "t.db")
    ledger, other = SqlLedger(path, FrozenClock()), SqlLedger(path, FrozenClock(), arena_bytes=0)
    with ledger.writing() as writing:
        writing.put_story(
            Story(story_id="s", language="ja", embedder="any", embedder_id="any-1", extractor_id="x")
        )
        for no in range(1, 5):
            writing.put_episode("s", Episode(episode_id=f"e{no}", no=no, text=""), order_key=no * 2**32)
            _fill(writing, "s", no, no * 2**32, 1, 6)

    def look(_: int) -> bool:
        with ledger.reading() as reading:
            return everything(reading) == everything(reading)

    def change(version: int) -> bool:
        with other.writing() as writing:
            _fill(writing, "s", 1 + version % 4, (1 + version % 4) * 2**32, version, version % 9)
        return True

    with ThreadPoolExecutor(6) as pool:
        done = [pool.submit(look if at % 3 else change, at + 2) for at in range(60)]
        assert all(one.result() for one in done)
    with ledger.reading() as reading, other.reading() as plainly:
        assert everything(reading) == everything(plainly)
    ledger.close()
    other.close()


def test_a_part_that_is_undone_takes_its_revision_back(tmp_path: Path) -> None:
    """Else the next transaction would give the same number to another state, and nobody would look again."""
    path = str(tmp_path / "p.db")
    ledger, plainly = SqlLedger(path, FrozenClock()), SqlLedger(path, FrozenClock(), arena_bytes=0)
    key = 2**32

    def undone(writing: Transaction) -> None:
        with writing.part():
            _fill(writing, "s", 1, key, 2, 3)
            raise ZeroDivisionError

    with ledger.writing() as writing:
        writing.put_story(
            Story(story_id="s", language="ja", embedder="any", embedder_id="any-1", extractor_id="x")
        )
        writing.put_episode("s", Episode(episode_id="e1", no=1, text=""), order_key=key)
    with ledger.writing() as writing:
        with pytest.raises(ZeroDivisionError):
            undone(writing)
        _fill(writing, "s", 1, key, 3, 4)
    for version, count in ((4, 2), (5, 6)):
        with ledger.reading() as reading, plainly.reading() as other:
            assert everything(reading) == everything(other)
        with ledger.writing() as writing:
            _fill(writing, "s", 1, key, version, count)
    with ledger.reading() as reading, plainly.reading() as other:
        assert everything(reading) == everything(other)
    ledger.close()
    plainly.close()
