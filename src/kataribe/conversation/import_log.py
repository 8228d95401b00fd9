"""Bringing in a log: whose it is, what of it is new, and all of it stored before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.conversation.store import add_user, check_held, open_said, store
from kataribe.domain.conversation.life.stubs import TurnStub, said_hash
from kataribe.domain.conversation.places import TalkEpisode
from kataribe.domain.conversation.turns import CONVERSATION, LogImport, Turn, User
from kataribe.domain.records import TurnChanges
from kataribe.domain.terms import Language
from kataribe.errors import ConflictError, NotFoundError
from kataribe.ports import Transaction

BATCH = 500
"""How many turns are stored in one transaction: others may write in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A log that may be stored: in which space, and what is there of it already."""

    user: User
    made: bool
    space: str
    token: str | None
    before: Mapping[str, Turn]


def user_to_be(there: User | None, wanted: User, *, language: Language | None, embedder: str | None) -> User:
    """Give the user of a log: the one that is there, or else the one to be made.

    Raises `ConflictError` when another language or embedder is asked for than it was made with.
    """
    if there is None:
        return wanted
    for asked, has, what in ((language, there.language, "language"), (embedder, there.embedder, "embedder")):
        if asked is not None and asked != has:
            raise ConflictError(
                f"the {what} of user {there.user_id!r} is {has}, not {asked}; leave --{what} out"
            )
    return there


def begin(
    tx: Transaction,
    wanted: User,
    turns: Sequence[Turn],
    *,
    language: Language | None,
    embedder: str | None,
    held: TalkEpisode | None,
) -> Begun:
    """Make the user when it is missing and open the space; nothing is stored of a log that is refused.

    Raises `ConflictError` for a turn id that another conversation has used, and for other choices
    than the user was made with; `NotFoundError`, `InputError` for a place where no talk is held.
    """
    there = tx.user(wanted.user_id)
    user = user_to_be(there, wanted, language=language, embedder=embedder)
    if there is None:
        add_user(tx, user)
    space = open_said(tx, user.user_id, held)
    check_held(tx, space, turns)
    found = ((turn.turn_id, tx.turn(space, turn.turn_id)) for turn in turns)
    before = {turn_id: turn for turn_id, turn in found if turn is not None}
    before |= _as_sent(turns, before, tx.stubs(space))
    _check_conversation(user.user_id, turns, before)
    token = tx.space_token(space)
    return Begun(user=user, made=there is None, space=space, token=token, before=before)


def _as_sent(
    turns: Sequence[Turn], before: Mapping[str, Turn], stubs: Mapping[str, TurnStub]
) -> dict[str, Turn]:
    """Give those whose text has expired with the words they are sent with again, where these are the same."""
    expired = [turn for turn in turns if turn.turn_id in before and turn.turn_id in stubs]
    return {
        turn.turn_id: replace(before[turn.turn_id], text=turn.text, caption=turn.caption)
        for turn in expired
        if stubs[turn.turn_id].said_hash == said_hash(turn)
    }


def _check_conversation(user_id: str, turns: Sequence[Turn], before: Mapping[str, Turn]) -> None:
    for turn in turns:
        there = before.get(turn.turn_id)
        named = (None if there is None else there.extra.get(CONVERSATION), turn.extra.get(CONVERSATION))
        if None in named or named[0] == named[1]:
            continue
        raise ConflictError(
            f"user {user_id!r} has a turn {turn.turn_id!r} of another conversation ({named[0]}); "
            f"import {named[1]} for a user of its own"
        )


def batches(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    """Cut a log into what is stored in one transaction each."""
    for start in range(0, len(turns), BATCH):
        yield turns[start : start + BATCH]


def store_batch(tx: Transaction, begun: Begun, turns: Sequence[Turn]) -> TurnChanges:
    """Store some of a log; tells what is new or changed.

    Raises `NotFoundError` when its space was deleted meanwhile, also where one of its name was made
    since; `InputError`.
    """
    space = begun.space
    if begun.token is None or tx.space_token(space) != begun.token:
        raise NotFoundError("what the log belongs to was deleted while it was brought in; import it again")
    return store(tx, space, turns)


def told(begun: Begun, turns: Sequence[Turn], *, now: int) -> LogImport:
    """Count what came of a log; `now` is the clock's position."""
    before = begun.before
    return LogImport(
        user=begun.user,
        made=begun.made,
        turns=len(turns),
        new=sum(turn.turn_id not in before for turn in turns),
        unchanged=sum(before.get(turn.turn_id) == turn for turn in turns),
        ahead=tuple(turn.turn_id for turn in turns if turn.at > now),
    )
