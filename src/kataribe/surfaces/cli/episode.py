"""`kataribe episode`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.given import read_annotations, read_facts
from kataribe.formats.wire.story import version_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import (
    EpisodeIdOption,
    FileArgument,
    JsonOption,
    NumberOption,
    StoryOption,
    TitleOption,
)
from kataribe.surfaces.cli.store import opened, say_pending, text_of

app = typer.Typer(rich_markup_mode=None)


def _say_sync(story_id: str) -> None:
    output.note(f"stored; memory follows with `kataribe sync --story {story_id}`")


def _is_pending(kataribe: face.Kataribe, story_id: str, no: int) -> bool:
    return any(one.is_pending for one in kataribe.story(story_id).episodes.list() if one.no == no)


@app.command("put")
def put(
    file: FileArgument,
    story_id: StoryOption,
    no: NumberOption,
    episode_id: EpisodeIdOption = None,
    title: TitleOption = None,
    facts: Annotated[
        Path | None,
        typer.Option("--facts", metavar="FILE", help="Its facts, as lines of facts.jsonl (else they stay)."),
    ] = None,
    visibility: Annotated[
        Path | None,
        typer.Option(
            "--visibility",
            metavar="FILE",
            help="Who may know what of its text, as lines of visibility.jsonl (else that stays).",
        ),
    ] = None,
) -> None:
    """Add an episode, or give the one of this number a new text, with its facts."""
    text = text_of(file)
    rows = None if facts is None else read_facts(facts)
    notes = None if visibility is None else read_annotations(visibility)
    with opened() as kataribe:
        done = kataribe.story(story_id).episodes.put(
            no, text, episode_id=episode_id, title=title, facts=rows, annotations=notes
        )
        output.note(f"episode {done.no} ({done.episode_id}) v{done.version}: {done.change}")
        if done.change != "unchanged" and (rows is None or _is_pending(kataribe, story_id, no)):
            _say_sync(story_id)


@app.command("show")
def show(story_id: StoryOption, no: NumberOption) -> None:
    """Print an episode's text byte for byte."""
    with opened() as kataribe:
        output.verbatim(kataribe.story(story_id).episodes.get(no=no).text)


@app.command("list")
def list_(story_id: StoryOption) -> None:
    """List all episodes, deleted ones too."""
    with opened() as kataribe:
        rows = [
            (
                e.no,
                e.episode_id,
                f"v{e.version}",
                e.fact_source.value,
                e.characters,
                _state(e, story_id),
                e.title,
            )
            for e in kataribe.story(story_id).episodes.list()
        ]
        output.table("", ("no", "id", "version", "facts", "characters", "state", "title"), rows)


def _state(episode: face.EpisodeState, story_id: str) -> str:
    state = "deleted" if not episode.is_live else "pending" if episode.is_pending else "in memory"
    return state if episode.story_id == story_id else f"{state}, of {episode.story_id}"


@app.command("history")
def history(story_id: StoryOption, no: NumberOption, as_json: JsonOption = False) -> None:
    """Show every version of an episode and what each changed in memory."""
    with opened() as kataribe:
        entries = kataribe.story(story_id).episodes.history(no=no)
    if as_json:
        for entry in entries:
            output.json_line(version_json(entry))
        return
    for entry in entries:
        state = "" if entry.synced else ", put nothing into memory"
        output.result(f"v{entry.version}  {entry.created_at}  {len(entry.text)} characters{state}")
        for mark, changes in (("+", entry.gained), ("-", entry.lost)):
            for change in changes:
                output.result(f"  {mark} [{change.holder}] {change.text}")


@app.command("delete")
def delete(story_id: StoryOption, no: NumberOption) -> None:
    """Delete an episode with its memories; its number stays a gap."""
    with opened() as kataribe:
        output.note(f"deleted episode {no} ({kataribe.story(story_id).episodes.delete(no=no)})")
        say_pending(kataribe, story_id)


@app.command("restore")
def restore(story_id: StoryOption, no: NumberOption) -> None:
    """Bring back the episode last deleted from this number."""
    with opened() as kataribe:
        output.note(f"restored episode {no} ({kataribe.story(story_id).episodes.restore(no=no)})")
        say_pending(kataribe, story_id)


@app.command("insert")
def insert(
    file: FileArgument,
    story_id: StoryOption,
    no: NumberOption,
    episode_id: EpisodeIdOption = None,
    title: TitleOption = None,
) -> None:
    """Put a new episode at this number; what was there and later moves up by one."""
    text = text_of(file)
    with opened() as kataribe:
        done = kataribe.story(story_id).episodes.insert(no=no, text=text, episode_id=episode_id, title=title)
        output.note(f"inserted episode {done.no} ({done.episode_id})")
        _say_sync(story_id)


@app.command("renumber")
def renumber(
    story_id: StoryOption,
    no: NumberOption,
    to: Annotated[int, typer.Option("--to", metavar="M", min=1, help="A free number.")],
) -> None:
    """Move an episode to a free number."""
    with opened() as kataribe:
        output.note(f"{kataribe.story(story_id).episodes.renumber(no=no, to=to)} is episode {to} now")
        say_pending(kataribe, story_id)
