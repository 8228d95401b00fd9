"""`kataribe lorebook`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kataribe.formats.cards.lorebook import lorebook_bytes
from kataribe.surfaces.cli.card import say_import, write_file
from kataribe.surfaces.cli.options import JsonOption, StoryOption
from kataribe.surfaces.cli.store import opened

app = typer.Typer(rich_markup_mode=None)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A lorebook, or World Info.")],
    story_id: StoryOption,
    as_json: JsonOption = False,
) -> None:
    """Bring in a lorebook as an episode of facts, known to all where an entry says nothing else."""
    with opened() as kataribe:
        say_import(kataribe.story(story_id).cards.import_lorebook(file), story_id, as_json=as_json)


@app.command("export")
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where it is written, as JSON.")],
    story_id: StoryOption,
) -> None:
    """Write the facts that an author supplied as a lorebook, each with its audience and episode."""
    with opened() as kataribe:
        book = kataribe.story(story_id).cards.lorebook()
    write_file(file, lorebook_bytes(book))
