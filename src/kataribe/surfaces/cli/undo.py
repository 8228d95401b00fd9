"""`kataribe undo`."""

from __future__ import annotations

from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.wire.story import step_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption, StoryOption
from kataribe.surfaces.cli.store import opened, say_pending


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("undo")(undo)


def undo(
    story_id: StoryOption,
    as_list: Annotated[bool, typer.Option("--list", help="List what can be undone, newest first.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take back the last change to a story's facts, cast or episodes, made by a command or a decision.

    Again, it takes back the one before. An episode that was added is deleted and can be
    restored. What has been changed since, by an import say, is not touched.
    """
    with opened() as kataribe:
        if as_list:
            _list(kataribe.story(story_id).steps(), as_json=as_json)
            return
        step = kataribe.story(story_id).undo()
        if as_json:
            output.json_line(step_json(step))
        else:
            output.result(f"taken back: {step.summary}")
        say_pending(kataribe, story_id)


def _list(steps: tuple[face.Step, ...], *, as_json: bool) -> None:
    if as_json:
        for step in steps:
            output.json_line(step_json(step))
        return
    rows = [(step.number, step.at[:19].replace("T", " "), step.summary) for step in steps]
    output.table("", ("step", "when (UTC)", "what"), rows)
