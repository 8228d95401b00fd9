"""Logs of conversations: lines of JSON, lists of messages, exports and diaries, read to turns.

A file is read whole before anything is made of it: what is malformed is refused with the first
few lines that are wrong, and nothing of the file is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from kataribe.domain.conversation.turns import CONVERSATION, Role, Turn, check_turn_id, turn_id_for
from kataribe.domain.gate import position_of
from kataribe.domain.terms import PUBLIC, Audience, Language
from kataribe.errors import FormatError, InputError
from kataribe.formats.chatgpt import add_conversation, is_conversation, names_of
from kataribe.formats.detect import told_language
from kataribe.formats.diary import read_diary
from kataribe.formats.fields import Fields
from kataribe.formats.jsonl import described, parse_file, parse_line, read_bytes, split_lines
from kataribe.formats.lines import LogLine, required_name, turn_line
from kataribe.formats.logtimes import TICK, filled_in, spoken_time, told_time, turned_back, zone_named
from kataribe.formats.messages import MessageLines, Voices, is_message
from kataribe.formats.sillytavern import is_chat, is_head, message_line, session_of

T = TypeVar("T")
R = TypeVar("R")

"""The extra field in which a turn keeps of which conversation of a file it is."""

WRONG_LINES_SAID = 5
"""How many wrong lines of a file one refusal tells."""


class LogFormat(StrEnum):
    """The forms of a log.

    `turns`: `session`, `speaker`, `text`, `time` and, if you like, `id`, `caption`, `arousal`,
    `persona`, `conversation`. `locomo` and `realpersonachat` as these corpora have them.
    `openai`: messages with `role` and `content`, in one list, or in lists called `messages`.
    `chatgpt`: the conversations of ChatGPT's export. `sillytavern`: a chat as SillyTavern keeps it.
    `diary`: a folder of files called after days.
    """

    TURNS = "turns"
    LOCOMO = "locomo"
    REALPERSONACHAT = "realpersonachat"
    OPENAI = "openai"
    CHATGPT = "chatgpt"
    SILLYTAVERN = "sillytavern"
    DIARY = "diary"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """How a log is to be read.

    `timezone` (an IANA name) is that of times without a zone. `start` is the time of a log
    that begins without one. `session` is that of lines that name none. `conversation` chooses
    one of several in a file. `audience` holds the turns whose line names no `persona`. Messages
    of a user are by `speaker` (else `user`), an assistant's by `assistant`; so is a diary by its
    `speaker`. Who is called as one of `user_speakers` is the user, where a line tells no role.
    """

    form: LogFormat | None = None
    conversation: str | None = None
    timezone: str = "UTC"
    start: str | None = None
    session: str | None = None
    audience: Audience = PUBLIC
    speaker: str | None = None
    user: str = "user"
    user_speakers: tuple[str, ...] = ()
    assistant: str | None = None

    @property
    def voices(self) -> Voices:
        """Who speaks where a message names nobody."""
        return Voices(user=self.speaker or self.user, assistant=self.assistant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What a file holds: its turns in the order of the file, and what a person should know of them.

    `unzoned` counts the times told without a zone, `untimed` the turns told without a time,
    `turned_back` those earlier than the turn before in their session. `language` is told by
    the script. `left_out` counts, by reason, what is no words of a person.
    """

    turns: tuple[Turn, ...]
    form: LogFormat
    language: Language
    conversation: str | None
    unzoned: int = 0
    untimed: int = 0
    turned_back: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_log(path: str | Path, options: LogOptions | None = None) -> Log:
    """Read a log, or a diary's folder. Raises `InputError`, and `FormatError` with what is wrong."""
    file = Path(path)
    if not file.is_dir():
        return parse_log(read_bytes(file), str(path), options)
    options = options or LogOptions()
    if options.form not in (None, LogFormat.DIARY):
        raise InputError(f"{path} is a folder, which is read as a diary; name a file")
    lines = read_diary(file, options.speaker, zone_named(options.timezone))
    return _log(lines, LogFormat.DIARY, None, str(path), options)


def parse_log(data: bytes, name: str, options: LogOptions | None = None) -> Log:
    """Read a log out of bytes that came from `name`, e.g. standard input."""
    options = options or LogOptions()
    zone = zone_named(options.timezone)
    if options.form is LogFormat.DIARY:
        raise InputError(f"a diary is a folder of files called after days; {name} is none")
    document = _document(data, name)
    objects = [(number, value) for number, value in enumerate(document or (), 1)]
    if document is None:
        objects = list(_objects(data, name))
    if not objects:
        raise FormatError("holds no turns", file=name)
    form = options.form or _form_of(objects[0][1])
    if form is LogFormat.CHATGPT or form is LogFormat.OPENAI:
        return _messages([value for _, value in objects], form, name, options)
    read, session = _READERS[form], options.session
    if form is LogFormat.SILLYTAVERN and isinstance(head := objects[0][1], dict) and is_head(head):
        session = session or session_of(head)
        objects = objects[1:]

    def read_one(one: tuple[int, object]) -> LogLine:
        number, values = one
        if not isinstance(values, dict):
            raise FormatError(f"must be an object, not {described(values)}", file=name, line=number)
        fields = Fields(values, file=name, line=number)
        with fields.placed():
            return read(fields, number, zone, session)

    lines = _each(objects, read_one, name)
    chosen, conversation = _of_conversation(lines, options.conversation, name)
    return _log(chosen, form, conversation, name, options)


