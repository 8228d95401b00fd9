"""The moments of a cron expression in a zone, summer time and all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo

from cronsim import CronSim, CronSimError

from kataribe.errors import InputError


def cron_times(expression: str, zone: tzinfo, after: datetime) -> Iterator[datetime]:
    """Give the moments later than `after` that an expression of five fields names, in UTC, in order.

    Raises `InputError` for what is no such expression.
    """
    if len(expression.split()) != 5:
        raise InputError(f"{expression!r} has not the five fields of a cron expression, as '0 3 * * *'")
    try:
        moments = CronSim(expression, after.astimezone(zone))
    except CronSimError as error:
        raise InputError(f"{expression!r} is no cron expression: {error}") from error
    return (moment.astimezone(UTC) for moment in moments)
