"""A story as long as a saga: what each step costs in time and memory, and how that grows with the story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log
from statistics import median

from kataribe.bench.folders import write_saga
from kataribe.bench.processes import told
from kataribe.bench.rows import BenchRow
from kataribe.bench.saga_step import EARLY, STEPS
from kataribe.bench.workspace import Stage

_SMALLER = 4
_FLAT, _BELOW, _LINEAR = 0.3, 0.8, 1.2
"""Exponents up to which a growth is called flat, below linear, and linear."""
_LEAST = {"ms": 0.1, "MB": 5.0}
"""Less than this is noise: a growth is told from here on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """A figure of a step: its name, which rounds count, and whether it must not grow with the story."""

    name: str
    step: str
    rounds: tuple[int | None, int | None] = (None, None)
    must_be_flat: bool = False


_FIRST, _WARM = (0, 1), (1, None)
_EARLY = f"recall at episode {EARLY}"
_FIGURES = (
    _Figure(name="import", step="import"),
    _Figure(name="sync", step="sync"),
    _Figure(name="edit in the middle + sync, first", step="edit", rounds=_FIRST, must_be_flat=True),
    _Figure(name="edit in the middle + sync, p50", step="edit", rounds=_WARM, must_be_flat=True),
    _Figure(name="recall at the end, first", step="late", rounds=_FIRST),
    _Figure(name="recall at the end, p50", step="late", rounds=_WARM),
    _Figure(name=f"{_EARLY}, first", step="early", rounds=_FIRST),
    _Figure(name=f"{_EARLY}, p50", step="early", rounds=_WARM, must_be_flat=True),
    _Figure(name="matrix, counts alone", step="counts"),
    _Figure(name="matrix", step="matrix"),
    _Figure(name="verify", step="verify"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Telling:
    """A saga of one length, told: each step's seconds, round by round, and its peak in megabytes."""

    facts: int
    seconds: Mapping[str, list[float]]
    cpu: Mapping[str, list[float]]
    peaks: Mapping[str, float]

    def milliseconds(self, figure: _Figure, *, cpu: bool = False) -> float:
        """Give the median of the rounds that count, on the wall or of the processor's."""
        found = self.cpu if cpu else self.seconds
        return median(found[figure.step][slice(*figure.rounds)]) * 1000

    def megabytes(self, step: str) -> float:
        """Give the peak above that of an idle open store."""
        return max(0.0, self.peaks[step] - self.peaks["idle"])


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Tell a quarter of a saga and all of it, each step in a fresh process.

    How a time grows is told from the processor's time: neighbours on the machine do not alter it.
    """
    episodes = stage.sizes.saga_episodes
    small, whole = _tell(stage, max(2, episodes // _SMALLER)), _tell(stage, episodes)
    facts = [small.facts, whole.facts]
    for figure in _FIGURES:
        wall, cpu = ([t.milliseconds(figure, cpu=cpu) for t in (small, whole)] for cpu in (False, True))
        yield from _rows(figure.name, facts, wall, "ms", grown=cpu, must_be_flat=figure.must_be_flat)
    for step in dict.fromkeys(figure.step for figure in _FIGURES):
        most = [each.megabytes(step) for each in (small, whole)]
        what = f"memory of {step} above idle"
        yield from _rows(what, facts, most, "MB", grown=most, must_be_flat=step == "edit")
    for each in (small, whole):
        what = f"memory of an idle open store, {each.facts:,} facts"
        yield BenchRow(bench="saga", what=what, value=each.peaks["idle"], unit="MB")


def _tell(stage: Stage, episodes: int) -> _Telling:
    sizes, folder, path = stage.sizes, stage.path("-saga"), stage.path()
    cast = [f"character {number}" for number in range(1, sizes.saga_cast + 1)]
    write_saga(folder, episodes=episodes, an_episode=sizes.saga_facts, cast=cast)
    found = {step: told(stage, "saga_step", step, path, folder, episodes, cast[0]) for step in STEPS}
    return _Telling(
        facts=episodes * sizes.saga_facts,
        seconds={step: one["seconds"] for step, one in found.items()},
        cpu={step: one["cpu"] for step, one in found.items()},
        peaks={step: one["peak"] for step, one in found.items()},
    )


def _rows(
    what: str, facts: list[int], values: list[float], unit: str, *, grown: list[float], must_be_flat: bool
) -> Iterator[BenchRow]:
    (few, many), (small, whole) = facts, values
    yield BenchRow(bench="saga", what=f"{what}, {few:,} facts", value=small, unit=unit)
    exponent = growth(*grown, times=many / few, least=_LEAST[unit])
    limit, bar = (_FLAT, "flat") if must_be_flat else (_LINEAR, "linear")
    yield BenchRow(
        bench="saga",
        what=f"{what}, {many:,} facts",
        value=whole,
        unit=unit,
        target=f"<= {bar}: {in_a_word(exponent)}",
        met=exponent <= limit,
    )


def growth(small: float, whole: float, *, times: float, least: float) -> float:
    """Give the exponent of a growth: 0 flat, 1 linear, for a story so many times as long."""
    return log(max(whole, least) / max(small, least)) / log(times)


def in_a_word(exponent: float) -> str:
    """Say an exponent: `flat (0.1)`, `linear (1.0)`, `worse (1.6)`."""
    words = ((_FLAT, "flat"), (_BELOW, "below linear"), (_LINEAR, "linear"))
    word = next((word for limit, word in words if exponent <= limit), "worse")
    return f"{word} ({exponent:.1f})"
