"""Webhooks: what a receiver outside is told of memory. Ids, never a word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from kataribe.domain.space import Space, SpaceType
from kataribe.domain.work import WorkKind

HOOK = "webhook:"
"""Begins the name under which it is kept what a receiver was told."""


class MemoryChange(StrEnum):
    """What became of a memory."""

    KEPT = "kept"
    """It can be remembered from now on."""
    SUPERSEDED = "superseded"
    """Another took its place for who holds it."""
    FORGOTTEN = "forgotten"
    """It is hidden or has faded: it may come back."""
    DELETED = "deleted"
    """It is gone, or its episode is until that is restored."""


class ChangedKind(StrEnum):
    """What sort of memory changed."""

    FACT = "fact"
    """A fact of a story."""
    TURN = "turn"
    """What somebody said."""
    KEPT_MEMORY = "kept_memory"
    """What a night keeps of a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How memory in one sort of space is told of: as what, and which work makes it.

    `by_episode` says that its units are of episodes, which wait as a whole, and that its memories supersede
    each other.
    """

    space: SpaceType
    kind: ChangedKind
    made_by: WorkKind
    by_episode: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedMemory:
    """A memory that changed: its id, who holds it, and at which position of its space (None: it is gone).

    `by` is the id of what took its place.
    """

    change: MemoryChange
    kind: ChangedKind
    memory_id: str
    holder: str
    position: int | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookMessage:
    """What a receiver is told at once: changes of one unit of a space, or (`space` None) that it is gone.

    `collection` is the random name of the space, which it keeps as long as it is there and which tells
    nothing of it. `revision` is that of the change log. A message has the same id each time it is sent.
    """

    message_id: str
    made_at: datetime
    collection: str
    space: Space | None = None
    episode_id: str | None = None
    revision: int = 0
    changes: tuple[ChangedMemory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HookReply:
    """What came of sending a message: the status (None: there was no answer), and what went wrong in words.

    `retry_after` are the seconds that the receiver asks to be left alone.
    """

    status: int | None
    reason: str = ""
    retry_after: float | None = None

    @property
    def is_taken(self) -> bool:
        """Whether the receiver has it."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_refused(self) -> bool:
        """Whether it does not want this message, whatever it says of another one."""
        return self.status is not None and 400 <= self.status < 500 and self.status not in (408, 425, 429)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRun:
    """What came of telling a receiver what it lacks: how many messages it took, and what stopped it."""

    sent: int = 0
    stopped_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookLag:
    """How a webhook stands: what its receiver lacks, and what this process saw of it.

    `units` of `spaces` have changed since it was told of them, and `gone` spaces were deleted. It failed
    `failures` times since it last took a message, for the reason `failing`; `sent` counts the messages it
    took, `given_up` those it refused so often that they are not sent again.
    """

    name: str
    units: int
    spaces: int
    gone: int
    failures: int = 0
    failing: str | None = None
    sent: int = 0
    given_up: int = 0

    @property
    def is_told(self) -> bool:
        """Whether its receiver knows all there is."""
        return self.units == 0 and self.gone == 0
