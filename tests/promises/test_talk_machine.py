"""The property machine of conversations: what is said, edited, moved and deleted, against a plain model.

After every step nothing outside an asker's gate comes back (P1) and no page is shown by halves
(P4). Once all is remembered, what every asker is given is what a fresh build gives (P3), and
leaving out what lies outside its gate changes no byte (P2).
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import kataribe
from kataribe.domain.conversation import Turn
from kataribe.domain.story import PUBLIC, Audience, Language
from kataribe.engine import Engines
from kataribe.face import Kataribe
from kataribe.testing.fakes import FailingEmbedder
from support.stores import empty_store, engines
from support.talk_model import USER, Asker, admits, everything, fresh_talk, seen_by

PERSONAS = ("himuro", "rin")
BEGIN = datetime(2024, 1, 1, 22, tzinfo=UTC)
SPEAKERS = ("Ann", "Ben", "system")
SESSIONS = ("1", "2")
LINES: dict[Language, tuple[str, ...]] = {
    "en": (
        "I left the silver key under the stone by the mill.",
        "Where did you put the key?",
        "The harbour was closed on Sunday, so we went to the mill instead.",
        "I am so happy, my sister came home from the harbour!",
        "Ok.",
        "Ben told me a secret about the lamp in the harbour office.",
    ),
    "ja": (
        "銀の鍵は水車小屋のそばの石の下に置いてきた。",
        "鍵はどこに置いたの？",
        "日曜は港が閉まっていたので、水車小屋に行った。",
        "妹が港から帰ってきて、本当にうれしい！",
        "はい。",
        "ベンが港の事務所のランプの秘密を教えてくれた。",
    ),
}
QUESTIONS: dict[Language, tuple[str, ...]] = {
    "en": ("Where is the key?", "What did Ben say about the harbour?"),
    "ja": ("鍵はどこ？", "ベンは港の何を話した？"),
}
WORDS: dict[Language, tuple[str, ...]] = {"en": ("harbour", "KEY"), "ja": ("港", "鍵")}

picks = st.integers(0, 10_000)
# A day has three moments, so that turns share them, and pages have several turns.
times = st.builds(
    lambda day, part: BEGIN + timedelta(days=day, hours=part), st.integers(0, 3), st.integers(0, 2)
)
audiences = st.one_of(
    st.just(PUBLIC),
    st.frozensets(st.sampled_from(PERSONAS), min_size=1).map(lambda members: Audience(members=members)),
)
ASKERS: tuple[Asker, ...] = tuple(
    (persona, BEGIN + timedelta(days=day, hours=part))
    for persona in (None, *PERSONAS, "stranger")
    for day, part in ((0, 1), (2, 0), (9, 0))
)


class TalkMachine(RuleBasedStateMachine):
    """A store, a second handle on it, and the model of what was said."""

    language: Language = "en"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="kataribe-talk-")
        self.path = Path(self.folder.name)
        store = str(empty_store(self.path / "store.db"))
        self.embedder = FailingEmbedder(engines().embedder("hash"))
        self.engines: Engines = replace(engines(), embedder=lambda _: self.embedder)
        self.handles = [kataribe.open(store, engines=self.engines) for _ in range(2)]
        self.step = 0
        self.serial = 0
        self.turns: dict[str, Turn] = {}
        self.pages: dict[str, list[frozenset[str]]] = {}
        """By page: what it held each time it changed, since something of it was changed or taken out."""

    @property
    def store(self) -> Kataribe:
        """Take turns between two handles on the same file."""
        self.step += 1
        return self.handles[self.step % 2]

    def teardown(self) -> None:
        try:
            self.compare(seed=3)
        finally:
            for handle in self.handles:
                handle.close()
            self.folder.cleanup()

    # -- what is said ----------------------------------------------------------------------

    def made(self, pick: int, time: datetime, audience: Audience) -> Turn:
        self.serial += 1
        lines = LINES[self.language]
        return Turn(
            turn_id=f"t{self.serial}",
            session=SESSIONS[pick % 2],
            speaker=SPEAKERS[pick % 3],
            text=lines[pick % len(lines)] + (f" {self.serial}" if pick % 4 else ""),
            time=time,
            ordinal=pick % 3,
            caption=lines[pick % 5] if pick % 5 == 0 else None,
            audience=audience,
            arousal=None if pick % 2 else (pick % 11) / 10,
        )

    def put(self, *turns: Turn) -> None:
        """Put turns into store and model."""
        changed = [turn for turn in turns if self.turns.get(turn.turn_id) != turn]
        assert self.store.put_turns(USER, turns).changed == len(changed)
        for turn in changed:
            if turn.turn_id in self.turns:
                self.pages[self.turns[turn.turn_id].page] = []
            self.turns[turn.turn_id] = turn
        self.note()

    def note(self) -> None:
        """Note what each page holds now."""
        held: dict[str, set[str]] = {page: set() for page in self.pages}
        for turn in self.turns.values():
            held.setdefault(turn.page, set()).add(turn.turn_id)
        for page, ids in held.items():
            past = self.pages.setdefault(page, [])
            if not past or past[-1] != ids:
                past.append(frozenset(ids))

    @initialize(said=st.lists(st.tuples(picks, times, audiences), max_size=8))
    def begin(self, said: list[tuple[int, datetime, Audience]]) -> None:
        self.store.add_user(USER, language=self.language, embedder="hash")
        self.put(*(self.made(*one) for one in said))
        self.store.sync_user(USER)

    @rule(said=st.lists(st.tuples(picks, times, audiences), min_size=1, max_size=4))
    def say(self, said: list[tuple[int, datetime, Audience]]) -> None:
        self.put(*(self.made(*one) for one in said))

    def one(self, pick: int) -> Turn | None:
        return self.turns[sorted(self.turns)[pick % len(self.turns)]] if self.turns else None

    @rule(pick=picks, to=picks)
    def edit(self, pick: int, to: int) -> None:
        turn = self.one(pick)
        if turn is not None:
            lines = LINES[self.language]
            self.put(replace(turn, text=lines[to % len(lines)], arousal=(to % 11) / 10))

    @rule(pick=picks, time=times)
    def move(self, pick: int, time: datetime) -> None:
        turn = self.one(pick)
        if turn is not None:
            self.put(replace(turn, time=time))

    @rule(pick=picks, audience=audiences)
    def tell_others(self, pick: int, audience: Audience) -> None:
        turn = self.one(pick)
        if turn is not None:
            self.put(replace(turn, audience=audience))

    @rule(pick=picks, more=st.booleans())
    def delete(self, pick: int, more: bool) -> None:
        gone = [turn for turn in (self.one(pick), self.one(pick // 7) if more else None) if turn is not None]
        if not gone:
            return
        ids = {turn.turn_id for turn in gone}
        assert self.store.delete_turns(USER, sorted(ids)) == len(ids)
        for turn_id in ids:
            self.pages[self.turns.pop(turn_id).page] = []
        self.note()

    @rule()
    def import_again(self) -> None:
        self.put(*self.turns.values())

    @rule(pick=picks)
    def sync_with_failures(self, pick: int) -> None:
        turn = self.one(pick)
        self.embedder.failing = set() if turn is None else {turn.words}
        try:
            report = self.store.sync_user(USER)
        finally:
            self.embedder.failing = set()
        assert set(report.failed) <= set(self.pages)

    @rule()
    def rebuild(self) -> None:
        assert self.store.sync_user(USER).failed == {}
        synced = everything(self.store, ASKERS[:4], QUESTIONS[self.language], WORDS[self.language])
        self.store.rebuild_user(USER)
        after = everything(self.store, ASKERS[:4], QUESTIONS[self.language], WORDS[self.language])
        assert after == synced

    # -- what is promised ------------------------------------------------------------------

    @invariant()
    def nothing_outside_the_gate_and_no_half_page(self) -> None:
        if not self.turns and not self.pages:
            return
        for asker in ASKERS:
            persona, as_of = asker
            told = self.store.known(user=USER, persona=persona, as_of=as_of)
            shown: dict[str, set[str]] = {}
            for hit in told.hits:
                turn = self.turns[hit.fact_id]
                assert admits(turn, asker), "P1"
                said = (hit.text, hit.session, hit.speaker, hit.caption, hit.arousal)
                assert said == (turn.text, turn.session, turn.speaker, turn.caption, turn.arousal)
                assert hit.time == turn.time.isoformat()
                assert hit.character_id == ("world" if turn.audience.world else persona)
                shown.setdefault(turn.page, set()).add(hit.fact_id)
            mine = {turn_id for turn_id, turn in self.turns.items() if admits(turn, asker)}
            for page, past in self.pages.items():
                whole = [{one for one in held if one in mine} for held in past]
                assert shown.get(page, set()) in [set(), *whole], "P4"
            assert told.pending_turns == len(mine) - len(told.hits)
        self.every_door(ASKERS[self.step % len(ASKERS)])

    def every_door(self, asker: Asker) -> None:
        persona, as_of = asker
        for question in QUESTIONS[self.language]:
            found = self.store.recall(question, user=USER, persona=persona, as_of=as_of, top_k=50)
            assert all(admits(self.turns[hit.fact_id], asker) for hit in found.hits), "P1"
        for word in WORDS[self.language]:
            seen = self.store.search_log([word], user=USER, persona=persona, as_of=as_of)
            assert all(admits(self.turns[hit.turn_id], asker) for hit in seen.hits), "P1"
            assert all(hit.speaker != "system" for hit in seen.hits)
            assert seen.matched <= sum(admits(turn, asker) for turn in self.turns.values())

    @rule(seed=picks)
    def compare(self, seed: int) -> None:
        self.store.sync_user(USER)
        for handle in self.handles:
            found = handle.verify_user(USER)
            assert (found.problems, found.pending_turns, found.turns) == ((), 0, len(self.turns))
        asked = (QUESTIONS[self.language], WORDS[self.language])
        with fresh_talk(self.turns, self.path, language=self.language) as fresh:
            assert everything(self.store, ASKERS, *asked) == everything(fresh, ASKERS, *asked), "P3"
        for asker in (ASKERS[seed % len(ASKERS)], ASKERS[(seed // 13) % len(ASKERS)]):
            less = seen_by(self.turns, asker)
            with fresh_talk(less, self.path, language=self.language) as narrow:
                given = everything(self.store, [asker], *asked)
                assert given == everything(narrow, [asker], *asked), "P2"


class JapaneseTalkMachine(TalkMachine):
    """The same in Japanese."""

    language: Language = "ja"


TestTalk = TalkMachine.TestCase
TestTalk.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)
TestJapaneseTalk = JapaneseTalkMachine.TestCase
TestJapaneseTalk.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)


def test_two_users_share_nothing(tmp_path: Path) -> None:
    """What one user said is not in the other's statistics either."""
    machine = TalkMachine()
    said = [machine.made(pick, BEGIN + timedelta(minutes=pick), PUBLIC) for pick in range(12)]
    asked = (QUESTIONS["en"], WORDS["en"])
    try:
        with fresh_talk({turn.turn_id: turn for turn in said}, tmp_path) as store:
            before = everything(store, ASKERS, *asked)
            store.add_user("other", language="en", embedder="hash")
            store.put_turns("other", [replace(turn, text=f"{turn.text} harbour key") for turn in said])
            store.sync_user("other")
            assert everything(store, ASKERS, *asked) == before
            with pytest.raises(kataribe.NotFoundError):
                store.search_log(["key"], user="nobody")
    finally:
        for handle in machine.handles:
            handle.close()
        machine.folder.cleanup()
