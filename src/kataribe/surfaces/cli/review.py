"""`kataribe fact review`, and the same decisions as plain commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, TypeVar

import typer

import kataribe as face
from kataribe.domain.terms import Audience
from kataribe.errors import InputError
from kataribe.formats.wire.story import narrator_json, review_item_json, scene_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli import review_card as shown
from kataribe.surfaces.cli.keyboard import PressedKeys
from kataribe.surfaces.cli.options import JsonOption, KeepQuote, NoQuote, StoryOption
from kataribe.surfaces.cli.review_walk import Walk
from kataribe.surfaces.cli.scene_walk import NarratorWalk, SceneWalk, listing, say_narrators
from kataribe.surfaces.cli.store import audience, opened, say_pending

Said = TypeVar("Said", "face.FactEdit", "face.Decision")
T = TypeVar("T")
IdArgument = Annotated[str, typer.Argument(metavar="ID")]
KnownBy = typer.Option("--known-by", metavar="a,b|world", help="Who knows it.")


def register(app: typer.Typer) -> None:
    """Add the commands to the group `fact`."""
    app.command("review")(review)
    for verb in (keep, narrow, widen, drop, scene):
        app.command(verb.__name__)(verb)


def review(
    story_id: StoryOption,
    every: Annotated[
        bool, typer.Option("--all", help="Every audience that was guessed, not only what needs an eye.")
    ] = False,
    as_list: Annotated[bool, typer.Option("--list", help="List, on a terminal too.")] = False,
    walk: Annotated[
        bool, typer.Option("--walk", help="Take keys from standard input where it is no terminal.")
    ] = False,
    scenes: Annotated[
        bool, typer.Option("--scenes", help="Scene by scene: who was there, where nobody holds it yet.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Walk through what needs a person's eye, one key a decision; elsewhere list it.

    That is what nobody holds yet, because nobody was recognised or a quote is gone, and what
    was guessed after a change. On a terminal each fact is shown in its place in the episode
    and a key keeps, edits, narrows, widens, drops or skips it; `?` tells the keys.
    """
    if scenes and every:
        raise typer.BadParameter("--scenes shows what waits, and no guesses; leave --all out")
    is_walk = not as_list and (walk or (sys.stdin.isatty() and sys.stdout.isatty()))
    with opened() as kataribe:
        if scenes:
            _scenes(kataribe, story_id, as_json=as_json, is_walk=is_walk)
            return
        items = kataribe.story(story_id).facts.review(every_guess=every)
        if as_json:
            for item in items:
                output.json_line(review_item_json(item, story_id))
        elif is_walk:
            _walk(kataribe, story_id, items)
        else:
            shown.listing(items)


def _walk(kataribe: face.Kataribe, story_id: str, items: tuple[face.ReviewItem, ...]) -> None:
    if not items:
        output.note("nothing to review")
        return
    with PressedKeys() as keys:
        Walk(kataribe, story_id, items, keys).go()
    say_pending(kataribe, story_id)


def _scenes(kataribe: face.Kataribe, story_id: str, *, as_json: bool, is_walk: bool) -> None:
    """Show the scenes in which something waits: as JSON, in a walk, or as a list."""
    narrators = kataribe.story(story_id).facts.narrators()
    items = kataribe.story(story_id).facts.scenes()
    if as_json:
        for told in narrators:
            output.json_line(narrator_json(told, story_id))
        for item in items:
            output.json_line(scene_json(item, story_id))
    elif not is_walk:
        say_narrators(narrators, story_id)
        listing(items)
    elif not items and not narrators:
        output.note("nothing to review")
    else:
        with PressedKeys() as keys:
            NarratorWalk(kataribe, story_id, narrators, keys).go()
            SceneWalk(kataribe, story_id, items, keys).go()
        say_pending(kataribe, story_id)


def scene(
    episode_no: Annotated[int, typer.Argument(metavar="EPISODE", min=1)],
    number: Annotated[int, typer.Argument(metavar="SCENE", min=1)],
    story_id: StoryOption,
    there: Annotated[
        str | None, typer.Option("--there", metavar="a,b|world", help="Who was there (else who was found).")
    ] = None,
) -> None:
    """Say who was in a scene that `fact review --scenes` lists: they hold what waits in it.

    It annotates the paragraphs in which something waits; run `sync` afterwards.
    """
    given = None if there is None else audience(there)
    with opened() as kataribe:
        facts = kataribe.story(story_id).facts
        item = next(
            (one for one in facts.scenes() if (one.episode_no, one.scene) == (episode_no, number)), None
        )
        if item is None:
            raise InputError(f"nothing waits in scene {number} of episode {episode_no}")
        if given is None and not item.likely:
            raise InputError("nobody was found there; say with --there who was")
        step = facts.decide_scene(item, given or Audience(members=frozenset(item.likely)))
        say_pending(kataribe, story_id)
        who = given.holders() if given is not None else item.likely
        output.note(
            f"in scene {number} of episode {episode_no}: {', '.join(who)}" if step else "nothing to change"
        )


def keep(fact_id: IdArgument, story_id: StoryOption, known_by: Annotated[str | None, KnownBy] = None) -> None:
    """Keep a fact as it is: a guess is confirmed, a lost quote is let go.

    Where nobody was recognised --known-by says who knows it.
    """
    given = None if known_by is None else audience(known_by)
    _decide(story_id, fact_id, face.Decision(verb=face.Verb.KEEP, audience=given))


def narrow(fact_id: IdArgument, story_id: StoryOption, known_by: Annotated[str, KnownBy]) -> None:
    """Let fewer know a fact: those named, all of whom may know it now."""
    _decide(story_id, fact_id, face.Decision(verb=face.Verb.NARROW, audience=audience(known_by)))


def widen(
    fact_id: IdArgument,
    story_id: StoryOption,
    known_by: Annotated[str, KnownBy],
    keep_quote: KeepQuote = False,
    no_quote: NoQuote = False,
) -> None:
    """Let more know a fact: those named, among them all who may know it now.

    Where its quote says more than the fact, it is asked what becomes of the quote; where no
    terminal is there to ask, --keep-quote or --no-quote must say it.
    """
    decision = face.Decision(
        verb=face.Verb.WIDEN, audience=audience(known_by), keep_quote=keep_quote, without_quote=no_quote
    )
    _decide(story_id, fact_id, decision)


def drop(fact_id: IdArgument, story_id: StoryOption) -> None:
    """Drop a fact; one that was extracted stays out when its text is read again."""
    _decide(story_id, fact_id, face.Decision(verb=face.Verb.DROP))


def with_quote_asked(change: Said, do: Callable[[Said], T]) -> T:
    """Do it; where a quote would be shown to more, ask on a terminal whether it is to be."""
    try:
        return do(change)
    except face.UnconfirmedError as error:
        answer = output.ask(f"{error}\nk keeps the quote, n takes it away, anything else changes nothing")
        if answer not in ("k", "n"):
            raise
        return do(replace(change, keep_quote=answer == "k", without_quote=answer == "n"))


def _decide(story_id: str, fact_id: str, decision: face.Decision) -> None:
    with opened() as kataribe:
        step = with_quote_asked(decision, lambda said: kataribe.story(story_id).facts.decide(fact_id, said))
        say_pending(kataribe, story_id)
        output.note(f"{decision.verb.done} {fact_id}" if step else f"nothing to change in {fact_id}")
