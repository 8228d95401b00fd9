"""`kataribe remember`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.conversation.turns import Role
from kataribe.formats.logtimes import told_time, zone_named
from kataribe.formats.wire.conversation import turn_receipt_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import EmbedderOption, JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.story import LanguageOption
from kataribe.surfaces.cli.viewers import UserOption


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command("remember")(remember)


def remember(
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="What was said; - reads standard input.")],
    user_id: UserOption,
    speaker: Annotated[str, typer.Option("--speaker", metavar="S", help="Who said it.")],
    persona: Annotated[
        list[str] | None,
        typer.Option("--persona", metavar="P", help="Who was there and may remember; again for more."),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="X", help="The session (else that of the day, UTC).")
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", metavar="TIME", help="When it was said, ISO 8601 (else now).")
    ] = None,
    story_id: Annotated[
        str | None, typer.Option("--story", metavar="S", help="Talk under this story, held at --at.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="N", min=1, help="With --story: the episode the talk is held at."),
    ] = None,
    role: Annotated[
        Role | None,
        typer.Option("--role", help="In which part they speak (else their name tells)."),
    ] = None,
    language: LanguageOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store one thing that was said with a user, and remember it at once; a missing user is made."""
    if (story_id is None) != (at is None):
        raise typer.BadParameter("talk under a story is held at an episode: give both --story and --at")
    if story_id is not None and not persona:
        raise typer.BadParameter("talk under a story needs who was there: give --persona, again for more")
    said = told_time(time, zone_named("UTC"))
    words = sys.stdin.buffer.read().decode("utf-8") if text == "-" else text
    with opened() as kataribe:
        told = kataribe.user(user_id).said(
            words,
            speaker=speaker,
            persona=persona,
            session=session,
            role=role,
            time=None if said is None else said.moment,
            story=story_id,
            at=at,
            language=None if language is None else language.value,
            embedder=embedder,
        )
    _say(told, zone_missing=said is not None and not said.zoned, language_told=language is not None)
    if as_json:
        output.json_line(turn_receipt_json(told))
    else:
        output.result(told.turn_id)


def _say(told: face.TurnReceipt, *, zone_missing: bool, language_told: bool) -> None:
    """Say what a person should know of it."""
    if told.made:
        how = "" if language_told else ", language told from the text"
        output.note(
            f"created user {told.user.user_id} ({told.user.language}, embedder {told.user.embedder_id}{how})"
        )
    if zone_missing:
        output.note("the time has no zone and is taken as UTC")
    if told.is_public:
        output.note("held by world: told to all; --persona names who alone may remember")
    if told.ahead:
        output.warn("dated later than now: remembered only as of that time and later")
    if told.pending is not None:
        output.warn(f"stored, and found by words until it is embedded: {told.pending}")
