"""`kataribe log`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.context_words import hanging
from kataribe.domain.logsearch import SEARCH_TOOL, LogHit, LogSearch, LogSearchPolicy
from kataribe.domain.shown import viewer_json
from kataribe.domain.story import PUBLIC, Language, known_by
from kataribe.errors import ConflictError, NotFoundError, StoreError
from kataribe.formats.jsonl import read_bytes
from kataribe.formats.logs import CONVERSATION, Log, LogFormat, LogOptions, parse_log
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import EmbedderOption, JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.story import LanguageOption
from kataribe.surfaces.cli.talk import bring_up, say_talk
from kataribe.surfaces.cli.viewers import AsOfOption, PersonaOption, UserOption, holder_cell, viewer_keys

app = typer.Typer(rich_markup_mode=None)

_BATCH = 500
"""How many turns are stored in one transaction."""
_NAMED = 5
"""How many turns a warning names."""


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Lines of JSON; - reads standard input.")],
    user_id: UserOption,
    persona: Annotated[
        list[str] | None,
        typer.Option("--persona", metavar="P", help="Who was there and may remember; again for more."),
    ] = None,
    language: LanguageOption = None,
    embedder: EmbedderOption = None,
    form: Annotated[
        str, typer.Option("--format", metavar="F", help="auto, turns, locomo or realpersonachat.")
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
    as_json: JsonOption = False,
) -> None:
    """Store what was said with a user, then remember it; it can be stopped and run again."""
    options = LogOptions(
        form=_form(form),
        conversation=conversation,
        timezone=timezone or "UTC",
        start=start,
        session=session,
        audience=known_by(*persona) if persona else PUBLIC,
    )
    data = sys.stdin.buffer.read() if file == "-" else read_bytes(Path(file))
    log = parse_log(data, "standard input" if file == "-" else file, options)
    with opened() as kataribe:
        _make_user(kataribe, user_id, log, None if language is None else language.value, embedder)
        before = {turn.turn_id: turn for turn in kataribe.turns(user_id)}
        _check_conversation(log, before, user_id)
        _warn(log, zone_told=timezone is not None)
        with _saying_what_is_kept(kataribe, user_id, before):
            ahead = _store(kataribe, user_id, log)
            report = bring_up(kataribe, user_id)
        new = sum(turn.turn_id not in before for turn in log.turns)
        same = sum(before.get(turn.turn_id) == turn for turn in log.turns)
    counts = {"turns": len(log.turns), "new": new, "changed": len(log.turns) - new - same, "unchanged": same}
    if as_json:
        output.json_line(
            {
                "user": user_id,
                "format": log.form,
                "conversation": log.conversation,
                **counts,
                "pages": report.pages,
                "embedded": report.embedded,
                "failed": dict(sorted(report.failed.items())),
                "ahead": ahead,
            }
        )
    else:
        output.note(f"{user_id}: {new} new, {counts['changed']} changed, {same} unchanged turns")
    if not say_talk(user_id, report):
        raise typer.Exit(1)


def _form(name: str) -> LogFormat | None:
    if name == "auto":
        return None
    try:
        return LogFormat(name)
    except ValueError as error:
        raise typer.BadParameter(f"--format must be auto, {', '.join(LogFormat)}, not {name!r}") from error


def _make_user(
    kataribe: face.Kataribe, user_id: str, log: Log, language: Language | None, embedder: str | None
) -> None:
    """Make the user when it is missing; refuse other choices than were made when it was."""
    try:
        user = kataribe.user(user_id)
    except NotFoundError:
        user = kataribe.add_user(user_id, language=language or log.language, embedder=embedder)
        told = "" if language is not None else ", language told from the turns"
        output.note(f"created user {user_id} ({user.language}, embedder {user.embedder_id}{told})")
        return
    for asked, there, what in ((language, user.language, "language"), (embedder, user.embedder, "embedder")):
        if asked is not None and asked != there:
            raise ConflictError(f"the {what} of user {user_id!r} is {there}, not {asked}; leave --{what} out")


def _check_conversation(log: Log, before: dict[str, face.Turn], user_id: str) -> None:
    for turn in log.turns:
        there = before.get(turn.turn_id)
        named = (None if there is None else there.extra.get(CONVERSATION), turn.extra.get(CONVERSATION))
        if None in named or named[0] == named[1]:
            continue
        raise ConflictError(
            f"user {user_id!r} has a turn {turn.turn_id!r} of another conversation ({named[0]}); "
            f"import {named[1]} for a user of its own"
        )


def _warn(log: Log, *, zone_told: bool) -> None:
    if log.unzoned and not zone_told:
        output.note(
            f"{output.count(log.unzoned, 'time')} without a zone taken as UTC; name another with --timezone"
        )
    if log.untimed:
        output.note(
            f"{output.count(log.untimed, 'turn')} without a time: set a millisecond after the turn before"
        )
    if log.turned_back:
        output.warn(
            f"{output.count(log.turned_back, 'turn')} earlier than the turn before in the same session; "
            f"kept as written"
        )


@contextmanager
def _saying_what_is_kept(
    kataribe: face.Kataribe, user_id: str, before: Mapping[str, face.Turn]
) -> Iterator[None]:
    """Say which turns are kept when the store refuses to go on."""
    try:
        yield
    except StoreError as error:
        try:
            kept = sum(before.get(turn.turn_id) != turn for turn in kataribe.turns(user_id))
        except StoreError:
            raise error from None
        raise type(error)(
            f"{error}; {output.count(kept, 'turn')} of this log {'is' if kept == 1 else 'are'} kept: "
            f"then import it again to go on"
        ) from error


def _store(kataribe: face.Kataribe, user_id: str, log: Log) -> list[str]:
    """Store all turns before anything is made of them (P5); gives those dated later than now, and warns."""
    ahead: list[str] = []
    for at in range(0, len(log.turns), _BATCH):
        ahead += kataribe.put_turns(user_id, log.turns[at : at + _BATCH]).ahead
    if ahead:
        named = ", ".join(ahead[:_NAMED]) + (", ..." if len(ahead) > _NAMED else "")
        output.warn(
            f"{output.count(len(ahead), 'turn')} dated later than now ({named}): stored, "
            f"and remembered only as of that time and later"
        )
    return ahead


@app.command("list")
def list_(
    user_id: UserOption,
    session: Annotated[str | None, typer.Option("--session", metavar="S", help="Only this session.")] = None,
    last: Annotated[int | None, typer.Option("--last", metavar="N", min=1, help="Only the last N.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List what was said with a user, in order."""
    with opened() as kataribe:
        turns = kataribe.turns(user_id, session=session)
    shown = turns if last is None else turns[-last:]
    if as_json:
        for turn in shown:
            output.json_line(_as_json(turn))
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


