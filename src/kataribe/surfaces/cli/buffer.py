"""`kataribe buffer`."""

from __future__ import annotations

from typing import Annotated

import typer

from kataribe.formats.wire.threads import buffer_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.thread import message_row
from kataribe.surfaces.cli.viewers import (
    AsOfOption,
    EpisodeOption,
    PersonaOption,
    UserOption,
    ViewedStory,
    viewer_keys,
)


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command("buffer")(buffer)


def buffer(
    user_id: UserOption,
    persona: PersonaOption = None,
    story_id: ViewedStory = None,
    at: EpisodeOption = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="X", help="The session (else the last one).")
    ] = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a persona has at hand of what was just said."""
    keys = viewer_keys(story_id, persona, at, user_id, as_of)
    with opened() as kataribe:
        found = kataribe.viewer(**keys).buffer(session=session)
    if as_json:
        output.json_line(buffer_json(found))
        return
    output.table("", ("id", "time", "speaker", "text"), [message_row(turn) for turn in found.turns])
    if found.ended_by is not None:
        output.note(f"nothing before it: {_LIMITS[found.ended_by.value]}")
    if found.resumes is not None:
        output.note(f"the conversation would go on with thread {found.resumes}")


_LIMITS = {
    "messages": "the limit of messages is reached",
    "tokens": "the limit of tokens is reached",
    "idle": "nobody spoke for too long",
    "ttl": "it was said too long ago",
}
