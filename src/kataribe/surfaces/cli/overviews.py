"""`kataribe impact`, and `matrix --summary`: what a writer asks of a whole story."""

from __future__ import annotations

from typing import Annotated

import typer

import kataribe as face
from kataribe.surfaces.cli import output, views
from kataribe.surfaces.cli import overview_pages as pages
from kataribe.surfaces.cli.options import FileArgument, JsonOption, NumberOption, StoryOption
from kataribe.surfaces.cli.store import opened, text_of


def register(app: typer.Typer) -> None:
    """Hang the command onto the root."""
    app.command("impact")(impact)


def summary(story_id: str, at: int | None, wish: views.Wish) -> None:
    """Show who knows what, by subject."""
    with opened() as kataribe:
        language = kataribe.story(story_id).info().language
        found = kataribe.story(story_id).views.summary(before=at)
    views.warn_pending(story_id, found.pending)
    page = pages.summary_page(found)

    def show() -> None:
        output.note(page.report.notes[0])
        views.show_sheets(page)

    views.give(page, wish, language, show)


def impact(
    story_id: StoryOption,
    no: NumberOption,
    file: FileArgument,
    gold: Annotated[
        str | None,
        typer.Option("--gold", metavar="FILE", help="Probes as in gold.jsonl: tell which of them change."),
    ] = None,
    as_json: JsonOption = False,
    as_csv: views.CsvOption = False,
    as_html: views.HtmlOption = False,
    out: views.OutOption = None,
) -> None:
    """Tell which facts, holders and probes a new text of an episode would move; nothing is stored."""
    wish = views.wish_of(as_json, as_csv, as_html, out)
    text = text_of(file)
    probes = () if gold is None else face.read_gold(gold)
    with opened() as kataribe:
        language = kataribe.story(story_id).info().language
        found = kataribe.story(story_id).views.impact(no=no, text=text, gold=probes)
    page = pages.impact_page(found)

    def show() -> None:
        views.show_sheets(page)
        for note in page.report.notes:
            output.result(note)

    views.give(page, wish, language, show)
