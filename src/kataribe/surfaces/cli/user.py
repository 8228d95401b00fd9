"""`kataribe user`."""

from __future__ import annotations

from typing import Annotated

import typer

from kataribe.formats.wire.conversation import user_state_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.erasures import OptionalToken, show_receipt
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened

app = typer.Typer(rich_markup_mode=None)

UserArgument = Annotated[str, typer.Argument(metavar="USER", help="The user's id.")]


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List all users."""
    with opened() as kataribe:
        found = [kataribe.user(user.user_id).state() for user in kataribe.admin.users()]
    if as_json:
        for state in found:
            output.json_line(user_state_json(state))
        return
    rows = [
        (one.user.user_id, one.user.language, one.user.embedder, one.turns, one.pending_turns)
        for one in found
    ]
    output.table("", ("id", "language", "embedder", "turns", "pending"), rows)


@app.command("show")
def show(user_id: UserArgument, as_json: JsonOption = False) -> None:
    """Show a user: what was chosen, how much was said, and how far memory is."""
    with opened() as kataribe:
        found = kataribe.user(user_id).state()
    if as_json:
        output.json_line(user_state_json(found))
        return
    rows = [
        ("id", found.user.user_id),
        ("language", found.user.language),
        ("embedder", found.user.embedder_id),
        ("model", found.user.model),
        ("turns", found.turns),
        ("sessions", found.sessions),
        ("personas", ", ".join(found.personas)),
        ("pending", found.pending_turns),
    ]
    output.table("", ("what", "value"), rows)


@app.command("delete")
def delete(user_id: UserArgument, token: OptionalToken = None, as_json: JsonOption = False) -> None:
    """Erase a user, with a token of `privacy request`; as `privacy delete`."""
    with opened() as kataribe:
        receipt = kataribe.user(user_id).delete(token)
    show_receipt(receipt, as_json=as_json)
