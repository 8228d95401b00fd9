"""Bringing a stored conversation up to the history that a client sends: what is new, what is said no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from kataribe.conversation.live import TICK, Placed, Where, open_space
from kataribe.conversation.store import delete, store
from kataribe.domain.conversation.histories import (
    HistoryLine,
    HistoryPlace,
    Key,
    is_same,
    opening,
    place_of,
)
from kataribe.domain.conversation.life.stubs import TurnStub, said_hash
from kataribe.domain.conversation.turns import Role, Turn, User, role_of, said_turn_id
from kataribe.domain.gate import position_of
from kataribe.domain.ids import digest, normalise
from kataribe.domain.privacy.sealed import without_values
from kataribe.domain.space import parse_space
from kataribe.domain.terms import Audience, Language
from kataribe.ports import Transaction

_LOOKED_AT = 16
"""Conversations that begin alike which are looked at, the last first."""
_NAME = "chat-"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentHistory:
    """A history as it was sent, and whose conversation it is of.

    Without a `session` it is of the one that begins as it does, among those begun under `beginning`.
    `user` and `persona` are who speaks.
    """

    lines: Sequence[HistoryLine]
    audience: Audience
    session: str | None
    beginning: str
    user: str
    persona: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedHistory:
    """What was done: the session, turns that are stored anew, how many are as before, and which are gone."""

    placed: Placed
    session: str
    unchanged: int
    gone: tuple[str, ...]


def follow(
    tx: Transaction,
    where: Where,
    sent: SentHistory,
    made: User | None,
    *,
    writer: Callable[[], Callable[[str], str]],
) -> FollowedHistory | None:
    """Store what is new of a history and remove what it says no more; None when a user must be made for it.

    `writer` gives what writes a text as it is stored, once the user is there: so they are compared.
    Turns that others heard too are not of it, and stay. Raises `InputError`.
    """
    opened = open_space(tx, where, made)
    if opened is None:
        return None
    user, is_new, space = opened
    as_kept = writer()
    held = _StoredHistories(
        tx, space, sent, [as_kept(line.text.strip()) for line in sent.lines], user.language
    )
    session = sent.session or held.session()
    mine = held.of(session)
    place = place_of(held.said, held.keys_of(mine))
    gone = mine[place.start + place.same : len(mine) - place.tail]
    gone_ids = tuple(turn.turn_id for turn in gone)
    if gone:
        delete(tx, space, gone_ids)
    fresh = sent.lines[place.same : len(sent.lines) - place.tail]
    if place.tail:
        times = _times_between(mine, place, len(fresh))
    else:
        left = [turn for turn in tx.turns(space, session=session) if turn.turn_id not in gone_ids]
        times = _times_behind(left, len(fresh), sent.now)
    turns = _turns(tx, space, session, fresh, times, sent)
    units = store(tx, space, turns).units if turns else ()
    placed = Placed(user=user, made=is_new, space=space, turns=turns, units=units)
    return FollowedHistory(placed=placed, session=session, unchanged=place.same + place.tail, gone=gone_ids)


class _StoredHistories:
    """What is stored of conversations with one audience, as histories tell it."""

    def __init__(
        self,
        tx: Transaction,
        space: str,
        sent: SentHistory,
        kept: Sequence[str],
        language: Language,
    ) -> None:
        self._tx = tx
        self._space = space
        self._sent = sent
        self._kept = kept
        self._language = language
        self._stubs: Mapping[str, TurnStub] = tx.stubs(space)
        self.said: Sequence[Key] = [
            (line.role, normalise(text)) for line, text in zip(sent.lines, kept, strict=True)
        ]

    def of(self, session: str) -> tuple[Turn, ...]:
        """Give the turns of a session that this history may be the history of."""
        return tuple(
            turn
            for turn in self._tx.turns(self._space, session=session)
            if turn.audience == self._sent.audience and not turn.is_system
        )

    def keys_of(self, turns: Sequence[Turn]) -> list[Key]:
        """Give by what turns are held to be the same as messages."""
        return [self._key(turn) for turn in turns]

    def _key(self, turn: Turn) -> Key:
        role = Role.PERSONA if role_of(turn, self._sent.user) is Role.PERSONA else Role.USER
        stub = self._stubs.get(turn.turn_id)
        if stub is not None:
            # What it said has expired, and can only be asked for.
            for key, text in zip(self.said, self._kept, strict=True):
                if key[0] is role and said_hash(replace(turn, text=text)) == stub.said_hash:
                    return key
        return role, normalise(turn.text)

    def session(self) -> str:
        """Name the conversation that this history is of, or a new one."""
        # Its name stands in the open: nothing personal is to be guessed from it, and it outlasts a key.
        first = [
            normalise(without_values(line.text, self._language))
            for line in self._sent.lines[: opening(self.said)]
        ]
        name = f"{_NAME}{digest('history', self._sent.beginning, *first)[:16]}"
        last = self._last(name)
        for number in range(last, max(last - _LOOKED_AT, 0), -1):
            turns = self.of(_numbered(name, number))
            if turns and is_same(self.said, self.keys_of(turns), age=self._sent.now - turns[-1].time):
                return _numbered(name, number)
        return _numbered(name, last + 1)

    def _last(self, name: str) -> int:
        """Give the number of the last conversation of this name; 0: there is none."""
        low, high = 0, 1
        while self._is_there(name, high):
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._is_there(name, middle) else (low, middle)
        return low

    def _is_there(self, name: str, number: int) -> bool:
        return bool(self._tx.turns(self._space, session=_numbered(name, number)))


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def _times_behind(left: Sequence[Turn], count: int, now: datetime) -> list[datetime]:
    """Give new turns their times: now, a tick apart, behind all that is there."""
    first = now - (count - 1) * TICK
    latest = max((turn.time for turn in left), default=None)
    if latest is not None and position_of(first) <= position_of(latest):
        first = latest + TICK
    return [first + at * TICK for at in range(count)]


def _times_between(mine: Sequence[Turn], place: HistoryPlace, count: int) -> list[datetime]:
    """Give new turns the times of those at whose place they stand, or such as lie beside them."""
    at = place.start + place.same
    times = [turn.time for turn in mine[at : len(mine) - place.tail]][:count]
    before = mine[at - 1].time if at else mine[0].time - (count + 1) * TICK
    while len(times) < count:
        times.append((times[-1] if times else before) + TICK)
    return times


def _turns(
    tx: Transaction,
    space: str,
    session: str,
    lines: Sequence[HistoryLine],
    times: Sequence[datetime],
    sent: SentHistory,
) -> tuple[Turn, ...]:
    taken: set[str] = set()
    made: list[Turn] = []
    place = parse_space(space).place
    for line, moment in zip(lines, times, strict=True):
        time = moment if not made or moment > made[-1].time else made[-1].time + TICK
        while (name := said_turn_id(place, session, position_of(time))) in taken or tx.turn(
            space, name
        ) is not None:
            time += TICK
        taken.add(name)
        made.append(
            Turn(
                turn_id=name,
                session=session,
                speaker=sent.user if line.role is Role.USER else sent.persona,
                text=line.text.strip(),
                time=time.astimezone(UTC),
                audience=sent.audience,
                role=line.role,
            )
        )
    return tuple(made)
