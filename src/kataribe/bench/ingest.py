"""Supplied facts in: a folder read, stored and brought into memory; vectors are looked up."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from kataribe.bench import floor
from kataribe.bench.folders import write_facts
from kataribe.bench.rows import BenchRow, at_least
from kataribe.bench.stand_ins import RandomEmbedder, services, unit_vectors
from kataribe.bench.timing import worked
from kataribe.bench.workspace import NAME, Stage
from kataribe.domain.terms import Language
from kataribe.wiring import open as open_store

_TARGETS: dict[Language, float] = {"en": 10_000, "ja": 4_000}


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Bring in the same number of facts in two languages, the embedder's own time taken off."""
    for language, goal in _TARGETS.items():
        yield from _ingest(stage, language, goal)


def _ingest(stage: Stage, language: Language, goal: float) -> Iterator[BenchRow]:
    sizes, folder = stage.sizes, stage.path("-story")
    texts = write_facts(folder, language=language, facts=sizes.facts, an_episode=sizes.facts_an_episode)
    embedder = RandomEmbedder()
    with open_store(str(stage.path()), services=services(embedder)) as store:
        begun, before = perf_counter(), worked()
        store.story("s").import_folder(folder, language=language, embedder=NAME)
        read = perf_counter()
        store.story("s").sync()
        done, spent = perf_counter(), worked() - before - embedder.seconds
    importing, syncing = read - begun, done - read - embedder.seconds
    speed = len(texts) / (importing + syncing)
    target, met = at_least(speed, goal, "facts/s")
    plain = floor.insert(stage.path(), texts, unit_vectors(len(texts)))
    yield BenchRow(
        bench="ingest",
        what=f"{len(texts):,} facts, {language}: import and sync",
        value=speed,
        unit="facts/s",
        cpu=len(texts) / spent,
        floor=plain,
        target=target,
        met=met,
    )
    yield _part(f"import, {language} (facts/s of this part)", len(texts) / importing)
    yield _part(f"sync, {language} (facts/s of this part)", len(texts) / syncing)


def _part(what: str, speed: float) -> BenchRow:
    return BenchRow(bench="ingest", what=f"  {what}", value=speed, unit="facts/s")
