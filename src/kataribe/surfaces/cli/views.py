"""`kataribe matrix`, `diff`, `why`, `timeline` and `check`: the writer's views."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.errors import InputError
from kataribe.formats.report import Sheet, to_csv, to_html
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli import terminal as screen
from kataribe.surfaces.cli import view_pages as pages
from kataribe.surfaces.cli.options import JsonOption, StoryOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.view_pages import Page
from kataribe.surfaces.cli.viewers import (
    AsOfOption,
    EpisodeOption,
    OptionalUser,
    ViewedStory,
    WhoOption,
    viewer_keys,
)

CsvOption = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
HtmlOption = Annotated[bool, typer.Option("--html", help="Print one HTML page that needs nothing else.")]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write to a .json, .csv or .html file instead."),
]
FactArgument = Annotated[str | None, typer.Argument(metavar="[FACT_ID]")]
TextOption = Annotated[
    str | None, typer.Option("--text", metavar="T", help="Find the fact by its words, whoever holds it.")
]

_SUFFIXES = {".json": "json", ".csv": "csv", ".html": "html", ".htm": "html"}


def register(app: typer.Typer) -> None:
    """Hang the commands onto the root."""
    for command in (matrix, diff, why, timeline, check):
        app.command(command.__name__)(command)


@dataclass(frozen=True, slots=True)
class Wish:
    """In which form a view is wanted, and where; no form is the terminal's."""

    form: str | None
    out: Path | None


def wish_of(as_json: bool, as_csv: bool, as_html: bool, out: Path | None) -> Wish:
    """Read the options of form; raise `typer.BadParameter` for two forms, or a file of another ending."""
    asked = [name for name, on in (("json", as_json), ("csv", as_csv), ("html", as_html)) if on]
    if len(asked) > 1:
        raise typer.BadParameter(f"choose one of --{' and --'.join(asked)}")
    if out is None:
        return Wish(asked[0] if asked else None, None)
    # The ending is held against the form, so that no other file is overwritten by mistake.
    told = _SUFFIXES.get(out.suffix.lower())
    if told is None or (asked and asked[0] != told):
        wanted = f".{asked[0]}" if asked else ".json, .csv or .html"
        raise typer.BadParameter(f"--out must name a file that ends in {wanted}, not {out.name!r}")
    return Wish(told, out)


def give(page: Page, wish: Wish, language: str, show: Callable[[], None]) -> None:
    """Print a page in the form that is wanted, or write its file; `show` shows it in a terminal."""
    if wish.form is None:
        show()
        return
    text = _written(page, wish.form, language)
    if wish.out is None:
        output.verbatim(text)
        return
    try:
        wish.out.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot write {wish.out}: {error.strerror}") from error
    output.note(f"wrote {wish.out}")


def _written(page: Page, form: str, language: str) -> str:
    if form == "csv":
        return to_csv(page.head, page.rows)
    if form == "html":
        return to_html(replace(page.report, language=language))
    values = page.json if isinstance(page.json, list) else [page.json]
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def show_sheets(page: Page) -> None:
    """Show a page's tables in a terminal."""
    for sheet in page.report.sheets:
        screen.show_sheet(sheet)


def warn_pending(story_id: str, numbers: Iterable[int]) -> None:
    """Warn of episodes that are not in memory."""
    listed = ", ".join(str(no) for no in numbers)
    if listed:
        output.warn(f"not in memory yet: episode {listed}; run `kataribe sync --story {story_id}`")


def matrix(
    story_id: StoryOption,
    characters: Annotated[
        list[str] | None,
        typer.Option("--as", metavar="CHARACTER", help="Only this character's row; may be given again."),
    ] = None,
    first: Annotated[
        int | None, typer.Option("--from", metavar="N", min=1, help="The first episode.")
    ] = None,
    last: Annotated[int | None, typer.Option("--to", metavar="M", min=1, help="Last episode.")] = None,
    is_summary: Annotated[
        bool, typer.Option("--summary", help="Who knows what, by subject: whom facts name.")
    ] = False,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="N", min=1, help="With --summary: as they know it in episode N."),
    ] = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_html: HtmlOption = False,
    out: OutOption = None,
) -> None:
    """Show what each character gains in each episode."""
    wish = wish_of(as_json, as_csv, as_html, out)
    if is_summary:
        if characters or first is not None or last is not None:
            raise typer.BadParameter("--summary goes with --at alone")
        import_module("kataribe.surfaces.cli.overviews").summary(story_id, at, wish)
        return
    if at is not None:
        raise typer.BadParameter("--at goes with --summary; episodes are chosen with --from and --to")
    with opened() as kataribe:
        language = kataribe.story(story_id).info().language
        found = kataribe.story(story_id).views.matrix(
            characters=characters or None,
            first=first,
            last=last,
            lines=wish.form is not None,
        )
    warn_pending(story_id, found.pending)
    if wish.form is None:
        output.note("what is gained in an episode is memory from the next one on")
        screen.show_matrix(found)
        return
    give(pages.matrix_page(found), wish, language, lambda: None)


