"""Who asks: the options that make a viewer of a story, of a user or of both, and what it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

import kataribe as face
from kataribe.domain.recall.requests import At, ViewerKeys
from kataribe.domain.space import parse_space
from kataribe.errors import InputError
from kataribe.formats.logtimes import told_time
from kataribe.surfaces.cli import output

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


def _episode(typed: str) -> At:
    """Read an episode's number, or `now`."""
    if typed == "now":
        return "now"
    try:
        no = int(typed)
    except ValueError:
        raise typer.BadParameter(f"{typed!r} is neither a whole number nor now.") from None
    if no < 1:
        raise typer.BadParameter(f"{no} is not in the range x>=1.")
    return no


EpisodeOption = Annotated[
    Any,
    typer.Option(
        "--at",
        metavar="N|now",
        parser=_episode,
        help="The episode they are in; they know up to N-1. now: after the last.",
    ),
]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="TIME", help="With --user: as of this moment (else now).")
]

ReaderOption = Annotated[
    bool, typer.Option("--reader", help="Somebody who reads the story asks, and is told nothing later.")
]
ReadOption = Annotated[
    int | None, typer.Option("--read", metavar="N", min=0, help="With --reader: the last episode read.")
]


def viewer_keys(
    story_id: str | None,
    character: str | None,
    at: At | None,
    user: str | None,
    as_of: str | None,
    *,
    reader: bool = False,
    read: int | None = None,
) -> ViewerKeys:
    """Make a viewer's words out of the options: of a story, of a user, of both together, or of a reader.

    Raises `typer.BadParameter` for none of these, and when something is missing.
    """
    if reader or read is not None:
        if not reader or read is None or story_id is None:
            raise typer.BadParameter("a reader is named by --story, --reader and --read together")
        if character is not None or at is not None or user is not None or as_of is not None:
            raise typer.BadParameter("--reader goes with --story and --read alone: a reader is no character")
        return {"story": story_id, "reader": True, "read": read}
    if user is None and as_of is not None:
        raise typer.BadParameter("--as-of goes with --user; in a story give an episode with --at")
    if story_id is None:
        if user is None:
            raise typer.BadParameter(
                "name whose memory it is: --story with --as and --at, or --user, or both together"
            )
        if at is not None:
            raise typer.BadParameter("--at is an episode's number: name its story with --story too")
        return {"user": user, "persona": character, "as_of": moment(as_of)}
    if character is None or at is None:
        raise typer.BadParameter("with --story give --as and --at too")
    keys: ViewerKeys = {"story": story_id, "persona": character, "at": at}
    return keys if user is None else {**keys, "user": user, "as_of": moment(as_of)}


def moment(text: str | None) -> datetime | None:
    """Read a moment with its zone; None for None. Raises `typer.BadParameter`."""
    try:
        told = told_time(text, UTC)
    except InputError as error:
        raise typer.BadParameter(error.in_shell) from error
    if told is not None and not told.zoned:
        raise typer.BadParameter(
            f"{text} has no zone; end it with one, as 2023-05-09T12:00Z or 2023-05-09T12:00+09:00"
        )
    return None if told is None else told.moment


_SAID = ("session", "speaker", "time")


def places(hits: Sequence[face.Hit]) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Name the columns that say where hits are from, and give each hit's cells.

    That is its episode, or who said it when in which session; with both sorts of hits the columns
    of both, and a column for its space when there are several.
    """
    apart = spaces_apart(hit.space for hit in hits)
    has_told = any(isinstance(hit, face.FactHit) for hit in hits) or not hits
    has_said = any(isinstance(hit, face.TurnHit) for hit in hits)
    head = (*(("space",) if apart else ()), *(("episode",) if has_told else ()), *(_SAID if has_said else ()))
    values = [{"space": hit.space, **_place(hit)} for hit in hits]
    return head, [tuple(row.get(name) for name in head) for row in values]


def _place(hit: face.Hit) -> dict[str, object]:
    if isinstance(hit, face.FactHit):
        return {"episode": hit.episode_no}
    if isinstance(hit, face.PassageHit):
        return {"document": hit.document}
    return {"session": hit.session, "speaker": hit.speaker, "time": hit.time.isoformat()}


def spaces_apart(spaces: Iterable[str]) -> bool:
    """Whether what is shown comes from more than one kind of space, or from talk held at several places.

    A branch and its parents are one story: their spaces differ, and episodes tell them apart.
    """
    named = {parse_space(space) for space in spaces}
    return len({(space.type, space.place) for space in named}) > 1


def say_pending_of(
    viewer: face.Viewer, *, in_cast: bool, episodes: Sequence[int] = (), turns: int = 0
) -> None:
    """Warn of what a viewer is not given: for not being in the cast, or because it is not in memory yet."""
    if viewer.story is not None and not in_cast:
        output.warn(
            f"{viewer.character!r} is not in the cast of {viewer.story} at episode {viewer.at}: "
            f"only what everybody knows is given"
            + ("" if viewer.user is None else ", and nothing that was said under the story")
        )
    if episodes:
        numbers = ", ".join(str(no) for no in episodes)
        output.warn(f"not in memory yet: episode {numbers}; run `kataribe sync --story {viewer.story}`")
    if turns:
        output.warn(
            f"not in memory yet: {output.count(turns, 'turn')}; run `kataribe sync --user {viewer.user}`"
        )


def holder_cell(scope: str, character_id: str) -> str:
    """Say who remembers a hit; a star marks a secret."""
    return "everybody" if scope == "world" else f"{character_id} *"