def _document(data: bytes, name: str) -> list[object] | None:
    """Read one JSON document; None where the file is lines of JSON."""
    begin = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if begin.startswith(b"["):
        found = parse_file(data, name)
        return found if isinstance(found, list) else [found]
    if begin.partition(b"\n")[0].strip() == b"{":
        # An object over several lines; of lines of JSON none is a brace alone.
        return [parse_file(data, name)]
    return None


def _messages(values: Sequence[object], form: LogFormat, name: str, options: LogOptions) -> Log:
    """Read lists of messages, each a session, or the one list that all of it is."""
    read = MessageLines(options.voices, zone_named(options.timezone))
    wanted = options.conversation
    if form is LogFormat.CHATGPT:
        for conversation in _exported(values, wanted, name):
            add_conversation(read, conversation, name)
    else:
        if wanted is not None:
            raise InputError(f"{name} holds no conversation {wanted!r}; its messages name none")
        for messages, place in _lists(values, name):
            read.add_list(messages, place, session=options.session or "")
    if not read.lines:
        raise FormatError("holds no turns", file=name)
    log = _log(read.lines, form, wanted, name, options)
    return replace(log, left_out=dict(sorted(read.left_out.items())))


def _exported(values: Sequence[object], wanted: str | None, name: str) -> Sequence[Mapping[str, Any]]:
    found = [value for value in values if isinstance(value, dict) and is_conversation(value)]
    if len(found) < len(values):
        raise FormatError("is no export of ChatGPT: a conversation of it has no 'mapping'", file=name)
    chosen = [one for one in found if wanted is None or wanted in names_of(one)]
    if not chosen:
        raise InputError(f"{name} holds no conversation {wanted!r}, neither by id nor by title")
    return chosen


def _lists(values: Sequence[object], name: str) -> list[tuple[Sequence[object], str]]:
    """Give the lists of messages of a file, and how to call each in an error."""
    if not any(_is_list(value) for value in values):
        return [(values, name)]
    found: list[tuple[Sequence[object], str]] = []
    for number, value in enumerate(values, 1):
        messages = value.get("messages") if isinstance(value, dict) else value
        if not isinstance(messages, list):
            raise FormatError("must be a list of messages, as the others are", file=name, line=number)
        found.append((messages, f"{name}, list {number}"))
    return found


def _is_list(value: object) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and isinstance(value.get("messages"), list))


def _objects(data: bytes, name: str) -> list[tuple[int, dict[str, object]]]:
    def take(raw: tuple[int, int, bytes]) -> tuple[int, dict[str, object] | None]:
        number, offset, line = raw
        return number, parse_line(line, name, line=number, offset=offset)

    parsed = _each(split_lines(data), take, name)
    return [(number, values) for number, values in parsed if values is not None]


def _each(given: Iterable[T], act: Callable[[T], R], name: str) -> list[R]:
    """Do something with each; refuse them together when some are wrong."""
    done: list[R] = []
    wrong: list[FormatError] = []
    for one in given:
        try:
            done.append(act(one))
        except FormatError as error:
            wrong.append(error)
    _refuse(wrong, name)
    return done


def _refuse(wrong: Sequence[FormatError], name: str) -> None:
    if not wrong:
        return
    first, *others = wrong
    more = "".join(f"; line {one.line}: {one.given}" for one in others[: WRONG_LINES_SAID - 1])
    left = len(others) - (WRONG_LINES_SAID - 1)
    rest = f"; and {left} more" if left > 0 else ""
    raise FormatError(f"{first.given}{more}{rest}; nothing was stored", file=name, line=first.line) from first


def _form_of(values: object) -> LogFormat:
    if is_conversation(values):
        return LogFormat.CHATGPT
    if not isinstance(values, dict) or _is_list(values) or is_message(values):
        return LogFormat.OPENAI
    if is_chat(values):
        return LogFormat.SILLYTAVERN
    if "dia_id" in values or ("conv" in values and "date_time" in values):
        return LogFormat.LOCOMO
    if "utt_id" in values or "pair" in values:
        return LogFormat.REALPERSONACHAT
    return LogFormat.TURNS


