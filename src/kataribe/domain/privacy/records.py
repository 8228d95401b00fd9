"""All that is kept of one user, part by part: what an export and an overview are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from kataribe.domain.audit import AuditEvent
from kataribe.domain.backups import WrittenBackup
from kataribe.domain.conversation.life.events import HandDecision, UsedAt
from kataribe.domain.conversation.life.policy import TierPolicy
from kataribe.domain.conversation.life.values import MemoryValue, OpenQuestion, TurnFate
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.conversation.threads import Thread
from kataribe.domain.conversation.turns import Turn, User
from kataribe.domain.privacy.profile import ConsentEvent, ProfileItem
from kataribe.domain.records import Trace

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidSession:
    """A session in one space: how much was said in it, and the positions of the first and the last turn."""

    space: str
    session: str
    turns: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidSpace:
    """What was said in one space: the user's own, or talk at an episode of a story.

    `episode_no` is the number of the episode a talk is held at now; None: outside stories, or at an
    episode that is deleted. `sealed` counts the turns with personal data, `expired` those whose text is
    deleted, `archived` the rows of memories whose text lies in the archive.
    """

    space: str
    sessions: tuple[SaidSession, ...] = ()
    holders: tuple[str, ...] = ()
    episode_no: int | None = None
    sealed: int = 0
    expired: frozenset[str] = frozenset()
    archived: int = 0

    @property
    def turns(self) -> int:
        """How many turns there are."""
        return sum(one.turns for one in self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """A memory in tiers with all its rows, oldest first, and the numbers each was written by."""

    space: str
    holder: str
    rows: tuple[MemoryValue, ...]
    policies: tuple[TierPolicy, ...]


@dataclass(frozen=True, slots=True)
class HeldRecord(Generic[T_co]):
    """Something that a holder has in a space."""

    space: str
    holder: str
    value: T_co


@dataclass(frozen=True, slots=True, kw_only=True)
class NightRecord:
    """A night that was held, at a position, and its numbers."""

    at: int
    policy: TierPolicy


def _nothing() -> Iterator[Any]:
    return iter(())


def _no_turns(space: str, session: SaidSession | None) -> Iterator[Turn]:  # noqa: ARG001 - none are there
    return iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRecords:
    """All that is kept of one user at a moment, in the words that were said.

    Each part is read anew whenever it is asked for, one by one, so that no part need lie in memory
    as a whole. `turns` gives those of a space, or of one session of it, in the order they were said.
    """

    user: User
    at: datetime
    spaces: tuple[SaidSpace, ...] = ()
    turns: Callable[[str, SaidSession | None], Iterator[Turn]] = _no_turns
    memories: Callable[[], Iterator[MemoryRecord]] = _nothing
    fates: Callable[[], Iterator[HeldRecord[TurnFate]]] = _nothing
    questions: Callable[[], Iterator[HeldRecord[OpenQuestion]]] = _nothing
    decisions: Callable[[], Iterator[HeldRecord[HandDecision]]] = _nothing
    uses: Callable[[], Iterator[HeldRecord[UsedAt]]] = _nothing
    answers: Callable[[], Iterator[HeldRecord[ModelAsk]]] = _nothing
    threads: Callable[[], Iterator[HeldRecord[Thread]]] = _nothing
    nights: Callable[[], Iterator[NightRecord]] = _nothing
    profile: Callable[[], Iterator[ProfileItem]] = _nothing
    consents: Callable[[], Iterator[ConsentEvent]] = _nothing
    searches: Callable[[], Iterator[Trace]] = _nothing
    audit: Callable[[], Iterator[AuditEvent]] = _nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedBundle:
    """What came of an export: the file, its size in bytes and its hash, and how many rows each part has.

    `left_out` says what is not in it, and why.
    """

    user_id: str
    path: Path
    size: int
    sha256: str
    counts: Mapping[str, int]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UserOverview:
    """What is kept of a user, on one page (author).

    `memories` counts what is kept by tier and state, ended memories too; `newest` are the newest memories
    that are given to anybody, the newest first. `is_open`: the user's key is at hand, and words stand as they
    were said. `place` is the key store's; None: there is none. `backups` are those written of the
    store, oldest first; whether the files are there still is not looked up.
    """

    user: User
    at: datetime
    spaces: tuple[SaidSpace, ...]
    profile: tuple[ProfileItem, ...]
    consents: tuple[ConsentEvent, ...]
    memories: Mapping[tuple[str, str], int]
    newest: tuple[HeldRecord[MemoryValue], ...]
    nights: int
    events: int
    is_open: bool
    key_place: str | None
    backups: tuple[WrittenBackup, ...]

    @property
    def holders(self) -> tuple[str, ...]:
        """Who may be given any of it; sorted."""
        return tuple(sorted({holder for one in self.spaces for holder in one.holders}))
