"""`kataribe log`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.recall.context_words import hanging
from kataribe.domain.recall.log_search import SEARCH_TOOL, LogHit, LogSearch
from kataribe.domain.space import parse_place, parse_space
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.errors import NotFoundError, StoreError
from kataribe.formats.logs import Log, LogFormat, LogOptions, parse_log, read_log
from kataribe.formats.wire.conversation import log_import_json, log_search_json, turn_json
from kataribe.formats.wire.threads import voice_example_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import EmbedderOption, JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.story import LanguageOption
from kataribe.surfaces.cli.user_sync import bring_up, say_talk
from kataribe.surfaces.cli.viewers import (
    AsOfOption,
    EpisodeOption,
    PersonaOption,
    UserOption,
    ViewedStory,
    holder_cell,
    say_pending_of,
    spaces_apart,
    viewer_keys,
)

app = typer.Typer(rich_markup_mode=None)

TalkStory = Annotated[
    str | None,
    typer.Option(
        "--story", metavar="S", help="Talk under this story, held at --at (else outside every story)."
    ),
]
TalkEpisode = Annotated[
    int | None,
    typer.Option("--at", metavar="N", min=1, help="With --story: the episode the talk is held at."),
]
_NAMED = 5
"""How many turns a warning names."""


@app.command("import")
def import_(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|-",
            help="Lines of JSON, lists of messages, ChatGPT's conversations.json, or a diary's folder.",
        ),
    ],
    user_id: UserOption,
    persona: Annotated[
        list[str] | None,
        typer.Option("--persona", metavar="P", help="Who was there and may remember; again for more."),
    ] = None,
    story_id: TalkStory = None,
    at: TalkEpisode = None,
    language: LanguageOption = None,
    embedder: EmbedderOption = None,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="F", help="auto, turns, locomo, realpersonachat, openai, chatgpt or diary."
        ),
    ] = "auto",
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="C", help="Which one, when a file holds several.")
    ] = None,
    timezone: Annotated[
        str | None, typer.Option("--timezone", metavar="Z", help="Of times without a zone (else UTC).")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="TIME", help="When a log without times begins.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="S", help="The session of lines that name none.")
    ] = None,
    speaker: Annotated[
        str | None,
        typer.Option("--speaker", metavar="S", help="Who wrote a diary, or a user's messages (else --user)."),
    ] = None,
    user_speaker: Annotated[
        list[str] | None,
        typer.Option("--user-speaker", metavar="NAME", help="A speaker who is the user; again for more."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Store what was said with a user, then remember it; it can be stopped and run again."""
    _check_place(story_id, at)
    if story_id is not None and not persona:
        raise typer.BadParameter("talk under a story needs who was there: give --persona, again for more")
    options = LogOptions(
        form=_form(form),
        conversation=conversation,
        timezone=timezone or "UTC",
        start=start,
        session=session,
        audience=known_by(*persona) if persona else PUBLIC,
        speaker=speaker,
        user=user_id,
        user_speakers=tuple(user_speaker or ()),
        assistant=persona[0] if persona else None,
    )
    if file == "-":
        log = parse_log(sys.stdin.buffer.read(), "standard input", options)
    else:
        log = read_log(file, options)
    with opened() as kataribe, _saying_what_is_kept(kataribe, user_id, story_id, at):
        done = kataribe.user(user_id).import_log(
            log.turns,
            language=None if language is None else language.value,
            guess=log.language,
            embedder=embedder,
            story=story_id,
            at=at,
        )
        _say_made(done, language_told=language is not None)
        _warn(log, zone_told=timezone is not None)
        _warn_ahead(done.ahead)
        report = bring_up(kataribe, user_id, waits=False)
    if as_json:
        output.json_line(log_import_json(done, report, log))
    else:
        output.note(f"{user_id}: {done.new} new, {done.changed} changed, {done.unchanged} unchanged turns")
    if not say_talk(user_id, report):
        raise typer.Exit(1)


def _check_place(story_id: str | None, at: int | None) -> None:
    if (story_id is None) != (at is None):
        raise typer.BadParameter("talk under a story is held at an episode: give both --story and --at")


def _say_made(done: face.LogImport, *, language_told: bool) -> None:
    if done.made:
        told = "" if language_told else ", language told from the turns"
        user = done.user
        output.note(f"created user {user.user_id} ({user.language}, embedder {user.embedder_id}{told})")


def _form(name: str) -> LogFormat | None:
    if name == "auto":
        return None
    try:
        return LogFormat(name)
    except ValueError as error:
        raise typer.BadParameter(f"--format must be auto, {', '.join(LogFormat)}, not {name!r}") from error


