"""`kataribe tell`."""

from __future__ import annotations

from typing import Annotated

import typer

from kataribe.formats.given import read_annotations, read_facts
from kataribe.formats.wire.inputs import episode_put_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.episode import FactsOption, VisibilityOption, say_sync, state_of_number
from kataribe.surfaces.cli.options import EpisodeIdOption, JsonOption, StoryOption, TitleOption
from kataribe.surfaces.cli.store import opened, text_of


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command("tell")(tell)


def tell(
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="What happened; - reads standard input.")],
    story_id: StoryOption,
    episode_id: EpisodeIdOption = None,
    title: TitleOption = None,
    facts: FactsOption = None,
    visibility: VisibilityOption = None,
    as_json: JsonOption = False,
) -> None:
    """Append an episode to a story, with its facts; prints its number.

    Facts are remembered at once, a text without them with `sync`. With --id the same command
    again is harmless.
    """
    rows = None if facts is None else read_facts(facts)
    notes = None if visibility is None else read_annotations(visibility)
    words = text_of("-") if text == "-" else text
    with opened() as kataribe:
        no = kataribe.story(story_id).tell(
            words, facts=rows, annotations=notes, episode_id=episode_id, title=title
        )
        state = state_of_number(kataribe, story_id, no)
    if state.is_pending:
        say_sync(story_id)
    if as_json:
        output.json_line(episode_put_json(state, change="new"))
    else:
        output.result(str(no))
