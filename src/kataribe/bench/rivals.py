"""The same search by others: half of the rows are visible, the ten nearest are wanted, all in one run.

Each of them runs in a process of its own (`rival`); none is needed to install or use kataribe.
"""

from __future__ import annotations

from collections.abc import Iterator
from shutil import rmtree
from subprocess import CalledProcessError
from typing import Any

from kataribe.bench.processes import told
from kataribe.bench.rival import RIVALS
from kataribe.bench.rows import BenchRow
from kataribe.bench.timing import percentile
from kataribe.bench.workspace import Stage


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Search, for each size, with all that is installed."""
    for visible in stage.sizes.visible:
        for name in RIVALS:
            found = _asked(stage, name, visible)
            if "missing" in found:
                if visible == stage.sizes.visible[0]:
                    stage.left_out.append(f"{name}: {found['missing']}")
                continue
            yield from _rows(name, visible, found)


def _asked(stage: Stage, name: str, visible: int) -> dict[str, Any]:
    place, errors, sizes = stage.path("-rival"), stage.path("-errors"), stage.sizes
    place.mkdir()
    try:
        found: dict[str, Any] = told(
            stage, "rival", name, place, visible, sizes.calls, sizes.seconds, errors=errors
        )
    except CalledProcessError as error:
        said = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return {"missing": f"failed ({said[-1] if said else error})"}
    finally:
        rmtree(place)
    return found


def _rows(name: str, visible: int, found: dict[str, Any]) -> Iterator[BenchRow]:
    what = f"{visible:,} of {2 * visible:,}, {name}"
    times = [1000 * seconds for seconds in found["seconds"]]
    yield BenchRow(
        bench="rivals",
        what=what,
        value=percentile(times, 50),
        unit="ms",
        p95=percentile(times, 95),
        floor=1000 * found["floor"],
        calls=len(times),
    )
    yield BenchRow(bench="rivals", what=f"  true ten found, {what}", value=found["exact"], unit="share")
    yield BenchRow(bench="rivals", what=f"  rows in, {what}", value=found["rows_a_second"], unit="rows/s")
