"""`kataribe work`."""

from __future__ import annotations

from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.wire.store import moment_text, work_item_json
from kataribe.formats.wire.work import retried_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption, OptionalLibrary, OptionalStory, StoryOption
from kataribe.surfaces.cli.store import opened

app = typer.Typer(rich_markup_mode=None)

WorkUser = Annotated[
    str | None, typer.Option("--user", metavar="U", help="What was said with this user, under stories too.")
]


@app.command("list")
def list_(
    story_id: OptionalStory = None,
    user: WorkUser = None,
    library_id: OptionalLibrary = None,
    dead: Annotated[bool, typer.Option("--dead", help="Only what failed too often.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the episodes, the units of turns and the documents that are not in memory, and why."""
    if sum(one is not None for one in (story_id, user, library_id)) > 1:
        raise typer.BadParameter("--story, --user and --library exclude each other: list the work of one")
    with opened() as kataribe:
        found = [
            item
            for item in kataribe.admin.work(story=story_id, user=user, library=library_id)
            if not dead or item.state == "dead"
        ]
    if as_json:
        for item in found:
            output.json_line(work_item_json(item))
        return
    if not found:
        output.note("no dead letters" if dead else "nothing to do: memory is up to the texts")
        return
    has_turns = any(item.user is not None for item in found)
    has_documents = any(item.library is not None for item in found)
    rows = [
        (
            *(item.story_id, item.episode_no, item.episode_id),
            *((item.user, item.unit if item.user is not None else None) if has_turns else ()),
            *((item.library, item.unit if item.library is not None else None) if has_documents else ()),
            *(_state(item), item.attempts or "", item.error),
        )
        for item in found
    ]
    turns = ("user", "unit") if has_turns else ()
    documents = ("library", "document") if has_documents else ()
    output.table("", ("story", "episode", "id", *turns, *documents, "state", "attempts", "why"), rows)


def _state(item: face.WorkItem) -> str:
    if item.worker is not None:
        return f"working: {item.worker.partition('/')[0]} until {moment_text(item.until)}"
    if item.until is not None:
        return f"waiting until {moment_text(item.until)}"
    return item.state.value


@app.command("retry")
def retry(
    story_id: OptionalStory = None,
    no: Annotated[
        int | None, typer.Option("--at", metavar="N", min=1, help="Only this episode, dropped or not.")
    ] = None,
    user: WorkUser = None,
    unit: Annotated[
        str | None, typer.Option("--unit", metavar="UNIT", help="Only this unit of turns, dropped or not.")
    ] = None,
    library_id: OptionalLibrary = None,
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="D", help="Only this document of --library, dropped or not."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make what failed due at once; `sync` takes it up."""
    if no is not None and story_id is None:
        raise typer.BadParameter("--at needs --story")
    _check_user(story_id, user, unit)
    _check_library(story_id, user, library_id, document)
    with opened() as kataribe:
        if library_id is not None:
            count = kataribe.admin.retry(library=library_id, unit=document)
            output.note(f"{output.count(count, 'document')} to be tried again{_advice(count)}")
            if as_json:
                output.json_line(retried_json(count))
            return
        count = kataribe.admin.retry(story=story_id, episode_no=no, user=user, unit=unit)
        has_turns = user is not None or (story_id is None and bool(kataribe.admin.users()))
    what = "piece of work" if has_turns and user is None else "unit of turns" if has_turns else "episode"
    output.note(f"{_counted(count, what)} to be tried again{_advice(count)}")
    if as_json:
        output.json_line(retried_json(count))


def _advice(count: int) -> str:
    return "; run `kataribe sync`" if count else ""


def _counted(count: int, what: str) -> str:
    noun, _, rest = what.partition(" ")
    return f"{output.count(count, noun)} {rest}".rstrip()


def _check_user(story_id: str | None, user: str | None, unit: str | None) -> None:
    if story_id is not None and user is not None:
        raise typer.BadParameter("--story and --user exclude each other: name an episode, or a unit of turns")
    if unit is not None and user is None:
        raise typer.BadParameter("--unit needs --user")


def _check_library(
    story_id: str | None, user: str | None, library_id: str | None, document: str | None
) -> None:
    if library_id is not None and (story_id is not None or user is not None):
        raise typer.BadParameter("--library excludes --story and --user: name a document by it")
    if document is not None and library_id is None:
        raise typer.BadParameter("--document needs --library")


@app.command("drop")
def drop(
    story_id: Annotated[str | None, typer.Option("--story", metavar="ID", help="The story.")] = None,
    no: Annotated[int | None, typer.Option("--at", metavar="N", min=1, help="The episode.")] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="U", help="The user.")] = None,
    unit: Annotated[str | None, typer.Option("--unit", metavar="UNIT", help="The unit of turns.")] = None,
    library_id: OptionalLibrary = None,
    document: Annotated[
        str | None, typer.Option("--document", metavar="D", help="The document of --library.")
    ] = None,
) -> None:
    """Leave an episode, a unit of turns, or a document out of memory until its inputs change."""
    _check_user(story_id, user, unit)
    _check_library(story_id, user, library_id, document)
    pairs = ((story_id, no), (user, unit), (library_id, document))
    named = next((pair for pair in pairs if None not in pair), None)
    if named is None:
        raise typer.BadParameter(
            "name an episode with --story and --at, turns with --user and --unit, or a document with "
            "--library and --document"
        )
    with opened() as kataribe:
        kataribe.admin.drop(
            story=story_id, episode_no=no, user=user, unit=unit or document, library=library_id
        )
    what = f"{story_id} episode {no}" if story_id is not None else f"{named[0]} {named[1]}"
    output.note(f"{what} is left out of memory until its inputs change")


@app.command("accept")
def accept(
    story_id: StoryOption, no: Annotated[int, typer.Option("--at", metavar="N", min=1, help="The episode.")]
) -> None:
    """Accept that a model found nothing in an episode in which facts had been found before."""
    with opened() as kataribe:
        kataribe.admin.accept_empty(story_id, episode_no=no)
    output.note(f"{story_id} episode {no}: what had been found in its text is forgotten")
