"""Letting go at a night of what a user does not want to be kept any longer."""

from __future__ import annotations

from kataribe.conversation.consents import keeping, may_remember
from kataribe.conversation.homes import user_of
from kataribe.conversation.store import let_go, spaces_of
from kataribe.domain.conversation.commands import CommandKind, read_commands
from kataribe.domain.conversation.life.policy import DAY
from kataribe.domain.conversation.life.values import ENDED
from kataribe.domain.conversation.turns import Role, Turn, User, role_of
from kataribe.domain.privacy.keeping import Keeping
from kataribe.domain.privacy.remembering import MayRemember
from kataribe.domain.work import WorkKind
from kataribe.ports import RecordedNight, Transaction, View

_SECOND = 1000


def overdue(view: View, user_id: str, night: RecordedNight) -> dict[str, tuple[str, ...]]:
    """Name by space the turns whose time is over at a night.

    These are what is older than the user wants it kept, and what nobody was allowed to remember, once it
    is in no buffer any more. Raises `NotFoundError`.
    """
    user, kept = user_of(view, user_id), keeping(view, user_id)
    found: dict[str, tuple[str, ...]] = {}
    for space in spaces_of(view, user_id):
        leave = may_remember(view, space)
        if kept.days is None and leave.is_everything:
            continue
        over = _Overdue(
            night, kept, leave, _spared(view, space, night.at, user) if kept.spares else frozenset()
        )
        named = tuple(turn.turn_id for turn in view.turns(space) if over.is_over(turn))
        if named:
            found[space] = named
    return found


def let_go_of(tx: Transaction, user_id: str, night: RecordedNight) -> int:
    """Remove them, with all that rests on them; gives how many turns there were. Raises `NotFoundError`."""
    return sum(let_go(tx, space, named) for space, named in overdue(tx, user_id, night).items())


class _Overdue:
    """Says which turns of a space are over at a night."""

    def __init__(
        self, night: RecordedNight, kept: Keeping, leave: MayRemember, spared: frozenset[str]
    ) -> None:
        self._oldest = None if kept.days is None else night.at - kept.days * DAY
        self._at_hand = night.at - int(night.policy.buffer.ttl_seconds * _SECOND)
        self._leave = leave
        self._spared = spared

    def is_over(self, turn: Turn) -> bool:
        if self._oldest is not None and turn.at <= self._oldest:
            return turn.turn_id not in self._spared
        return turn.at <= self._at_hand and self._leave.is_over(turn)


def _spared(view: View, space: str, at: int, user: User) -> frozenset[str]:
    """Name the turns in which the user asked to be remembered, and those that what was asked for rests on."""
    asked = {
        turn.turn_id
        for turn in view.turns(space)
        if role_of(turn, user.user_id) is Role.USER
        and any(
            one.kind is CommandKind.REMEMBER and one.is_clear
            for one in read_commands(turn.text, user.language)
        )
    }
    wanted = {
        source
        for holder in view.work(space, WorkKind.TIERS)
        for one in view.life(space, holder).memories_at(at).values()
        if (one.explicit or one.pinned) and one.state not in ENDED
        for source in one.sources
    }
    return frozenset(asked | wanted)
