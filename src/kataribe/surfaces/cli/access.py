"""`kataribe access`."""

from __future__ import annotations

from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.wire.access import access_key_json, new_access_key_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened

app = typer.Typer(rich_markup_mode=None)


@app.command("add")
def add(
    scope: Annotated[
        str, typer.Option("--scope", metavar="SCOPE", help="author, viewer, reader, user, front or admin.")
    ],
    story: Annotated[
        str | None, typer.Option("--story", metavar="ID", help="The story (viewer, reader).")
    ] = None,
    persona: Annotated[
        str | None, typer.Option("--as", metavar="P", help="The character or persona (viewer, user, front).")
    ] = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="N", min=1, help="The highest episode (viewer).")
    ] = None,
    read: Annotated[
        int | None, typer.Option("--read", metavar="N", min=1, help="The last episode read (reader).")
    ] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="U", help="The user (user).")] = None,
    users_from: Annotated[
        str | None,
        typer.Option("--users-from", metavar="WHERE", help="header:NAME or body:user (front)."),
    ] = None,
    prefix: Annotated[
        str | None, typer.Option("--prefix", metavar="P", help="What is put before every name (front).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key by which a program may connect; its secret is shown this once."""
    with opened() as kataribe:
        made = kataribe.admin.access.add(
            scope,
            story=story,
            persona=persona,
            upto=at,
            read=read,
            user=user,
            users_from=users_from,
            prefix=prefix,
        )
    if as_json:
        output.json_line(new_access_key_json(made))
        return
    output.note(f"key {made.key.key_id}: {_bound(made.key)}; its secret is shown this once, keep it:")
    output.result(made.secret)


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List the keys, without their secrets."""
    with opened() as kataribe:
        keys = kataribe.admin.access.list()
    if as_json:
        for key in keys:
            output.json_line(access_key_json(key))
        return
    if not keys:
        output.note("there is no access key; `kataribe access add` makes one")
        return
    rows = [(key.key_id, _bound(key), key.made_at[:19]) for key in keys]
    output.table("", ("id", "opens", "made"), rows)


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id, as `access list` shows it.")],
    as_json: JsonOption = False,
) -> None:
    """Take a key back: from now on it opens nothing."""
    with opened() as kataribe:
        key = kataribe.admin.access.revoke(key_id)
    if as_json:
        output.json_line(access_key_json(key))
    else:
        output.result(f"revoked {key.key_id} ({_bound(key)})")


def _bound(key: face.AccessKey) -> str:
    """Say in a few words what a key opens."""
    shown = access_key_json(key)
    told = {
        "story": shown["story"],
        "user": shown["user"],
        "as": key.persona,
        "at": None if key.upto is None else f"1 to {key.upto}",
        "read": None if key.read is None else f"1 to {key.read}",
        "users from": key.users_from,
        "prefix": key.prefix,
    }
    parts = [f"{name} {value}" for name, value in told.items() if value is not None]
    return ", ".join((key.scope.value, *parts))
