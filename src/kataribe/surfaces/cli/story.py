"""`kataribe story`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.evidence import AudienceMode
from kataribe.formats.wire.inputs import story_json, story_state_json
from kataribe.formats.wire.manuscripts import import_preview_json
from kataribe.formats.wire.work import story_import_json
from kataribe.surfaces.cli import branch, checkpoints, output
from kataribe.surfaces.cli.manuscripts import (
    DryRunOption,
    opened_for,
    say_manuscript,
    show_preview,
    uncut_warnings,
)
from kataribe.surfaces.cli.options import (
    EmbedderOption,
    EncodingOption,
    JsonOption,
    ModelOption,
    StoryOption,
    TitleOption,
)
from kataribe.surfaces.cli.store import (
    clash_warnings,
    look_alike_warnings,
    opened,
    say_look_alikes,
    say_merged,
    say_pending,
    say_shared_names,
    shared_name_warnings,
)

app = typer.Typer(rich_markup_mode=None)
app.add_typer(branch.app, name="branch", help="Fork IF stories off a story.")
checkpoints.register(app)


class LanguageName(StrEnum):
    """A language that comes with rules of its own."""

    JA = "ja"
    EN = "en"


class OnlyName(StrEnum):
    """Which half of a folder to take."""

    FACTS = "facts"
    TEXT = "text"


AudienceOption = Annotated[
    AudienceMode | None,
    typer.Option("--audience", help="How sure a guess must be: strict, evident (new stories) or wide."),
]
LanguageOption = Annotated[
    LanguageName | None, typer.Option("--language", help="ja or en (told from the first text when left out).")
]


@app.command("add")
def add(
    story_id: Annotated[str, typer.Argument(metavar="ID")],
    language: Annotated[LanguageName, typer.Option("--language", help="ja or en.")] = LanguageName.EN,
    title: TitleOption = None,
    embedder: EmbedderOption = None,
    model: ModelOption = None,
    audience: AudienceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a story."""
    with opened() as kataribe:
        story = kataribe.story(story_id).create(
            language=language.value, title=title, embedder=embedder, model=model, audience=audience
        )
        output.note(f"created {story.story_id} ({story.language}, embedder {story.embedder_id})")
        if as_json:
            output.json_line(story_json(story))


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List all stories."""
    with opened() as kataribe:
        if as_json:
            for story in kataribe.admin.stories():
                output.json_line(story_json(story))
            return
        forks = {b.story_id: f"branch of {_fork(b)}" for b in kataribe.admin.branches()}
        rows = [
            (s.story_id, s.language, s.embedder, s.title, forks.get(s.story_id))
            for s in kataribe.admin.stories()
        ]
        output.table("", ("id", "language", "embedder", "title", "branch"), rows)


@app.command("show")
def show(story_id: Annotated[str, typer.Argument(metavar="ID")], as_json: JsonOption = False) -> None:
    """Show a story: what was chosen for it, and how far memory is."""
    with opened() as kataribe:
        story = kataribe.story(story_id).info()
        episodes = kataribe.story(story_id).episodes.list()
        if as_json:
            output.json_line(story_state_json(story, kataribe.story(story_id).cast.list(), episodes))
            return
        live = [episode for episode in episodes if episode.is_live]
        told = " (told from the first text)" if story.language_told else ""
        rows = [
            ("id", story.story_id),
            ("title", story.title or ""),
            ("language", story.language + told),
            ("embedder", story.embedder_id),
            ("model", story.extractor),
            ("extractor", story.extractor_id),
            ("audience", story.audience.value),
            *([("branch of", _fork(kataribe.story(story_id).branches.origin()))] if story.parent else []),
            ("cast", ", ".join(c.character_id for c in kataribe.story(story_id).cast.list())),
            ("episodes", len(live)),
            ("deleted", len(episodes) - len(live)),
            ("pending", ", ".join(str(e.no) for e in live if e.is_pending)),
        ]
        output.table("", ("what", "value"), rows)


def _fork(branch: face.Branch) -> str:
    return f"{branch.parent} after {branch.after}"


@app.command("model")
def model_(
    story_id: Annotated[str, typer.Argument(metavar="ID")],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="rules, or provider:name.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what reads a story's texts, or choose it."""
    with opened() as kataribe:
        story = kataribe.story(story_id).info() if name is None else kataribe.story(story_id).set_model(name)
        if as_json:
            output.json_line(story_json(story))
        elif name is None:
            output.result(story.extractor)
        if name is None:
            return
        output.note(f"the texts of {story_id} are read by {story.extractor}")
        say_pending(kataribe, story_id)