def _locomo(fields: Fields, number: int, zone: tzinfo, _: str | None) -> LogLine:
    at = fields.maybe_text("date_time")
    turn = fields.maybe_number("turn", least=0)
    return LogLine(
        number=number,
        session=required_name(fields, "session"),
        speaker=fields.filled_text("speaker"),
        text=fields.filled_text("text"),
        time=None if at is None else spoken_time(at, zone),
        shared=True,
        turn_id=check_turn_id(fields.filled_text("dia_id")),
        caption=fields.maybe_text("image_caption"),
        conversation=required_name(fields, "conv"),
        extra=({} if turn is None else {"turn": turn}) | fields.rest(),
    )


def _utterance(fields: Fields, number: int, zone: tzinfo, _: str | None) -> LogLine:
    return LogLine(
        number=number,
        session=required_name(fields, "session"),
        speaker=fields.filled_text("speaker"),
        text=fields.filled_text("text"),
        time=told_time(fields.take("timestamp"), zone),
        turn_id=check_turn_id(fields.filled_text("utt_id")),
        conversation=required_name(fields, "pair"),
        extra=fields.rest(),
    )


_READERS: Mapping[LogFormat, Callable[[Fields, int, tzinfo, str | None], LogLine]] = {
    LogFormat.TURNS: turn_line,
    LogFormat.LOCOMO: _locomo,
    LogFormat.REALPERSONACHAT: _utterance,
    LogFormat.SILLYTAVERN: message_line,
}


def _of_conversation(
    lines: Sequence[LogLine], wanted: str | None, name: str
) -> tuple[list[LogLine], str | None]:
    there = list(dict.fromkeys(line.conversation for line in lines))
    named = ", ".join(one for one in there if one is not None)
    if wanted is not None:
        if wanted not in there:
            raise InputError(
                f"{name} holds no conversation {wanted!r}; it holds {named or 'none with a name'}"
            )
        return [line for line in lines if line.conversation == wanted], wanted
    if len(there) > 1:
        raise InputError(f"{name} holds several conversations; choose one with --conversation: {named}")
    return list(lines), there[0]


def _log(
    lines: Sequence[LogLine],
    form: LogFormat,
    conversation: str | None,
    name: str,
    options: LogOptions,
) -> Log:
    start = None if options.start is None else told_time(options.start, zone_named(options.timezone))
    try:
        times = filled_in(_apart(lines), start=None if start is None else start.moment)
    except OverflowError as error:
        raise FormatError("its times are out of the years that can be told", file=name) from error
    turns = _turns(lines, times, options, name)
    return Log(
        turns=turns,
        form=form,
        language=told_language("\n".join(turn.text for turn in turns)),
        conversation=conversation,
        unzoned=sum(line.time is not None and not line.time.zoned for line in lines),
        untimed=sum(line.time is None for line in lines),
        turned_back=turned_back([(turn.session, turn.time) for turn in turns]),
    )


def _apart(lines: Sequence[LogLine]) -> list[datetime | None]:
    """Give each line's time; those that only their session tells stand a millisecond apart."""
    seen: dict[tuple[str, datetime], int] = {}
    times: list[datetime | None] = []
    for line in lines:
        if line.time is None:
            times.append(None)
            continue
        moment, place = line.time.moment, 0
        if line.shared:
            place = seen.get((line.session, moment), 0)
            seen[line.session, moment] = place + 1
        times.append(moment + place * TICK)
    return times


def _turns(
    lines: Sequence[LogLine], times: Sequence[datetime], options: LogOptions, name: str
) -> tuple[Turn, ...]:
    """Make turns; those of one session and moment are told apart by their order in the file."""
    counts: dict[str, int] = {}
    moments: dict[tuple[str, int], int] = {}
    first: dict[str, int] = {}
    wrong: list[FormatError] = []
    turns: list[Turn] = []
    for line, time in zip(lines, times, strict=True):
        counts[line.session] = counts.get(line.session, 0) + 1
        turn_id = line.turn_id or turn_id_for(line.session, counts[line.session])
        if turn_id in first:
            reason = f"the id {turn_id!r} is that of line {first[turn_id]} too; give each turn its own"
            wrong.append(FormatError(reason, file=name, line=line.number))
            continue
        first[turn_id] = line.number
        moment = (line.session, position_of(time))
        ordinal = moments.get(moment, 0)
        moments[moment] = ordinal + 1
        turns.append(_made(line, turn_id, time, ordinal, options))
    _refuse(wrong, name)
    return tuple(turns)


def _made(line: LogLine, turn_id: str, time: datetime, ordinal: int, options: LogOptions) -> Turn:
    kept = {} if line.conversation is None else {CONVERSATION: line.conversation}
    return Turn(
        turn_id=turn_id,
        session=line.session,
        speaker=line.speaker,
        text=line.text,
        time=time,
        ordinal=ordinal if line.ordinal is None else line.ordinal,
        caption=line.caption,
        audience=line.audience or options.audience,
        arousal=line.arousal,
        role=line.role or (Role.USER if line.speaker in options.user_speakers else None),
        extra={**kept, **line.extra},
    )
