"""`kataribe associate`."""

from __future__ import annotations

from typing import Annotated

import typer

from kataribe.conversation.associations import Associations, HeldIdea
from kataribe.domain.conversation.associations.policy import MAX_HOPS
from kataribe.domain.conversation.associations.spreading import EdgeKind, PathStep
from kataribe.domain.recall.requests import At
from kataribe.formats.wire.associations import idea_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.viewers import (
    AsOfOption,
    EpisodeOption,
    PersonaOption,
    UserOption,
    ViewedStory,
    viewer_keys,
)

_ARROWS = {
    EdgeKind.TOGETHER: "with",
    EdgeKind.AFTER: "then",
    EdgeKind.BEFORE: "after",
    EdgeKind.EFFECT: "so",
    EdgeKind.CAUSE: "because of",
}


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("associate")(associate)


def associate(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to begin at.")],
    user_id: UserOption,
    persona: PersonaOption = None,
    story_id: ViewedStory = None,
    at: EpisodeOption = None,
    as_of: AsOfOption = None,
    hops: Annotated[
        int, typer.Option("--hops", metavar="N", min=1, max=MAX_HOPS, help="How far to go.")
    ] = MAX_HOPS,
    top_k: Annotated[
        int, typer.Option("--top-k", metavar="K", min=1, max=100, help="How many ideas at most.")
    ] = 10,
    as_json: JsonOption = False,
) -> None:
    """Show what a text brings to mind: everybody's, or with --as what one may remember.

    The way to each idea says by which words it was reached, and the turns say where they were said.
    """
    found = _found(text, user_id, persona, story_id, at, as_of, hops, top_k)
    if as_json:
        for one in found.ideas:
            output.json_line(idea_json(one.space, one.holder, one.idea, one.sources))
        return
    if not found.found:
        output.note("nothing of that was talked about")
        return
    output.table(
        "", ("idea", "kind", "activation", "held by", "way", "turns"), [_row(one) for one in found.ideas]
    )


def _found(
    text: str,
    user_id: str,
    persona: str | None,
    story_id: str | None,
    at: At | None,
    as_of: str | None,
    hops: int,
    top_k: int,
) -> Associations:
    if persona is None and story_id is None and at is None and as_of is None:
        with opened() as kataribe:
            return kataribe.user(user_id).associations.of(text, hops=hops, top_k=top_k)
    keys = viewer_keys(story_id, persona, at, user_id, as_of)
    with opened() as kataribe:
        return kataribe.viewer(**keys).associate(text, hops=hops, top_k=top_k)


def _row(one: HeldIdea) -> tuple[object, ...]:
    idea = one.idea
    turns = ", ".join(turn.turn_id for turn in one.sources)
    return (idea.node.label, idea.node.kind, f"{idea.activation:.3f}", one.holder, _way(idea.path), turns)


def _way(path: tuple[PathStep, ...]) -> str:
    """Say how an idea was reached: `harbour, with mill, so ferry`."""
    steps = (f"{_ARROWS[step.kind]} {step.end.label}" for step in path)
    return ", ".join((path[0].start.label, *steps))
