"""What programs are shown of personal data in a text, and of an erasure."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from kataribe.domain.privacy.erasure import ErasureReceipt
from kataribe.domain.privacy.records import SaidSpace, UserOverview
from kataribe.domain.space import parse_space
from kataribe.formats.wire.backups import WrittenBackupJson, written_backup_json
from kataribe.formats.wire.profile import ConsentJson, ProfileItemJson, consent_json, profile_item_json
from kataribe.formats.wire.threads import moment_text
from kataribe.formats.wire.tiers import KeptMemoryJson, kept_memory_json


class PersonalFindingJson(TypedDict):
    """A line of `privacy scan --json`: characters [start, end) of the text as it was given."""

    kind: str
    start: int
    end: int
    token: str


class SaidSpaceJson(TypedDict):
    """What was said in one space; `episode` is the number of the episode that talk was held at."""

    space: str
    story: str | None
    episode: int | None
    turns: int
    sessions: int
    first_at: str | None
    last_at: str | None
    known_by: list[str]
    sealed: int
    expired: int
    archived: int


class UserOverviewJson(TypedDict):
    """The one object of `privacy show --json`.

    `memories` counts by tier, then by state. `is_open` is false where the user's key is missing: tokens stand
    for personal data then.
    """

    user: str
    language: str
    at: str
    spaces: list[SaidSpaceJson]
    known_by: list[str]
    profile: list[ProfileItemJson]
    consents: list[ConsentJson]
    memories: dict[str, dict[str, int]]
    newest: list[KeptMemoryJson]
    nights: int
    events: int
    is_open: bool
    key_store: str | None
    backups: list[WrittenBackupJson]


def said_space_json(one: SaidSpace) -> SaidSpaceJson:
    """Give what was said in a space, in numbers."""
    first = min((session.first for session in one.sessions), default=None)
    last = max((session.last for session in one.sessions), default=None)
    return {
        "space": one.space,
        "story": parse_space(one.space).story,
        "episode": one.episode_no,
        "turns": one.turns,
        "sessions": len(one.sessions),
        "first_at": None if first is None else moment_text(first),
        "last_at": None if last is None else moment_text(last),
        "known_by": list(one.holders),
        "sealed": one.sealed,
        "expired": len(one.expired),
        "archived": one.archived,
    }


def user_overview_json(found: UserOverview) -> UserOverviewJson:
    """Give what is kept of a user."""
    memories: dict[str, dict[str, int]] = {}
    for (tier, state), count in sorted(found.memories.items()):
        memories.setdefault(tier, {})[state] = count
    user_id = found.user.user_id
    return {
        "user": user_id,
        "language": found.user.language,
        "at": found.at.isoformat(),
        "spaces": [said_space_json(one) for one in found.spaces],
        "known_by": list(found.holders),
        "profile": [profile_item_json(user_id, one) for one in found.profile],
        "consents": [consent_json(user_id, one) for one in found.consents],
        "memories": memories,
        "newest": [kept_memory_json(one.space, one.holder, one.value) for one in found.newest],
        "nights": found.nights,
        "events": found.events,
        "is_open": found.is_open,
        "key_store": found.key_place,
        "backups": [written_backup_json(one) for one in found.backups],
    }


class PrivacyTokenJson(TypedDict):
    """A token that permits one act on all that is kept of a user, once within 15 minutes."""

    token: str


class PrivacyAskedJson(TypedDict):
    """What is asked of all that is kept of a user: `action` is `export` or `delete`.

    Without a `token` nothing is done, and one is given; with it, it is done. `user_id` need not be named to
    a key that is bound to a user.
    """

    user_id: NotRequired[str]
    action: str
    token: NotRequired[str | None]


class PrivacyConfirmJson(TypedDict):
    """How to confirm what was asked: the same request with `token`, once and within `valid_seconds`.

    `uri` is where the zip of an export can be had by the same token instead; None where something is deleted.
    """

    user: str
    action: str
    token: str
    valid_seconds: int
    uri: str | None


class ErasureJson(TypedDict):
    """The one object of `privacy delete --json`; `counts` by what it was kept in.

    `complete` is false as long as `held_by` names who reads the store's log, or `unreached` says by store
    what could not be done yet. `unsealed` names copies and backups that are not sealed.
    """

    deleted: bool
    user_id: str
    at: str
    complete: bool
    counts: dict[str, int]
    held_by: list[str]
    unreached: dict[str, str]
    unsealed: list[str]


def finding_json(kind: str, start: int, end: int, token: str) -> PersonalFindingJson:
    """Give a finding; never its value."""
    return {"kind": kind, "start": start, "end": end, "token": token}


def erasure_json(receipt: ErasureReceipt) -> ErasureJson:
    """Write a receipt."""
    return {
        "deleted": True,
        "user_id": receipt.user,
        "at": receipt.at,
        "complete": receipt.complete,
        "counts": dict(receipt.counts),
        "held_by": list(receipt.held_by),
        "unreached": dict(receipt.unreached),
        "unsealed": list(receipt.unsealed),
    }
