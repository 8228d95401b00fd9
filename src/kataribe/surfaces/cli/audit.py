"""`kataribe audit`."""

from __future__ import annotations

from typing import Annotated

import typer

from kataribe.formats.wire.audit import audit_check_json, audit_event_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened

app = typer.Typer(rich_markup_mode=None)


@app.command("list")
def list_(
    space: Annotated[
        str | None,
        typer.Option("--space", metavar="S", help="Of a space, such as user:U, or of store (else of all)."),
    ] = None,
    last: Annotated[int, typer.Option("--last", metavar="N", min=1, help="How many, newest first.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """Show what was done last: when, in which space, and what came of it."""
    with opened() as kataribe:
        found = kataribe.admin.audit.list(space, last=last)
    if as_json:
        for event in found:
            output.json_line(audit_event_json(event))
        return
    rows = [
        (event.at, event.chain, event.n, event.act, event.reason or event.outcome, _told(event.detail))
        for event in found
    ]
    output.table("", ("at", "chain", "no", "act", "outcome", "detail"), rows)


def _told(detail: dict[str, object]) -> str:
    """Write a detail for people: the numbers, without hashes."""
    flat = detail.get("wrote", detail)
    pairs = flat.items() if isinstance(flat, dict) else ()
    return ", ".join(f"{name} {_short(value)}" for name, value in pairs)


def _short(value: object) -> str:
    return str(len(value)) if isinstance(value, dict) else str(value)


@app.command("verify")
def verify(as_json: JsonOption = False) -> None:
    """Tell whether any event was removed, changed, reordered or cut off; ends with 1 when one was."""
    with opened() as kataribe:
        found = kataribe.admin.audit.verify()
    if as_json:
        output.json_line(audit_check_json(found))
    else:
        output.result(
            f"{'sound' if found.ok else 'NOT SOUND'}: {output.count(found.events, 'event')} in "
            f"{output.count(found.chains, 'chain')}, "
            f"{output.count(found.erased, 'chain')} erased with their users, "
            f"{output.count(len(found.problems), 'problem')}"
        )
        for problem in found.problems:
            output.result(problem)
    if not found.ok:
        raise typer.Exit(1)