def _warn(log: Log, *, zone_told: bool) -> None:
    if log.unzoned and not zone_told:
        output.note(
            f"{output.count(log.unzoned, 'time')} without a zone taken as UTC; name another with --timezone"
        )
    if log.left_out:
        told = ", ".join(f"{count} {reason}" for reason, count in log.left_out.items())
        output.note(f"left out as no words of a person: {told}")
    if log.untimed:
        output.note(
            f"{output.count(log.untimed, 'turn')} without a time: set a millisecond after the turn before"
        )
    if log.turned_back:
        output.warn(
            f"{output.count(log.turned_back, 'turn')} earlier than the turn before in the same session; "
            f"kept as written"
        )


def _there(
    kataribe: face.Kataribe, user_id: str, story_id: str | None, at: int | None
) -> dict[str, face.Turn]:
    """Give what is stored already, by id; nothing for a user that is to be made."""
    try:
        return {turn.turn_id: turn for turn in kataribe.user(user_id).turns(story=story_id, at=at)}
    except NotFoundError:
        return {}


@contextmanager
def _saying_what_is_kept(
    kataribe: face.Kataribe, user_id: str, story_id: str | None, at: int | None
) -> Iterator[None]:
    """Say which turns are kept when the store refuses to go on."""
    before = _there(kataribe, user_id, story_id, at)
    try:
        yield
    except StoreError as error:
        try:
            there = _there(kataribe, user_id, story_id, at)
        except StoreError:
            raise error from None
        kept = sum(before.get(turn_id) != turn for turn_id, turn in there.items())
        raise type(error)(
            f"{error}; {output.count(kept, 'turn')} of this log {'is' if kept == 1 else 'are'} kept: "
            f"then import it again to go on"
        ) from error


def _warn_ahead(ahead: Sequence[str]) -> None:
    if ahead:
        named = ", ".join(ahead[:_NAMED]) + (", ..." if len(ahead) > _NAMED else "")
        output.warn(
            f"{output.count(len(ahead), 'turn')} dated later than now ({named}): stored, "
            f"and remembered only as of that time and later"
        )


