"""What programs are shown of the audit record and of the key store."""

from __future__ import annotations

from typing import TypedDict

from kataribe.domain.audit import AuditCheck, AuditEvent
from kataribe.domain.keys import KeyStatus


class AuditEventJson(TypedDict):
    """A line of `audit list --json`; in `chain` a user is called by a pseudonym."""

    key: str
    chain: str
    n: int
    at: str
    act: str
    outcome: str
    reason: str | None
    detail: dict[str, object]
    hash: str


class AuditCheckJson(TypedDict):
    """The one object of `audit verify --json`; `erased` counts chains that went with their user."""

    ok: bool
    chains: int
    events: int
    erased: int
    problems: list[str]


class KeyStatusJson(TypedDict):
    """The one object of `keys status --json`; `wrapped_by` is null as long as nothing was made."""

    place: str
    is_made: bool
    wrapped_by: str | None
    kek_id: str
    users: int
    tombstones: int


def audit_event_json(event: AuditEvent) -> AuditEventJson:
    """Write an event."""
    return {
        "key": event.key,
        "chain": event.chain,
        "n": event.n,
        "at": event.at,
        "act": event.act,
        "outcome": event.outcome,
        "reason": event.reason,
        "detail": dict(event.detail),
        "hash": event.hash,
    }


def audit_check_json(found: AuditCheck) -> AuditCheckJson:
    """Write what came of looking a record over."""
    return {
        "ok": found.ok,
        "chains": found.chains,
        "events": found.events,
        "erased": found.erased,
        "problems": list(found.problems),
    }


def key_status_json(status: KeyStatus) -> KeyStatusJson:
    """Write how a key store stands."""
    return {
        "place": status.place,
        "is_made": status.is_made,
        "wrapped_by": None if status.wrapped_by is None else status.wrapped_by.value,
        "kek_id": status.kek_id,
        "users": status.users,
        "tombstones": status.tombstones,
    }
