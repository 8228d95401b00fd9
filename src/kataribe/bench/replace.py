"""An episode replaced: put and sync until it is durable, and the first recall after it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from kataribe.bench.folders import write_texts
from kataribe.bench.rows import BenchRow, at_most
from kataribe.bench.sentences import Teller
from kataribe.bench.sizes import SEED
from kataribe.bench.stand_ins import services
from kataribe.bench.timing import percentile, worked
from kataribe.bench.workspace import NAME, Stage
from kataribe.domain.story.inputs import Character
from kataribe.face.sync.kataribe import Kataribe
from kataribe.wiring import open as open_store

_FACTS = 20
_REPLACE = 10.0
_RECALL_ADDS = 2.0
VIEWER = "Ada"
"""Who recalls the story."""


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Replace random episodes of stories of two lengths."""
    for episodes in stage.sizes.replaced_in:
        with open_store(str(stage.path()), services=services(stage.embedder)) as store:
            yield from _replace(stage, filled(store, stage.path("-story"), episodes), episodes)


def filled(store: Kataribe, folder: Path, episodes: int) -> Kataribe:
    """Tell a story `s` of this length into a store, and bring it into memory."""
    teller = Teller()
    store.story("s").create(language="en", embedder=NAME)
    store.story("s").cast.add(Character(character_id=VIEWER))
    write_texts(folder, (teller.text(_FACTS) for _ in range(episodes)))
    store.story("s").import_folder(folder)
    store.story("s").sync()
    return store


def _replace(stage: Stage, store: Kataribe, episodes: int) -> Iterator[BenchRow]:
    teller = Teller(seed=SEED + 4)
    puts: list[float] = []
    syncs: list[float] = []
    spent: list[float] = []
    first: list[float] = []
    steady: list[float] = []
    for number in range(stage.sizes.replaced):
        text = teller.text(_FACTS)
        begun, before = perf_counter(), worked()
        store.story("s").episodes.put(no=1 + number * 7 % episodes, text=text)
        put = perf_counter()
        store.story("s").sync()
        puts.append(put - begun)
        syncs.append(perf_counter() - put)
        spent.append(worked() - before)
        first.append(_recall(store, teller, episodes))
        steady += [_recall(store, teller, episodes) for _ in range(3)]
    yield from _rows(episodes, puts, syncs, spent)
    yield from _after(episodes, first, steady)


def _recall(store: Kataribe, teller: Teller, episodes: int) -> float:
    question = teller.question()
    begun = perf_counter()
    store.recall(question, story="s", persona=VIEWER, at=episodes + 1)
    return perf_counter() - begun


def _rows(episodes: int, puts: list[float], syncs: list[float], spent: list[float]) -> Iterator[BenchRow]:
    both = [put + sync for put, sync in zip(puts, syncs, strict=True)]
    target, met = at_most(median(both) * 1000, _REPLACE)
    yield BenchRow(
        bench="replace",
        what=f"{_FACTS} facts of one episode in {episodes}: put and sync",
        value=median(both) * 1000,
        unit="ms",
        p95=percentile(both, 95) * 1000,
        cpu=median(spent) * 1000,
        target=target,
        met=met,
        calls=len(both),
    )
    for name, times in (("put", puts), ("sync", syncs)):
        yield BenchRow(
            bench="replace",
            what=f"  of it {name}, one in {episodes}",
            value=median(times) * 1000,
            unit="ms",
            p95=percentile(times, 95) * 1000,
            calls=len(times),
        )


def _after(episodes: int, first: list[float], steady: list[float]) -> Iterator[BenchRow]:
    yield BenchRow(
        bench="replace",
        what=f"  first recall after it, {episodes * _FACTS:,} facts",
        value=median(first) * 1000,
        unit="ms",
        p95=percentile(first, 95) * 1000,
        floor=median(steady) * 1000,
        calls=len(first),
    )
    added = (median(first) - median(steady)) * 1000
    target, met = at_most(added, _RECALL_ADDS)
    yield BenchRow(
        bench="replace",
        what=f"  that is more than later ones by, {episodes * _FACTS:,} facts",
        value=added,
        unit="ms",
        p95=(percentile(first, 95) - median(steady)) * 1000,
        floor=median(steady) * 1000,
        target=target,
        met=met,
        calls=len(first),
    )
