"""M-7: another embedder, while the old one answers; then memory is as if it had been the first."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import PUBLIC, Audience, known_by
from kataribe.errors import (
    ConflictError,
    EmbedderError,
    EmbedderMismatchError,
    InputError,
    NotFoundError,
)
from kataribe.face.sync.kataribe import Kataribe
from support.erasing import erase
from support.sketch import SketchEmbedder, with_sketches
from support.stores import empty_store

QUESTIONS = ("Who hid the silver key?", "銀の鍵はどこにあるか。", "storm at sea")
WORDS = (
    "Ada hid the silver key under the stove.",
    "カナは銀の鍵を灯台の下に隠した。",
    "A storm broke the mast of the Gull.",
    "Ben lied about the letter from the north.",
    "海は静かで、誰も何も言わなかった。",
    "The lamp went out at midnight.",
)
BASE = datetime(2024, 5, 6, 7, 8, tzinfo=UTC)


def _on_day(word: str, no: int) -> str:
    return f"{word.rstrip('.。')} on day {no}."


class World:
    """A store with the embedders `a` and `b`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.a, self.b = SketchEmbedder("a"), SketchEmbedder("b", 160)
        self.store = kataribe.open(str(empty_store(path)), services=with_sketches(a=self.a, b=self.b))

    def tell(self, embedder: str, *, story_id: str = "s", episodes: int = 4) -> None:
        self.store.story(story_id).create(language="en", embedder=embedder)
        for no in range(1, episodes + 1):
            text = "\n\n".join(_on_day(word, no) for word in WORDS)
            self.store.story(story_id).episodes.put(no=no, text=text)
        # A secret in the last one: who is named there is in the cast from there on.
        secret = known_by("ada")
        self.store.story(story_id).facts.add(episode_no=episodes, text="Ada is the thief.", audience=secret)
        self.store.story(story_id).sync()

    def seen(self, *stories: str) -> list[object]:
        """Everything the viewers of these stories are given, backend and all."""
        return [
            self.store.recall(question, story=story, persona=who, at=at, top_k=20, explain=True)
            for story in stories
            for question in QUESTIONS
            for who in ("ada", "nobody")
            for at in (1, 2, 4, 9)
        ]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "w.db")
    with made.store:
        yield made


@pytest.fixture
def other(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "other.db")
    with made.store:
        yield made


# -- stories -------------------------------------------------------------------------------


def test_memory_is_as_if_it_had_always_been_the_new_one(world: World, other: World) -> None:
    world.tell("a")
    other.tell("b")
    before = world.seen("s")
    assert before != other.seen("s")
    done = world.store.admin.reembed(embedder="b", story="s")
    assert world.seen("s") == other.seen("s")
    assert (done.before, done.embedder_id, done.stories) == ("sketch-a-96", "sketch-b-160", ("s",))
    assert done.memories == sum(not one.in_review for one in world.store.story("s").facts.list())
    assert done.texts == len(world.b.documents) > 15
    story = world.store.story("s").info()
    assert (story.embedder, story.embedder_id) == ("b", "sketch-b-160")
    checked = world.store.story("s").verify()
    assert (checked.problems, checked.pending) == ((), 0)


def test_nothing_is_read_or_embedded_twice(world: World) -> None:
    world.tell("a")
    world.store.admin.reembed(embedder="b", story="s")
    assert len(world.b.documents) == len(set(world.b.documents))
    count = len(world.b.documents)
    report = world.store.story("s").sync()
    assert (report.done, report.embedded) == (0, 0)
    again = world.store.admin.reembed(embedder="b", story="s")
    assert (again.texts, len(world.b.documents)) == (0, count)
    world.store.story("s").episodes.put(no=2, text="One new sentence.")
    world.store.story("s").sync()
    assert world.b.documents[count:] == ["One new sentence."]


def test_there_and_back_is_where_it_was(world: World) -> None:
    world.tell("a")
    before = world.seen("s")
    world.store.admin.reembed(embedder="b", story="s")
    world.store.admin.reembed(embedder="a", story="s")
    assert world.seen("s") == before
    assert world.store.story("s").verify().problems == ()


