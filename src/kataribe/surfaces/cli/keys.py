"""`kataribe keys`."""

from __future__ import annotations

from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.wire.audit import key_status_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened

app = typer.Typer(rich_markup_mode=None)

_COPIES = (
    "keep a copy of it apart from the database: without it what is sealed cannot be read; "
    "when a user is erased, every copy must be replaced by a new one, or destroyed"
)


@app.command("init")
def init(
    anew: Annotated[
        bool,
        typer.Option("--anew", help="Make another for one that is lost; what that sealed stays sealed."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make the store of the users' keys now; it is made by itself when a key is first needed."""
    with opened() as kataribe:
        found = kataribe.admin.keys.init(anew=anew)
    _say(found, as_json=as_json)
    output.note(_COPIES)


@app.command("rotate")
def rotate(
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="SORT", help="file, environment or command (else the sort it has)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Wrap every user's key by another one; no turn is read for it."""
    with opened() as kataribe:
        found = kataribe.admin.keys.rotate(to)
    _say(found, as_json=as_json)
    if found.wrapped_by is not None and found.wrapped_by != "file":
        name = {"environment": "KATARIBE_KEK", "command": "KATARIBE_KEK_COMMAND"}[found.wrapped_by]
        output.note(f"set {name} to what {name}_NEXT is, and unset that one")
    output.note("a copy that was made before still opens by the former key; replace it, or destroy it")


@app.command("status")
def status(as_json: JsonOption = False) -> None:
    """Tell where the keys are and what they are wrapped by."""
    with opened() as kataribe:
        found = kataribe.admin.keys.status()
    _say(found, as_json=as_json)


def _say(found: face.KeyStatus, *, as_json: bool) -> None:
    if as_json:
        output.json_line(key_status_json(found))
    elif not found.is_made:
        output.result("no key was needed yet; the first user's makes the key store")
    else:
        output.result(
            f"{found.place}: {output.count(found.users, 'key')}, wrapped by {found.kek_id} "
            f"({found.wrapped_by}), {output.count(found.tombstones, 'tombstone')}"
        )
