"""The arena with units of turns: several positions in a segment, cut and grown in their middle."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from kataribe.adapters.sql import SqlLedger
from kataribe.arena import shelf as shelves
from kataribe.conversation import store as talk
from kataribe.domain.conversation.turns import Turn, User, turn_memories
from kataribe.domain.gate import Gate, Slice, position_of
from kataribe.domain.memory import Memory
from kataribe.domain.records import Outcome, Work
from kataribe.domain.space import user_space
from kataribe.domain.terms import PUBLIC, Audience, known_by
from kataribe.domain.work import WorkKind
from kataribe.ports import Transaction, View
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.index_world import plain

SPACE = user_space("u")
USER = User(user_id="u", language="ja", embedder="any", embedder_id="any-1")
WORDS = ("銀河", "河鉄", "夜", "mirror", "river", "letter")
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
HELD: tuple[Audience, ...] = (PUBLIC, known_by("rin"), known_by("rin", "himuro"))
DAYS = 4
picks = st.integers(0, 10_000)


def _unit(seed: int) -> bytes:
    vector = np.random.default_rng(seed).standard_normal(24)
    return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()


def _turn(number: int, day: int, hour: int, version: int = 0) -> Turn:
    return Turn(
        turn_id=f"t{number}",
        session=str(number % 2),
        speaker="Ann",
        text=f"{WORDS[(number + version) % 6]} {WORDS[(number * 5) % 6]} {number}/{version}",
        time=BEGIN + timedelta(days=day, hours=hour % 5),
        ordinal=number % 3,
        audience=HELD[(number + version) % 3],
    )


def remember(writing: Transaction) -> None:
    """Make the memory of the units that lag."""
    for unit in writing.due(SPACE, WorkKind.TURNS):
        said = writing.turns(SPACE, unit=unit)
        memories: list[Memory] = [one for turn in said for one in turn_memories(SPACE, turn)]
        wanted = writing.work(SPACE, WorkKind.TURNS, unit)[unit].wanted
        writing.put_work(SPACE, WorkKind.TURNS, unit, Work(fingerprint=wanted, outcome=Outcome.DONE))
        writing.replace_memories(
            SPACE,
            unit,
            memories,
            terms={memory.fact_id: memory.text.split() for memory in memories},
            vectors={memory.text_hash: _unit(int(memory.text_hash[:6], 16)) for memory in memories},
            embedder_id="any-1",
            shown=True,
        )


def gates() -> Iterable[Gate]:
    """Give gates that end before, inside and after each day."""
    for day in range(DAYS):
        for hour in (0, 2, 3, 23):
            upto = position_of(BEGIN + timedelta(days=day, hours=hour)) - (hour == 3)
            for holders in (("world",), ("world", "rin"), ("world", "himuro")):
                yield Gate(tuple(Slice(SPACE, holder, upto) for holder in holders))


def everything(reading: View) -> list[object]:
    """Give what several gates and questions find, each held against the gate's own rows."""
    found: list[object] = []
    question = np.frombuffer(_unit(5), dtype="<f4")
    for gate in gates():
        inside = {memory.key: memory for memory in reading.admitted(gate)}
        near = reading.vectors.nearest(question, gate=gate, top_k=500)
        wordy = reading.keywords.matching(WORDS[1:5], gate=gate, top_k=500)
        assert {one.key for one in near} == inside.keys(), "all of the gate and nothing else"
        assert {one.key for one in wordy} == {
            key for key, memory in inside.items() if set(memory.text.split()) & set(WORDS[1:5])
        }
        assert all(one.position == inside[one.key].position for one in (*near, *wordy))
        found += [plain(near), plain(wordy)]
        found.append(plain(reading.vectors.nearest(question, gate=gate, top_k=3)))
        found.append(plain(reading.keywords.matching(WORDS[:2], gate=gate, top_k=2)))
        some = sorted(inside)[::2]
        found.append(sorted(reading.vectors.similarities(question, some, gate=gate).values()))
        found.append(sorted(reading.keywords.scores(WORDS[:3], some, gate=gate).values()))
        beside = reading.neighbours(gate, inside.keys())
        names = {key: memory.fact_id for key, memory in inside.items()}
        found.append(sorted((names[key], [names[one] for one in each]) for key, each in beside.items()))
    return found


class PageMachine(RuleBasedStateMachine):
    """Two handles with arenas (one drops everything all the time) and one without, on one file."""

    fold_rows = 2048

    def __init__(self) -> None:
        super().__init__()
        self.monkeypatch = pytest.MonkeyPatch()
        self.monkeypatch.setattr(shelves, "FOLD_ROWS", self.fold_rows)

    @initialize(hours=st.lists(picks, min_size=3, max_size=12))
    def begin(self, hours: list[int]) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="kataribe-pages-")
        path = str(Path(self.folder.name) / "a.db")
        self.writer = SqlLedger(path, FrozenClock())
        self.readers = [
            self.writer,
            SqlLedger(path, FrozenClock()),
            SqlLedger(path, FrozenClock(), arena_bytes=1),
        ]
        self.plain = SqlLedger(path, FrozenClock(), arena_bytes=0)
        self.versions: dict[int, int] = {}
        with self.writer.writing() as writing:
            writing.put_user(USER)
            for number, hour in enumerate(hours):
                self.put(writing, number, hour)
            remember(writing)

    def put(self, writing: Transaction, number: int, pick: int) -> None:
        version = self.versions[number] = self.versions.get(number, -1) + 1
        talk.store(writing, SPACE, [_turn(number, pick % DAYS, pick // DAYS, version)])

    @rule(number=st.integers(0, 20), pick=picks, at_once=st.booleans())
    def say(self, number: int, pick: int, at_once: bool) -> None:
        """Say something new, often on a day long ago; or something again, elsewhere."""
        with self.writer.writing() as writing:
            self.put(writing, number, pick)
            if at_once:
                remember(writing)

    @rule(number=st.integers(0, 20))
    def delete(self, number: int) -> None:
        with self.writer.writing() as writing:
            talk.delete(writing, SPACE, [f"t{number}"])

    @rule(at=st.integers(0, 2))
    def remember_elsewhere(self, at: int) -> None:
        with self.readers[at].writing() as writing:
            remember(writing)

    @rule(forget=st.booleans())
    def make_all_again(self, forget: bool) -> None:
        with self.writer.writing() as writing:
            if forget:
                writing.forget_units(SPACE)
            for unit in writing.turn_units(SPACE):
                writing.put_work(SPACE, WorkKind.TURNS, unit, Work(fingerprint="", outcome=Outcome.DUE))
            if not forget:
                remember(writing)

    @rule()
    def rename_and_back(self) -> None:
        for old, new in (("u", "v"), ("v", "u")):
            with self.writer.writing() as writing:
                writing.rename_user(old, new)
            self.look()

    @rule(at=st.integers(0, 2), pick=picks)
    def look_back(self, at: int, pick: int) -> None:
        """A reader that began before a change does not see it, though others do."""
        with self.readers[at].reading() as early:
            wanted = everything(early)
            self.say(pick % 20, pick, True)
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


class FoldingPageMachine(PageMachine):
    """The same with blocks so small that every step folds or leaves them apart."""

    fold_rows = 4


TestPages = PageMachine.TestCase
TestPages.settings = settings(max_examples=10, stateful_step_count=10, deadline=None)
TestFoldingPages = FoldingPageMachine.TestCase
TestFoldingPages.settings = settings(max_examples=10, stateful_step_count=10, deadline=None)