def test_the_whole_family_moves(world: World, other: World) -> None:
    for one, name in ((world, "a"), (other, "b")):
        one.tell(name)
        one.store.story("s").branches.add("if", after=2)
        one.store.story("if").episodes.put(no=3, text="In the branch Ben found the silver key.")
        one.store.story("if").sync()
    done = world.store.admin.reembed(embedder="b", story="if")
    assert done.stories == ("s", "if")
    assert {story.embedder for story in world.store.admin.stories()} == {"b"}
    assert world.seen("s", "if") == other.seen("s", "if")
    assert world.store.verify().problems == ()


def test_what_is_pending_stays_pending_and_what_is_hidden_comes_back_whole(
    world: World, other: World
) -> None:
    for one, name in ((world, "a"), (other, "b")):
        one.tell(name)
        one.store.story("s").episodes.delete(no=2)
        one.store.story("s").episodes.put(no=3, text="Not in memory yet: the silver key is gone.")
        if name == "a":
            one.store.admin.reembed(embedder="b", story="s")
            assert [item.episode_no for item in one.store.admin.work(story="s")] == [3]
        one.store.story("s").episodes.restore(no=2)
        one.store.story("s").sync()
    assert world.seen("s") == other.seen("s")
    assert world.store.story("s").verify().problems == ()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "delete", "fact", "move", "sync"]), st.integers(1, 3), st.integers(0, 5)
    ),
    max_size=8,
)


def _take(one: World, step: tuple[str, int, int], *, moves: bool) -> None:
    verb, no, word = step
    live = {state.no for state in one.store.story("s").episodes.list() if state.is_live}
    if verb == "put":
        one.store.story("s").episodes.put(no=no, text=f"{WORDS[word]}\n\n{WORDS[(word + no) % 6]}")
    elif verb == "sync":
        one.store.story("s").sync()
    elif verb == "move" and moves:
        name = "b" if one.store.story("s").info().embedder == "a" else "a"
        one.store.admin.reembed(embedder=name, story="s")
    elif no in live and verb == "delete":
        one.store.story("s").episodes.delete(no=no)
    elif no in live and verb == "fact":
        text = f"By hand: {WORDS[word]}"
        if text not in {fact.text for fact in one.store.story("s").facts.list()}:
            who = known_by("ada") if no == 3 else PUBLIC
            one.store.story("s").facts.add(episode_no=no, text=text, audience=who)


@settings(max_examples=25, deadline=None)
@given(steps=STEPS)
def test_edits_and_moves_in_any_order_end_as_a_fresh_store(
    tmp_path_factory: pytest.TempPathFactory, steps: Sequence[tuple[str, int, int]]
) -> None:
    """P3: the same edits under the last embedder alone give the same memory."""
    folder = tmp_path_factory.mktemp("moves")
    moved, fresh = World(folder / "moved.db"), World(folder / "fresh.db")
    with moved.store, fresh.store:
        moved.store.story("s").create(language="en", embedder="a")
        for step in steps:
            _take(moved, step, moves=True)
        moved.store.story("s").sync()
        fresh.store.story("s").create(language="en", embedder=moved.store.story("s").info().embedder)
        for step in steps:
            _take(fresh, step, moves=False)
        fresh.store.story("s").sync()
        assert moved.seen("s") == fresh.seen("s")
        assert moved.store.story("s").verify().problems == ()


# -- users ---------------------------------------------------------------------------------


def _turn(number: int, text: str, audience: Audience = PUBLIC, caption: str | None = None) -> Turn:
    return Turn(
        turn_id=f"t{number}",
        session=f"s{number // 4}",
        speaker="ann",
        text=text,
        caption=caption,
        audience=audience,
        time=BASE + timedelta(hours=9 * number),
    )


def _talk(one: World, embedder: str) -> None:
    one.store.user("u").create(language="en", embedder=embedder)
    told = [_turn(number, f"{WORDS[number % 6]} {number}") for number in range(12)]
    told += [
        _turn(20, "Only for Kai.", known_by("kai")),
        _turn(21, "Look!", caption="a silver key on a table"),
    ]
    one.store.user("u").put_turns(told)
    one.store.user("u").sync()


def _heard(one: World) -> list[object]:
    moments = (BASE, BASE + timedelta(days=2), BASE + timedelta(days=30))
    return [
        one.store.recall(question, user="u", persona=who, as_of=moment, top_k=20)
        for question in QUESTIONS
        for who in (None, "kai")
        for moment in moments
    ]


