"""The guard: which figures fell, as ratios to the floors of their own run, below what was accepted.

Figures and floors are of the processor's time: others on the machine change neither much, and a slower
machine changes both. What is measured by the clock alone is not guarded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kataribe.bench.rows import BenchRow
from kataribe.formats.wire.bench import FellJson

ACCEPTED = Path(__file__).with_name("accepted.json")
YARD = 10_000
"""Rows of the product that figures without a floor of their own are held against."""
_NOISE = 0.2
"""Milliseconds: a figure that is more by less than that has not fallen."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Ratios by the names of figures, and by which share one may be worse."""

    tolerance: float
    ratios: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fell:
    """A figure that fell: how many times its floor it takes, and how many are accepted."""

    name: str
    ratio: float
    accepted: float

    def line(self) -> str:
        """Say it in a line."""
        return f"{self.name}: {self.ratio:.1f} times its floor, accepted are {self.accepted:.1f}"

    def as_json(self) -> FellJson:
        """Show it as a JSON object."""
        return {"name": self.name, "ratio": self.ratio, "accepted": self.accepted}


def fallen(rows: Iterable[BenchRow], accepted: Accepted, yardstick: float) -> tuple[Fell, ...]:
    """Give the figures that are worse than accepted; what nobody has accepted yet cannot fall.

    `yardstick` is the time of a product over `YARD` rows in the same run, in milliseconds.
    """
    found: list[Fell] = []
    for row in rows:
        least = accepted.ratios.get(name_of(row))
        ratio = ratio_of(row, yardstick)
        if least is None or ratio is None:
            continue
        more = (ratio - least) * _floor(row, yardstick)
        if ratio > least * (1 + accepted.tolerance) and more > _noise(row):
            found.append(Fell(name=name_of(row), ratio=ratio, accepted=least))
    return tuple(found)


def ratio_of(row: BenchRow, yardstick: float) -> float | None:
    """Give how many times its floor a figure takes, lower is better; None for what is not guarded."""
    if not row.cpu or not (row.unit == "ms" or row.unit.endswith("/s")):
        return None
    return _taken(row, row.cpu) / _floor(row, yardstick)


def read(path: Path) -> Accepted:
    """Read what is accepted."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return Accepted(told["tolerance"], told["ratios"])


def accept(path: Path, rows: Sequence[BenchRow], yardstick: float) -> int:
    """Accept these figures beside those that were not measured now; gives how many."""
    before = read(path)
    found = {name_of(row): ratio_of(row, yardstick) for row in rows}
    new = {name: float(f"{ratio:.3g}") for name, ratio in found.items() if ratio is not None}
    told = {"tolerance": before.tolerance, "ratios": dict(sorted({**before.ratios, **new}.items()))}
    path.write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return len(new)


def name_of(row: BenchRow) -> str:
    """Name a figure as the file does."""
    return f"{row.bench}: {row.what.strip()}"


def _floor(row: BenchRow, yardstick: float) -> float:
    return _taken(row, row.floor) if row.floor else yardstick


def _noise(row: BenchRow) -> float:
    return _NOISE if row.unit == "ms" else 0.0


def _taken(row: BenchRow, value: float) -> float:
    """Give milliseconds: of a speed those that one thing takes."""
    return value if row.unit == "ms" else 1000 / value
