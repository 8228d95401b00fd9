"""`kataribe cast`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.story.inputs import Address, Alias, Character, Description, NameKind, Narration
from kataribe.domain.story.undo import brief
from kataribe.errors import InputError, NotFoundError
from kataribe.formats.wire.inputs import cast_import_json, character_json
from kataribe.formats.wire.story import cast_suggestion_json
from kataribe.surfaces.cli import group, output
from kataribe.surfaces.cli.options import JsonOption, StoryOption
from kataribe.surfaces.cli.store import (
    alias,
    narration,
    opened,
    say_look_alikes,
    say_merged,
    say_pending,
    say_shared_names,
)

app = typer.Typer(rich_markup_mode=None)
app.add_typer(group.app, name="group", help="Say who is told things together.")

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
NarratesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--narrates",
        metavar="FROM[-TO][:TOLD]",
        help="Episodes it tells; to TOLD (a,b) when it is a letter, a diary or a testimony.",
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
    narrates: NarratesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a character to the cast."""
    named = () if name is None else (Alias(text=name, kind=NameKind.NAME),)
    character = Character(
        character_id=character_id,
        aliases=named + tuple(alias(text) for text in aliases or ()),
        descriptions=() if description is None else (Description(text=description),),
        narrates=tuple(narration(text) for text in narrates or ()),
    )
    with opened() as kataribe:
        added = kataribe.story(story_id).cast.add(character)
        if as_json:
            output.json_line(character_json(added))
        output.note(f"added {character_id} to {story_id}")
        say_look_alikes(kataribe.story(story_id).cast.list())
        say_shared_names(kataribe.story(story_id).cast.list())
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
    rows += [("narrates", *_told(told)) for told in c.narrates]
    output.table(c.character_id, ("what", "text", "from", "known by"), rows)


def _known(address: Address) -> tuple[str, str]:
    since = "the start" if address.since == 0 else f"episode {address.since}"
    return since, ", ".join(address.audience.holders())


def _told(told: Narration) -> tuple[str, str, str]:
    """Say up to where it is told, from when on, and to whom."""
    return f"up to episode {told.until}", f"episode {told.since}", ", ".join(sorted(told.told_to))


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
    narrates: NarratesOption = None,
    narrates_nothing: Annotated[
        bool, typer.Option("--narrates-nothing", help="Let it tell no episode any more.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Change a character; what is not given stays."""
    change = face.CastEdit(
        name=name,
        description=description,
        add_aliases=tuple(alias(text) for text in aliases or ()),
        remove_aliases=tuple(remove or ()),
        narrates=_narrates(narrates, nothing=narrates_nothing),
    )
    with opened() as kataribe:
        changed = kataribe.story(story_id).cast.edit(character_id, change)
        if as_json:
            output.json_line(character_json(changed))
        say_pending(kataribe, story_id)


def _narrates(given: list[str] | None, *, nothing: bool) -> tuple[Narration, ...] | None:
    if given and nothing:
        raise InputError("a character tells episodes or none; choose --narrates or --narrates-nothing")
    return tuple(narration(text) for text in given) if given else () if nothing else None


@app.command("rename")
def rename(
    character_id: IdArgument,
    new_id: Annotated[str, typer.Argument(metavar="NEW")],
    story_id: StoryOption,
    as_json: JsonOption = False,
) -> None:
    """Give a character another id in the cast and in every fact and annotation.

    Marks in deleted texts follow; a mark in a living text is to be edited first.
    """
    with opened() as kataribe:
        kataribe.story(story_id).cast.rename(character_id, new_id)
        if as_json:
            output.json_line(character_json(kataribe.story(story_id).cast.get(new_id)))
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
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE")],
    story_id: StoryOption,
    as_json: JsonOption = False,
) -> None:
    """Bring in the characters and groups of a cast.json; others stay, and what only a hand changed."""
    cast, groups = face.read_cast(Path(file)), face.read_groups(Path(file)) or ()
    with opened() as kataribe:
        merged = kataribe.story(story_id).cast.merge(cast, groups)
        if as_json:
            output.json_line(cast_import_json(story_id, merged, characters=len(cast), groups=len(groups)))
        say_merged(merged.kept, merged.clashes)
        output.note(f"{output.count(len(cast), 'character')}, {merged.changed} changed")
        say_look_alikes(kataribe.story(story_id).cast.list())
        say_shared_names(kataribe.story(story_id).cast.list())
        say_pending(kataribe, story_id)


@app.command("suggest")
def suggest(
    story_id: StoryOption,
    at_least: Annotated[
        int, typer.Option("--at-least", metavar="N", help="How often the texts must name somebody.")
    ] = 2,
    accept: Annotated[
        list[str] | None, typer.Option("--accept", metavar="ID", help="Take one of them into the cast.")
    ] = None,
    accept_all: Annotated[bool, typer.Option("--accept-all", help="Take all of them.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Propose whom the texts name and the cast has not, with how often and where first."""
    with opened() as kataribe:
        cast = kataribe.story(story_id).cast
        found = cast.suggest(at_least=at_least)
        taken = _accepted(found, accept or [], everybody=accept_all)
        if as_json:
            for one in found:
                output.json_line(cast_suggestion_json(one))
        else:
            rows = [
                (
                    one.character.character_id,
                    str(one.count),
                    f"{one.episode_no}.{one.scene}",
                    brief(one.quote),
                )
                for one in found
            ]
            output.table("", ("id", "count", "episode.scene", "first named in"), rows)
        if taken:
            cast.put([one.character for one in taken])
            output.note(f"added {', '.join(one.character.character_id for one in taken)} to {story_id}")
            say_shared_names(cast.list())
            say_pending(kataribe, story_id)


def _accepted(
    found: Sequence[face.CastSuggestion], ids: Sequence[str], *, everybody: bool
) -> list[face.CastSuggestion]:
    proposed = {one.character.character_id: one for one in found}
    for one in ids:
        if one not in proposed:
            raise NotFoundError(f"nobody is proposed as {one!r}; `kataribe cast suggest` shows who is")
    return list(found) if everybody else [proposed[one] for one in dict.fromkeys(ids)]
