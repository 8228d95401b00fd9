"""`kataribe card`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kataribe.errors import InputError
from kataribe.formats.cards.card import card_bytes, form_of
from kataribe.formats.cards.told import CardImport
from kataribe.formats.jsonl import read_bytes
from kataribe.formats.wire.cards import card_import_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption, StoryOption
from kataribe.surfaces.cli.store import opened, say_shared_names

app = typer.Typer(rich_markup_mode=None)

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="JSON, PNG or charx.")]


@app.command("import")
def import_(
    file: FileArgument,
    story_id: StoryOption,
    character_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="The character's id (else made of the name).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Bring in a character card: a character of the cast, and its lore as an episode of facts."""
    with opened() as kataribe:
        story = kataribe.story(story_id)
        done = story.cards.import_card(file, character_id=character_id)
        say_import(done, story_id, as_json=as_json)
        say_shared_names(story.cast.list())


@app.command("export")
def export(
    character_id: Annotated[str, typer.Argument(metavar="ID", help="A character of the cast.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .json, .png or .charx.")],
    story_id: StoryOption,
    like: Annotated[
        Path | None,
        typer.Option("--like", metavar="FILE", help="A card whose picture and assets are taken over."),
    ] = None,
) -> None:
    """Write a character as a card, with its lore as it stands now."""
    form = form_of(file)
    if like is not None and form_of(like) is not form:
        raise InputError(
            f"--like names a {form_of(like)}, and a {form} is written; name one of the same form"
        )
    given = None if like is None else read_bytes(like)
    with opened() as kataribe:
        card = kataribe.story(story_id).cards.card(character_id)
    write_file(file, card_bytes(card, form, like=given, name=str(like)))


def say_import(done: CardImport, story_id: str, *, as_json: bool) -> None:
    """Tell what came of a card or a lorebook."""
    if as_json:
        output.json_line(card_import_json(done, story_id))
        return
    who = "" if done.character_id is None else f"{done.character_id}: "
    if done.episode_no is None:
        output.note(f"{who}{output.count(done.told, 'fact')} of other episodes, no episode of its own")
        return
    output.note(f"{who}{output.count(done.told, 'fact')}; episode {done.episode_no} is {done.change}")


def write_file(file: Path, data: bytes) -> None:
    """Write a file whole. Raises `InputError` when it cannot be written."""
    try:
        file.write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot write {file}: {error.strerror}") from error
    output.note(f"wrote {file}")
