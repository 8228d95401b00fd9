"""`kataribe reembed`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import kataribe as face
from kataribe.errors import InputError
from kataribe.formats.wire.store import reembedded_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import BaseUrlOption, JsonOption, OptionalLibrary
from kataribe.surfaces.cli.store import opened


def register(app: typer.Typer) -> None:
    """Hang the command onto the root."""
    app.command("reembed")(reembed)


def reembed(
    embedder: Annotated[
        str,
        typer.Option(
            "--embedder", metavar="E", help="The new one, as `kataribe doctor` lists them, or provider:model."
        ),
    ],
    story_id: Annotated[
        str | None, typer.Option("--story", metavar="ID", help="A story, with its branches and parents.")
    ] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="ID", help="A user.")] = None,
    library_id: OptionalLibrary = None,
    base_url: BaseUrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change the embedder: the old vectors answer until all new ones are there."""
    if sum(one is not None for one in (story_id, user, library_id)) != 1:
        raise InputError(
            "name a story with --story or a user with --user, or a library with --library, one of them"
        )
    with opened(base_url=base_url) as kataribe:
        done = kataribe.admin.reembed(
            embedder=embedder, story=story_id, user=user, library=library_id, progress=_tell
        )
    if as_json:
        output.json_line(reembedded_json(done))
        return
    _say(done)


def _say(done: face.Reembedded) -> None:
    whose = "story " + ", ".join(done.stories)
    if done.user is not None or done.library is not None:
        whose = f"user {done.user}" if done.user is not None else f"library {done.library}"
    output.note(
        f"{whose}: {output.count(done.texts, 'text')} embedded, "
        f"{output.count(done.memories, 'memory').replace('memorys', 'memories')} "
        f"moved from {done.before} to {done.embedder_id}"
    )
    if done.is_lexical:
        output.warn(f"{done.embedder} compares spelling, not meaning")


def _tell(done: int, total: int) -> None:
    if sys.stderr.isatty():
        output.over(f"{done} of {output.count(total, 'text')}", is_last=done >= total)
    elif done >= total:
        output.note(f"{done} of {output.count(total, 'text')}")
