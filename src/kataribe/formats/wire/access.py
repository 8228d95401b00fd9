"""What programs are shown of access keys."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from kataribe.domain.access import AccessKey, NewAccessKey


class AccessKeyJson(TypedDict):
    """A line of `access list --json`, and the one object of `access add|revoke --json`.

    `secret` is there when it was just made, and never again. `at` is the highest episode of a viewer's key,
    `read` the last one that a reader's may have read.
    """

    id: str
    scope: str
    story: str | None
    user: str | None
    persona: str | None
    at: int | None
    read: int | None
    users_from: str | None
    prefix: str | None
    made_at: str
    secret: NotRequired[str]


def access_key_json(key: AccessKey) -> AccessKeyJson:
    """Write a key without its secret."""
    return {
        "id": key.key_id,
        "scope": key.scope.value,
        "story": None if key.of is None else key.of.story,
        "user": None if key.of is None else key.of.user,
        "persona": key.persona,
        "at": key.upto,
        "read": key.read,
        "users_from": key.users_from,
        "prefix": key.prefix,
        "made_at": key.made_at,
    }


def new_access_key_json(made: NewAccessKey) -> AccessKeyJson:
    """Write a key that was just made."""
    return {**access_key_json(made.key), "secret": made.secret}
