"""`kataribe policy`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kataribe.domain.recall.policy_file import NO_TUNING, Tuning
from kataribe.formats.policy import policy_text, read_policy, tiers_text
from kataribe.settings import from_environment
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.store import CHOICE

app = typer.Typer(rich_markup_mode=None)


@app.command("show")
def show(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A policy file (else the one that is installed).")
    ] = None,
) -> None:
    """Print what a policy sets, and after it all numbers of the tiers."""
    found = _policy(file)
    output.lines(policy_text(Tuning(recall=found.recall, embedders=found.embedders)))
    output.lines(tiers_text(found.tiers))


@app.command("check")
def check(file: Annotated[Path, typer.Argument(metavar="FILE", help="A policy file.")]) -> None:
    """Say whether a policy file can be used, else which key is wrong."""
    read_policy(file)
    output.note(f"{file} can be used")


def _policy(file: Path | None) -> Tuning:
    installed = from_environment(CHOICE.path, policy=CHOICE.policy).policy
    chosen = file if file is not None or installed is None else Path(installed)
    return NO_TUNING if chosen is None else read_policy(chosen)
