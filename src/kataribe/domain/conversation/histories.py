"""The whole history that a chat client sends each time, laid beside what is stored of the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from kataribe.domain.conversation.turns import Role, User

ANOTHER_AFTER = timedelta(hours=1)
"""After so long the same first words begin another conversation, where no session is named."""
_ENOUGH = 2
"""So many messages in a row tell where a history stands whose oldest messages were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """One message of a history that is somebody's words: the user's, or those of who answers."""

    role: Role
    text: str


Key = tuple[Role, str]
"""By what a message of a history and a stored turn are held to be the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPlace:
    """Where a history stands in what is stored: `same` lines from `start` on, and `tail` at the end of both.

    What is stored between these two is said no more, and what the history has there is new. What is
    stored before `start` the client has left out, and it stays.
    """

    start: int
    same: int
    tail: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowReport:
    """What came of a history: its new messages are turns, and what it says no more is none.

    `new`, `unchanged` and `removed` count turns. `left_out` counts, by reason, what is nobody's words:
    `system`, `tool`, `not text`, `evidence`. `pending` says why some are found by words only.
    """

    user: User
    made: bool
    session: str
    new: int
    unchanged: int
    removed: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    pending: str | None = None


def opening(said: Sequence[Key]) -> int:
    """Count the lines up to the user's first, with it: what a conversation without a name is known by."""
    return next((at for at, (role, _) in enumerate(said, 1) if role is Role.USER), len(said))


def place_of(said: Sequence[Key], stored: Sequence[Key]) -> HistoryPlace:
    """Tell where a history stands in what is stored under the name of its session.

    A history that begins as the stored one is that one, as far as both go on alike. One that begins
    later in it was cut by its client at the front. One of which nothing is stored goes on behind it,
    and so does one message alone, unless it is the only one the user said.
    """
    start = _start(said, stored)
    rest = stored[start:]
    same = _common(said, rest)
    return HistoryPlace(start=start, same=same, tail=_common(said[same:][::-1], rest[same:][::-1]))


def _start(said: Sequence[Key], stored: Sequence[Key]) -> int:
    if not said or not stored:
        return len(stored)
    if said[0] == stored[0] and (len(said) > 1 or _said_by_user(stored) <= 1):
        return 0
    begins = [at for at in range(1, len(stored)) if stored[at] == said[0]]
    runs = {at: _common(said, stored[at:]) for at in begins}
    # First of all where it only goes on: nothing that is stored is contradicted.
    goes_on = [at for at, run in runs.items() if at + run == len(stored)]
    if goes_on:
        return goes_on[0]
    whole = [at for at, run in runs.items() if run == len(said) and run >= _ENOUGH]
    if whole:
        return whole[-1]
    if len(said) > 1 and len(stored) > 1 and said[1] == stored[1]:
        return 0
    best = max(runs.values(), default=0)
    return next(at for at in reversed(begins) if runs[at] == best) if best >= _ENOUGH else len(stored)


def is_same(said: Sequence[Key], stored: Sequence[Key], *, age: timedelta) -> bool:
    """Whether a history without the name of a session is that of a stored conversation.

    It has more in common with it than its opening; or there is nothing but that and a reply, and it was
    said not longer than `ANOTHER_AFTER` ago, or is all that is sent again.
    """
    begun = opening(said)
    same = _common(said, stored)
    if same > begun:
        return True
    if same < begun or _said_by_user(stored) > 1:
        return False
    return len(said) > begun or len(stored) == begun or age <= ANOTHER_AFTER


def _said_by_user(lines: Sequence[Key]) -> int:
    return sum(1 for role, _ in lines if role is Role.USER)


def _common(one: Sequence[Key], other: Sequence[Key]) -> int:
    """Count how many lines two lists begin with alike."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
