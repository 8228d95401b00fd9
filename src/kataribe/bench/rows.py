"""What a benchmark says: rows of figures, each with its floor and its target."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import cast

from kataribe.formats.wire.bench import BenchRowJson

_WIDTHS = (11, 56, 15, 9, 9, 21)
HEAD = ("bench", "what", "figure (p50)", "p95", "floor", "target")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRow:
    """One figure. With many calls `value` is their median; `floor` is what plain code needs for it.

    `cpu` is the same figure of the processor's time alone, where it is known: others on the machine
    do not change it much. `met` is None where design.md sets no target.
    """

    bench: str
    what: str
    value: float
    unit: str
    p95: float | None = None
    cpu: float | None = None
    floor: float | None = None
    target: str = ""
    met: bool | None = None
    calls: int = 1

    def line(self) -> str:
        """Show it as a line of the table."""
        cells = (
            self.bench,
            self.what,
            f"{_number(self.value, self.unit)} {self.unit}".strip(),
            "" if self.p95 is None else _number(self.p95, self.unit),
            "" if self.floor is None else _number(self.floor, self.unit),
            self.target,
        )
        verdict = {True: "ok", False: "SHORT", None: ""}[self.met]
        return f"{_spaced(cells)}  {verdict}".rstrip()

    def as_json(self) -> BenchRowJson:
        """Show it as a JSON object."""
        return cast(BenchRowJson, asdict(self))


def head() -> str:
    """Give the first two lines of the table."""
    return f"{_spaced(HEAD)}\n{'  '.join('-' * width for width in _WIDTHS)}"


def at_most(value: float, limit: float, unit: str = "ms") -> tuple[str, bool]:
    """Say a target that a figure must not exceed, and whether it does not."""
    return f"<= {_number(limit, unit)} {unit}", value <= limit


def at_least(value: float, limit: float, unit: str) -> tuple[str, bool]:
    """Say a target that a figure must reach, and whether it does."""
    return f">= {_number(limit, unit)} {unit}".strip(), value >= limit


def _spaced(cells: tuple[str, ...]) -> str:
    first, second, *numbers, last = cells
    padded = [f"{cell:>{width}}" for cell, width in zip(numbers, _WIDTHS[2:-1], strict=True)]
    return "  ".join([f"{first:<{_WIDTHS[0]}}", f"{second:<{_WIDTHS[1]}}", *padded, f"{last:<{_WIDTHS[-1]}}"])


def _number(value: float, unit: str) -> str:
    if unit in ("", "facts/s") or (unit == "ms" and value >= 100):
        return f"{value:,.0f}"
    return f"{value:.3f}" if unit == "share" else f"{value:.2f}"
