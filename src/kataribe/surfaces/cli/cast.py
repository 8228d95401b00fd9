"""`kataribe cast`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.story.inputs import Address, Alias, Character, Description, NameKind
from kataribe.formats.wire.inputs import character_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption, StoryOption
from kataribe.surfaces.cli.store import alias, opened, say_look_alikes, say_pending

app = typer.Typer(rich_markup_mode=None)

IdArgument = Annotated[str, typer.Argument(metavar="ID")]
NameOption = Annotated[str | None, typer.Option("--name", metavar="N", help="The full name.")]
AliasOption = Annotated[
    list[str] | None,
    typer.Option(
        "--alias",
        metavar="TEXT[@FROM[:KNOWERS]]",
        help="Another name; known from episode FROM on by KNOWERS (a,b), else by all from the start.",
    ),
]
DescriptionOption = Annotated[str | None, typer.Option("--description", metavar="D")]


@app.command("add")
def add(
    character_id: IdArgument,
    story_id: StoryOption,
    name: NameOption = None,
    aliases: AliasOption = None,
    description: DescriptionOption = None,
) -> None:
    """Add a character to the cast."""
    named = () if name is None else (Alias(text=name, kind=NameKind.NAME),)
    character = Character(
        character_id=character_id,
        aliases=named + tuple(alias(text) for text in aliases or ()),
        descriptions=() if description is None else (Description(text=description),),
    )
    with opened() as kataribe:
        kataribe.story(story_id).cast.add(character)
        output.note(f"added {character_id} to {story_id}")
        say_look_alikes(kataribe.story(story_id).cast.list())
        say_pending(kataribe, story_id)


@app.command("list")
def list_(story_id: StoryOption, as_json: JsonOption = False) -> None:
    """List the cast, those known only from facts too."""
    with opened() as kataribe:
        found = kataribe.story(story_id).cast.list()
    if as_json:
        for one in found:
            output.json_line(character_json(one))
        return
    rows = [
        (
            c.character_id,
            c.name,
            ", ".join(a.text for a in c.aliases if a.kind is not NameKind.NAME),
            "cast" if c.declared else f"named in facts from episode {c.since}",
        )
        for c in found
    ]
    output.table("", ("id", "name", "aliases", "from"), rows)


@app.command("show")
def show(character_id: IdArgument, story_id: StoryOption, as_json: JsonOption = False) -> None:
    """Show a character with every name, and who knows it from when on."""
    with opened() as kataribe:
        c = kataribe.story(story_id).cast.get(character_id)
    if as_json:
        output.json_line(character_json(c))
        return
    rows = [(a.kind.value, a.text, *_known(a.address)) for a in c.aliases]
    rows += [("description", d.text, *_known(d.address)) for d in c.descriptions]
    output.table(c.character_id, ("what", "text", "from", "known by"), rows)


def _known(address: Address) -> tuple[str, str]:
    since = "the start" if address.since == 0 else f"episode {address.since}"
    return since, ", ".join(address.audience.holders())


@app.command("edit")
def edit(
    character_id: IdArgument,
    story_id: StoryOption,
    name: NameOption = None,
    aliases: AliasOption = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove-alias", metavar="TEXT", help="Take an alias away.")
    ] = None,
    description: DescriptionOption = None,
) -> None:
    """Change a character; what is not given stays."""
    change = face.CastEdit(
        name=name,
        description=description,
        add_aliases=tuple(alias(text) for text in aliases or ()),
        remove_aliases=tuple(remove or ()),
    )
    with opened() as kataribe:
        kataribe.story(story_id).cast.edit(character_id, change)
        say_pending(kataribe, story_id)


@app.command("rename")
def rename(
    character_id: IdArgument,
    new_id: Annotated[str, typer.Argument(metavar="NEW")],
    story_id: StoryOption,
) -> None:
    """Give a character another id in the cast and in every fact and annotation.

    Marks in deleted texts follow; a mark in a living text is to be edited first.
    """
    with opened() as kataribe:
        kataribe.story(story_id).cast.rename(character_id, new_id)
        say_pending(kataribe, story_id)


@app.command("delete")
def delete(character_id: IdArgument, story_id: StoryOption) -> None:
    """Take a character out of the cast."""
    with opened() as kataribe:
        if kataribe.story(story_id).cast.delete(character_id):
            output.warn(
                f"facts or annotations still name {character_id}, who stays in the cast because of them"
            )
        say_pending(kataribe, story_id)


@app.command("import")
def import_(file: Annotated[str, typer.Argument(metavar="FILE")], story_id: StoryOption) -> None:
    """Add or replace the characters of a cast.json; the others stay."""
    cast = face.read_cast(Path(file))
    with opened() as kataribe:
        changed = kataribe.story(story_id).cast.put(cast)
        output.note(f"{output.count(len(cast), 'character')}, {changed} changed")
        say_look_alikes(kataribe.story(story_id).cast.list())
        say_pending(kataribe, story_id)
