"""`kataribe episode`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.given import read_annotations, read_facts
from kataribe.formats.wire.inputs import episode_json, episode_put_json, episode_state_json, state_of
from kataribe.formats.wire.story import version_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import (
    EncodingOption,
    EpisodeIdOption,
    FileArgument,
    JsonOption,
    NumberOption,
    StoryOption,
    TitleOption,
)
from kataribe.surfaces.cli.store import opened, say_pending, text_of

app = typer.Typer(rich_markup_mode=None)


def say_sync(story_id: str) -> None:
    """Say that a text waits to be remembered."""
    output.note(f"stored; memory follows with `kataribe sync --story {story_id}`")


def state_of_number(kataribe: face.Kataribe, story_id: str, no: int) -> face.EpisodeState:
    """Give the state of a story's own episode."""
    return next(
        one for one in kataribe.story(story_id).episodes.list() if one.no == no and one.story_id == story_id
    )


FactsOption = Annotated[
    Path | None,
    typer.Option("--facts", metavar="FILE", help="Its facts, as lines of facts.jsonl (else they stay)."),
]
VisibilityOption = Annotated[
    Path | None,
    typer.Option(
        "--visibility",
        metavar="FILE",
        help="Who may know what of its text, as lines of visibility.jsonl (else that stays).",
    ),
]


@app.command("put")
def put(
    file: FileArgument,
    story_id: StoryOption,
    no: NumberOption,
    episode_id: EpisodeIdOption = None,
    title: TitleOption = None,
    facts: FactsOption = None,
    visibility: VisibilityOption = None,
    encoding: EncodingOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add an episode, or give the one of this number a new text, with its facts."""
    text = text_of(file, encoding)
    rows = None if facts is None else read_facts(facts)
    notes = None if visibility is None else read_annotations(visibility)
    with opened() as kataribe:
        done = kataribe.story(story_id).episodes.put(
            no, text, episode_id=episode_id, title=title, facts=rows, annotations=notes
        )
        output.note(f"episode {done.no} ({done.episode_id}) v{done.version}: {done.change}")
        state = state_of_number(kataribe, story_id, no)
        if done.change != "unchanged" and (rows is None or state.is_pending):
            say_sync(story_id)
        if as_json:
            output.json_line(episode_put_json(state, change=done.change))


@app.command("show")
def show(story_id: StoryOption, no: NumberOption, as_json: JsonOption = False) -> None:
    """Print an episode's text byte for byte."""
    with opened() as kataribe:
        found = kataribe.story(story_id).episodes.get(no=no)
    if as_json:
        output.json_line(episode_json(found, story_id))
    else:
        output.verbatim(found.text)


@app.command("list")
def list_(story_id: StoryOption, as_json: JsonOption = False) -> None:
    """List all episodes, deleted ones too."""
    with opened() as kataribe:
        found = kataribe.story(story_id).episodes.list()
    if as_json:
        for one in found:
            output.json_line(episode_state_json(one))
        return
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
        for e in found
    ]
    output.table("", ("no", "id", "version", "facts", "characters", "state", "title"), rows)


def _state(episode: face.EpisodeState, story_id: str) -> str:
    state = state_of(episode)
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
def delete(story_id: StoryOption, no: NumberOption, as_json: JsonOption = False) -> None:
    """Delete an episode with its memories; its number stays a gap."""
    with opened() as kataribe:
        gone = kataribe.story(story_id).episodes.delete(no=no)
        output.note(f"deleted episode {no} ({gone})")
        _say_state(kataribe, story_id, gone, as_json=as_json)


def _say_state(kataribe: face.Kataribe, story_id: str, episode_id: str, *, as_json: bool) -> None:
    """Say how an episode that was moved stands now, and what is left to be done."""
    if as_json:
        states = kataribe.story(story_id).episodes.list()
        output.json_line(episode_state_json(next(one for one in states if one.episode_id == episode_id)))
    say_pending(kataribe, story_id)


@app.command("restore")
def restore(story_id: StoryOption, no: NumberOption, as_json: JsonOption = False) -> None:
    """Bring back the episode last deleted from this number."""
    with opened() as kataribe:
        back = kataribe.story(story_id).episodes.restore(no=no)
        output.note(f"restored episode {no} ({back})")
        _say_state(kataribe, story_id, back, as_json=as_json)


@app.command("insert")
def insert(
    file: FileArgument,
    story_id: StoryOption,
    no: NumberOption,
    episode_id: EpisodeIdOption = None,
    title: TitleOption = None,
    encoding: EncodingOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put a new episode at this number; what was there and later moves up by one."""
    text = text_of(file, encoding)
    with opened() as kataribe:
        done = kataribe.story(story_id).episodes.insert(no=no, text=text, episode_id=episode_id, title=title)
        output.note(f"inserted episode {done.no} ({done.episode_id})")
        say_sync(story_id)
        if as_json:
            state = state_of_number(kataribe, story_id, done.no)
            output.json_line(episode_put_json(state, change=done.change))


@app.command("renumber")
def renumber(
    story_id: StoryOption,
    no: NumberOption,
    to: Annotated[int, typer.Option("--to", metavar="M", min=1, help="A free number.")],
    as_json: JsonOption = False,
) -> None:
    """Move an episode to a free number."""
    with opened() as kataribe:
        moved = kataribe.story(story_id).episodes.renumber(no=no, to=to)
        output.note(f"{moved} is episode {to} now")
        _say_state(kataribe, story_id, moved, as_json=as_json)
