"""A list of messages that is sent again and again as it grows: what of it is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kataribe.conversation.live import TICK
from kataribe.domain.conversation.life.stubs import TurnStub, said_hash
from kataribe.domain.conversation.turns import Message, Turn, turn_id_for
from kataribe.domain.gate import position_of
from kataribe.domain.terms import Audience
from kataribe.errors import ConflictError


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What is to be stored of a list, and how much of it is there already."""

    new: tuple[Turn, ...]
    changed: tuple[Turn, ...]
    unchanged: int


def merged(
    messages: Sequence[Message],
    stored: Sequence[Turn],
    *,
    session: str,
    audience: Audience,
    now: datetime,
    replaces: bool,
    stubs: Mapping[str, TurnStub],
    as_kept: Callable[[str], str] = str,
) -> Merged:
    """Lay the messages of one session beside the turns that are stored of it.

    Of turns whose text has expired `stubs` tell what they said.
    What is there keeps its time and its id. Raises `ConflictError` for one that says something
    else now, unless it `replaces` what was said. `as_kept` writes a text as it is stored: so they are
    compared.
    """
    before = _counterparts(messages, [turn for turn in stored if not turn.is_system], session)
    times = _times(messages, before, now)
    new: list[Turn] = []
    changed: list[Turn] = []
    moments = {(turn.at, turn.ordinal) for turn in stored}
    for number, message in enumerate(messages, 1):
        there = before.get(number)
        if there is None:
            turn = _turn(message, session, _id_of(message, session, number), times[number - 1], audience)
            while (turn.at, turn.ordinal) in moments:
                turn = replace(turn, ordinal=turn.ordinal + 1)
            moments.add((turn.at, turn.ordinal))
            new.append(turn)
        elif not _says(there, message, stubs.get(there.turn_id), as_kept):
            _check(there, message, session, replaces=replaces)
            changed.append(
                replace(there, speaker=message.speaker, text=message.text, caption=message.caption)
            )
    return Merged(new=tuple(new), changed=tuple(changed), unchanged=len(messages) - len(new) - len(changed))


def _id_of(message: Message, session: str, number: int) -> str:
    return message.turn_id or turn_id_for(session, number)


def _counterparts(messages: Sequence[Message], stored: Sequence[Turn], session: str) -> Mapping[int, Turn]:
    """Give by number of the message the turn it is: of its id, else the one that stands at its place."""
    by_id = {turn.turn_id: turn for turn in stored}
    ids = [_id_of(message, session, number) for number, message in enumerate(messages, 1)]
    found = {number: by_id[name] for number, name in enumerate(ids, 1) if name in by_id}
    named = set(ids)
    for number, turn in enumerate(stored[: len(messages)], 1):
        if number not in found and turn.turn_id not in named and messages[number - 1].turn_id is None:
            found[number] = turn
    return found


def _times(messages: Sequence[Message], before: Mapping[int, Turn], now: datetime) -> list[datetime]:
    """Give each message its time: that it had, that it tells, else one that keeps the order.

    Those at the end that tell none are said now, the last of them, a millisecond apart.
    """
    known = [
        before[number].time if number in before else message.time
        for number, message in enumerate(messages, 1)
    ]
    tail = next((at for at in range(len(known), 0, -1) if known[at - 1] is not None), 0)
    times: list[datetime] = []
    for at, time in enumerate(known):
        if time is None:
            left = len(known) - at - 1 if at >= tail else 0
            time = now - left * TICK if at >= tail or not times else times[-1]
            if times and position_of(time) <= position_of(times[-1]):
                time = times[-1] + TICK
        times.append(time)
    return times


def _says(turn: Turn, message: Message, stub: TurnStub | None, as_kept: Callable[[str], str]) -> bool:
    caption = None if message.caption is None else as_kept(message.caption)
    sent = replace(turn, speaker=as_kept(message.speaker), text=as_kept(message.text), caption=caption)
    return sent == turn or (stub is not None and stub.said_hash == said_hash(sent))


def _check(turn: Turn, message: Message, session: str, *, replaces: bool) -> None:
    if not replaces:
        raise ConflictError(
            f"message {message.number} is another than was stored of session {session!r} ({turn.turn_id}); "
            "replace=True takes the new words, a session of its own keeps both"
        )


def _turn(message: Message, session: str, turn_id: str, time: datetime, audience: Audience) -> Turn:
    return Turn(
        turn_id=turn_id,
        session=session,
        speaker=message.speaker,
        text=message.text,
        time=time,
        caption=message.caption,
        audience=message.audience or audience,
        arousal=message.arousal,
        role=message.role,
        extra=message.extra,
    )
