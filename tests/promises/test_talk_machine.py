"""The property machine of conversations: what is said, edited, moved and deleted, against a plain model.

After every step nothing outside an asker's gate comes back (P1), what was remembered and has not
changed since is there, and the rest of a unit comes whole or not at all (P4). Once all is
remembered, what every asker is given is what a fresh build gives (P3), and leaving out what lies
outside its gate changes no byte (P2).
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import kataribe
from kataribe.conversation.fading import fading
from kataribe.domain.conversation.turns import UNIT_TURNS, Role, Turn
from kataribe.domain.gate import Gate, Slice, position_of
from kataribe.domain.space import user_space
from kataribe.domain.terms import PUBLIC, Audience, Language
from kataribe.domain.text.without import LEFT_OUT
from kataribe.domain.work import WorkPolicy
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports.kinds import Fading
from kataribe.settings import Settings
from kataribe.testing.fakes import FailingEmbedder
from support.effort import walks
from support.erasing import erase
from support.hits import turn_hits
from support.stores import empty_store, services
from support.talk_model import (
    USER,
    Asker,
    admits,
    associated,
    everything,
    fresh_talk,
    numbers_of,
    seen_by,
)

PERSONAS = ("himuro", "rin")
BEGIN = datetime(2024, 1, 1, 22, tzinfo=UTC)
ROLES = (None, None, Role.USER, None, Role.SYSTEM, Role.OTHER, None)
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
        "Please forget what I said about the harbour.",
        "The key is not under the stone any more. The key is in the mill.",
    ),
    "ja": (
        "銀の鍵は水車小屋のそばの石の下に置いてきた。",
        "鍵はどこに置いたの？",
        "日曜は港が閉まっていたので、水車小屋に行った。",
        "妹が港から帰ってきて、本当にうれしい！",
        "はい。",
        "ベンが港の事務所のランプの秘密を教えてくれた。",
        "水車小屋のことは忘れて。",
        "鍵はもう石の下にない。鍵は水車小屋にある。",
    ),
}
QUESTIONS: dict[Language, tuple[str, ...]] = {
    "en": ("Where is the key?", "What did Ben say about the harbour?"),
    "ja": ("鍵はどこ？", "ベンは港の何を話した？"),
}
WORDS: dict[Language, tuple[str, ...]] = {"en": ("harbour", "KEY"), "ja": ("港", "鍵")}

picks = st.integers(0, 10_000)
# A day has three moments, so that turns share them, and units have several turns.
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
    for day, part in ((0, 1), (2, 0), (400, 0))
)


def is_left_of(whole: str, shown: str) -> bool:
    """Whether a text is a longer one of which something is left out."""
    pieces, at = shown.split(LEFT_OUT), 0
    for piece in pieces:
        at = whole.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return len(pieces) > 1


@dataclass(frozen=True)
class _Backup:
    """A backup, and what was said and held when it was written, after so many erasures."""

    path: Path
    erasures: int
    turns: dict[str, Turn]
    sent: list[dict[str, str]]
    nights: list[datetime]


class TalkMachine(RuleBasedStateMachine):
    """A store, a second handle on it, and the model of what was said."""

    lines, questions, words = LINES, QUESTIONS, WORDS
    language: Language = "en"
    model: str = "rules"
    backoff: float = 0

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="kataribe-talk-")
        self.path = Path(self.folder.name)
        store = str(empty_store(self.path / "store.db"))
        self.embedder = FailingEmbedder(services().embedder("hash"))
        policy = WorkPolicy(backoff_seconds=self.backoff, max_attempts=1000)
        self.services: Services = replace(
            services(), embedder=lambda _: self.embedder, policy=policy, **self.parts()
        )
        self.handles = self.opened(self.settings(store))
        self.step = 0
        self.serial = 0
        self.backups: list[_Backup] = []
        self.erasures = 0
        self.turns: dict[str, Turn] = {}
        self.sent: list[dict[str, str]] = []
        self.nights: list[datetime] = []
        self.remembered: set[str] = set()
        """The ids of the turns that are in memory as they stand."""
        self.deferred: set[str] = set()
        """The units that failed, and are not tried again before their time."""

    def settings(self, store: str) -> Settings:
        # Nights archive what they find: a fresh store, which has no archive, must answer the same.
        return Settings(path=store, archive=f"{store}-archive")

    def opened(self, settings: Settings) -> list[Kataribe]:
        return [kataribe.open(settings=settings, services=self.services) for _ in range(2)]

    def parts(self) -> dict[str, Any]:
        """Give what else does work here, in the fresh builds too."""
        return {}

    def for_a_model(self, text: str) -> str:
        """Give what stands in a context of what was said."""
        return text

    def said_by_models(self) -> list[str]:
        """Give a text in which the words are to be written back."""
        return ["\n".join(map(self.for_a_model, self.lines[self.language]))]

    def fresh(
        self, turns: Mapping[str, Turn], nights: Sequence[datetime]
    ) -> AbstractContextManager[Kataribe]:
        made_by = replace(services(), **self.parts())
        return fresh_talk(
            turns, self.path, language=self.language, made_by=made_by, nights=nights, model=self.model
        )

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
        lines = self.lines[self.language]
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
            role=ROLES[pick % len(ROLES)],
        )

    def put(self, *turns: Turn) -> None:
        """Put turns into store and model."""
        changed = [turn for turn in turns if self.turns.get(turn.turn_id) != turn]
        assert self.store.user(USER).put_turns(turns).changed == len(changed)
        for turn in changed:
            self.remembered.discard(turn.turn_id)
            self.turns[turn.turn_id] = turn

    def sync(self) -> None:
        """Remember all that was said, what failed before too."""
        assert self.store.user(USER).sync(retry=True).failed == {}
        self.remembered, self.deferred = set(self.turns), set()

    def units(self) -> dict[str, set[str]]:
        """Give by unit the turns that are remembered together: some of one day."""
        space = user_space(USER)
        with self.store._of._engine._ledger.reading() as view:
            units = {unit: view.turns(space, unit=unit) for unit in view.turn_units(space)}
        assert all(len({turn.day for turn in turns}) == 1 for turns in units.values())
        assert all(0 < len(turns) <= UNIT_TURNS for turns in units.values())
        found = {unit: {turn.turn_id for turn in turns} for unit, turns in units.items()}
        assert sorted(one for ids in found.values() for one in ids) == sorted(self.turns)
        return found

    def shown(self) -> set[str]:
        """Give all turns that anybody may remember by now."""
        last = [asker for asker in ASKERS if asker[1] == ASKERS[-1][1]]
        told = [self.store.known(user=USER, persona=who, as_of=as_of) for who, as_of in last]
        hidden = {one for asker in last for one in self.gone(asker)}
        return {hit.fact_id for each in told for hit in each.hits} | hidden

    def gone(self, asker: Asker) -> set[str]:
        """Give the turns an asker would be given, had nobody asked to forget them or said otherwise since."""
        return {turn_id for _, turn_id in self.fading(asker).gone}

    def fading(self, asker: Asker) -> Fading:
        """Tell how turns stand for an asker."""
        persona, as_of = asker
        upto = position_of(as_of)
        with self.store._of._engine._ledger.reading() as view:
            slices = [Slice(user_space(USER), who, upto) for who in ("world", persona) if who is not None]
            return fading(view, USER, Gate(tuple(slices)))

    @initialize(said=st.lists(st.tuples(picks, times, audiences), max_size=8))
    def begin(self, said: list[tuple[int, datetime, Audience]]) -> None:
        self.store.user(USER).create(language=self.language, embedder="hash", model=self.model)
        self.put(*(self.made(*one) for one in said))
        self.sync()

    @rule(said=st.lists(st.tuples(picks, times, audiences), min_size=1, max_size=4))
    def say(self, said: list[tuple[int, datetime, Audience]]) -> None:
        self.put(*(self.made(*one) for one in said))

    def said(self, pick: int, time: datetime, audience: Audience) -> kataribe.TurnReceipt:
        """Say one thing now, or at a time; it must be behind all of its session, and nothing else moves."""
        made = self.made(pick, time, audience)
        told = self.store.user(USER).said(
            made.text,
            speaker=made.speaker,
            persona=sorted(audience.members) or None,
            session=made.session,
            time=time,
            caption=made.caption,
            arousal=made.arousal,
            role=made.role,
        )
        last = max((turn.at for turn in self.turns.values() if turn.session == made.session), default=-1)
        assert told.turn_id not in self.turns
        assert told.holders == audience.holders()
        turn = replace(made, turn_id=told.turn_id, time=told.time, ordinal=0)
        assert turn.at > last
        # A millisecond behind, or a few where ids are taken.
        assert told.time == time or turn.at - max(last, position_of(time)) < 1000
        self.turns[told.turn_id] = turn
        return told

    def took_in(self, turn_ids: set[str]) -> None:
        """Note that the units of these turns are in memory as they stand."""
        for ids in self.units().values():
            if ids & turn_ids:
                self.remembered |= ids

    @rule(pick=picks, time=times, audience=audiences)
    def say_live(self, pick: int, time: datetime, audience: Audience) -> None:
        """What was said is in memory at once, and the rest of its unit with it."""
        told = self.said(pick, time, audience)
        assert told.pending is None
        self.took_in({told.turn_id})

    @rule(pick=picks, time=times, audience=audiences)
    def say_live_what_cannot_be_embedded(self, pick: int, time: datetime, audience: Audience) -> None:
        """It is found by words until it can be."""
        self.embedder.failing = {f"{line} {self.serial + 1}" for line in self.lines[self.language]}
        try:
            told = self.said(pick, time, audience)
        finally:
            self.embedder.failing = set()
        turn = self.turns[told.turn_id]
        fails = bool(pick % 4) and turn.caption is None and not turn.is_system
        assert (told.pending is not None) == fails
        self.took_in({told.turn_id})

    @rule(pick=picks, again=st.booleans())
    def send_the_list_again(self, pick: int, again: bool) -> None:
        """A list that grows: what is there keeps its time and id, whatever was done to it meanwhile."""
        if not again:
            text = f"{self.lines[self.language][pick % 6]} {len(self.sent)}"
            time = (BEGIN + timedelta(minutes=len(self.sent))).isoformat()
            self.sent.append({"speaker": "Ann", "text": text, "time": time})
        before = {turn.turn_id: turn for turn in self.turns.values() if turn.session == "list"}
        report = self.store.user(USER).remember(self.sent, session="list", replace=True)
        after = {turn.turn_id: turn for turn in self.store.user(USER).turns(session="list")}
        fresh = {name for name, turn in after.items() if before.get(name) != turn}
        assert report.pending is None
        assert report.new == len(after.keys() - before.keys())
        assert report.changed == len(fresh & before.keys())
        assert {name: turn.time for name, turn in before.items()} == {n: after[n].time for n in before}
        assert {message["text"] for message in self.sent} <= {turn.text for turn in after.values()}
        self.turns |= after
        self.took_in(fresh)
        resent = self.store.user(USER).remember(self.sent, session="list")
        assert (resent.new, resent.changed, resent.unchanged) == (0, 0, len(self.sent))

    def one(self, pick: int) -> Turn | None:
        return self.turns[sorted(self.turns)[pick % len(self.turns)]] if self.turns else None

    @rule(pick=picks, to=picks)
    def edit(self, pick: int, to: int) -> None:
        turn = self.one(pick)
        if turn is not None:
            lines = self.lines[self.language]
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
        assert self.store.user(USER).delete_turns(sorted(ids)) == len(ids)
        for turn_id in ids:
            del self.turns[turn_id]
            self.remembered.discard(turn_id)

    @rule()
    def import_again(self) -> None:
        self.put(*self.turns.values())

    @rule(pick=picks, to=picks, back=st.booleans())
    def change_and_change_back(self, pick: int, to: int, back: bool) -> None:
        """What is wanted in the end is what was done once; it must be remembered again all the same."""
        turn = self.one(pick)
        if turn is None:
            return
        if back:
            self.put(replace(turn, text=f"{turn.text} {to}"))
        else:
            assert self.store.user(USER).delete_turns([turn.turn_id]) == 1
            del self.turns[turn.turn_id]
        self.put(turn)

    @rule(pick=picks)
    def sync_with_failures(self, pick: int) -> None:
        turn = self.one(pick)
        self.embedder.failing = set() if turn is None else {turn.words}
        try:
            report = self.store.user(USER).sync(waits=False)
        finally:
            self.embedder.failing = set()
        failing = set() if turn is None else {turn.words}
        self.each_unit_is_in_memory_as_a_whole_or_as_before(report.failed, failing)

    def each_unit_is_in_memory_as_a_whole_or_as_before(
        self, failed: Collection[str], failing: Collection[str] = ()
    ) -> None:
        """Only a unit that holds failing words, or that waits since it failed, may be as before (P4)."""
        units, shown = self.units(), self.shown()
        assert set(failed) <= set(units)
        for unit, said in units.items():
            ids = {one for one in said if not self.turns[one].is_system}
            may_fail = unit in self.deferred or any(self.turns[one].words in failing for one in ids)
            before = self.remembered & ids
            assert shown & ids in ([before, ids] if may_fail else [ids]), "P4"
            if unit in failed:
                assert shown & ids == before
        self.remembered = shown
        if self.backoff:
            self.deferred |= set(failed)

    @rule()
    def rebuild(self) -> None:
        self.sync()
        synced = everything(self.store, ASKERS[:4], self.questions[self.language], self.words[self.language])
        self.store.user(USER).rebuild()
        after = everything(self.store, ASKERS[:4], self.questions[self.language], self.words[self.language])
        assert after == synced

    @rule(day=st.sampled_from((1, 3, 40, 100, 200, 390)))
    def hold_a_night(self, day: int) -> None:
        """Nights come one after another; what each does is what a trial of it said."""
        night = BEGIN + timedelta(days=day)
        memory = self.store.user(USER).memory
        if self.nights and night <= self.nights[-1]:
            with pytest.raises(kataribe.ConflictError):
                memory.nightly(at=night)
            return
        self.sync()
        policy = numbers_of(night)
        tried = memory.nightly(at=night, dry_run=True, policy=policy)
        self.nights.append(night)
        assert memory.nightly(at=night, policy=policy).changed == tried.changed

    @precondition(lambda self: len(self.turns) > 6)
    @rule()
    def erase_and_begin_anew(self) -> None:
        """Nothing of what was said, held or kept in the memory of either handle comes back."""
        receipt = erase(self.store, USER)
        assert receipt.complete, receipt
        self.erasures += 1
        self.begin_anew()

    def begin_anew(self) -> None:
        for kept in (self.turns, self.sent, self.nights, self.remembered):
            kept.clear()
        self.store.user(USER).create(language=self.language, embedder="hash", model=self.model)

    @rule()
    def back_up(self) -> None:
        """Keep what there is, remembered or not."""
        path = self.path / f"{len(self.backups)}.backup"
        self.store.admin.backup(path)
        self.backups.append(
            _Backup(path, self.erasures, dict(self.turns), list(self.sent), list(self.nights))
        )

    @precondition(lambda self: self.backups)
    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        """Go on with a store as it was; a user who was erased since is not in it."""
        kept = self.backups[pick % len(self.backups)]
        for handle in self.handles:
            handle.close()
        self.serial += 1
        settings = self.settings(str(self.path / f"restored-{self.serial}.db"))
        done = kataribe.restore(kept.path, settings.path, settings=settings)
        is_there = kept.erasures == self.erasures
        assert (done.problems, done.users, done.erased) == ((), int(is_there), int(not is_there))
        self.handles = self.opened(settings)
        if not is_there:
            assert self.store.admin.users() == ()
            self.begin_anew()
            return
        self.turns, self.sent, self.nights = dict(kept.turns), list(kept.sent), list(kept.nights)
        self.sync()

    # -- what is promised ------------------------------------------------------------------

    @invariant()
    def nothing_outside_the_gate_and_all_that_is_remembered(self) -> None:
        if not self.step:
            return
        for asker in ASKERS:
            persona, as_of = asker
            told = self.store.known(user=USER, persona=persona, as_of=as_of)
            cut = {turn_id for _, turn_id in self.fading(asker).cut}
            for hit in turn_hits(told.hits):
                turn = self.turns[hit.fact_id]
                assert admits(turn, asker), "P1"
                said = (hit.session, hit.speaker, hit.caption, hit.arousal)
                assert said == (turn.session, turn.speaker, turn.caption, turn.arousal)
                assert is_left_of(turn.text, hit.text) if turn.turn_id in cut else hit.text == turn.text
                assert hit.time.isoformat() == turn.time.isoformat()
                assert hit.character_id == ("world" if turn.audience.world else persona)
            mine = {turn_id for turn_id, turn in self.turns.items() if admits(turn, asker)}
            gone = self.gone(asker) & self.remembered
            assert gone <= mine, "P1"
            assert {hit.fact_id for hit in told.hits} == mine & self.remembered - gone, "P4"
            assert told.pending_turns == len(mine) - len(told.hits) - len(gone)
        self.every_door(ASKERS[self.step % len(ASKERS)])

    def every_door(self, asker: Asker) -> None:
        persona, as_of = asker
        for question in self.questions[self.language]:
            found = self.store.recall(question, user=USER, persona=persona, as_of=as_of, top_k=50)
            assert all(admits(self.turns[hit.fact_id], asker) for hit in found.hits), "P1"
        made = self.store.context(self.questions[self.language][0], user=USER, persona=persona, as_of=as_of)
        rests_on = {source for item in made.kept for source in item.sources}
        assert all(admits(self.turns[turn_id], asker) for turn_id in rests_on), "P1"
        short = made.part("short")
        mine = {
            f"{turn.speaker}: {self.for_a_model(turn.text)}"
            for turn in self.turns.values()
            if admits(turn, asker)
        }
        shown = [] if short is None else [line[2:] for line in short.text.split("\n") if line[:2] == "- "]
        assert all(any(line.startswith(said) or is_left_of(said, line) for said in mine) for line in shown)
        for word in self.words[self.language]:
            seen = self.store.viewer(user=USER, persona=persona, as_of=as_of).search_log([word])
            assert all(admits(self.turns[hit.turn_id], asker) for hit in seen.hits), "P1"
            assert all(hit.speaker != "system" for hit in seen.hits)
            assert seen.matched <= sum(admits(turn, asker) for turn in self.turns.values())
        gone, viewer = self.gone(asker), self.store.viewer(user=USER, persona=persona, as_of=as_of)
        for text in (*self.questions[self.language], *self.words[self.language]):
            for one in associated(viewer.associate(text, top_k=50)):
                named = {turn_id for step in one["path"] for turn_id in step["turns"]}.union(one["sources"])
                assert all(admits(self.turns[turn_id], asker) for turn_id in named), "P1"
                assert not gone & named, "P1"
                assert 0 < one["activation"] <= 2

    @rule(seed=picks)
    def compare(self, seed: int) -> None:
        self.sync()
        for handle in self.handles:
            found = handle.user(USER).verify()
            assert (found.problems, found.pending_turns, found.turns) == ((), 0, len(self.turns))
        asked = (self.questions[self.language], self.words[self.language], self.said_by_models())
        nights = self.nights
        with self.fresh(self.turns, nights) as fresh:
            assert everything(self.store, ASKERS, *asked) == everything(fresh, ASKERS, *asked), "P3"
        for asker in (ASKERS[seed % len(ASKERS)], ASKERS[(seed // 13) % len(ASKERS)]):
            less = seen_by(self.turns, asker)
            nights = [night for night in self.nights if night <= asker[1]]
            with self.fresh(less, nights) as narrow:
                given = everything(self.store, [asker], *asked)
                assert given == everything(narrow, [asker], *asked), "P2"


class JapaneseTalkMachine(TalkMachine):
    """The same in Japanese."""

    language: Language = "ja"


TestTalk = TalkMachine.TestCase
TestTalk.settings = walks(6, 12)
TestJapaneseTalk = JapaneseTalkMachine.TestCase
TestJapaneseTalk.settings = walks(6, 12)


def test_two_users_share_nothing(tmp_path: Path) -> None:
    """What one user said is not in the other's statistics either."""
    machine = TalkMachine()
    said = [machine.made(pick, BEGIN + timedelta(minutes=pick), PUBLIC) for pick in range(12)]
    asked = (QUESTIONS["en"], WORDS["en"])
    try:
        with fresh_talk({turn.turn_id: turn for turn in said}, tmp_path) as store:
            before = everything(store, ASKERS, *asked)
            store.user("other").create(language="en", embedder="hash")
            store.user("other").put_turns([replace(turn, text=f"{turn.text} harbour key") for turn in said])
            store.user("other").sync()
            assert everything(store, ASKERS, *asked) == before
            with pytest.raises(kataribe.NotFoundError):
                store.viewer(user="nobody").search_log(["key"])
    finally:
        for handle in machine.handles:
            handle.close()
        machine.folder.cleanup()
