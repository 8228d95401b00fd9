"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from kataribe.bench import (
    calibration,
    crowd,
    floor,
    guard,
    holders,
    ingest,
    quality,
    recall,
    relevance,
    rivals,
    saga,
    said,
    search,
    serve,
    year,
)
from kataribe.bench import cold_start as cold
from kataribe.bench import one_sentence as change
from kataribe.bench import replace as replacing
from kataribe.bench.machine import machine, machine_line
from kataribe.bench.rows import BenchRow, head
from kataribe.bench.sizes import FULL, QUICK, Sizes
from kataribe.bench.workspace import Stage
from kataribe.domain.terms import RULES
from kataribe.formats.wire.bench import MeasurementsJson

BENCHES: dict[str, Callable[[Stage], Iterator[BenchRow]]] = {
    "search": search.measure,
    "recall": recall.measure,
    "open": cold.measure,
    "ingest": ingest.measure,
    "replace": replacing.measure,
    "said": said.measure,
    "year": year.measure,
    "crowd": crowd.measure,
    "serve": serve.measure,
    "change": change.measure,
    "quality": quality.measure,
    "holders": holders.measure,
    "rivals": rivals.measure,
    "saga": saga.measure,
    "calibration": calibration.measure,
    "relevance": relevance.measure,
}
NOT_MEASURED = (
    "kill -9 in an update loop: see tests/promises/test_crash.py",
    "int8 vectors and outside indexes: not in this version",
    "the token budget of a context: a property, see tests/promises/test_context.py",
    "a cold disk: files lie in the system's cache",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is named, or all of it, and print it row by row; 1 when a figure fell."""
    parser = _parser()
    given = parser.parse_args(arguments)
    for name in given.name:
        if name not in BENCHES:
            parser.error(f"there is no benchmark {name!r}; choose from {', '.join(BENCHES)}")
    left_out = list(NOT_MEASURED)
    sizes = QUICK if given.quick else FULL
    if given.seconds is not None:
        sizes = replace(sizes, serve_seconds=given.seconds)
    rows = run(given.name or tuple(BENCHES), sizes, model=given.model, left_out=left_out)
    if given.json:
        measured = list(rows)
        fell = _guarded(measured, sizes, accept=given.accept)
        whole: MeasurementsJson = {
            "machine": machine(),
            "rows": [row.as_json() for row in measured],
            "not_measured": left_out,
            "fell": [one.as_json() for one in fell],
        }
        _say(json.dumps(whole, ensure_ascii=False, indent=2))
        return 1 if fell else 0
    _say(f"{machine_line()}\n\n{head()}")
    measured = [_said(row) for row in rows]
    _say("\nnot measured:")
    for line in left_out:
        _say(f"  {line}")
    return _judged(_guarded(measured, sizes, accept=given.accept))


def _said(row: BenchRow) -> BenchRow:
    _say(row.line())
    return row


def _guarded(rows: Sequence[BenchRow], sizes: Sizes, *, accept: bool) -> tuple[guard.Fell, ...]:
    """Hold the figures against those that were accepted, or accept them."""
    yardstick = floor.scan(guard.YARD, sizes)
    if accept:
        guard.accept(guard.ACCEPTED, rows, yardstick)
    return guard.fallen(rows, guard.read(guard.ACCEPTED), yardstick)


def _judged(fell: Sequence[guard.Fell]) -> int:
    if not fell:
        return 0
    _say("\nfell, beside the floor of the same run (`--accept` takes it as it is):")
    for one in fell:
        _say(f"  {one.line()}")
    return 1


def run(
    names: Sequence[str], sizes: Sizes, *, model: str = RULES, left_out: list[str] | None = None
) -> Iterator[BenchRow]:
    """Run benchmarks in a folder of their own and give their rows as they come.

    What could not be measured here is added to `left_out`.
    """
    with TemporaryDirectory(prefix="kataribe-bench-") as folder:
        stage = Stage(Path(folder), sizes, model=model)
        for name in names:
            yield from BENCHES[name](stage)
        if left_out is not None:
            left_out += stage.left_out


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kataribe.bench", description="Measure kataribe.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="smaller stores, fewer calls")
    parser.add_argument("--accept", action="store_true", help="hold later runs against these figures")
    parser.add_argument(
        "--model", default=RULES, metavar="M", help="what holders judges: rules or provider:name"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="how long the clients of serve ask")
    parser.add_argument("name", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    return parser


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
