"""`kataribe work`."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer

import kataribe as face
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption, OptionalStory, StoryOption
from kataribe.surfaces.cli.store import opened

app = typer.Typer(rich_markup_mode=None)


@app.command("list")
def list_(
    story_id: OptionalStory = None,
    dead: Annotated[bool, typer.Option("--dead", help="Only what failed too often.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the episodes that are not in memory, and why."""
    with opened() as kataribe:
        found = [item for item in kataribe.work(story_id) if not dead or item.state == "dead"]
    if as_json:
        for item in found:
            output.json_line({**asdict(item), "until": _moment(item.until)})
        return
    if not found:
        output.note("no dead letters" if dead else "nothing to do: memory is up to the texts")
        return
    rows = [
        (item.story_id, item.episode_no, item.episode_id, _state(item), item.attempts or "", item.error)
        for item in found
    ]
    output.table("", ("story", "episode", "id", "state", "attempts", "why"), rows)


def _state(item: face.WorkItem) -> str:
    if item.worker is not None:
        return f"working: {item.worker.partition('/')[0]} until {_moment(item.until)}"
    if item.until is not None:
        return f"waiting until {_moment(item.until)}"
    return item.state.value


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


@app.command("retry")
def retry(
    story_id: OptionalStory = None,
    no: Annotated[
        int | None, typer.Option("--at", metavar="N", min=1, help="Only this episode, dropped or not.")
    ] = None,
) -> None:
    """Make what failed due at once; `sync` takes it up."""
    if no is not None and story_id is None:
        raise typer.BadParameter("--at needs --story")
    with opened() as kataribe:
        count = kataribe.retry_work(story_id, episode_no=no)
    advice = "; run `kataribe sync`" if count else ""
    output.note(f"{output.count(count, 'episode')} to be tried again{advice}")


@app.command("drop")
def drop(
    story_id: StoryOption, no: Annotated[int, typer.Option("--at", metavar="N", min=1, help="The episode.")]
) -> None:
    """Leave an episode out of memory until its text, cast or facts change."""
    with opened() as kataribe:
        kataribe.drop_work(story_id, episode_no=no)
    output.note(f"{story_id} episode {no} is left out of memory until its inputs change")


@app.command("accept")
def accept(
    story_id: StoryOption, no: Annotated[int, typer.Option("--at", metavar="N", min=1, help="The episode.")]
) -> None:
    """Accept that a model found nothing in an episode in which facts had been found before."""
    with opened() as kataribe:
        kataribe.accept_empty(story_id, episode_no=no)
    output.note(f"{story_id} episode {no}: what had been found in its text is forgotten")