def diff(
    story_id: StoryOption,
    character: Annotated[
        str | None, typer.Option("--as", metavar="CHARACTER", help="Whose knowledge: a character's id.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="CHARACTER", help="Who it is compared with.")
    ] = None,
    against_story: Annotated[
        str | None, typer.Option("--against-story", metavar="ID", help="The story it is compared with.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="N", min=1, help="The episode they are in (else after the last)."),
    ] = None,
    first: Annotated[
        int | None, typer.Option("--from", metavar="N", min=1, help="The episode it begins in.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--to", metavar="M", min=1, help="The episode it ends in.")
    ] = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_html: HtmlOption = False,
    out: OutOption = None,
) -> None:
    """Show what A knows and B does not, what changed between two episodes, or where two stories differ."""
    wish = wish_of(as_json, as_csv, as_html, out)
    if against_story is not None:
        if against is not None or first is not None or last is not None:
            raise typer.BadParameter("--against-story goes with --at and --as alone")
        compare_stories(story_id, against_story, at, character, wish)
        return
    with opened() as kataribe:
        left, right = _viewers(kataribe, story_id, character, against, at, first, last)
        language = kataribe.story(story_id).info().language
        found = kataribe.story(story_id).views.diff(left, right)
    warn_pending(story_id, found.pending)
    for who in found.missing:
        output.warn(f"{who!r} is not in the cast of {story_id} by then: only what everybody knows counts")
    page = pages.diff_page(found)
    give(page, wish, language, lambda: show_sheets(page))


def _viewers(
    kataribe: face.Kataribe,
    story_id: str,
    character: str | None,
    against: str | None,
    at: int | None,
    first: int | None,
    last: int | None,
) -> tuple[face.Viewer, face.Viewer]:
    if character is None:
        raise typer.BadParameter("say whose knowledge with --as, or give --against-story")
    if against is not None and first is None and last is None:
        stand = _after_the_last(kataribe, story_id) if at is None else at
        return (
            face.Viewer(story=story_id, persona=character, at=stand),
            face.Viewer(story=story_id, persona=against, at=stand),
        )
    if against is None and at is None and first is not None and last is not None:
        if first > last:
            raise typer.BadParameter(f"--from {first} must not come after --to {last}")
        return (
            face.Viewer(story=story_id, persona=character, at=first),
            face.Viewer(story=story_id, persona=character, at=last),
        )
    raise typer.BadParameter("give --against B (with or without --at N), --from N --to M, or --against-story")


def _after_the_last(kataribe: face.Kataribe, story_id: str) -> int:
    return (
        max(
            (episode.no for episode in kataribe.story(story_id).episodes.list() if episode.is_live), default=0
        )
        + 1
    )


def compare_stories(story_id: str, other: str, at: int | None, character: str | None, wish: Wish) -> None:
    """Show where two stories differ."""
    with opened() as kataribe:
        language = kataribe.story(story_id).info().language
        found = kataribe.story(story_id).views.compare(other, before=at, character=character)
    warn_pending(story_id, found.pending_left)
    warn_pending(other, found.pending_right)
    page = pages.stories_page(found)
    give(page, wish, language, lambda: show_sheets(page))


def why(
    fact_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A fact's id or, with --user, a turn's.")
    ] = None,
    story_id: ViewedStory = None,
    character: WhoOption = None,
    at: EpisodeOption = None,
    user: OptionalUser = None,
    as_of: AsOfOption = None,
    text: TextOption = None,
    top_k: Annotated[
        int, typer.Option("--top-k", metavar="K", min=1, max=50, help="How many facts --text may find.")
    ] = 3,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_html: HtmlOption = False,
    out: OutOption = None,
) -> None:
    """Tell why a viewer does or does not know a fact, or remember a turn, each reason in turn."""
    wish = wish_of(as_json, as_csv, as_html, out)
    _one_of(fact_id, text)
    # The engine is loaded on use: a help text must not wait for it.
    viewer_of = import_module("kataribe.engine.viewers").viewer_of
    viewer: face.Viewer = viewer_of(viewer_keys(story_id, character, at, user, as_of), now=datetime.now(UTC))
    with opened() as kataribe:
        language = _language_of(kataribe, viewer)
        found = _why(kataribe, viewer, fact_id, text, top_k)
    page = pages.why_page(found)
    give(page, wish, language, lambda: _show_why(found))


def _why(
    kataribe: face.Kataribe, viewer: face.Viewer, fact_id: str | None, text: str | None, top_k: int
) -> tuple[face.Why, ...]:
    if viewer.story is None:
        return kataribe.user(viewer.user or "").why(viewer, fact_id=fact_id, text=text, top_k=top_k)
    return kataribe.story(viewer.story).views.why(viewer, fact_id=fact_id, text=text, top_k=top_k)


def _language_of(kataribe: face.Kataribe, viewer: face.Viewer) -> str:
    if viewer.story is not None:
        return kataribe.story(viewer.story).info().language
    return kataribe.user(viewer.user or "").info().language


def _one_of(fact_id: str | None, text: str | None) -> None:
    if (fact_id is None) == (text is None):
        raise typer.BadParameter("give either a FACT_ID or --text")


def _show_why(found: Iterable[face.Why]) -> None:
    for one in found:
        screen.say(f"{pages.verdict(one)}: {one.text}", "bold green" if one.knows else "bold red")
        checks = [
            (check.step.value, "yes" if check.ok else "no", check.says, one.fact_id) for check in one.checks
        ]
        rows = [(step, ok, says) for step, ok, says, _ in checks]
        rows += [(name, "", said) for name, said in [("fact", one.fact_id), *pages.evidence_rows(one)]]
        screen.show_sheet(Sheet(title="", head=("asked", "", "because"), rows=rows))


def timeline(
    story_id: StoryOption,
    fact_id: FactArgument = None,
    text: TextOption = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_html: HtmlOption = False,
    out: OutOption = None,
) -> None:
    """Tell who learns a fact or secret in which episode, and who never does."""
    wish = wish_of(as_json, as_csv, as_html, out)
    _one_of(fact_id, text)
    with opened() as kataribe:
        language = kataribe.story(story_id).info().language
        found = kataribe.story(story_id).views.timeline(fact_id=fact_id, text=text)
    warn_pending(story_id, found.pending)
    page = pages.timeline_page(found)

    def show() -> None:
        screen.say(f"{found.text} ({found.fact_id})", "bold")
        show_sheets(page)

    give(page, wish, language, show)


def check(
    story_id: StoryOption,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="M", help="Who reads what rules guess: provider:name (else nobody)."),
    ] = None,
    is_strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 for what is guessed too, unless it is a note.")
    ] = False,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_html: HtmlOption = False,
    out: OutOption = None,
) -> None:
    """Look a story over: contradictions, secrets that show, links, names, quotes; exit 1 on a problem."""
    wish = wish_of(as_json, as_csv, as_html, out)
    with opened() as kataribe:
        language = kataribe.story(story_id).info().language
        found = kataribe.story(story_id).views.check(model=model)
    warn_pending(story_id, found.pending)
    page = pages.check_page(found)

    def show() -> None:
        for finding in found.findings:
            where = "" if finding.episode_no is None else f" episode {finding.episode_no}"
            facts = f" {' '.join(finding.fact_ids[:3])}" if finding.fact_ids else ""
            screen.say(f"{finding.severity.value} {finding.code}{where}{facts}", _STYLES[finding.severity])
            output.result(f"  {finding.says}")
            for quoted in finding.quotes:
                output.result(f"  {pages.place_of(quoted)}: {quoted.text}")
            output.result(f"  -> {finding.advice}")
        output.result(page.report.notes[0])

    give(page, wish, language, show)
    if not found.ok or (is_strict and found.guesses):
        raise typer.Exit(1)


_STYLES = {"problem": "bold red", "warning": "yellow", "note": "dim"}
