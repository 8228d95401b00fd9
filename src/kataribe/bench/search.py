"""Gated vector search in the ledger, beside a product over the same rows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from kataribe.bench.made import Made, open_ledger, put_memories
from kataribe.bench.rows import Row, at_most
from kataribe.bench.sentences import Teller
from kataribe.bench.sizes import SEED
from kataribe.bench.stage import Stage
from kataribe.bench.stand_ins import unit_vectors
from kataribe.bench.timing import WARM_UP, Watch

TOP = 10
_UPDATES = 1_000
_MIDDLE = 10_000


def measure(stage: Stage) -> Iterator[Row]:
    """Search one in two memories of a space, each call in a read transaction of its own."""
    for wanted in stage.sizes.visible:
        made = stage.made(wanted)
        limit = stage.scan(made.visible)
        yield _row(f"{made.visible:,} visible of {made.total:,}", _search(stage, made, made.path), limit)
        if wanted == min(_MIDDLE, stage.sizes.visible[-1]):
            updated = _updated(stage, made)
            yield _row(f"{made.visible:,} visible, after 1,000 updated", _search(stage, made, updated), limit)


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


def _updated(stage: Stage, made: Made) -> Path:
    """Copy the store and give a thousand of its memories new texts and vectors."""
    path = stage.path()
    shutil.copyfile(made.path, path)
    teller = Teller(seed=SEED + 3)
    ledger = open_ledger(path)
    try:
        episodes = min(made.at - 1, -(-_UPDATES // made.an_episode))
        for no in range(1, episodes + 1):
            with ledger.writing() as writing:
                put_memories(writing, made, no, teller, stage.embedder)
    finally:
        ledger.close()
    return path


def _row(what: str, watch: Watch, limit: float) -> Row:
    target, met = at_most(watch.p50, 0.2 + 1.3 * limit)
    return Row(
        bench="search",
        what=what,
        value=watch.p50,
        unit="ms",
        p95=watch.p95,
        floor=limit,
        target=f"{target} (.2+1.3x)",
        met=met,
        calls=watch.calls,
    )
