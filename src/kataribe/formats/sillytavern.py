"""Chats as SillyTavern keeps them: a line that says whose chat it is, then a line for each message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import tzinfo

from kataribe.domain.conversation.turns import Role
from kataribe.errors import InputError
from kataribe.formats.fields import Fields
from kataribe.formats.lines import LogLine
from kataribe.formats.logtimes import Told, named_day_time, told_time, written_time

_MILLISECONDS = 10**11
"""From here on a number is one of milliseconds: as seconds it would be in the year 5138."""
_AT = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})\s*@\s*(?P<hour>\d{1,2})h\s*(?P<minute>\d{1,2})m"
    r"(?:\s*(?P<second>\d{1,2})s)?(?:\s*(?P<milli>\d{1,3})ms)?"
)


def is_chat(values: Mapping[str, object]) -> bool:
    """Whether a line is one of such a chat: its head, or a message."""
    return is_head(values) or ("mes" in values and "is_user" in values)


def is_head(values: Mapping[str, object]) -> bool:
    """Whether a line says whose chat it is."""
    return "mes" not in values and ("chat_metadata" in values or "character_name" in values)


def session_of(values: Mapping[str, object]) -> str | None:
    """Name the session of a chat by its head; None where it says nothing."""
    named = [values.get(field) for field in ("character_name", "create_date")]
    told = [one for one in named if isinstance(one, str) and one.strip() and one != "unused"]
    return " ".join(told) or None


def message_line(fields: Fields, number: int, zone: tzinfo, session: str | None) -> LogLine:
    """Read one message. Raises `FormatError`."""
    is_users, is_hidden = fields.flag("is_user"), fields.flag("is_system")
    role = Role.SYSTEM if is_hidden else Role.USER if is_users else Role.PERSONA
    return LogLine(
        number=number,
        session=session or "chat",
        speaker=fields.filled_text("name"),
        text=fields.filled_text("mes"),
        time=sent(fields.take("send_date"), zone),
        role=role,
    )


def sent(value: object, zone: tzinfo) -> Told | None:
    """Read when a message was sent, in any of the ways the program has written it. Raises `InputError`."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= _MILLISECONDS:
        return told_time(value / 1000, zone)
    if not isinstance(value, str) or not value.strip():
        return told_time(None if value == "" else value, zone)
    found = _AT.fullmatch(value.strip())
    if found is not None:
        parts = {name: int(digits or 0) for name, digits in found.groupdict().items()}
        return written_time(value, zone, **parts)
    if value.strip().isdecimal():
        return sent(int(value), zone)
    try:
        return named_day_time(value, zone)
    except InputError:
        return told_time(value, zone)
