"""`kataribe fact`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.space import parse_space
from kataribe.formats.wire.inputs import FactIdJson
from kataribe.formats.wire.story import fact_json
from kataribe.surfaces.cli import output, review
from kataribe.surfaces.cli.options import JsonOption, KeepQuote, NoQuote, StoryOption
from kataribe.surfaces.cli.store import audience, opened, say_pending

app = typer.Typer(rich_markup_mode=None)

IdArgument = Annotated[str, typer.Argument(metavar="ID")]
KnownBy = typer.Option("--known-by", metavar="a,b|world", help="Who knows it.")
QuoteOption = Annotated[
    str | None, typer.Option("--quote", metavar="Q", help="Words of the episode that prove it.")
]
ImportanceOption = Annotated[
    int | None, typer.Option("--importance", metavar="I", min=1, max=5, help="1 to 5; 3 when left out.")
]
ToldOption = Annotated[
    str | None, typer.Option("--told-from", metavar="ID", help="The secret that is told here.")
]
SupersedesOption = Annotated[
    str | None, typer.Option("--supersedes", metavar="ID", help="The older fact this one replaces.")
]
ArousalOption = Annotated[
    str | None, typer.Option("--arousal", metavar="A", help="How stirring it is, 0 to 1.")
]
NO_AROUSAL = "none"
ChangedArousal = Annotated[
    str | None,
    typer.Option("--arousal", metavar="A|none", help="How stirring it is, 0 to 1; none takes it away."),
]


@app.command("add")
def add(
    story_id: StoryOption,
    episode: Annotated[int, typer.Option("--episode", metavar="N", min=1)],
    text: Annotated[str, typer.Option("--text", metavar="T")],
    known_by: Annotated[str, KnownBy],
    quote: QuoteOption = None,
    importance: ImportanceOption = None,
    told_from: ToldOption = None,
    supersedes: SupersedesOption = None,
    arousal: ArousalOption = None,
    widen: Annotated[
        bool, typer.Option("--widen", help="Let those know it too where the episode says the same already.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Add a fact by hand; prints its id.

    It is refused when the episode has it already, or says the same to somebody whom --known-by
    leaves out; with --widen those of --known-by come to know what is there.
    """
    stirring = None if arousal is None else _share(arousal)
    with opened() as kataribe:
        before = {c.character_id for c in kataribe.story(story_id).cast.list()}
        found = {
            f.fact_id for f in kataribe.story(story_id).facts.list(episode_no=episode) if _is_extracted(f)
        }
        fact_id = kataribe.story(story_id).facts.add(
            episode_no=episode,
            text=text,
            audience=audience(known_by),
            quote=quote,
            importance=3 if importance is None else importance,
            told_from=told_from,
            supersedes=supersedes,
            arousal=stirring,
            widen=widen,
        )
        if fact_id in found:
            output.note("the text says the same: from now on the fact is one made by hand")
        _say_joined(kataribe.story(story_id).cast.list(), before)
        waits = _say_review(kataribe.story(story_id).facts.list(episode_no=episode), fact_id)
        say_pending(kataribe, story_id)
        if as_json:
            told: FactIdJson = {"story": story_id, "fact_id": fact_id, "in_review": waits}
            output.json_line(told)
        else:
            output.result(fact_id)


def _is_extracted(fact: face.Memory) -> bool:
    return fact.origin is face.FactOrigin.EXTRACTED and not fact.in_review


def _say_joined(cast: Iterable[face.Character], before: set[str]) -> None:
    joined = [c.character_id for c in cast if c.character_id not in before]
    if joined:
        output.warn(f"named only in facts or annotations, now in the cast: {', '.join(joined)}")


def _say_review(facts: Iterable[face.Memory], fact_id: str) -> bool:
    waits = any(fact.fact_id == fact_id and fact.in_review for fact in facts)
    if waits:
        output.warn("the quote does not stand in the episode's text: the fact waits in `fact review`")
    return waits


@app.command("list")
def list_(
    story_id: StoryOption,
    episode: Annotated[int | None, typer.Option("--episode", metavar="N", min=1)] = None,
    as_json: JsonOption = False,
) -> None:
    """List all facts of a story or an episode with everybody who holds them."""
    with opened() as kataribe:
        _print(kataribe.story(story_id).facts.list(episode_no=episode), story_id, as_json=as_json)


