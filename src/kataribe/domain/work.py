"""Work on episodes: leases, back-off and bounded retries, as values and pure rules.

Moments are seconds since 1970, UTC; lengths of time are seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kataribe.domain.records import Outcome, Work
from kataribe.errors import InputError


class WorkKind(StrEnum):
    """What is made by a piece of work."""

    EXTRACT = "extract"
    """The memory of an episode."""
    TURNS = "turns"
    """The memory of some turns of a day."""
    TIERS = "tiers"
    """What one holder keeps of a conversation, in tiers."""
    ASKS = "asks"
    """What a model is asked about what was said."""
    ASSOCIATIONS = "associations"
    """What some turns of a day name, and what goes with what by them."""
    PASSAGES = "passages"
    """The passages of a document."""
    FEED = "feed"
    """What an index outside the store is given of a unit's memory."""


MAX_WORKERS = 64
"""More than this in one process is a slip of the hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPolicy:
    """How long a lease lasts, how often work is tried, and how long it waits in between.

    With the numbers as they stand a failing episode is tried at once, 2 s and 8 s later, and
    is then a dead letter. Raises `InputError` for numbers that make no sense.
    """

    lease_seconds: float = 60
    max_attempts: int = 3
    backoff_seconds: float = 2
    backoff_factor: float = 4
    max_backoff_seconds: float = 300

    def __post_init__(self) -> None:
        if self.lease_seconds <= 0 or self.max_attempts < 1:
            raise InputError("a lease must last longer than 0 seconds, and work be tried at least once")
        if self.backoff_seconds < 0 or self.backoff_factor < 1 or self.max_backoff_seconds < 0:
            raise InputError("the wait before work is tried again must be 0 or more and must not shrink")

    def due_again(self, now: float, attempts: int) -> float:
        """Give the moment from which work that has now failed `attempts` times may be tried again."""
        # Bounded before it is raised: a large number of attempts must not overflow.
        wait = self.backoff_seconds * self.backoff_factor ** min(max(attempts - 1, 0), 64)
        return now + min(wait, self.max_backoff_seconds)

    def ended(self, attempts: int) -> Outcome:
        """Tell what a failure is after this many attempts: to be tried again, or a dead letter."""
        return Outcome.DEAD if attempts >= self.max_attempts else Outcome.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A worker's word that it is at work on something, good until `until`.

    `token` is of one claim alone; `worker` says which process that is.
    """

    token: str
    worker: str
    until: float


def is_stale(leased_until: float | None, now: float) -> bool:
    """Tell whether a lease has run out; one without an end has none to wait for."""
    return leased_until is None or leased_until <= now


class WorkState(StrEnum):
    """How an episode that is not in memory stands."""

    DUE = "due"
    WORKING = "working"
    WAITING = "waiting"
    """It failed, and is tried again later."""
    DEAD = "dead"
    """It failed too often; `retry_work` tries it again."""
    DROPPED = "dropped"
    """A person said to leave it until its inputs change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """A piece of work that is not done: an episode, some turns of a day, or a document, whose memory lags.

    An episode's has `story_id`, `episode_id` and `episode_no`; that of turns has `user`, and
    `story_id` when they are talk under a story; a document's has `library`, and its name is the
    `unit`. `worker` and `until` tell who works on it and how long its lease lasts; of one that waits
    `until` is when it is due again. `error` is why the last attempt failed.
    """

    story_id: str | None
    episode_id: str | None
    episode_no: int | None
    state: WorkState
    attempts: int = 0
    error: str | None = None
    worker: str | None = None
    until: float | None = None
    space: str
    kind: WorkKind
    unit: str
    user: str | None = None
    library: str | None = None


def work_item(
    work: Work,
    *,
    space: str,
    kind: WorkKind,
    unit: str,
    now: float,
    story_id: str | None = None,
    episode_id: str | None = None,
    episode_no: int | None = None,
    user: str | None = None,
    library: str | None = None,
) -> WorkItem:
    """Tell how a piece of work that lags stands."""
    state, until = _standing(work, now)
    # What failed with other inputs says nothing of these.
    same = work.fingerprint == work.wanted
    return WorkItem(
        story_id=story_id,
        episode_id=episode_id,
        episode_no=episode_no,
        state=state,
        attempts=work.attempts if same else 0,
        error=work.error if same else None,
        worker=work.worker if state is WorkState.WORKING else None,
        until=until,
        space=space,
        kind=kind,
        unit=unit,
        user=user,
        library=library,
    )


def _standing(work: Work, now: float) -> tuple[WorkState, float | None]:
    if work.lease is not None and not is_stale(work.leased_until, now):
        return WorkState.WORKING, work.leased_until
    if work.fingerprint != work.wanted:
        return WorkState.DUE, None
    if work.outcome in (Outcome.DEAD, Outcome.DROPPED):
        return WorkState(work.outcome.value), None
    if work.outcome is Outcome.FAILED and not is_stale(work.due_at, now):
        return WorkState.WAITING, work.due_at
    return WorkState.DUE, None
