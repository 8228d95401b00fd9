"""Timing: many calls, warm-up apart, within a budget of time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from statistics import median
from time import perf_counter, process_time

WARM_UP = 3
FEWEST = 3


def worked() -> float:
    """Give the seconds that processors worked for this process, and for those it started that have ended."""
    if os.name == "nt":
        return process_time()
    # Not on every system, so not at the top.
    from resource import RUSAGE_CHILDREN, getrusage

    ended = getrusage(RUSAGE_CHILDREN)
    return process_time() + ended.ru_utime + ended.ru_stime


class Watch:
    """Times the body of a loop, also one that awaits.

    `for i in watch.rounds(): ...` runs at most `calls` rounds after the warm-up and stops
    early when `seconds` are over, but never before a few rounds are timed.
    """

    def __init__(self, calls: int, seconds: float, *, warm_up: int = WARM_UP) -> None:
        self._calls = calls
        self._seconds = seconds
        self._warm_up = warm_up
        self.times: list[float] = []
        self.worked: list[float] = []
        """The processor's time of each round, in seconds."""

    def rounds(self) -> Iterator[int]:
        """Give the number of each round, from 0 on, the warm-up counted in."""
        until = perf_counter() + self._seconds
        for number in range(self._warm_up + self._calls):
            begun, before = perf_counter(), worked()
            yield number
            ended = perf_counter()
            if number >= self._warm_up:
                self.times.append(ended - begun)
                self.worked.append(worked() - before)
            if ended > until and len(self.times) >= FEWEST:
                return

    @property
    def calls(self) -> int:
        """How many rounds were timed."""
        return len(self.times)

    @property
    def p50(self) -> float:
        """The median, in milliseconds."""
        return median(self.times) * 1000

    @property
    def cpu(self) -> float:
        """The median of the processor's time, in milliseconds."""
        return median(self.worked) * 1000

    @property
    def p95(self) -> float:
        """What 95 of 100 rounds do not exceed, in milliseconds."""
        return percentile(self.times, 95) * 1000


def percentile(values: Sequence[float], percent: int) -> float:
    """Give the smallest value that `percent` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