def _print(facts: Iterable[face.Memory], story_id: str, *, as_json: bool) -> None:
    grouped: dict[str, list[face.Memory]] = {}
    for fact in facts:
        grouped.setdefault(fact.fact_id, []).append(fact)
    if as_json:
        for fact_id, copies in grouped.items():
            output.json_line(fact_json(fact_id, copies))
        return
    rows = [
        (
            fact_id,
            _episode(copies[0], story_id),
            ", ".join(copy.holder for copy in copies if copy.holder) or "in review",
            copies[0].origin.value + (" (look!)" if copies[0].flagged else ""),
            copies[0].reason.value,
            copies[0].text,
            "" if copies[0].arousal is None else f"{copies[0].arousal:g}",
        )
        for fact_id, copies in grouped.items()
    ]
    output.table("", ("id", "episode", "known by", "origin", "reason", "text", "arousal"), rows)


def _episode(fact: face.Memory, story_id: str) -> str:
    """Number the episode, and name its story when a branch reads it of a parent."""
    owner = parse_space(fact.space).story or ""
    return str(fact.episode_no) if owner == story_id else f"{fact.episode_no} of {owner}"


@app.command("edit")
def edit(
    fact_id: IdArgument,
    story_id: StoryOption,
    episode: Annotated[int | None, typer.Option("--episode", metavar="N", min=1)] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="T")] = None,
    known_by: Annotated[str | None, KnownBy] = None,
    quote: QuoteOption = None,
    importance: ImportanceOption = None,
    told_from: ToldOption = None,
    supersedes: SupersedesOption = None,
    arousal: ChangedArousal = None,
    no_quote: NoQuote = False,
    keep_quote: KeepQuote = False,
    as_json: JsonOption = False,
) -> None:
    """Change a fact; what is not given stays. An extracted fact becomes one made by hand.

    Where --known-by names more who know it, and its quote says more than the fact, it is asked
    what becomes of the quote; where no terminal is there to ask, --keep-quote or --no-quote
    must say it.
    """
    change = face.FactEdit(
        text=text,
        audience=None if known_by is None else audience(known_by),
        quote=quote,
        importance=importance,
        told_from=told_from,
        supersedes=supersedes,
        episode_no=episode,
        without_quote=no_quote,
        keep_quote=keep_quote,
        arousal=None if arousal is None or arousal == NO_AROUSAL else _share(arousal),
        without_arousal=arousal == NO_AROUSAL,
    )
    with opened() as kataribe:
        before = {c.character_id for c in kataribe.story(story_id).cast.list()}
        review.with_quote_asked(change, lambda said: kataribe.story(story_id).facts.edit(fact_id, said))
        _say_joined(kataribe.story(story_id).cast.list(), before)
        _say_review(kataribe.story(story_id).facts.list(), fact_id)
        say_pending(kataribe, story_id)
        output.note(f"changed {fact_id}")
        if as_json:
            _print_one(kataribe, story_id, fact_id)


def _print_one(kataribe: face.Kataribe, story_id: str, fact_id: str) -> None:
    """Print a fact as `fact list --json` does."""
    held = [fact for fact in kataribe.story(story_id).facts.list() if fact.fact_id == fact_id]
    output.json_line(fact_json(fact_id, held))


def _share(arousal: str) -> float:
    try:
        number = float(arousal)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise typer.BadParameter(f"--arousal must be a number from 0 to 1, not {arousal!r}")
    return number


@app.command("pin")
def pin(
    fact_id: IdArgument,
    story_id: StoryOption,
    off: Annotated[bool, typer.Option("--off", help="Unpin it.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Pin a fact, so that it ranks before its equals."""
    with opened() as kataribe:
        kataribe.story(story_id).facts.pin(fact_id, pinned=not off)
        output.note(f"{'unpinned' if off else 'pinned'} {fact_id}")
        if as_json:
            _print_one(kataribe, story_id, fact_id)


@app.command("delete")
def delete(fact_id: IdArgument, story_id: StoryOption) -> None:
    """Delete a fact; one that was extracted stays out when its text is read again."""
    with opened() as kataribe:
        kataribe.story(story_id).facts.delete(fact_id)
        say_pending(kataribe, story_id)
        output.note(f"deleted {fact_id}")


review.register(app)
