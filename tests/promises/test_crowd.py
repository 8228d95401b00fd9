"""Many readers and writers on one store, in threads and in tasks: every answer is that of a quiet store."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

import kataribe
from kataribe.domain.memory import Recollection
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.recall import recollection_json
from kataribe.ports import View
from support.effort import EFFORT
from support.stores import empty_store, services
from support.talk import DAY_ONE, turn

THREADS, TASKS = (4, 12) if EFFORT == 1 else (16, 200)
"""How many read at once: the long form is `make prove`'s."""
ROUNDS = 5 * EFFORT
"""How often each of them asks."""
EDITS = 4 * EFFORT
"""How often each writer writes and brings it into memory."""

TEXTS = {
    "en": "Mara hid the silver key under the bridge. Jon saw the boat leave. The bell rang {} times at dusk.",
    "ja": "澪は銀の鍵を橋の下に隠した。蓮は舟が出るのを見た。夕暮れに鐘が{}回鳴った。",
}
QUESTIONS = {
    "en": "Who hid the silver key, and how often did the bell ring?",
    "ja": "銀の鍵を隠したのは誰？鐘は何回？",
}
ASKED: tuple[Mapping[str, Any], ...] = (
    {"story": "en", "persona": "mara", "at": 9},
    {"story": "ja", "persona": "澪", "at": 9},
    {"user": "u", "persona": "p", "as_of": DAY_ONE + timedelta(days=9)},
)


def test_no_answer_among_many_differs_from_a_quiet_stores(tmp_path: Path) -> None:
    path = tmp_path / "k.db"
    _fill(empty_store(path))
    allowed = _quiet_answers(path, tmp_path / "quiet.db")
    given: list[tuple[int, str]] = []
    with kataribe.open(str(path), services=services()) as store, ThreadPoolExecutor(THREADS + 3) as pool:
        start = Barrier(THREADS + 3)
        writers = [pool.submit(_write, store, who, start) for who in range(2)]
        readers = [pool.submit(_read, store, who, start) for who in range(THREADS)]
        tasks = pool.submit(_tasks, path, start)
        for writer in writers:
            writer.result()
        for reader in (*readers, tasks):
            given += reader.result()
        given += [(which, _ask(store, which)) for which in range(len(ASKED))]
    assert len(given) == (THREADS + TASKS) * ROUNDS + len(ASKED)
    for which, answer in given:
        assert answer in allowed[which], "an answer that no state of the store gives"
    assert [answer for _, answer in given[-3:]] == [answers[-1] for answers in allowed]


def _fill(path: Path) -> None:
    with kataribe.open(str(path), services=services()) as store:
        for language in ("en", "ja"):
            store.story(language).create(language=language, embedder="hash")
            for no in range(1, 4):
                store.story(language).episodes.put(no=no, text=TEXTS[language].format(no))
            store.story(language).sync()
        store.user("u").create(language="en", embedder="hash")
        store.user("u").put_turns([turn(no, f"I heard the bell {no} times.") for no in range(20)])
        store.user("u").sync()


def _edits(store: Kataribe, who: int) -> Iterator[Callable[[], object]]:
    """Give what a writer does: one changes both stories, the other is told more and more."""
    for number in range(EDITS):
        if who == 0:
            language = ("en", "ja")[number % 2]
            text = TEXTS[language].format(100 + number)
            yield partial(store.story(language).episodes.put, 2, text)
            yield partial(store.story(language).sync)
        else:
            told = turn(100 + number, f"The bell rang {number} times. 鐘が鳴った。", session=f"s{number % 3}")
            yield partial(store.user("u").put_turns, [told])
            yield partial(store.user("u").sync)


def _quiet_answers(path: Path, quiet: Path) -> list[list[str]]:
    """Give for each question the answers of every state that the writers bring a store to."""
    shutil.copyfile(path, quiet)
    with kataribe.open(str(quiet), services=services()) as store:
        answers = [[_ask(store, which)] for which in range(len(ASKED))]
        for who in range(2):
            for edit in _edits(store, who):
                edit()
                for which in range(len(ASKED)):
                    answers[which].append(_ask(store, which))
    return answers