def test_a_user_moves_with_all_that_was_said(world: World, other: World) -> None:
    _talk(world, "a")
    _talk(other, "b")
    assert _heard(world) != _heard(other)
    done = world.store.admin.reembed(embedder="b", user="u")
    assert (done.user, done.stories, done.memories) == ("u", (), 14)
    assert "Look! [a silver key on a table]" in world.b.documents
    assert _heard(world) == _heard(other)
    assert world.store.user("u").info().embedder_id == "sketch-b-160"
    world.store.user("u").put_turns([_turn(30, "said later")])
    assert world.store.user("u").sync().embedded == 1
    other.store.user("u").put_turns([_turn(30, "said later")])
    other.store.user("u").sync()
    assert _heard(world) == _heard(other)


def test_a_deleted_user_leaves_no_vector_behind(world: World) -> None:
    _talk(world, "a")
    world.b.failing = {f"{WORDS[0]} 0"}
    with pytest.raises(EmbedderError):
        world.store.admin.reembed(embedder="b", user="u")
    erase(world.store, "u")
    assert _staged(world) == 0


def _staged(one: World) -> int:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(one.path)) as file:
        found: int = file.execute("SELECT count(*) FROM embeddings").fetchone()[0]
    return found


# -- while it goes on ----------------------------------------------------------------------


def test_a_failure_changes_nothing_and_loses_nothing(world: World) -> None:
    world.tell("a")
    before = world.seen("s")
    lost = _on_day(WORDS[2], 3)
    world.b.failing = {lost}
    with pytest.raises(EmbedderError, match="nothing is switched"):
        world.store.admin.reembed(embedder="b", story="s")
    assert world.seen("s") == before
    kept = _staged(world)
    assert kept == len({*world.b.documents}) - 1 > 0
    world.b.failing, world.b.documents = (), []
    done = world.store.admin.reembed(embedder="b", story="s")
    assert world.b.documents == [lost]
    assert (done.texts, _staged(world)) == (1, 0)
    assert world.store.story("s").verify().problems == ()


def test_what_is_written_meanwhile_is_caught_up(world: World, other: World) -> None:
    extra = ["Someone saw the silver key at noon.", "And once more, at dusk."]
    for one, name in ((world, "a"), (other, "b")):
        one.tell(name)
    waiting = list(extra)
    with kataribe.open(str(world.path), services=with_sketches(a=world.a, b=world.b)) as second:

        async def meanwhile(_: Sequence[str]) -> None:
            if waiting:
                text = waiting.pop(0)
                await asyncio.to_thread(lambda: second.story("s").facts.add(episode_no=2, text=text))

        world.b.before = meanwhile
        world.store.admin.reembed(embedder="b", story="s")
    for text in extra:
        other.store.story("s").facts.add(episode_no=2, text=text)
    assert world.seen("s") == other.seen("s")
    assert world.store.story("s").verify().problems == ()


def test_work_under_way_with_the_old_embedder_is_refused(world: World, other: World) -> None:
    """Vectors of the old one must not be stored under the new one's name."""
    for one, name in ((world, "a"), (other, "b")):
        one.tell(name)
        one.store.story("s").episodes.put(no=2, text="While it syncs, the key moves again.")
        one.store.story("s").episodes.put(no=9, text="And a last episode.")
    with kataribe.open(str(world.path), services=with_sketches(a=world.a, b=world.b)) as second:
        moved: list[str] = []

        async def move(_: Sequence[str]) -> None:
            if not moved:
                moved.append("s")
                await asyncio.to_thread(lambda: second.admin.reembed(embedder="b", story="s"))

        world.a.before = move
        with pytest.raises(EmbedderMismatchError):
            world.store.story("s").sync()
    assert moved
    world.store.story("s").sync()
    other.store.story("s").sync()
    assert world.seen("s") == other.seen("s")
    assert world.store.story("s").verify().problems == ()