def _as_json(turn: face.Turn) -> dict[str, object]:
    return {
        "id": turn.turn_id,
        "session": turn.session,
        "speaker": turn.speaker,
        "time": turn.time.isoformat(),
        "text": turn.text,
        "caption": turn.caption,
        "known_by": list(turn.audience.holders()),
        "arousal": turn.arousal,
        "extra": dict(turn.extra),
    }


@app.command("show")
def show(
    user_id: UserOption,
    turn_id: Annotated[str, typer.Option("--turn", metavar="ID", help="The turn.")],
    around: Annotated[
        int, typer.Option("--around", metavar="N", min=0, help="Also N turns before and after it.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show a turn as it was said, and what was said around it in its session."""
    with opened() as kataribe:
        turns = kataribe.turns(user_id)
    found = next((turn for turn in turns if turn.turn_id == turn_id), None)
    if found is None:
        raise NotFoundError(
            f"user {user_id!r} has no turn {turn_id!r}; `kataribe log list --user {user_id}` shows them"
        )
    said = [turn for turn in turns if turn.session == found.session]
    at = said.index(found)
    for turn in said[max(0, at - around) : at + around + 1]:
        if as_json:
            output.json_line(_as_json(turn))
            continue
        output.heading(f"{turn.turn_id} {turn.speaker}, {turn.time.isoformat()}, session {turn.session}")
        output.lines(hanging(turn.text))
        if turn.caption is not None:
            output.result(f"[{turn.caption}]")


@app.command("delete")
def delete(
    user_id: UserOption,
    turn_ids: Annotated[
        list[str] | None, typer.Option("--turn", metavar="ID", help="A turn; again for more.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="S", help="All turns of a session.")
    ] = None,
) -> None:
    """Delete turns and what is remembered of them."""
    if (not turn_ids) == (session is None):
        raise typer.BadParameter("give either --turn ID, once or more, or --session S")
    with opened() as kataribe:
        asked = turn_ids or [turn.turn_id for turn in kataribe.turns(user_id, session=session)]
        known = {turn.turn_id for turn in kataribe.turns(user_id)}
        if not asked or (lost := sorted(set(asked) - known)):
            what = f"session {session!r}" if session is not None else f"turn {lost[0]!r}"
            raise NotFoundError(f"user {user_id!r} has no {what}; nothing was deleted")
        gone = kataribe.delete_turns(user_id, asked)
    output.note(
        f"deleted {output.count(gone, 'turn')}; what else was said on those days "
        f"is to be remembered anew: run `kataribe sync --user {user_id}`"
    )


@app.command("search")
def search(
    keywords: Annotated[list[str], typer.Argument(metavar="KEYWORD...", help="1 to 3 distinctive words.")],
    user_id: UserOption,
    persona: PersonaOption = None,
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
    policy = LogSearchPolicy(newest=newest, oldest=oldest, middle=middle, exclude_last=exclude_last)
    keys = viewer_keys(None, persona, None, user_id, as_of)
    with opened() as kataribe:
        found = kataribe.search_log(keywords, policy=policy, seed=seed, **keys)
    for keyword, reason in found.ignored:
        output.warn(f"{keyword!r} was not looked for: {reason}")
    if found.pending_turns:
        output.warn(
            f"not in memory yet: {output.count(found.pending_turns, 'turn')}; "
            f"run `kataribe sync --user {user_id}`"
        )
    if as_json:
        output.json_line(_found_json(found))
        return
    if not found.hits:
        output.note("nothing is found")
        return
    rows = [
        (hit.session, hit.speaker, hit.time, holder_cell(hit.scope, hit.character_id), _text(hit, user_id))
        for hit in found.hits
    ]
    output.table("", ("session", "speaker", "time", "known to", "text"), rows)


def _text(hit: LogHit, user_id: str) -> str:
    return f"{hit.text} [{_more(hit, user_id)}]" if hit.is_cut else hit.text


def _more(hit: LogHit, user_id: str) -> str:
    return (
        f"more available, {hit.characters} characters in all: "
        f"kataribe log show --user {user_id} --turn {hit.turn_id}"
    )


def _found_json(found: LogSearch) -> dict[str, object]:
    return {
        "viewer": viewer_json(found.viewer, in_cast=True),
        "keywords": list(found.keywords),
        "ignored": [{"keyword": keyword, "reason": reason} for keyword, reason in found.ignored],
        "hits": [
            {
                "id": hit.turn_id,
                "session": hit.session,
                "speaker": hit.speaker,
                "time": hit.time,
                "text": hit.text,
                "caption": hit.caption,
                "scope": hit.scope,
                "character_id": hit.character_id,
                "keywords": list(hit.keywords),
                "characters": hit.characters,
                "more": _more(hit, found.viewer.user or "") if hit.is_cut else None,
            }
            for hit in found.hits
        ],
        "matched": found.matched,
        "pending_turns": found.pending_turns,
    }
