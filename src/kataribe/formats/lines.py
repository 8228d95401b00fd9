"""One line of a log, and our own form of it: what was said, before its place and its time are settled."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import tzinfo

from kataribe.domain.conversation.turns import Role, check_turn_id
from kataribe.domain.ids import WORLD
from kataribe.domain.terms import PUBLIC, Audience, Extra, check_arousal
from kataribe.errors import option
from kataribe.formats.fields import Fields
from kataribe.formats.jsonl import described
from kataribe.formats.logtimes import Told, told_time


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One line as it stands in the file; `shared` is a time that its whole session was given."""

    number: int
    session: str
    speaker: str
    text: str
    time: Told | None
    shared: bool = False
    turn_id: str | None = None
    caption: str | None = None
    arousal: float | None = None
    role: Role | None = None
    audience: Audience | None = None
    conversation: str | None = None
    ordinal: int | None = None
    extra: Extra = field(default_factory=dict)

    def in_session(self, session: str) -> LogLine:
        """Give it as a line of a session."""
        return replace(self, session=session)


def turn_line(fields: Fields, number: int, zone: tzinfo, session: str | None) -> LogLine:
    """Read a turn in our own form; `session` is that of lines that name none. Raises `FormatError`."""
    if fields.has("known_by") and fields.has("extra"):
        return _listed_line(fields, number, zone)
    named = name_of(fields, "session") or session
    if named is None:
        raise fields.refused(f"the field 'session' is missing; add it or name one with {option('session')}")
    turn_id = name_of(fields, "id")
    persona = fields.take("persona")
    if persona == []:
        raise fields.refused('persona must name somebody; write "world" for what all may remember')
    return LogLine(
        number=number,
        session=named,
        speaker=fields.filled_text("speaker"),
        text=fields.filled_text("text"),
        time=told_time(fields.take("time"), zone),
        turn_id=None if turn_id is None else check_turn_id(turn_id),
        caption=fields.maybe_text("caption"),
        arousal=_arousal(fields),
        role=_role(fields),
        audience=None if persona is None else fields.as_audience("persona", persona),
        conversation=name_of(fields, "conversation"),
        extra=fields.rest(),
    )


def _listed_line(fields: Fields, number: int, zone: tzinfo) -> LogLine:
    """Read a turn as it is listed and exported: each of its parts has a field of its own."""
    # Where it was said is told by whoever brings it in.
    fields.take("space")
    known_by, extra = fields.take("known_by"), fields.take("extra")
    if not isinstance(extra, dict):
        raise fields.refused(f"extra must be an object, not {described(extra)}")
    return LogLine(
        number=number,
        session=fields.filled_text("session"),
        speaker=fields.filled_text("speaker"),
        text=fields.filled_text("text"),
        time=told_time(fields.take("time"), zone),
        turn_id=check_turn_id(fields.filled_text("id")),
        caption=fields.maybe_text("caption"),
        arousal=_arousal(fields),
        role=_role(fields),
        audience=PUBLIC if known_by == [WORLD] else fields.as_audience("known_by", known_by),
        ordinal=fields.maybe_number("ordinal", least=0),
        extra={**extra, **fields.rest()},
    )


def name_of(fields: Fields, name: str) -> str | None:
    """Take a name that may be written as a number."""
    value = fields.take(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    raise fields.refused(f"{name} must be a string or a whole number, not {described(value)}")


def required_name(fields: Fields, name: str) -> str:
    """Take a name that must be there."""
    value = name_of(fields, name)
    if value is None:
        raise fields.refused(f"the field {name!r} is missing")
    return value


def _arousal(fields: Fields) -> float | None:
    value = fields.take("arousal")
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise fields.refused(f"arousal must be a number from 0 to 1, not {described(value)}")
    return check_arousal(value)


def _role(fields: Fields) -> Role | None:
    value = fields.take("role")
    if value is None:
        return None
    role = next((one for one in Role if one.value == value), None)
    if role is None:
        raise fields.refused(f"role must be one of {', '.join(Role)}, not {described(value)}")
    return role
