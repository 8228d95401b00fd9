"""What a rule of the grammar of dates is, and the numbers both languages read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from kataribe.domain.recall.when.calendar import Days, exactly, feast, month, season

DateReader = Callable[[re.Match[str], date], Iterable[Days]]
"""Gives the days that a match means, asked on a day."""
EpisodeReader = Callable[[re.Match[str], int], tuple[int, int] | None]
"""Gives the first and the last episode that a match means, asked at an episode."""


@dataclass(frozen=True, slots=True)
class DateRule:
    """Words that name days."""

    pattern: re.Pattern[str]
    read: DateReader


@dataclass(frozen=True, slots=True)
class EpisodeRule:
    """Words that name episodes."""

    pattern: re.Pattern[str]
    read: EpisodeReader


def in_month(today: date, month_: int, year_: int | None = None) -> Iterable[Days]:
    """Give a month of a year; without one the last that has begun."""
    wanted = year_ if year_ is not None else today.year - (month_ > today.month)
    return (month(wanted, month_),)


def on_day(today: date, month_: int, day_: int, year_: int | None = None) -> Iterable[Days]:
    """Give a day of a year, without one the last that has come; nothing where there is no such day."""
    found = exactly(year_ if year_ is not None else today.year, month_, day_)
    if found is not None and year_ is None and found[0] > today:
        found = exactly(today.year - 1, month_, day_)
    return () if found is None else (found,)


def of_feast(today: date, name: str, year_: int | None = None) -> Iterable[Days]:
    """Give a feast of a year; without one the last that has begun."""
    found = feast(today.year if year_ is None else year_, name)
    return (feast(today.year - 1, name),) if year_ is None and found[0] > today else (found,)


def of_season(today: date, name: str, year_: int | None = None) -> Iterable[Days]:
    """Give a season of a year; without one the last that has begun."""
    if year_ is not None:
        return season(year_, name)
    begun = [one for back in (0, 1) for one in season(today.year - back, name)[-1:] if one[0] <= today]
    return begun[:1]
