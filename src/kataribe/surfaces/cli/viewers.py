"""Who asks: the options that make a viewer of a story or of a user's space, and what it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.asking import ViewerKeys
from kataribe.errors import InputError
from kataribe.formats.logtimes import told_time

UserOption = Annotated[str, typer.Option("--user", metavar="U", help="The user.")]
ViewedStory = Annotated[str | None, typer.Option("--story", metavar="ID", help="The story.")]
OptionalUser = Annotated[
    str | None, typer.Option("--user", metavar="U", help="The user whose conversations are asked about.")
]
OneUser = Annotated[
    str | None, typer.Option("--user", metavar="U", help="The user (else all stories and users).")
]
WhoOption = Annotated[
    str | None,
    typer.Option("--as", metavar="WHO", help="Who remembers: a character's or, with --user, a persona's id."),
]
PersonaOption = Annotated[
    str | None, typer.Option("--as", metavar="P", help="The persona who remembers (else what all were told).")
]
EpisodeOption = Annotated[
    int | None,
    typer.Option("--at", metavar="N", min=1, help="The episode they are in; they know up to N-1."),
]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="TIME", help="With --user: as of this moment (else now).")
]


def viewer_keys(
    story_id: str | None, character: str | None, at: int | None, user: str | None, as_of: str | None
) -> ViewerKeys:
    """Make a viewer's words out of the options; raise `typer.BadParameter` for neither or both."""
    if story_id is not None and user is not None:
        raise typer.BadParameter("--story and --user exclude each other: ask about one of them")
    if user is not None:
        if at is not None:
            raise typer.BadParameter("--at is an episode's number; with --user give a time with --as-of")
        return {"user": user, "persona": character, "as_of": moment(as_of)}
    if as_of is not None:
        raise typer.BadParameter("--as-of goes with --user; in a story give an episode with --at")
    if story_id is None:
        raise typer.BadParameter("name whose memory it is: --story with --as and --at, or --user")
    if character is None or at is None:
        raise typer.BadParameter("with --story give --as and --at too")
    return {"story_id": story_id, "character": character, "at": at}


def moment(text: str | None) -> datetime | None:
    """Read a moment with its zone; None for None. Raises `typer.BadParameter`."""
    try:
        told = told_time(text, UTC)
    except InputError as error:
        raise typer.BadParameter(str(error)) from error
    if told is not None and not told.zoned:
        raise typer.BadParameter(
            f"{text} has no zone; end it with one, as 2023-05-09T12:00Z or 2023-05-09T12:00+09:00"
        )
    return None if told is None else told.moment


def place_head(hits: Iterable[face.Hit]) -> tuple[str, ...]:
    """Name the columns of `place_cells`."""
    return ("session", "speaker", "time") if any(hit.session is not None for hit in hits) else ("episode",)


def place_cells(hit: face.Hit) -> tuple[object, ...]:
    """Say where a hit is from: its episode, or who said it when in which session."""
    return (hit.episode_no,) if hit.session is None else (hit.session, hit.speaker, hit.time)


def holder_cell(scope: str, character_id: str) -> str:
    """Say who remembers a hit; a star marks a secret."""
    return "everybody" if scope == "world" else f"{character_id} *"
