"""Messages as chat programs hold them, `role`, `content` and `name`, read to lines of a log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from kataribe.domain.conversation.turns import Message, Role, check_turn_id, session_for
from kataribe.errors import FormatError, option
from kataribe.formats.fields import Fields
from kataribe.formats.jsonl import described
from kataribe.formats.lines import LogLine, name_of, turn_line
from kataribe.formats.logtimes import Told, told_time

SYSTEM, TOOL, NOT_TEXT = "system", "tool", "not text"
"""Why a message, or a part of one, is left out."""
_SPEAKERS: Mapping[str, Role] = {"user": Role.USER, "assistant": Role.PERSONA}
_ROLES: Mapping[str, str] = {"system": SYSTEM, "developer": SYSTEM, "tool": TOOL, "function": TOOL}
_CALLS = ("tool_calls", "function_call")
"""Where a message calls tools: what it says beside is said to nobody."""
_TEXTS = frozenset({"text", "input_text", "output_text"})
"""The types of parts that are words."""

_TIMES = ("time", "timestamp", "created_at", "create_time")
"""Where a message says when it was said, in the order of trust."""
_MILLISECONDS = 10**11
"""From this number on a moment is in milliseconds since 1970: in seconds it would be the year 5138."""


def is_message(values: Mapping[str, object]) -> bool:
    """Whether an object is a message of a chat program; a turn in our own form may have a role too."""
    return "role" in values and "text" not in values


@dataclass(frozen=True, slots=True, kw_only=True)
class Voices:
    """Who speaks where a message names nobody; without an `assistant` no message of one is taken."""

    user: str
    assistant: str | None = None


@dataclass(slots=True)
class MessageLines:
    """The lines that messages make, and how many are left out, by reason."""

    voices: Voices
    zone: tzinfo = UTC
    lines: list[LogLine] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, values: object, name: str, number: int, session: str = "") -> None:
        """Take one message, or count it as left out. Raises `FormatError`."""
        if isinstance(values, str):
            values = {"role": "user", "content": values}
        if not isinstance(values, dict):
            reason = f"must be a text or an object, not {described(values)}"
            raise FormatError(reason, file=name, line=number)
        fields = Fields(values, file=name, line=number)
        with fields.placed():
            if is_message(values):
                line = self._message(fields, number, session)
            else:
                line = turn_line(fields, number, self.zone, session)
        if line is not None:
            self.lines.append(line)

    def add_list(self, messages: Sequence[object], name: str, *, session: str = "") -> None:
        """Take the messages of one conversation; without a session it is called after the first."""
        begun = len(self.lines)
        for number, message in enumerate(messages, 1):
            self.add(message, name, number, session)
        if begun < len(self.lines):
            first = self.lines[begun]
            named = session or self._free(session_for(first.speaker, first.text), begun)
            self.lines[begun:] = [_of_session(line, named) for line in self.lines[begun:]]

    def _free(self, session: str, before: int) -> str:
        """Give a name that no conversation before has: two may begin with the same words."""
        taken = {line.session for line in self.lines[:before]}
        names = (session, *(f"{session}-{number}" for number in range(2, len(taken) + 2)))
        return next(name for name in names if name not in taken)

    def _message(self, fields: Fields, number: int, session: str) -> LogLine | None:
        role = fields.filled_text("role")
        if role in _ROLES:
            self.left_out[_ROLES[role]] += 1
            return None
        if any(fields.take(name) for name in _CALLS):
            self.left_out[TOOL] += 1
            return None
        text = self._text(fields)
        if text is None:
            return None
        turn_id = name_of(fields, "id")
        return LogLine(
            number=number,
            session=name_of(fields, "session") or session,
            speaker=fields.maybe_text("name") or self._speaker(fields, role),
            text=text,
            time=self._time(fields),
            role=_SPEAKERS[role],
            turn_id=None if turn_id is None else check_turn_id(turn_id),
        )

    def _time(self, fields: Fields) -> Told | None:
        """Take the first of the fields in which programs write when something was said."""
        given = next((value for name in _TIMES if (value := fields.take(name)) is not None), None)
        if isinstance(given, int | float) and not isinstance(given, bool) and abs(given) >= _MILLISECONDS:
            given = given / 1000
        return told_time(given, self.zone)

    def _speaker(self, fields: Fields, role: str) -> str:
        if role == "user":
            return self.voices.user
        if role != "assistant":
            raise fields.refused(f"role must be user, assistant, system, developer or tool, not {role!r}")
        if self.voices.assistant is None:
            raise fields.refused(
                f"what an assistant said needs the persona it speaks as ({option('persona')})"
            )
        return self.voices.assistant

    def _text(self, fields: Fields) -> str | None:
        """Take the words; None where there are none. What else there is, is counted."""
        content = fields.take("content")
        parts = content if isinstance(content, list) else [content]
        texts = [text for part in parts if (text := self._part(fields, part)) is not None]
        return "\n".join(texts) if texts else None

    def _part(self, fields: Fields, part: object) -> str | None:
        told = part
        if isinstance(part, dict) and part.get("type", "text") in _TEXTS:
            told = part.get("text")
            told = told.get("value") if isinstance(told, dict) else told
        if isinstance(told, str):
            if told.strip():
                return told
        elif told is not None and not isinstance(told, dict):
            raise fields.refused(f"content must be a text or a list of parts, not {described(part)}")
        self.left_out[NOT_TEXT] += 1
        return None


def _of_session(line: LogLine, session: str) -> LogLine:
    return line if line.session else line.in_session(session)


def read_messages(
    given: Sequence[object], voices: Voices, *, session: str | None = None
) -> tuple[tuple[Message, ...], Mapping[str, int]]:
    """Read a list of messages, dicts of our own form and texts; tells how many are left out, by reason.

    Raises `FormatError` with the number of the message that is wrong.
    """
    read = MessageLines(voices)
    read.add_list(given, "messages", session=session or "")
    return tuple(_message(line) for line in read.lines), dict(sorted(read.left_out.items()))


def _message(line: LogLine) -> Message:
    return Message(
        number=line.number,
        session=line.session,
        speaker=line.speaker,
        text=line.text,
        time=None if line.time is None else line.time.moment,
        turn_id=line.turn_id,
        caption=line.caption,
        arousal=line.arousal,
        audience=line.audience,
        role=line.role,
        extra=line.extra,
    )
