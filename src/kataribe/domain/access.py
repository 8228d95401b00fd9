"""Access keys: who may connect, and to how much of a store."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from kataribe.domain.ids import check_id
from kataribe.domain.space import Space
from kataribe.errors import InputError, option

SECRET_PREFIX = "ktr"
"""What every secret begins with, so that one that was published by mistake can be found."""
_HEADER = re.compile(r"header:(?P<name>[A-Za-z0-9-]{1,64})")
BODY_USER = "body:user"
"""The name of a user stands in the field `user` of the body."""


class AccessScope(StrEnum):
    """How much a key opens."""

    AUTHOR = "author"
    """All stories, across viewers; no user."""
    VIEWER = "viewer"
    """What one character of a story knows up to one episode."""
    READER = "reader"
    """What is told in a story up to one episode, whoever holds it; no talk."""
    USER = "user"
    """What one persona and one user said to each other."""
    FRONT = "front"
    """Users of one prefix, whom a program that serves many people names with each request."""
    ADMIN = "admin"
    """Everything."""


_NEEDS: Mapping[AccessScope, frozenset[str]] = {
    AccessScope.AUTHOR: frozenset(),
    AccessScope.VIEWER: frozenset({"story", "persona", "upto"}),
    AccessScope.READER: frozenset({"story", "read"}),
    AccessScope.USER: frozenset({"user"}),
    AccessScope.FRONT: frozenset({"users_from", "prefix"}),
    AccessScope.ADMIN: frozenset(),
}
_MAY: Mapping[AccessScope, frozenset[str]] = {
    AccessScope.USER: frozenset({"persona"}),
    AccessScope.FRONT: frozenset({"persona"}),
}
_OPTIONS = {"story": "story", "persona": "as", "upto": "at", "user": "user"}
"""By which option the command line names what a key is bound to, where that is another word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKey:
    """A key as the store knows it: its secret is in no store, `digest` is a hash of it.

    `of` is the space of the story or the user it is bound to, and it goes with that one. `upto` is
    the highest episode that a viewer's key may ask at, `read` the last one that a reader's may have
    read. A front key names users by `users_from`, which is `header:NAME` or `body:user`, and every name
    is put behind its `prefix`.
    """

    key_id: str
    scope: AccessScope
    digest: str = field(repr=False)
    made_at: str
    of: Space | None = None
    persona: str | None = None
    upto: int | None = None
    read: int | None = None
    users_from: str | None = None
    prefix: str | None = None

    def __post_init__(self) -> None:
        bound = {} if self.of is None else {name: name for name in self.of.ids}
        told = {
            "persona": self.persona,
            "upto": self.upto,
            "read": self.read,
            "users_from": self.users_from,
            "prefix": self.prefix,
        }
        given = {*bound, *(name for name, value in told.items() if value is not None)}
        self._check(given)
        if self.persona is not None:
            check_id(self.persona, "persona")
        for no in (self.upto, self.read):
            if no is not None and no < 1:
                raise InputError(f"an episode's number is 1 or more, not {no}")
        if self.users_from is not None:
            check_users_from(self.users_from)
        if self.prefix is not None:
            check_id(self.prefix, "prefix")

    def _check(self, given: set[str]) -> None:
        needs = _NEEDS[self.scope]
        missing = sorted(needs - given)
        extra = sorted(given - needs - _MAY.get(self.scope, frozenset()))
        if missing:
            raise InputError(f"a key of the scope {self.scope} needs {_named(missing)}")
        if extra:
            raise InputError(f"a key of the scope {self.scope} takes no {_named(extra)}")

    def fits(self, secret: str) -> bool:
        """Whether this is its secret; nobody learns from the time it takes how much of one is right."""
        return hmac.compare_digest(self.digest, digest_of(secret))

    @property
    def header(self) -> str | None:
        """The header by which a front key names users, in small letters; None: the body does."""
        found = _HEADER.fullmatch(self.users_from or "")
        return None if found is None else found["name"].lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAccessKey:
    """A key that was just made; its `secret` is shown this once."""

    key: AccessKey
    secret: str = field(repr=False)


def _named(names: list[str]) -> str:
    return ", ".join(option(_OPTIONS.get(name, name)) for name in names)


def check_users_from(given: str) -> None:
    """Raise `InputError` unless it says how users are named."""
    if given != BODY_USER and _HEADER.fullmatch(given) is None:
        raise InputError(f"users come from header:NAME or {BODY_USER}, not from {given!r}")


def secret_of(key_id: str, random: str) -> str:
    """Put a secret together; it names its key."""
    return f"{SECRET_PREFIX}_{key_id}_{random}"


def key_id_in(secret: str) -> str | None:
    """Give the id of the key whose secret it says it is; None for what is none."""
    prefix, _, rest = secret.partition("_")
    key_id, _, random = rest.partition("_")
    return key_id if prefix == SECRET_PREFIX and key_id and random else None


def digest_of(secret: str) -> str:
    """Give the hash of a secret. It holds 256 random bits, so one round is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()
