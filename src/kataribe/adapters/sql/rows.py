"""Between rows and values: `x_in` reads a row, `x_out` writes one; here those of conversations and work."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from typing import Any

from kataribe.domain.conversation.turns import Role, Turn, User
from kataribe.domain.records import (
    Outcome,
    SpaceState,
    Trace,
    Work,
)
from kataribe.domain.space import library_space, parse_space, story_space, user_space
from kataribe.domain.terms import PUBLIC, Audience

Row = Any
"""A SQLAlchemy row or mapping; its columns are those of the table in `schema`."""


Values = dict[str, object]


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump(value: object) -> str:
    """Write JSON compactly, keys in the order given."""
    return _ENCODER.encode(value)


def load(text: str | None) -> Any:
    """Read JSON; None stays None."""
    return None if text is None else json.loads(text)


def audience_out(audience: Audience) -> str | None:
    """Write an audience: null for the world, else the sorted members."""
    return None if audience.world else dump(sorted(audience.members))


def audience_in(text: str | None) -> Audience:
    """Read an audience."""
    return PUBLIC if text is None else _members_in(text)


@lru_cache(maxsize=4096)
def _members_in(text: str) -> Audience:
    """Read who knows: the same few sets of characters stand in a story's rows again and again."""
    return Audience(members=frozenset(json.loads(text)))


def user_out(user: User) -> Values:
    """Write a user."""
    return {
        "user_id": user.user_id,
        "extra": dump(user.extra),
        "model": user.model,
        "model_id": user.model_id,
    }


def user_in(row: Row) -> User:
    """Read a user."""
    return User(
        user_id=row.user_id,
        language=row.language,
        embedder=row.embedder,
        embedder_id=row.embedder_id,
        model=row.model,
        model_id=row.model_id,
        extra=load(row.extra),
    )


def space_in(row: Row) -> SpaceState:
    """Read a space."""
    return SpaceState(
        space=row.space, language=row.language, embedder=row.embedder, embedder_id=row.embedder_id
    )


def turn_out(space: str, turn: Turn) -> Values:
    """Write a turn."""
    return {
        "space": space,
        "turn_id": turn.turn_id,
        "session": turn.session,
        "ordinal": turn.ordinal,
        "speaker": turn.speaker,
        "text": turn.text,
        "caption": turn.caption,
        "time": turn.time.isoformat(),
        "at": turn.at,
        "held_by": audience_out(turn.audience),
        "arousal": turn.arousal,
        "role": None if turn.role is None else turn.role.value,
        "extra": dump(turn.extra),
    }


def turn_in(row: Row) -> Turn:
    """Read a turn."""
    return Turn(
        turn_id=row.turn_id,
        session=row.session,
        ordinal=row.ordinal,
        speaker=row.speaker,
        text=row.text,
        caption=row.caption,
        time=datetime.fromisoformat(row.time),
        audience=audience_in(row.held_by),
        arousal=row.arousal,
        role=None if row.role is None else Role(row.role),
        extra=load(row.extra),
    )


def work_in(row: Row) -> Work:
    """Read how a piece of work ended."""
    return Work(
        fingerprint=row.fingerprint,
        outcome=Outcome(row.outcome),
        wanted=row.wanted,
        attempts=row.attempts,
        error=row.error,
        lease=row.lease,
        worker=row.worker,
        leased_until=row.leased_until,
        due_at=row.due_at,
    )


def trace_out(trace: Trace) -> Values:
    """Write a trace: kept under its library's, story's or user's space, and beside under another."""
    spaces = [library_space(trace.library)] if trace.library is not None else []
    spaces += [story_space(trace.story)] if trace.story else []
    spaces += [user_space(trace.user)] if trace.user is not None else []
    return {
        "at": trace.at,
        "space": spaces[0],
        "beside": spaces[1] if len(spaces) > 1 else None,
        "character_id": trace.character,
        "episode_no": min(trace.episode_no, 2**62) if trace.story else None,
        "as_of": trace.as_of,
        "verb": trace.verb,
        "filter": None if trace.filter is None else dump(trace.filter),
        "slices": dump(trace.slices),
        "ids": dump(trace.ids),
    }


def trace_in(row: Row) -> Trace:
    """Read a trace."""
    spaces = [parse_space(name) for name in (row.space, row.beside) if name is not None]
    return Trace(
        at=row.at,
        story=next((space.story for space in spaces if space.story is not None), ""),
        character=row.character_id,
        episode_no=row.episode_no or 0,
        user=next((space.user for space in spaces if space.user is not None), None),
        as_of=row.as_of,
        library=next((space.library for space in spaces if space.library is not None), None),
        verb=row.verb,
        filter=load(row.filter),
        slices=tuple(load(row.slices)),
        ids=tuple(load(row.ids)),
    )
