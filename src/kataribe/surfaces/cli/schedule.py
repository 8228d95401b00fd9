"""`kataribe schedule`."""

from __future__ import annotations

import time
from datetime import UTC, datetime, tzinfo
from typing import Annotated

import typer

import kataribe as face
from kataribe.errors import StoreError
from kataribe.formats.logtimes import zone_named
from kataribe.formats.wire.backups import kept_backup_json
from kataribe.settings import from_environment
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.nightly import say_night
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import CHOICE, opened
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
    """Hold nights and write backups at their time, what was missed first; it can be stopped at any moment."""
    zone = zone_named(timezone)
    is_done = _catch_up(user_id, cron, zone, datetime.now(UTC), as_json=as_json)
    if once and not is_done:
        raise typer.Exit(1)
    if not once:
        output.note("nights that were missed are held; waiting for the next one")
    while not once:
        time.sleep(_LOOK)
        _catch_up(user_id, cron, zone, datetime.now(UTC), as_json=as_json)


def _catch_up(user_id: str | None, cron: str, zone: tzinfo, upto: datetime, *, as_json: bool) -> bool:
    """Do what is due; gives whether the backup that was due could be written."""
    with opened() as kataribe:
        users = [user_id] if user_id is not None else [one.user_id for one in kataribe.admin.users()]
        for one in users:
            for report in kataribe.user(one).memory.catch_up(cron, zone, upto=upto):
                say_night(report, digest=False, as_json=as_json)
    return _back_up(zone, upto, as_json=as_json)


def _back_up(zone: tzinfo, upto: datetime, *, as_json: bool) -> bool:
    """Write the backup that is due, where a folder is set; a refusal is told, and the nights go on."""
    settings = from_environment(CHOICE.path, policy=CHOICE.policy, keys=CHOICE.keys)
    if settings.backups_folder is None:
        return True
    try:
        done = face.scheduled_backup(settings=settings, zone=zone, upto=upto)
    except StoreError as error:
        output.note(f"error: no backup: {error.in_shell}")
        return False
    if done is not None and as_json:
        output.json_line(kept_backup_json(done))
    elif done is not None:
        gone = f", {output.count(len(done.removed), 'older one')} removed" if done.removed else ""
        output.result(f"wrote {done.path}, which has passed its check{gone}")
    return True
