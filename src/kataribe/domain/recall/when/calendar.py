"""Days, months, seasons and feasts as half-open spans of dates."""

from __future__ import annotations

from datetime import date, timedelta

Days = tuple[date, date]
"""From the first day on, up to but without the second."""

_DAY = timedelta(days=1)
_EARLIEST, _LATEST = 1000, 9990


def day(one: date, many: int = 1) -> Days:
    """Give so many days from one on."""
    return (one, one + many * _DAY)


def month(year: int, number: int, many: int = 1) -> Days:
    """Give so many months from one on; `number` may lie outside 1 to 12 and moves the year then."""
    return (_first(year, number), _first(year, number + many))


def _first(year: int, number: int) -> date:
    moved, at = divmod(number - 1, 12)
    return date(min(max(year + moved, _EARLIEST), _LATEST), at + 1, 1)


def year(number: int, many: int = 1) -> Days:
    """Give so many years from one on."""
    return month(number, 1, 12 * many)


def week(one: date, back: int = 0) -> Days:
    """Give the week of a day, from Monday on, or one so many weeks before."""
    return day(one - (one.weekday() + 7 * back) * _DAY, 7)


def month_of(one: date, back: int = 0) -> Days:
    """Give the month of a day, or one so many months before."""
    return month(one.year, one.month - back)


def exactly(year_: int, month_: int, day_: int) -> Days | None:
    """Give one day; None where the calendar has no such day."""
    try:
        return day(date(year_, month_, day_))
    except ValueError:
        return None


SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""The month each season begins in; it has three."""


def season(year_: int, name: str) -> tuple[Days, ...]:
    """Give a season of a year. A winter is both the one it begins with and the one it ends with."""
    first = month(year_, SEASONS[name], 3)
    return (month(year_, 1, 2), first) if name == "winter" else (first,)


FEASTS: dict[str, tuple[int, int, int]] = {
    "new year's eve": (12, 31, 1),
    "new year's day": (1, 1, 1),
    "new year": (1, 1, 3),
    "valentine": (2, 14, 1),
    "golden week": (4, 29, 8),
    "obon": (8, 13, 4),
    "halloween": (10, 31, 1),
    "christmas eve": (12, 24, 1),
    "christmas": (12, 24, 2),
}
"""Month and day each feast begins on, and for how many days it lasts."""


def feast(year_: int, name: str) -> Days:
    """Give a feast of a year."""
    month_, day_, many = FEASTS[name]
    return day(date(year_, month_, day_), many)
