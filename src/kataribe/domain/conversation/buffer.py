"""The buffer: what was just said, as a function of the turns and of the moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from kataribe.domain.conversation.turns import Turn
from kataribe.errors import InputError

_MILLISECONDS = 1000


class BufferLimit(StrEnum):
    """What ends a buffer, or keeps it empty (U-9)."""

    MESSAGES = "messages"
    TOKENS = "tokens"
    IDLE = "idle"
    TTL = "ttl"


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferPolicy:
    """How much of what was just said is at hand; each limit holds by itself.

    `messages` (S3-9) and `tokens` (S2-31) bound how much. Nothing is at hand once nobody spoke for
    `idle_seconds` (S3-13), and no message once it is `ttl_seconds` old (S2-17).
    """

    messages: int = 12
    tokens: int = 6000
    idle_seconds: float = 600
    ttl_seconds: float = 7200

    def __post_init__(self) -> None:
        for value, what in ((self.messages, "messages"), (self.tokens, "tokens")):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"the buffer's {what} must be a whole number from 1 on, not {value!r}")
        for seconds, what in ((self.idle_seconds, "idle_seconds"), (self.ttl_seconds, "ttl_seconds")):
            if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
                raise InputError(f"the buffer's {what} must be more than 0 seconds, not {seconds!r}")


DEFAULT_BUFFER = BufferPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffer:
    """What one holder has at hand of a session, oldest first.

    `tokens` is how many its messages take. `ended_by` says which limit keeps what was said before
    out of it; None: the whole session is in it. Once a conversation was idle for too long
    `resumes` names the thread that it would go on with.
    """

    space: str | None = None
    session: str | None = None
    turns: tuple[Turn, ...] = ()
    tokens: int = 0
    ended_by: BufferLimit | None = None
    resumes: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many of its messages each speaker has."""
    persona_counts: Mapping[str, int] = field(default_factory=dict)
    """How many of them each persona said, by its id."""
    last: int | None = None
    """The position of the last thing that was said; None: nothing ever was."""


def fill_buffer(
    said: Sequence[Turn], *, now: int, count: Callable[[str], int], policy: BufferPolicy = DEFAULT_BUFFER
) -> tuple[tuple[Turn, ...], int, BufferLimit | None]:
    """Give what is at hand of the last turns of a session, its tokens, and which limit ended it.

    `said` are in the order they were said, none later than `now` (milliseconds since 1970, UTC);
    `count` gives the tokens of a text.
    """
    kept: list[Turn] = []
    tokens = 0
    if said and now - said[-1].at >= policy.idle_seconds * _MILLISECONDS:
        return (), 0, BufferLimit.IDLE
    for turn in reversed(said):
        if len(kept) == policy.messages:
            return tuple(reversed(kept)), tokens, BufferLimit.MESSAGES
        if now - turn.at >= policy.ttl_seconds * _MILLISECONDS:
            return tuple(reversed(kept)), tokens, BufferLimit.TTL
        more = count(line_of(turn))
        if tokens + more > policy.tokens:
            return tuple(reversed(kept)), tokens, BufferLimit.TOKENS
        tokens += more
        kept.append(turn)
    return tuple(reversed(kept)), tokens, None


def line_of(turn: Turn) -> str:
    """Give a message as a model is told it: who said it, and the words."""
    return f"{turn.speaker}: {turn.words}"
