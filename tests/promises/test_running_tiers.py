"""What is kept in tiers goes on from sync to sync, and equals a replay of all that happened."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

import kataribe
from kataribe.conversation.running_lives import KeptLife, RunningLives
from kataribe.conversation.tiers_task import TiersTask
from kataribe.domain.conversation.life.replay import RunningLife
from kataribe.domain.conversation.life.values import Life
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import LANGUAGES, PUBLIC, Language, known_by
from kataribe.face.sync.kataribe import Kataribe
from support.effort import EFFORT
from support.talk import DAY_ONE, talk, turn

WORDS: dict[Language, list[str]] = {
    "en": [
        "I like tea.",
        "My home is in Osaka.",
        "I do not live in Osaka any more. I live in Kyoto.",
        "Please remember that my cat is called Miso.",
        "Forget what I said about tea.",
        "My brother works in a bank.",
    ],
    "ja": [
        "お茶が好きだ。",
        "家は大阪にある。",
        "もう大阪には住んでいない。今は京都に住んでいる。",
        "猫の名前はミソだと覚えておいて。",
        "お茶のことは忘れて。",
        "兄は銀行で働いている。",
    ],
}


def says(no: int, text: str, *, day: float) -> Turn:
    return turn(no, text, day=day, speaker="u", to=("rin",), session=f"s{int(day * 2)}")


class Steps:
    """Counts how often a life was replayed from its beginning, and how often it went on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = self.gone_on = 0
        begin, go_on = RunningLife.begin, RunningLife.go_on

        def begins(life: RunningLife, happened: object) -> object:
            self.begun += 1
            return begin(life, happened)  # type: ignore[arg-type]

        def goes_on(life: RunningLife, happened: object) -> object:
            self.gone_on += 1
            return go_on(life, happened)  # type: ignore[arg-type]

        monkeypatch.setattr(RunningLife, "begin", begins)
        monkeypatch.setattr(RunningLife, "go_on", goes_on)

    def since(self) -> tuple[int, int]:
        found = (self.begun, self.gone_on)
        self.begun = self.gone_on = 0
        return found


@contextmanager
def begun(path: Path, language: Language = "en") -> Iterator[Kataribe]:
    said = [says(no, text, day=no / 4) for no, text in enumerate(WORDS[language])]
    with talk(path / "t.db", said, language=language) as store:
        yield store


def put(store: Kataribe, *turns: Turn) -> None:
    store.user("u").put_turns(turns)
    store.user("u").sync()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_next_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Language
) -> None:
    with begun(tmp_path, language) as store:
        steps = Steps(monkeypatch)
        put(store, says(100, WORDS[language][0], day=20))
        store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=21))
        put(store, says(101, WORDS[language][1], day=21.5), says(102, WORDS[language][3], day=21.6))
        assert steps.since() == (0, 3)
        assert store.user("u").verify().problems == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_touches_the_past_is_replayed_from_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Language
) -> None:
    with begun(tmp_path, language) as store:
        user, steps = store.user("u"), Steps(monkeypatch)
        put(store, says(100, WORDS[language][0], day=0.1))
        assert steps.since() == (1, 0), "it was said before"
        put(store, says(1, WORDS[language][5], day=0.25))
        assert steps.since() == (1, 0), "it says something else now"
        user.delete_turns(["t2"])
        user.sync()
        assert steps.since() == (1, 0), "it is gone"
        put(store, says(2, WORDS[language][2], day=0.5))
        user.delete_turns(["t100"])
        put(store, says(100, WORDS[language][0], day=0.1))
        assert steps.since() == (2, 0), "it was gone, and is as it was"
        (one, *_) = user.memory.list().memories
        steps.since()
        user.memory.forget(one.value.memory_id)
        assert steps.since()[0] == 1, "it acts on every moment"
        assert user.verify().problems == ()


def test_another_process_begins_anew_and_both_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with begun(tmp_path) as store, kataribe.open(str(tmp_path / "t.db")) as other:
        steps = Steps(monkeypatch)
        put(other, says(100, "I like tea.", day=30))
        put(store, says(101, "I like rice.", day=31))
        assert steps.since() == (2, 0), "neither knows what the other has replayed"
        put(store, says(102, "I like bread.", day=32))
        assert steps.since() == (0, 1)
        assert store.user("u").verify().problems == ()


def test_what_was_lost_is_written_again_by_rebuild(tmp_path: Path) -> None:
    with begun(tmp_path) as store:
        kept = store.user("u").memory.list().memories
        with store._of._engine._ledger.writing() as tx:
            tx.put_life("user:u", "rin", Life())
        store.user("u").rebuild()
        assert store.user("u").memory.list().memories == kept


def test_only_so_many_turns_are_kept_of_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lives = RunningLives(turns=5)
    with begun(tmp_path) as store, store._of._engine._ledger.reading() as view:
        state = view.space("user:u")
        assert state is not None
        for name in ("a", "b"):
            kept = KeptLife.of(state, "u", "rin")
            kept.reader.read(view)
            lives.put("user:u", name, kept)
    assert lives.take("user:u", "a") is None
    assert lives.take("user:u", "b") is None, "it has more turns than are kept"
    assert TiersTask("u", None, None).lives is not TiersTask("u", None, None).lives  # type: ignore[arg-type]


def random_deed(chance: random.Random, store: Kataribe, language: Language, now: datetime, no: int) -> None:
    user = store.user("u")
    deed = chance.choice(["say", "say", "say", "say", "night", "back", "delete", "change", "hand", "use"])
    day = (now - DAY_ONE) / timedelta(days=1)
    there = [one.turn_id for one in user.turns()]
    if deed in ("say", "back", "change"):
        number = int(chance.choice(there)[1:]) if deed == "change" else no
        when = chance.uniform(0, day) if deed == "back" else day + chance.choice([0.001, 0.01, 1])
        said = says(number, chance.choice(WORDS[language]), day=when)
        to = chance.choice([said.audience, said.audience, known_by("ben", "rin"), PUBLIC])
        user.put_turns([replace(said, audience=to)])
    elif deed == "night":
        held = user.memory.nights()
        if not held or now > held[-1]:
            user.memory.nightly(at=now)
    elif deed == "delete":
        user.delete_turns([chance.choice(there)])
    elif deed == "use":
        store.recall("tea", user="u", persona="rin", as_of=now)
    else:
        kept = user.memory.list().memories
        if kept:
            memory_id = chance.choice(kept).value.memory_id
            decide: list[Callable[[str], None]] = [user.memory.pin, user.memory.forget]
            decide.append(partial(user.memory.pin, pinned=False))
            chance.choice(decide)(memory_id)
    user.sync()


@pytest.mark.parametrize("language", LANGUAGES)
def test_any_order_of_edits_equals_a_whole_replay(tmp_path: Path, language: Language) -> None:
    for seed in range(2 * EFFORT):
        chance = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        with begun(folder, language) as store:
            now = DAY_ONE + timedelta(days=3)
            for no in range(100, 116):
                random_deed(chance, store, language, now, no)
                assert store.user("u").verify().problems == ()
                now += timedelta(hours=chance.choice([0, 1, 20]), minutes=1)
