"""`kataribe schedule`."""

from __future__ import annotations

import time
from datetime import UTC, datetime, tzinfo
from typing import Annotated

import typer

from kataribe.formats.logtimes import zone_named
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.nightly import say_night
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.viewers import OptionalUser

_LOOK = 30.0
"""Seconds between two looks at what is due: a machine may sleep, and users come."""


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command("schedule")(schedule)


def schedule(
    user_id: OptionalUser = None,
    cron: Annotated[
        str, typer.Option("--cron", metavar="EXPR", help="When, as five fields of cron.")
    ] = "0 3 * * *",
    timezone: Annotated[str, typer.Option("--timezone", metavar="Z", help="The zone of --cron.")] = "UTC",
    once: Annotated[bool, typer.Option("--once", help="Hold the nights that were missed, and end.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Hold nights at their time, those that were missed first, each once; it can be stopped at any moment."""
    zone = zone_named(timezone)
    _catch_up(user_id, cron, zone, datetime.now(UTC), as_json=as_json)
    if not once:
        output.note("nights that were missed are held; waiting for the next one")
    while not once:
        time.sleep(_LOOK)
        _catch_up(user_id, cron, zone, datetime.now(UTC), as_json=as_json)


def _catch_up(user_id: str | None, cron: str, zone: tzinfo, upto: datetime, *, as_json: bool) -> None:
    with opened() as kataribe:
        users = [user_id] if user_id is not None else [one.user_id for one in kataribe.admin.users()]
        for one in users:
            for report in kataribe.user(one).memory.catch_up(cron, zone, upto=upto):
                say_night(report, digest=False, as_json=as_json)
