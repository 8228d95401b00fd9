"""Gated vector search in the ledger, beside a product over the same rows.

The arena is measured cold (a ledger just opened), warm, with a thousand updates in the file before it
was opened, and with a thousand that another handle made while it was open: not folded in yet.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from kataribe.adapters.sql import SqlLedger
from kataribe.bench.rows import BenchRow, at_most
from kataribe.bench.sentences import Teller
from kataribe.bench.sizes import SEED
from kataribe.bench.stand_ins import unit_vectors
from kataribe.bench.synthetic import Made, open_ledger, put_memories
from kataribe.bench.timing import WARM_UP, Watch, percentile
from kataribe.bench.workspace import Stage
from kataribe.ports import Vector

TOP = 10
_UPDATES = 1_000
_MIDDLE = 10_000
_ROUNDS = 30


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Search one in two memories of a space, each call in a read transaction of its own."""
    for wanted in stage.sizes.visible:
        made = stage.made(wanted)
        limit = stage.scan(made.visible)
        yield _row(f"{made.visible:,} visible of {made.total:,}", _search(stage, made, made.path), limit)
        yield _first(stage, made, f"{made.visible:,} visible, arena cold: first search", limit)
        if wanted == min(_MIDDLE, stage.sizes.visible[-1]):
            path = _copied(stage, made)
            _update(stage, path, made)
            found = _search(stage, made, path)
            yield _row(f"{made.visible:,} visible, opened after 1,000 updates", found, limit)
            yield from _unfolded(stage, made, limit)


def _first(stage: Stage, made: Made, what: str, limit: float) -> BenchRow:
    """Time the first search of ledgers opened one after the other; opening is not counted."""
    rounds = min(stage.sizes.calls, stage.sizes.processes)
    queries = unit_vectors(rounds, seed=SEED + 8)
    times: list[float] = []
    for query in queries:
        ledger = open_ledger(made.path)
        try:
            times.append(_timed(ledger, made, query))
        finally:
            ledger.close()
    return _plain(what, times, limit)


def _unfolded(stage: Stage, made: Made, limit: float) -> Iterator[BenchRow]:
    """Keep a ledger open while another handle updates a thousand memories; then search on."""
    path = _copied(stage, made)
    queries = unit_vectors(_ROUNDS, seed=SEED + 9)
    ledger = open_ledger(path)
    try:
        _timed(ledger, made, queries[0])
        _update(stage, path, made)
        first, *later = [_timed(ledger, made, query) for query in queries]
    finally:
        ledger.close()
    what = f"{made.visible:,} visible, 1,000 updates while open"
    yield _plain(f"{what}: first search", [first], limit)
    target, met = at_most(median(later) * 1000, 0.2 + 1.3 * limit)
    yield _plain(f"{what}: then", later, limit, target=f"{target} (.2+1.3x)", met=met)


def _timed(ledger: SqlLedger, made: Made, query: Vector) -> float:
    begun = perf_counter()
    with ledger.reading() as reading:
        reading.vectors.nearest(query, gate=made.gate, top_k=TOP)
    return perf_counter() - begun


def _search(stage: Stage, made: Made, path: Path) -> Watch:
    sizes = stage.sizes
    queries = unit_vectors(sizes.calls + WARM_UP, seed=SEED + 2)
    watch = Watch(sizes.calls, sizes.seconds)
    ledger = open_ledger(path)
    try:
        for at in watch.rounds():
            with ledger.reading() as reading:
                reading.vectors.nearest(queries[at], gate=made.gate, top_k=TOP)
    finally:
        ledger.close()
    return watch


def _copied(stage: Stage, made: Made) -> Path:
    path = stage.path()
    shutil.copyfile(made.path, path)
    return path


def _update(stage: Stage, path: Path, made: Made) -> None:
    """Give a thousand memories of a store new texts and vectors, an episode a transaction."""
    teller = Teller(seed=SEED + 3)
    ledger = open_ledger(path)
    try:
        episodes = min(made.at - 1, -(-_UPDATES // made.an_episode))
        for no in range(1, episodes + 1):
            with ledger.writing() as writing:
                put_memories(writing, made, no, teller, stage.embedder)
    finally:
        ledger.close()


def _plain(
    what: str, times: list[float], limit: float, *, target: str = "", met: bool | None = None
) -> BenchRow:
    return BenchRow(
        bench="search",
        what=what,
        value=median(times) * 1000,
        unit="ms",
        p95=percentile(times, 95) * 1000,
        floor=limit,
        target=target,
        met=met,
        calls=len(times),
    )


def _row(what: str, watch: Watch, limit: float) -> BenchRow:
    target, met = at_most(watch.p50, 0.2 + 1.3 * limit)
    return BenchRow(
        bench="search",
        what=what,
        value=watch.p50,
        unit="ms",
        p95=watch.p95,
        cpu=watch.cpu,
        floor=limit,
        target=f"{target} (.2+1.3x)",
        met=met,
        calls=watch.calls,
    )
