"""Many at once: threads of the sync face and tasks of the async one recall while two write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import perf_counter

from kataribe.bench.replace import VIEWER, filled
from kataribe.bench.rows import BenchRow
from kataribe.bench.sentences import Teller
from kataribe.bench.sizes import SEED
from kataribe.bench.stand_ins import services
from kataribe.bench.timing import percentile, worked
from kataribe.bench.workspace import NAME, Stage
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.sync.kataribe import Kataribe
from kataribe.wiring import open as open_store
from kataribe.wiring import open_async

_EPISODES = 100
_FACTS = 20
_USER = "u"


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Let all of them ask and write as fast as they can; an error of any of them ends it."""
    path, sizes = stage.path(), stage.sizes
    with open_store(str(path), services=services(stage.embedder)) as store:
        filled(store, stage.path("-story"), _EPISODES)
        store.user(_USER).create(language="en", embedder=NAME)
        until, before = perf_counter() + sizes.crowd_seconds, worked()
        with ThreadPoolExecutor(sizes.crowd_threads + 3) as pool:
            writers = [pool.submit(_repeat, act, until) for act in (_replaces(store), _says(store))]
            readers = [pool.submit(_repeat, _asks(store, who), until) for who in range(sizes.crowd_threads)]
            tasks = pool.submit(asyncio.run, _together(stage, path, until))
            threads = [seconds for reader in readers for seconds in reader.result()]
            replaced, said = (writer.result() for writer in writers)
            several = tasks.result()
        spent = worked() - before
    calls = len(threads) + len(several) + len(replaced) + len(said)
    who = f"{sizes.crowd_threads} threads and {sizes.crowd_tasks} tasks, 2 writing"
    yield _row(f"{who}: recall of a thread", threads, cpu=spent / calls)
    yield _row(f"{who}: recall of a task", several)
    yield _row(f"{who}: an episode of {_FACTS} facts replaced", replaced)
    yield _row(f"{who}: a turn said", said)


def _repeat(act: Callable[[], object], until: float) -> list[float]:
    """Do it until the time is over, at least once; gives how long each took, in seconds."""
    times: list[float] = []
    while not times or perf_counter() < until:
        begun = perf_counter()
        act()
        times.append(perf_counter() - begun)
    return times


def _asks(store: Kataribe, who: int) -> Callable[[], object]:
    teller = Teller(seed=SEED + 10 + who)
    return lambda: store.recall(teller.question(), story="s", persona=VIEWER, at=_EPISODES + 1)


def _replaces(store: Kataribe) -> Callable[[], object]:
    teller = Teller(seed=SEED + 8)

    def replace() -> object:
        facts = [{"text": teller.fact(), "visibility": "public"} for _ in range(_FACTS)]
        return store.story("s").episodes.put(no=_EPISODES // 2, text="Much happened.", facts=facts)

    return replace


def _says(store: Kataribe) -> Callable[[], object]:
    teller = Teller(seed=SEED + 9)
    return lambda: store.user(_USER).said(teller.fact(), speaker=VIEWER)


async def _together(stage: Stage, path: Path, until: float) -> list[float]:
    engine = await open_async(str(path), services=services(stage.embedder))
    try:
        found = await asyncio.gather(*(_ask_on(engine, who, until) for who in range(stage.sizes.crowd_tasks)))
    finally:
        await engine.close()
    return [seconds for one in found for seconds in one]


async def _ask_on(engine: AsyncKataribe, who: int, until: float) -> list[float]:
    teller, times = Teller(seed=SEED + 1000 + who), list[float]()
    while not times or perf_counter() < until:
        begun = perf_counter()
        await engine.recall(teller.question(), story="s", persona=VIEWER, at=_EPISODES + 1)
        times.append(perf_counter() - begun)
        # Another task's turn: where everything lies ready nothing else would wait.
        await asyncio.sleep(0)
    return times


def _row(what: str, times: list[float], *, cpu: float | None = None) -> BenchRow:
    """Give the row of a kind of call; `cpu` are the processor's seconds of one call, whatever its kind."""
    return BenchRow(
        bench="crowd",
        what=what,
        value=median(times) * 1000,
        unit="ms",
        p95=percentile(times, 95) * 1000,
        cpu=None if cpu is None else cpu * 1000,
        calls=len(times),
    )
