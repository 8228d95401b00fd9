"""One of those compared, in a process of its own: rows in, gated searches, and how exact they were."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from kataribe.bench import rivals_others, rivals_own
from kataribe.bench.rival_rows import Compared, NotInstalledError, Rows, made_rows
from kataribe.bench.rivals_own import floor_of
from kataribe.bench.sizes import SEED
from kataribe.bench.stand_ins import unit_vectors
from kataribe.bench.timing import WARM_UP, Watch
from kataribe.ports import Matrix

RIVALS: dict[str, type[Compared]] = {**rivals_own.ENGINES, **rivals_others.ENGINES}
TOP = 10


def main() -> None:
    """Print what one engine came to, or why it could not be measured, as JSON."""
    name, place, visible, calls, seconds = sys.argv[1:]
    rows = made_rows(int(visible))
    queries = unit_vectors(int(calls) + WARM_UP, seed=SEED + 2)
    try:
        engine = RIVALS[name](Path(place))
        begun = perf_counter()
        engine.put(rows)
    except NotInstalledError as error:
        sys.stdout.write(json.dumps({"missing": str(error)}))
        return
    took = perf_counter() - begun
    watch = Watch(int(calls), float(seconds))
    found: list[list[int]] = []
    for at in watch.rounds():
        found.append(engine.nearest(queries[at], TOP))
    said = {
        "seconds": watch.times,
        "rows_a_second": len(rows.vectors) / took,
        "exact": _exact(rows, queries, found),
        "floor": floor_of(rows, queries, TOP),
    }
    engine.close()
    sys.stdout.write(json.dumps(said))


def _exact(rows: Rows, queries: Matrix, found: list[list[int]]) -> float:
    """Give the share of the true nearest rows that were found; one outside the gate counts as missed."""
    visible = np.flatnonzero(rows.is_visible)
    matrix = rows.vectors[visible].astype(np.float64)
    hits = wanted = 0
    for query, named in zip(queries[: len(found)], found, strict=True):
        best = visible[np.argsort(-(matrix @ query.astype(np.float64)), kind="stable")[:TOP]]
        hits += len(set(best.tolist()) & set(named))
        wanted += len(best)
    return hits / wanted


if __name__ == "__main__":
    main()