def _write(store: Kataribe, who: int, start: Barrier) -> None:
    start.wait()
    for edit in _edits(store, who):
        edit()


def _read(store: Kataribe, who: int, start: Barrier) -> list[tuple[int, str]]:
    start.wait()
    return [(which, _ask(store, which)) for which in _turns(who)]


def _tasks(path: Path, start: Barrier) -> list[tuple[int, str]]:
    start.wait()
    return asyncio.run(_ask_together(path))


async def _ask_together(path: Path) -> list[tuple[int, str]]:
    engine = await kataribe.open_async(str(path), services=services())
    try:
        found = await asyncio.gather(*(_ask_on(engine, who) for who in range(TASKS)))
    finally:
        await engine.close()
    return [answer for answers in found for answer in answers]


async def _ask_on(engine: AsyncKataribe, who: int) -> list[tuple[int, str]]:
    return [(which, _words(await engine.recall(_question(which), **ASKED[which]))) for which in _turns(who)]


def _turns(who: int) -> list[int]:
    return [(who + number) % len(ASKED) for number in range(ROUNDS)]


def _question(which: int) -> str:
    return QUESTIONS["ja" if which == 1 else "en"]


def _ask(store: Kataribe, which: int) -> str:
    return _words(store.recall(_question(which), **ASKED[which]))


def _words(found: Recollection) -> str:
    return json.dumps(recollection_json(found), ensure_ascii=False, sort_keys=True)


# -- where everything lies ready ------------------------------------------------------------------


def test_a_caller_in_an_event_loop_pays_no_hop_where_everything_lies_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.db"
    _fill(empty_store(path))
    hops: list[object] = []
    hop = asyncio.to_thread

    async def counted(work: Callable[..., Any], *given: Any) -> Any:
        hops.append(work)
        return await hop(work, *given)

    async def ask() -> tuple[list[str], list[str]]:
        engine = await kataribe.open_async(str(path), services=services())
        monkeypatch.setattr(asyncio, "to_thread", counted)
        try:
            cold = [_words(await engine.recall(_question(w), **ASKED[w])) for w in range(len(ASKED))]
            assert hops, "what is not in memory yet is read off the loop"
            hops.clear()
            warm = [_words(await engine.recall(_question(w), **ASKED[w])) for w in range(len(ASKED))]
            assert not hops
        finally:
            await engine.close()
        return cold, warm

    cold, warm = asyncio.run(ask())
    assert cold == warm


def test_a_writer_in_memory_is_never_waited_for_on_the_loop() -> None:
    """In memory readers and writers take turns: whoever asks meanwhile waits in a thread."""

    async def ask() -> None:
        engine = await kataribe.open_async(":memory:", services=services())
        await engine.story("en").create(language="en", embedder="hash")
        await engine.story("en").episodes.put(no=1, text=TEXTS["en"].format(1))
        await engine.story("en").sync()
        before = await engine.recall(_question(0), **ASKED[0])
        writing, done = Barrier(2), Barrier(2)

        def hold() -> None:
            with engine._engine._ledger.writing():
                writing.wait()
                done.wait()

        holder = Thread(target=hold)
        holder.start()
        writing.wait()
        asked = asyncio.create_task(engine.recall(_question(0), **ASKED[0]))
        # The loop goes on while the answer waits.
        await asyncio.sleep(0)
        assert not asked.done()
        done.wait()
        assert _words(await asked) == _words(before)
        holder.join()
        await engine.close()

    asyncio.run(ask())


def test_what_was_read_is_read_anew_as_soon_as_anybody_has_written(tmp_path: Path) -> None:
    path = tmp_path / "k.db"
    _fill(empty_store(path))
    with kataribe.open(str(path), services=services()) as store:
        ledger = store._of._engine._ledger
        reads: list[int] = []

        def read(view: View) -> int:
            reads.append(1)
            return len(reads)

        with ledger.reading() as view:
            assert view.once("a key", lambda: read(view)) == 1
        with ledger.reading() as view:
            assert view.once("a key", lambda: read(view)) == 1, "the store is as it was"
        store.story("en").episodes.put(no=9, text="Anything else.")
        with ledger.reading() as view:
            assert view.once("a key", lambda: read(view)) == 2, "somebody has written"
