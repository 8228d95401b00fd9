"""`kataribe cast group`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.story.groups import Group, GroupEdit, Membership, Newcomers
from kataribe.errors import InputError
from kataribe.formats.wire.story import group_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption, StoryOption
from kataribe.surfaces.cli.store import opened, say_pending

app = typer.Typer(rich_markup_mode=None)

_MEMBER = re.compile(r"(?P<who>.+?)(?:@(?P<since>[0-9]+)?(?:-(?P<until>[0-9]+))?)?", re.DOTALL)
_LEAVING = re.compile(r"(?P<who>.+)@(?P<last>[0-9]+)", re.DOTALL)

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="Rows and marks name it as @ID.")]
MemberOption = Annotated[
    list[str] | None,
    typer.Option(
        "--member",
        metavar="ID[@FROM[-TO]]",
        help="A character of the cast; from episode FROM to TO, both inclusive, else throughout.",
    ),
]
NewcomersOption = Annotated[
    Newcomers | None,
    typer.Option(
        "--newcomers", help="told: who joins later learns at that episode what the group holds; else not."
    ),
]


@app.command("add")
def add(
    group_id: IdArgument,
    story_id: StoryOption,
    members: MemberOption = None,
    newcomers: NewcomersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a group of characters, who are told things together."""
    group = Group(group_id=group_id, members=_members(members or ()), newcomers=newcomers or Newcomers.NOT)
    with opened() as kataribe:
        added = kataribe.story(story_id).cast.groups.add(group)
        if as_json:
            output.json_line(group_json(added))
        output.note(f"added {group.ref} to {story_id}")
        say_pending(kataribe, story_id)


@app.command("list")
def list_(story_id: StoryOption, as_json: JsonOption = False) -> None:
    """List the groups, with who is in them from when to when."""
    with opened() as kataribe:
        groups = kataribe.story(story_id).cast.groups.list()
    if as_json:
        for group in groups:
            output.json_line(group_json(group))
        return
    rows = [(one.ref, ", ".join(map(_said, one.members)), one.newcomers.value) for one in groups]
    output.table("", ("group", "members", "newcomers"), rows)


@app.command("edit")
def edit(
    group_id: IdArgument,
    story_id: StoryOption,
    members: MemberOption = None,
    leave: Annotated[
        list[str] | None,
        typer.Option("--leave", metavar="ID@TO", help="Who leaves, with the last episode as a member."),
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", metavar="ID", help="Who is to be as if never a member."),
    ] = None,
    newcomers: NewcomersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a group; what is not given stays, and memory follows."""
    change = GroupEdit(
        members=_members(members or ()),
        leave=dict(map(_leaving, leave or ())),
        remove=frozenset(remove or ()),
        newcomers=newcomers,
    )
    with opened() as kataribe:
        changed = kataribe.story(story_id).cast.groups.edit(group_id, change)
        if as_json:
            output.json_line(group_json(changed))
        say_pending(kataribe, story_id)


@app.command("delete")
def delete(group_id: IdArgument, story_id: StoryOption) -> None:
    """Take a group out that no row and no mark names."""
    with opened() as kataribe:
        kataribe.story(story_id).cast.groups.delete(group_id)
        say_pending(kataribe, story_id)


def _members(texts: Iterable[str]) -> tuple[Membership, ...]:
    return tuple(map(_member, texts))


def _member(text: str) -> Membership:
    match = _MEMBER.fullmatch(text)
    if match is None:
        raise InputError("a member must not be empty; write ID, ID@FROM or ID@FROM-TO")
    until = match["until"]
    return Membership(
        character_id=match["who"],
        since=int(match["since"] or 0),
        until=None if until is None else int(until),
    )


def _leaving(text: str) -> tuple[str, int]:
    match = _LEAVING.fullmatch(text)
    if match is None:
        raise InputError(f"write who leaves as ID@TO, with the last episode as a member, not {text!r}")
    return match["who"], int(match["last"])


def _said(one: face.Membership) -> str:
    if one.since == 0 and one.until is None:
        return one.character_id
    return f"{one.character_id} ({one.since or 'the start'} to {one.until or 'the end'})"