@app.command("audience")
def audience_(
    story_id: Annotated[str, typer.Argument(metavar="ID")],
    mode: Annotated[
        AudienceMode | None, typer.Argument(metavar="MODE", help="strict, evident or wide.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show how sure a guess must be to be somebody's memory, or choose it.

    What is less sure waits in review. No text is read again.
    """
    with opened() as kataribe:
        handle = kataribe.story(story_id)
        story = handle.info() if mode is None else handle.set_audience(mode)
        if as_json:
            output.json_line(story_json(story))
        elif mode is None:
            output.result(story.audience.value)
        if mode is None:
            return
        output.note(
            f"a guess in {story_id} is somebody's memory from {story.audience.minimum:.2f} on "
            f"({story.audience})"
        )
        say_pending(kataribe, story_id)


@app.command("rename")
def rename(
    story_id: Annotated[str, typer.Argument(metavar="ID")],
    new_id: Annotated[str, typer.Argument(metavar="NEW")],
) -> None:
    """Give a story another id."""
    with opened() as kataribe:
        kataribe.story(story_id).rename(new_id)
        output.note(f"renamed {story_id} to {new_id}")


@app.command("delete")
def delete(story_id: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    """Delete a story with everything in it."""
    with opened() as kataribe:
        kataribe.story(story_id).delete()
        output.note(f"deleted {story_id}")


@app.command("import")
def import_(
    folder: Annotated[
        str, typer.Argument(metavar="DIR|FILE", help="A story folder, or a .txt, .md, .docx or .epub.")
    ],
    story_id: StoryOption,
    language: LanguageOption = None,
    only: Annotated[OnlyName | None, typer.Option("--only", help="facts or text.")] = None,
    embedder: EmbedderOption = None,
    model: ModelOption = None,
    audience: AudienceOption = None,
    encoding: EncodingOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a story say what a folder or a manuscript says; run `sync` afterwards."""
    with opened_for(dry_run=dry_run) as kataribe:
        report = kataribe.story(story_id).import_folder(
            folder,
            language=None if language is None else language.value,
            only=None if only is None else only.value,
            embedder=embedder,
            model=model,
            audience=audience,
            encoding=encoding,
            dry_run=dry_run,
        )
        say_manuscript(report)
        if report.preview is not None:
            if as_json:
                warnings = _warnings(report)
                output.json_line(import_preview_json(story_id, report, report.preview, warnings))
            else:
                show_preview(report.preview)
            _say_counts(story_id, report, "would be ")
            return
        story = kataribe.story(story_id).info()
        if as_json:
            output.json_line(story_import_json(report, story))
        if language is None and story.language_told and report.new:
            output.note(f"language told from the first text: {story.language}")
        if report.joined:
            output.warn(_joined(report))
        say_merged(report.cast_kept, report.cast_clashes)
        say_look_alikes(kataribe.story(story_id).cast.list())
        say_shared_names(kataribe.story(story_id).cast.list())
        if report.is_open:
            output.warn(_OPEN)
        _say_counts(story_id, report)
        if report.to_sync:
            output.note(
                f"{output.count(report.to_sync, 'episode')} to remember: "
                f"run `kataribe sync --story {story_id}`"
            )


_OPEN = "the story has neither cast nor annotations: whatever its texts say is everybody's"


def _joined(report: face.ImportReport) -> str:
    return (
        f"named only in facts or annotations, now in the cast: {', '.join(report.joined)} "
        f"(`kataribe cast add` makes them stay)"
    )


def _warnings(report: face.ImportReport) -> list[str]:
    """Everything that an import warns of, a sentence each."""
    return [
        *uncut_warnings(report),
        *([_joined(report)] if report.joined else ()),
        *clash_warnings(report.cast_clashes),
        *look_alike_warnings(report.look_alikes),
        *shared_name_warnings(report.shared_names),
        *([_OPEN] if report.is_open else ()),
    ]


def _say_counts(story_id: str, report: face.ImportReport, would: str = "") -> None:
    output.note(
        f"{story_id}: {would}{len(report.new)} new, {len(report.edited)} edited, "
        f"{len(report.unchanged)} unchanged episodes, {output.count(report.facts, 'fact')}"
    )


@app.command("export")
def export(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Where to write; made when missing.")],
    story_id: StoryOption,
    guessed: Annotated[
        bool,
        typer.Option("--guessed", help="Add who holds what by guess to visibility.jsonl, to be edited."),
    ] = False,
) -> None:
    """Write a story to a folder that `story import` reads."""
    with opened() as kataribe:
        kataribe.story(story_id).export(folder, guessed=guessed)
        output.note(f"wrote {story_id} to {folder}")
