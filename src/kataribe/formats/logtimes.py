"""Times of a log: read in any of the forms logs have, and filled in where they are missing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from kataribe.errors import InputError
from kataribe.formats.jsonl import described

TICK = timedelta(milliseconds=1)
"""How far apart turns stand that were told no time of their own."""

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SPOKEN = re.compile(
    r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Told:
    """A moment as a log tells it; `zoned` is False when the zone is the reader's guess."""

    moment: datetime
    zoned: bool


def zone_named(name: str) -> tzinfo:
    """Give an IANA zone by name. Raises `InputError`."""
    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError(f"there is no timezone {name!r}; name one as Asia/Tokyo or Europe/London") from error


def told_time(value: object, zone: tzinfo) -> Told | None:
    """Read ISO 8601 or seconds since 1970; None for null. Raises `InputError`."""
    match value:
        case None:
            return None
        case bool():
            pass
        case int() | float():
            return Told(_of_seconds(value), zoned=True)
        case str() if value.strip():
            return _of_text(value.strip(), zone)
    raise InputError(f"time must be ISO 8601 or seconds since 1970, not {described(value)}")


def spoken_time(text: str, zone: tzinfo) -> Told:
    """Read `1:56 pm on 8 May, 2023`. Raises `InputError`."""
    found = _SPOKEN.fullmatch(text.strip())
    if found is not None:
        hour, minute, half, day, month, year = found.groups()
        names = [name for name in _MONTHS if name.startswith(month.lower())]
        if len(month) >= 3 and len(names) == 1 and 1 <= int(hour) <= 12:
            of_day = int(hour) % 12 + (12 if half.lower() == "p" else 0)
            try:
                naive = datetime(int(year), _MONTHS.index(names[0]) + 1, int(day), of_day, int(minute))
            except ValueError as error:
                raise InputError(f"there is no such time as {text!r}: {error}") from error
            return Told(_placed(naive, zone), zoned=False)
    return _of_text(text.strip(), zone)


_NAMED_DAY = re.compile(
    r"([a-z]+)\s+(\d{1,2}),?\s+(\d{4}),?\s+(?:at\s+)?(\d{1,2}):(\d{2})(?::\d{2})?\s*(?:([ap])\.?m\.?)?",
    re.IGNORECASE,
)


def named_day_time(text: str, zone: tzinfo) -> Told:
    """Read `June 22, 2023 3:30pm`. Raises `InputError`."""
    found = _NAMED_DAY.fullmatch(" ".join(text.split()))
    names = [] if found is None else [name for name in _MONTHS if name.startswith(found[1].lower())]
    if found is None or len(found[1]) < 3 or len(names) != 1:
        raise InputError(f"time {text[:40]!r} is not as June 22, 2023 3:30pm")
    hour = int(found[4]) if found[6] is None else int(found[4]) % 12 + (12 if found[6].lower() == "p" else 0)
    month = _MONTHS.index(names[0]) + 1
    return written_time(
        text, zone, year=int(found[3]), month=month, day=int(found[2]), hour=hour, minute=int(found[5])
    )


def written_time(
    text: str,
    zone: tzinfo,
    *,
    year: int,
    month: int,
    day: int,
    hour: int,
    minute: int,
    second: int = 0,
    milli: int = 0,
) -> Told:
    """Give a moment that was read out of `text` part by part, without a zone. Raises `InputError`."""
    try:
        naive = datetime(year, month, day, hour, minute, second, milli * 1000)
    except ValueError as error:
        raise InputError(f"there is no such time as {text!r}: {error}") from error
    return Told(_placed(naive, zone), zoned=False)


def _of_seconds(value: float) -> datetime:
    try:
        if not math.isfinite(value):
            raise ValueError("not a number of seconds")
        # Whole milliseconds: a float holds no more of a moment of our days.
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=round(value * 1000))
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"time {described(value)} is no moment in seconds since 1970; divide milliseconds by 1000"
        ) from error


def _of_text(text: str, zone: tzinfo) -> Told:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"time {text[:40]!r} is not ISO 8601, as 2023-05-08T13:56:00+09:00") from error
    if moment.tzinfo is not None:
        return Told(_fixed(moment), zoned=True)
    return Told(_placed(moment, zone), zoned=False)


def _placed(naive: datetime, zone: tzinfo) -> datetime:
    """Give a moment told without a zone the zone's offset of that day."""
    return _fixed(naive.replace(tzinfo=zone))


def _fixed(moment: datetime) -> datetime:
    # An offset and not a zone: what is added to it is time gone by, and equal moments are equal.
    offset = moment.utcoffset() or timedelta()
    try:
        _ = moment.replace(tzinfo=timezone(offset)).astimezone(UTC)
    except OverflowError as error:
        raise InputError(f"time {moment.isoformat()} is out of the years that can be told") from error
    return moment.replace(tzinfo=UTC if not offset else timezone(offset))


def filled_in(times: Sequence[datetime | None], *, start: datetime | None) -> list[datetime]:
    """Give every turn a time: without one it is that of the turn before and a millisecond.

    Those before the first known time stand a millisecond apart before it, or from `start` on
    where one is given. Raises `InputError` when there is neither.
    """
    lead = next((at for at, time in enumerate(times) if time is not None), len(times))
    if start is not None:
        filled = [start + at * TICK for at in range(lead)]
    elif lead < len(times):
        known = times[lead]
        assert known is not None
        filled = [known - (lead - at) * TICK for at in range(lead)]
    elif times:
        raise InputError("no turn tells its time; say with --start when the first was said")
    else:
        filled = []
    for time in times[lead:]:
        filled.append(filled[-1] + TICK if time is None else time)
    return filled


def turned_back(said: Sequence[tuple[str, datetime]]) -> int:
    """Count the turns that stand earlier than the turn before them in their session."""
    last: dict[str, datetime] = {}
    back = 0
    for session, time in said:
        back += session in last and time < last[session]
        last[session] = time
    return back
