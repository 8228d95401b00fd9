"""What a persona was told and replied, as examples of its voice."""

from __future__ import annotations

from collections.abc import Iterable

from kataribe.conversation.fading import fading, in_force
from kataribe.conversation.homes import user_of
from kataribe.conversation.store import spaces_of
from kataribe.conversation.threads import HeldShare, threads_in
from kataribe.domain.conversation.masking import mask_one_time
from kataribe.domain.conversation.turns import Role, Turn, role_of
from kataribe.domain.ids import WORLD
from kataribe.errors import NotFoundError
from kataribe.ports import View

Pair = tuple[Role, str]
"""Who speaks, the user or the persona, and the words."""


def voice_pairs(view: View, user_id: str, persona: str, *, now: int) -> tuple[tuple[Pair, ...], ...]:
    """Give a persona's conversations with a user as exchanges, one for each thread it replies in (S3-32).

    An exchange begins with what the user says and ends with a reply; what several messages in a row say
    is one. What is forgotten is left out, and one-time codes are masked. Raises `NotFoundError` for an
    unknown user, and for a persona that holds nothing of it.
    """
    user = user_of(view, user_id)
    found: list[tuple[Pair, ...]] = []
    holds_any = False
    for space in spaces_of(view, user_id):
        share = HeldShare(space, persona, (WORLD, persona), now)
        faded = fading(view, user_id, share.gate)
        for one in threads_in(view, share, now):
            holds_any = True
            turns = (
                in_force(turn, space, faded)
                for turn in one.thread.turns
                if (space, turn.turn_id) not in faded.gone
            )
            exchange = _exchange(turns, user.user_id, persona)
            if exchange:
                found.append(exchange)
    if not holds_any:
        raise NotFoundError(f"{persona!r} holds nothing of what was said with {user_id!r}")
    return tuple(found)


def _exchange(turns: Iterable[Turn], user_id: str, persona: str) -> tuple[Pair, ...]:
    """Join what one side says in a row, from the first word of the user to the last reply."""
    said: list[Pair] = []
    for turn in turns:
        role = _side(turn, user_id, persona)
        text = mask_one_time(turn.text)
        if role is None or (not said and role is Role.PERSONA):
            continue
        if said and said[-1][0] is role:
            said[-1] = (role, f"{said[-1][1]}\n{text}")
        else:
            said.append((role, text))
    while said and said[-1][0] is Role.USER:
        said.pop()
    return tuple(said)


def _side(turn: Turn, user_id: str, persona: str) -> Role | None:
    """Tell whether a turn is the persona's or is said to it; None for the system's."""
    role = role_of(turn, user_id)
    if role is Role.SYSTEM:
        return None
    return Role.PERSONA if role is Role.PERSONA and turn.audience.members >= {persona} else Role.USER
