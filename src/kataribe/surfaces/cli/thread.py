"""`kataribe thread`."""

from __future__ import annotations

from typing import Annotated

import typer

from kataribe.conversation.threads import HeldThread, HeldThreads
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.recall.requests import At
from kataribe.formats.wire.threads import moment_text, thread_json, thread_text_json
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

app = typer.Typer(rich_markup_mode=None)


@app.command("list")
def list_threads(
    user_id: UserOption,
    persona: PersonaOption = None,
    story_id: ViewedStory = None,
    at: EpisodeOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the threads of what was said with a user: everybody's, or with --as those one may remember."""
    found = _found(user_id, persona, story_id, at, as_of).threads
    if as_json:
        for one in found:
            output.json_line(thread_json(one.space, one.holder, one.thread))
        return
    rows = [_row(one) for one in found]
    output.table("", ("id", "held by", "session", "began", "ended", "messages", "first words"), rows)


@app.command("show")
def show_thread(
    thread_id: Annotated[str, typer.Argument(metavar="ID", help="As `thread list` gives it.")],
    user_id: UserOption,
    persona: PersonaOption = None,
    story_id: ViewedStory = None,
    at: EpisodeOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a thread with all that was said in it."""
    one = _found(user_id, persona, story_id, at, as_of).one(thread_id)
    if as_json:
        output.json_line(thread_text_json(one.space, one.holder, one.thread))
        return
    output.heading(f"{thread_id}, held by {one.holder}, session {one.thread.session}: {_state(one)}")
    output.table("", ("id", "time", "speaker", "text"), [message_row(turn) for turn in one.thread.turns])


def _found(
    user_id: str, persona: str | None, story_id: str | None, at: At | None, as_of: str | None
) -> HeldThreads:
    if persona is None and story_id is None and at is None and as_of is None:
        with opened() as kataribe:
            return kataribe.user(user_id).memory.threads()
    keys = viewer_keys(story_id, persona, at, user_id, as_of)
    with opened() as kataribe:
        return kataribe.viewer(**keys).threads()


def _row(one: HeldThread) -> tuple[object, ...]:
    thread = one.thread
    ended = "" if thread.ended is None else moment_text(thread.ended)
    return (
        thread.thread_id,
        one.holder,
        thread.session,
        f"{thread.turns[0].time.isoformat()} ({thread.began})",
        ended,
        len(thread.turns),
        thread.turns[0].text,
    )


def _state(one: HeldThread) -> str:
    thread = one.thread
    if thread.ended is None:
        return "goes on"
    return f"ended {moment_text(thread.ended)} ({thread.ended_by})"


def message_row(turn: Turn) -> tuple[object, ...]:
    """Give the cells of a message."""
    return (turn.turn_id, turn.time.isoformat(), turn.speaker, turn.text)
