"""Whole gated recall: vectors, keywords, scoring and text, through the engine and the sync face."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from kataribe.bench.rows import BenchRow, at_most
from kataribe.bench.sentences import Teller
from kataribe.bench.stand_ins import services
from kataribe.bench.synthetic import STORY, VIEWER, Made
from kataribe.bench.timing import WARM_UP, Watch
from kataribe.bench.workspace import Stage
from kataribe.wiring import open as open_store
from kataribe.wiring import open_async

_TARGETS = {1_000: 1.0, 10_000: 3.0, 100_000: 10.0}
_FACE_ADDS = 0.3


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Ask a new question each call; the embedder looks its vectors up."""
    for wanted in stage.sizes.visible:
        made = stage.made(wanted)
        limit = stage.scan(made.visible)
        goal = _TARGETS.get(wanted)
        many = f"{made.visible:,} visible of {made.total:,}"
        yield _row(f"{many}, async engine", asyncio.run(_engine(stage, made, made.at)), goal, limit)
        yield _row(f"{many}, sync face", _face(stage, made, made.at), goal, limit)
    yield _added(stage, stage.made(stage.sizes.visible[0]))


def _added(stage: Stage, made: Made) -> BenchRow:
    """Ask at episode 1, where nothing is searched: what is left is the way in and out."""
    plain, through = asyncio.run(_engine(stage, made, 1)), _face(stage, made, 1)
    added = through.p50 - plain.p50
    target, met = at_most(added, _FACE_ADDS)
    return BenchRow(
        bench="recall",
        what="the sync face adds (nothing to search)",
        value=added,
        unit="ms",
        floor=plain.p50,
        target=target,
        met=met,
        calls=through.calls,
    )


def _questions(stage: Stage) -> list[str]:
    teller = Teller()
    return [teller.question() for _ in range(stage.sizes.calls + WARM_UP)]


async def _engine(stage: Stage, made: Made, at: int) -> Watch:
    questions = _questions(stage)
    watch = Watch(stage.sizes.calls, stage.sizes.seconds)
    engine = await open_async(str(made.path), services=services(stage.embedder))
    try:
        for number in watch.rounds():
            await engine.recall(questions[number], story=STORY, persona=VIEWER, at=at)
    finally:
        await engine.close()
    return watch


def _face(stage: Stage, made: Made, at: int) -> Watch:
    questions = _questions(stage)
    watch = Watch(stage.sizes.calls, stage.sizes.seconds)
    with open_store(str(made.path), services=services(stage.embedder)) as store:
        for number in watch.rounds():
            store.recall(questions[number], story=STORY, persona=VIEWER, at=at)
    return watch


def _row(what: str, watch: Watch, goal: float | None, limit: float) -> BenchRow:
    target, met = ("", None) if goal is None else at_most(watch.p50, goal)
    return BenchRow(
        bench="recall",
        what=what,
        value=watch.p50,
        unit="ms",
        p95=watch.p95,
        cpu=watch.cpu,
        floor=limit,
        target=target,
        met=met,
        calls=watch.calls,
    )
