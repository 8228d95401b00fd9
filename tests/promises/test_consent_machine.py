"""The property machine of consent: whatever was said, edited and decided, the last word on it is kept to.

After every step nothing comes back to whom the user refused it. In the end what everybody is given is what
a fresh store gives that was told the same decisions at the same moments, and then what is left of the talk,
in another order (P3).
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

import kataribe
from kataribe.domain.terms import Language
from kataribe.errors import NotFoundError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.effort import walks
from support.stores import empty_store

BEGIN = datetime(2026, 5, 1, 12, tzinfo=UTC)
USER = "u"
PERSONAS = ("himuro", "mio")
FACTS: dict[Language, tuple[str, ...]] = {
    "ja": ("庭に梅の木がある", "梅干しを漬けている"),
    "en": ("There is a plum tree in the garden", "I pickle plums"),
}
ABOUT: dict[Language, str] = {"ja": "梅", "en": "plum"}
ASKS: dict[Language, str] = {"ja": "覚えておいてもいいですか？", "en": "May I remember what you tell me?"}
REPLIES: dict[Language, tuple[str, ...]] = {
    "ja": (
        "はい、お願いします",
        "いいえ",
        "梅の話だよ",
        "私の話は覚えないで",
        "私の話は覚えていていいよ",
    ),
    "en": ("Yes, please", "No, thanks", "A plum", "Don't remember what I say", "You may remember what I say"),
}
Decision = tuple[datetime, str, str | None]
"""When, what, and for which persona; None: for all."""

picks = st.integers(0, 10_000)
holders = st.sampled_from(((), ("himuro",), ("mio",), ("himuro", "mio")))


class ConsentMachine(RuleBasedStateMachine):
    """A store under a clock that is moved on with each step, and what was done with it."""

    language: Language = "en"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="kataribe-consent-")
        self.clock = FrozenClock(BEGIN)
        self.store = self.opened("store", self.clock)
        self.turns: dict[str, kataribe.Turn] = {}
        self.decisions: list[Decision] = []
        self.serial = 0

    def opened(self, name: str, clock: FrozenClock) -> Kataribe:
        folder = Path(self.folder.name) / name
        folder.mkdir()
        store = kataribe.open(str(empty_store(folder / "k.db")), services=kataribe.default_services(clock))
        store.user(USER).create(language=self.language, embedder="hash")
        return store

    def teardown(self) -> None:
        try:
            self.compare()
        finally:
            self.store.close()
            self.folder.cleanup()

    @initialize(asks=st.booleans())
    def begin(self, asks: bool) -> None:
        if asks:
            self.decide("require", None)

    def put(self, text: str, speaker: str, held: Sequence[str]) -> None:
        self.serial += 1
        self.clock.advance(timedelta(minutes=1))
        turn = kataribe.Turn(
            turn_id=f"t{self.serial}",
            session="s",
            speaker=speaker,
            text=text,
            time=self.clock.now(),
            audience=kataribe.known_by(*held) if held else kataribe.PUBLIC,
        )
        self.store.user(USER).put_turns([turn])
        self.turns[turn.turn_id] = turn

    @rule(pick=picks, held=holders)
    def say(self, pick: int, held: tuple[str, ...]) -> None:
        self.put(FACTS[self.language][pick % 2], USER, held)

    @rule(pick=picks, held=holders, who=st.sampled_from((USER, USER, "ben")))
    def ask_and_answer(self, pick: int, held: tuple[str, ...], who: str) -> None:
        self.put(ASKS[self.language], held[pick % len(held)] if held else "himuro", held)
        if pick % 5:
            replies = REPLIES[self.language]
            self.put(replies[pick % len(replies)], who, held)

    @rule(pick=picks, to=picks)
    def edit(self, pick: int, to: int) -> None:
        if self.turns:
            turn = self.turns[sorted(self.turns)[pick % len(self.turns)]]
            texts = (*FACTS[self.language], ASKS[self.language], *REPLIES[self.language])
            self.turns[turn.turn_id] = replace(turn, text=texts[to % len(texts)])
            self.store.user(USER).put_turns([self.turns[turn.turn_id]])

    @rule(pick=picks)
    def delete(self, pick: int) -> None:
        if self.turns:
            gone = sorted(self.turns)[pick % len(self.turns)]
            del self.turns[gone]
            self.store.user(USER).delete_turns([gone])

    @rule(
        what=st.sampled_from(("require", "waive", "give", "withdraw")), who=st.sampled_from((None, *PERSONAS))
    )
    def decide(self, what: str, who: str | None) -> None:
        self.clock.advance(timedelta(minutes=1))
        self.decisions.append((self.clock.now(), what, who))
        decided(self.store, what, who)
        if what == "withdraw":
            there = {turn.turn_id for turn in self.store.user(USER).turns()}
            assert there <= self.turns.keys()
            self.turns = {name: turn for name, turn in self.turns.items() if name in there}
            for persona in (who,) if who is not None else (None, *PERSONAS):
                own = [one for one in given(self.store, persona, self.language) if not who or one in there]
                assert all(held_by_all(self.turns[one]) for one in own), "P1"

    @rule()
    def sync(self) -> None:
        self.store.sync()

    def compare(self) -> None:
        self.store.sync()
        assert self.store.verify().problems == ()
        clock = FrozenClock(BEGIN)
        fresh = self.opened("fresh", clock)
        try:
            for at, what, who in self.decisions:
                clock.set(at)
                decided(fresh, what, who)
            clock.set(self.clock.now())
            for turn in reversed(list(self.turns.values())):
                fresh.user(USER).put_turns([turn])
            fresh.sync()
            for persona in (None, *PERSONAS):
                assert told(self.store, persona, self.language) == told(fresh, persona, self.language), "P3"
        finally:
            fresh.close()


def decided(store: Kataribe, what: str, who: str | None) -> None:
    profile = store.user(USER).profile
    key = "remember" if who is None else f"remember:{who}"
    if what == "require":
        profile.require(who)
    elif what == "waive":
        profile.waive(who)
    elif what == "give":
        profile.give(key, by_hand=True)
    else:
        with suppress(NotFoundError):
            profile.withdraw(key)


def held_by_all(turn: kataribe.Turn) -> bool:
    return turn.audience.world


def given(store: Kataribe, persona: str | None, language: Language) -> list[str]:
    viewer = store.viewer(user=USER, persona=persona, as_of=BEGIN + timedelta(days=9))
    found = viewer.recall(ABOUT[language], top_k=50).hits
    logged = viewer.search_log([ABOUT[language]]).hits
    return sorted({*(hit.fact_id for hit in found), *(hit.turn_id for hit in logged)})


def told(store: Kataribe, persona: str | None, language: Language) -> list[object]:
    viewer = store.viewer(user=USER, persona=persona, as_of=BEGIN + timedelta(days=9))
    return [
        viewer.recall(ABOUT[language], top_k=50).hits,
        viewer.memories().memories,
        viewer.threads().threads,
        viewer.associate(ABOUT[language]).ideas,
        viewer.context(ABOUT[language]).text,
        [(one.key, one.step) for one in store.user(USER).profile.consents()],
    ]


class JapaneseConsentMachine(ConsentMachine):
    language = "ja"


TestConsent = ConsentMachine.TestCase
TestConsent.settings = walks(6, 14)
TestConsentInJapanese = JapaneseConsentMachine.TestCase
TestConsentInJapanese.settings = walks(6, 14)
