"""`kataribe policy`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kataribe.domain.recall.policy_file import NO_TUNING, Tuning
from kataribe.formats.policy import context_text, policy_text, read_policy, tiers_text
from kataribe.settings import from_environment
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.store import CHOICE

app = typer.Typer(rich_markup_mode=None)

PolicyFile = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="A policy file (else the one that is installed).")
]


@app.command("show")
def show(file: PolicyFile = None) -> None:
    """Print what a policy sets, and after it all numbers of contexts and of the tiers."""
    chosen = _chosen(file)
    found = NO_TUNING if chosen is None else read_policy(chosen)
    output.lines(policy_text(Tuning(recall=found.recall, embedders=found.embedders)))
    output.lines(context_text(found.context))
    output.lines(tiers_text(found.tiers))


@app.command("check")
def check(file: PolicyFile = None) -> None:
    """Say whether a policy file can be used, else which key is wrong."""
    chosen = _chosen(file)
    if chosen is None:
        output.note("no policy is installed; the usual numbers hold")
        return
    read_policy(chosen)
    output.note(f"{chosen} can be used")


def _chosen(file: Path | None) -> Path | None:
    """Give the file that is named, else the one that --policy or KATARIBE_POLICY installs."""
    installed = from_environment(CHOICE.path, policy=CHOICE.policy).policy
    return file if file is not None or installed is None else Path(installed)