def test_a_fact_by_hand_under_way_is_embedded_again(world: World, other: World) -> None:
    for one, name in ((world, "a"), (other, "b")):
        one.tell(name)
    with kataribe.open(str(world.path), services=with_sketches(a=world.a, b=world.b)) as second:

        async def move(_: Sequence[str]) -> None:
            world.a.before = None
            await asyncio.to_thread(lambda: second.admin.reembed(embedder="b", story="s"))

        world.a.before = move
        world.store.story("s").facts.add(episode_no=1, text="The key fits the chapel.")
    other.store.story("s").facts.add(episode_no=1, text="The key fits the chapel.")
    world.store.story("s").sync()
    assert world.seen("s") == other.seen("s")
    assert world.store.story("s").verify().problems == ()


def test_readers_see_the_old_or_the_new_and_nothing_between(world: World, other: World) -> None:
    world.tell("a")
    other.tell("b")
    ask: Callable[[Kataribe], object] = lambda store: store.recall(  # noqa: E731
        QUESTIONS[0], story="s", persona="ada", at=9, top_k=20
    )
    old, new = ask(world.store), ask(other.store)
    seen: list[object] = []
    stop = threading.Event()

    def read(store: Kataribe) -> None:
        while not stop.is_set():
            try:
                seen.append(ask(store))
            except Exception as error:
                seen.append(error)

    with kataribe.open(str(world.path), services=with_sketches(a=world.a, b=world.b)) as second:
        readers = [threading.Thread(target=read, args=(store,)) for store in (world.store, second)]
        for reader in readers:
            reader.start()
        world.b.seconds = 0.02
        world.store.admin.reembed(embedder="b", story="s")
        after = len(seen)
        time.sleep(0.2)
        stop.set()
        for reader in readers:
            reader.join()
    assert all(one in (old, new) for one in seen), [one for one in seen if one not in (old, new)][:3]
    assert old in seen
    assert new in seen[after:]


def test_a_kill_in_the_middle_is_gone_on_with(world: World, other: World, tmp_path: Path) -> None:
    world.b = SketchEmbedder("b")
    world.tell("a")
    other.store.close()
    before = world.seen("s")
    log = tmp_path / "log"
    log.touch()
    source = str(Path(__file__).resolve().parents[1])
    command = [sys.executable, "-m", "support.sketch", str(world.path), str(log), "0.1"]
    worker = subprocess.Popen(command, cwd=source, env={**os.environ, "PYTHONPATH": source})
    deadline = time.monotonic() + 60
    while len(log.read_text().splitlines()) < 9 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert 9 <= len(asked) < 19
    assert world.seen("s") == before
    subprocess.run([*command[:-1], "0"], cwd=source, env={**os.environ, "PYTHONPATH": source}, check=True)
    with kataribe.open(str(world.path), services=with_sketches(a=world.a, b=world.b)) as opened:
        assert opened.story("s").info().embedder_id == "sketch-b-96"
        assert opened.story("s").verify().problems == ()
    assert _staged(world) == 0


# -- refusals ------------------------------------------------------------------------------


def test_it_refuses_what_it_cannot_do(world: World) -> None:
    world.tell("a")
    with pytest.raises(InputError, match="either a story or a user"):
        world.store.admin.reembed(embedder="b")
    with pytest.raises(InputError, match="either a story or a user"):
        world.store.admin.reembed(embedder="b", story="s", user="u")
    with pytest.raises(InputError, match="there is no embedder"):
        world.store.admin.reembed(embedder="none such", story="s")
    for missing in ({"story": "x"}, {"user": "x"}):
        with pytest.raises(NotFoundError):
            world.store.admin.reembed(embedder="b", **missing)  # type: ignore[arg-type]


def test_texts_that_never_end_are_given_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from kataribe.engine import generations

    monkeypatch.setattr(generations, "_ROUNDS", 3)
    world.tell("a", episodes=1)
    with kataribe.open(str(world.path), services=with_sketches(a=world.a, b=world.b)) as second:
        told: list[str] = []

        async def meanwhile(_: Sequence[str]) -> None:
            told.append(f"Another thing, number {len(told)}.")
            await asyncio.to_thread(lambda: second.story("s").facts.add(episode_no=1, text=told[-1]))

        world.b.before = meanwhile
        with pytest.raises(ConflictError, match="faster"):
            world.store.admin.reembed(embedder="b", story="s")
    assert world.store.story("s").info().embedder == "a"
    assert world.store.story("s").verify().problems == ()
