"""A turn as it is said: stored first, and brought into memory with the few turns of its unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from kataribe.conversation.associations_task import take_in_marks
from kataribe.conversation.import_log import user_to_be
from kataribe.conversation.page_task import put_memories, unit_job, with_memories
from kataribe.conversation.store import add_user, open_said, store
from kataribe.domain.conversation.places import TalkEpisode
from kataribe.domain.conversation.turns import Role, Turn, User, check_turn_id, said_turn_id
from kataribe.domain.gate import position_of
from kataribe.domain.records import Outcome, Work
from kataribe.domain.space import parse_space, user_space
from kataribe.domain.terms import PUBLIC, Audience, Language, known_by
from kataribe.domain.work import WorkKind
from kataribe.errors import ConflictError, InputError, NotFoundError
from kataribe.ports import Transaction
from kataribe.work.task import Embedded

TICK = timedelta(milliseconds=1)
"""How far a turn stands behind the last of its session at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What somebody says, before it is known where in its session it stands.

    Without a `session` it is of that of its day in UTC. `turn_id` is the id it is to have (None: one is
    made): what is said twice under one id is said once.
    """

    speaker: str
    text: str
    time: datetime
    audience: Audience
    session: str | None = None
    caption: str | None = None
    arousal: float | None = None
    role: Role | None = None
    turn_id: str | None = None

    @property
    def told_session(self) -> str:
        """The session it is of."""
        return self.session or self.time.astimezone(UTC).date().isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Turns that are stored: whose they are, and where they are remembered.

    `is_new` False: they were stored before.
    """

    user: User
    made: bool
    space: str
    turns: tuple[Turn, ...]
    units: tuple[str, ...]
    is_new: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """With whom something is said, and under which episode of a story; the choices a user is made with.

    `goes_on` is the token of the user's space where the conversation has begun already (None: it begins).
    """

    user_id: str
    held: TalkEpisode | None = None
    language: Language | None = None
    embedder: str | None = None
    goes_on: str | None = None


def place(tx: Transaction, where: Where, said: Utterance, made: User | None) -> Placed | None:
    """Store what is said behind the last turn of its session; None when a user must be made for it.

    Raises `ConflictError` for other choices than the user was made with, `NotFoundError`,
    `InputError`.
    """
    opened = open_space(tx, where, made)
    if opened is None:
        return None
    user, is_new, space = opened
    before = _said_before(tx, space, said)
    if before is not None:
        return Placed(user=user, made=False, space=space, turns=(before,), units=(), is_new=False)
    turn = _behind_the_last(tx, space, said)
    changes = store(tx, space, [turn])
    return Placed(user=user, made=is_new, space=space, turns=(turn,), units=changes.units)


def open_space(tx: Transaction, where: Where, made: User | None) -> tuple[User, bool, str] | None:
    """Give the user, whether it is `made` now, and the space; None when there is none and none was made.

    Raises `NotFoundError` where the user was erased since the conversation began: what is said now may
    repeat what was said before.
    """
    if where.goes_on is not None and tx.space_token(user_space(where.user_id)) != where.goes_on:
        raise NotFoundError(f"user {where.user_id!r} was erased since this conversation began; begin another")
    there = tx.user(where.user_id)
    wanted = there or made
    if wanted is None:
        return None
    user = user_to_be(there, wanted, language=where.language, embedder=where.embedder)
    if there is None:
        add_user(tx, user)
    return user, there is None, open_said(tx, user.user_id, where.held)


def audience_of(persona: str | Sequence[str] | None, held: TalkEpisode | None) -> Audience:
    """Say who holds what is said: those who were there, else all. Raises `InputError` for talk of nobody."""
    names = (persona,) if isinstance(persona, str) else tuple(persona or ())
    if held is not None and not names:
        raise InputError("talk under a story is held by the personas who were there; name at least one")
    return known_by(*names) if names else PUBLIC


def _said_before(tx: Transaction, space: str, said: Utterance) -> Turn | None:
    """Give the turn of the id that is asked for. Raises `ConflictError` when it says something else."""
    turn = None if said.turn_id is None else tx.turn(space, check_turn_id(said.turn_id))
    if turn is not None and (turn.speaker, turn.text) != (said.speaker, said.text):
        raise ConflictError(f"the id {turn.turn_id!r} is that of another turn; give each its own")
    return turn


def _behind_the_last(tx: Transaction, space: str, said: Utterance) -> Turn:
    """Make a turn that is later than all of its session, with an id nobody has."""
    session, time = said.told_session, said.time
    last = tx.last_said(space, session, since=position_of(time))
    if last is not None:
        time += (last - position_of(time)) * TICK + TICK
    if said.turn_id is None:
        time = _unclaimed(tx, space, session, time)
    return Turn(
        turn_id=said.turn_id or said_turn_id(parse_space(space).place, session, position_of(time)),
        session=session,
        speaker=said.speaker,
        text=said.text,
        time=time,
        caption=said.caption,
        audience=said.audience,
        arousal=said.arousal,
        role=said.role,
    )


def _unclaimed(tx: Transaction, space: str, session: str, time: datetime) -> datetime:
    """Give the first moment from this one on whose id no turn has: one that was moved keeps its own."""
    while tx.turn(space, said_turn_id(parse_space(space).place, session, position_of(time))) is not None:
        time += TICK
    return time


def take_in(
    tx: Transaction, space: str, unit: str, embedded: Embedded, *, by_words: bool
) -> Mapping[str, str]:
    """Bring a unit into memory as it stands; gives the texts that still need a vector, by hash.

    Where some do, nothing is written, unless they may be found `by_words` until it is there: the
    unit stays due then.
    """
    state = tx.space(space)
    held = tx.work(space, WorkKind.TURNS, unit).get(unit)
    if state is None or held is None or not held.lags:
        return {}
    job = with_memories(unit_job(tx, state, unit))
    if not job.turns:
        return {}
    texts = job.texts
    have = dict(tx.known_vectors(job.vector_spaces, job.embedder_id, texts))
    if embedded.embedder_id == job.embedder_id:
        have |= {hashed: vector for hashed, vector in embedded.vectors.items() if hashed in texts}
    missing = {hashed: text for hashed, text in texts.items() if hashed not in have}
    if by_words or not missing:
        put_memories(tx, job, have, embedded.words)
        take_in_marks(tx, state, unit, job.turns)
    if not missing:
        tx.put_work(space, WorkKind.TURNS, unit, Work(fingerprint=job.fingerprint, outcome=Outcome.DONE))
    return missing
