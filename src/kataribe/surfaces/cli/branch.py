"""`kataribe story branch`."""

from __future__ import annotations

from typing import Annotated

import typer

from kataribe.formats.wire.inputs import story_json
from kataribe.formats.wire.story import branch_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption, TitleOption
from kataribe.surfaces.cli.store import opened, say_pending
from kataribe.surfaces.cli.views import CsvOption, HtmlOption, OutOption, compare_stories, wish_of

app = typer.Typer(rich_markup_mode=None)


@app.command("add")
def add(
    story_id: Annotated[str, typer.Argument(metavar="NEW")],
    of: Annotated[str, typer.Option("--of", metavar="STORY", help="The story to fork.")],
    after: Annotated[
        int, typer.Option("--after", metavar="N", min=1, help="The last episode that is read of it.")
    ],
    title: TitleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fork an IF story off a story; it goes on with episodes of its own."""
    with opened() as kataribe:
        story = kataribe.story(of).branches.add(story_id, after=after, title=title)
        if story.parent != of:
            output.note(f"episode {after} of {of} belongs to {story.parent}: the branch is one of that story")
        output.note(
            f"created {story_id}, a branch of {story.parent} after {after} ({story.fork_episode_id}); "
            f"its own episodes begin at {after + 1}"
        )
        if as_json:
            output.json_line(branch_json(kataribe.story(story_id).branches.origin()))


@app.command("list")
def list_(
    of: Annotated[
        str | None, typer.Option("--of", metavar="STORY", help="Only branches of this one, and theirs.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List branches: where each is forked, and what it holds."""
    with opened() as kataribe:
        found = kataribe.admin.branches() if of is None else kataribe.story(of).branches.list()
    if as_json:
        for branch in found:
            output.json_line(branch_json(branch))
    else:
        rows = [
            (b.story_id, b.parent, b.after, b.inherited, len(b.own), len(b.pending), b.title) for b in found
        ]
        output.table("", ("id", "of", "after", "inherited", "own", "pending", "title"), rows)


@app.command("show")
def show(story_id: Annotated[str, typer.Argument(metavar="ID")], as_json: JsonOption = False) -> None:
    """Show a branch: what it reads, and from where."""
    with opened() as kataribe:
        branch = kataribe.story(story_id).branches.origin()
    own = [str(no) for no in branch.own]
    if as_json:
        output.json_line(branch_json(branch))
        return
    rows = [
        ("id", branch.story_id),
        ("title", branch.title or ""),
        ("branch of", f"{branch.parent} after {branch.after}"),
        ("fork episode", branch.fork_episode_id),
        ("lineage", " > ".join(branch.lineage)),
        ("inherited episodes", branch.inherited),
        ("own episodes", ", ".join(own)),
        ("pending", ", ".join(str(no) for no in branch.pending)),
    ]
    output.table("", ("what", "value"), rows)


@app.command("diff")
def diff(
    story_id: Annotated[str, typer.Argument(metavar="ID")],
    at: Annotated[
        int | None, typer.Option("--at", metavar="N", min=1, help="Only what is told before this episode.")
    ] = None,
    character: Annotated[
        str | None, typer.Option("--as", metavar="CHARACTER", help="Only what this character may know.")
    ] = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_html: HtmlOption = False,
    out: OutOption = None,
) -> None:
    """Show where a branch differs from what it is forked off: canon first, the branch second."""
    wish = wish_of(as_json, as_csv, as_html, out)
    with opened() as kataribe:
        parent = kataribe.story(story_id).branches.origin().parent
    compare_stories(parent, story_id, at, character, wish)


@app.command("detach")
def detach(story_id: Annotated[str, typer.Argument(metavar="ID")], as_json: JsonOption = False) -> None:
    """Give a branch copies of all it reads, so that it stands by itself."""
    with opened() as kataribe:
        parent = kataribe.story(story_id).branches.origin().parent
        kataribe.story(story_id).branches.detach()
        output.note(f"detached {story_id} from {parent}: it is a story of its own now")
        if as_json:
            output.json_line(story_json(kataribe.story(story_id).info()))
        say_pending(kataribe, story_id)
