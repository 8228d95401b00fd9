"""`kataribe upgrade`, and what is said when a command upgrades a store on its way."""

from __future__ import annotations

from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.wire.store import upgrade_json
from kataribe.settings import from_environment
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import CHOICE


def register(app: typer.Typer) -> None:
    """Hang the command onto the root."""
    app.command("upgrade")(upgrade)


def upgrade(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Try it on a copy that is thrown away; change nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Bring a store of an earlier version to the newest one; a copy of it as it was is kept."""
    found = face.upgrade(settings=from_environment(CHOICE.path), dry_run=dry_run)
    if as_json:
        output.json_line(upgrade_json(found))
    else:
        _say(found)
    if found.problems:
        raise typer.Exit(1)


def _say(found: face.Upgrade) -> None:
    if not found.is_needed:
        output.result(f"{found.path} has the newest schema, {found.head}")
    elif found.is_dry:
        output.result(f"{found.path} would go from schema {found.found} to {found.head}; nothing was changed")
    else:
        output.result(f"{found.path} went from schema {found.found} to {found.head}; as it was: {found.copy}")
    output.result(", ".join(f"{number} {name}" for name, number in found.counts.items()))
    for problem in found.problems:
        output.result(f"problem: {problem}")
