"""`kataribe story checkpoint`, `checkpoints` and `rewind`."""

from __future__ import annotations

from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.wire.story import checkpoint_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption, StoryOption
from kataribe.surfaces.cli.store import opened, say_pending

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The checkpoint's name.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the group of stories."""
    for name, command in (("checkpoint", checkpoint), ("checkpoints", checkpoints), ("rewind", rewind)):
        app.command(name)(command)


def checkpoint(
    name: NameArgument,
    story_id: StoryOption,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of one of this name.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Keep a story as it stands under a name, to be rewound to."""
    with opened() as kataribe:
        made = kataribe.story(story_id).checkpoint(name, replace=replace)
    if as_json:
        output.json_line(checkpoint_json(made))
    else:
        output.note(f"kept {story_id} as {name!r}: {_counts(made)}")


def checkpoints(
    story_id: StoryOption,
    delete: Annotated[
        str | None, typer.Option("--delete", metavar="NAME", help="Forget this one; the story stays.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the checkpoints of a story, or delete one."""
    with opened() as kataribe:
        if delete is not None:
            kataribe.story(story_id).checkpoints.delete(delete)
            output.note(f"deleted checkpoint {delete!r} of {story_id}")
            return
        found = kataribe.story(story_id).checkpoints.list()
    if as_json:
        for one in found:
            output.json_line(checkpoint_json(one))
        return
    rows = [(one.name, one.at[:19].replace("T", " "), one.episodes, one.facts) for one in found]
    output.table("", ("name", "when (UTC)", "episodes", "facts"), rows)


def rewind(name: NameArgument, story_id: StoryOption, as_json: JsonOption = False) -> None:
    """Make a story what it was at a checkpoint; `undo` takes that back.

    An episode made since is deleted and can be restored. Talk under the story follows its episodes.
    """
    with opened() as kataribe:
        kept = kataribe.story(story_id).rewind(name)
        if as_json:
            output.json_line(checkpoint_json(kept))
        else:
            output.result(f"rewound {story_id} to {name!r}: {_counts(kept)}")
        say_pending(kataribe, story_id)


def _counts(one: face.Checkpoint) -> str:
    return f"{output.count(one.episodes, 'episode')}, {output.count(one.facts, 'fact')}"