@app.command("list")
def list_(
    user_id: UserOption,
    story_id: TalkStory = None,
    at: TalkEpisode = None,
    session: Annotated[str | None, typer.Option("--session", metavar="S", help="Only this session.")] = None,
    last: Annotated[int | None, typer.Option("--last", metavar="N", min=1, help="Only the last N.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List what was said with a user, in order: outside every story, or at an episode of one."""
    _check_place(story_id, at)
    with opened() as kataribe:
        turns = kataribe.user(user_id).turns(session=session, story=story_id, at=at)
    shown = turns if last is None else turns[-last:]
    if as_json:
        for turn in shown:
            output.json_line(turn_json(turn))
        return
    if not shown:
        output.note("nothing was said")
        return
    rows = [
        (turn.turn_id, turn.session, turn.time.isoformat(), turn.speaker, _held(turn), turn.text)
        for turn in shown
    ]
    output.table("", ("id", "session", "time", "speaker", "held by", "text"), rows)


def _held(turn: face.Turn) -> str:
    return "everybody" if turn.audience.world else ", ".join(turn.audience.holders())


@app.command("show")
def show(
    user_id: UserOption,
    turn_id: Annotated[str, typer.Option("--turn", metavar="ID", help="The turn.")],
    story_id: TalkStory = None,
    at: TalkEpisode = None,
    around: Annotated[
        int, typer.Option("--around", metavar="N", min=0, help="Also N turns before and after it.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show a turn as it was said, and what was said around it in its session."""
    _check_place(story_id, at)
    with opened() as kataribe:
        turns = kataribe.user(user_id).turns(story=story_id, at=at)
    found = next((turn for turn in turns if turn.turn_id == turn_id), None)
    if found is None:
        raise NotFoundError(
            f"user {user_id!r} has no turn {turn_id!r}; "
            f"`kataribe log list --user {user_id}{_place_words(story_id, at)}` shows them"
        )
    said = [turn for turn in turns if turn.session == found.session]
    middle = said.index(found)
    for turn in said[max(0, middle - around) : middle + around + 1]:
        if as_json:
            output.json_line(turn_json(turn))
            continue
        output.heading(f"{turn.turn_id} {turn.speaker}, {turn.time.isoformat()}, session {turn.session}")
        output.lines(hanging(turn.text))
        if turn.caption is not None:
            output.result(f"[{turn.caption}]")


@app.command("pairs")
def pairs(
    user_id: UserOption,
    persona: Annotated[str, typer.Option("--persona", metavar="P", help="Whose voice it is.")],
    as_json: JsonOption = False,  # noqa: ARG001 - what it prints is for programs anyway
) -> None:
    """Print what a persona was told and replied as lines of messages, to train a voice on."""
    with opened() as kataribe:
        found = kataribe.user(user_id).memory.pairs(persona)
    for exchange in found:
        output.json_line(voice_example_json(exchange))


@app.command("delete")
def delete(
    user_id: UserOption,
    turn_ids: Annotated[
        list[str] | None, typer.Option("--turn", metavar="ID", help="A turn; again for more.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="S", help="All turns of a session.")
    ] = None,
    story_id: TalkStory = None,
    at: TalkEpisode = None,
) -> None:
    """Delete turns and what is remembered of them."""
    _check_place(story_id, at)
    if (not turn_ids) == (session is None):
        raise typer.BadParameter("give either --turn ID, once or more, or --session S")
    with opened() as kataribe:
        turns = kataribe.user(user_id).turns(story=story_id, at=at)
        asked = turn_ids or [turn.turn_id for turn in turns if turn.session == session]
        known = {turn.turn_id for turn in turns}
        if not asked or (lost := sorted(set(asked) - known)):
            what = f"session {session!r}" if session is not None else f"turn {lost[0]!r}"
            raise NotFoundError(f"user {user_id!r} has no {what}; nothing was deleted")
        gone = kataribe.user(user_id).delete_turns(asked, story=story_id, at=at)
    output.note(
        f"deleted {output.count(gone, 'turn')}; what else was said on those days "
        f"is to be remembered anew: run `kataribe sync --user {user_id}`"
    )


@app.command("search")
def search(
    keywords: Annotated[list[str], typer.Argument(metavar="KEYWORD...", help="1 to 3 distinctive words.")],
    user_id: UserOption,
    persona: PersonaOption = None,
    story_id: ViewedStory = None,
    at: EpisodeOption = None,
    as_of: AsOfOption = None,
    newest: Annotated[
        int, typer.Option("--newest", metavar="N", min=0, help="How many from the end.")
    ] = SEARCH_TOOL.newest,
    oldest: Annotated[
        int, typer.Option("--oldest", metavar="N", min=0, help="How many from the beginning.")
    ] = SEARCH_TOOL.oldest,
    middle: Annotated[
        int, typer.Option("--middle", metavar="N", min=0, help="How many by lot from between.")
    ] = SEARCH_TOOL.middle,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Decides the lot.")] = 0,
    exclude_last: Annotated[
        int, typer.Option("--exclude-last", metavar="N", min=0, help="Leave the last N turns out.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Find past turns in which a word stands exactly, newest first."""
    # Of short turns too: who searches on purpose gets what the tool of this name gives.
    policy = replace(SEARCH_TOOL, newest=newest, oldest=oldest, middle=middle, exclude_last=exclude_last)
    keys = viewer_keys(story_id, persona, at, user_id, as_of)
    with opened() as kataribe:
        found = kataribe.viewer(**keys).search_log(keywords, policy=policy, seed=seed)
        more = _more(kataribe, found, user_id)
    for keyword, reason in found.ignored:
        output.warn(f"{keyword!r} was not looked for: {reason}")
    say_pending_of(found.viewer, in_cast=found.in_cast, turns=found.pending_turns)
    if as_json:
        output.json_line(log_search_json(found, more))
        return
    if not found.hits:
        output.note("nothing is found")
        return
    apart = spaces_apart(hit.space for hit in found.hits)
    rows = [
        (
            *((hit.space,) if apart else ()),
            hit.session,
            hit.speaker,
            hit.time,
            holder_cell(hit.scope, hit.character_id),
            f"{hit.text} [{more[place]}]" if place in more else hit.text,
        )
        for place, hit in enumerate(found.hits)
    ]
    head = (*(("space",) if apart else ()), "session", "speaker", "time", "known to", "text")
    output.table("", head, rows)


def _more(kataribe: face.Kataribe, found: LogSearch, user_id: str) -> dict[int, str]:
    """Say of each hit that was cut how all of it is read, by its place."""
    return {
        place: f"more available, {hit.characters} characters in all: kataribe log show --user {user_id}"
        f"{_place_words(*_place_of(kataribe, hit))} --turn {hit.turn_id}"
        for place, hit in enumerate(found.hits)
        if hit.is_cut
    }


def _place_of(kataribe: face.Kataribe, hit: LogHit) -> tuple[str | None, int | None]:
    """Give the story and the number of the episode a hit was said at; nothing for one outside every story."""
    space = parse_space(hit.space)
    if space.story is None or space.place is None:
        return None, None
    place = parse_place(space.place)
    if place.episode_id is None:
        return space.story, 1
    story: str | None = space.story
    while story is not None:
        for state in kataribe.story(story).episodes.list():
            if state.episode_id == place.episode_id and state.is_live:
                return space.story, state.no + place.is_after
        story = kataribe.story(story).info().parent
    return space.story, None


def _place_words(story_id: str | None, at: int | None) -> str:
    return "" if story_id is None or at is None else f" --story {story_id} --at {at}"
