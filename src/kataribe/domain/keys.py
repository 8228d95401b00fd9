"""Keys: what a user's words are sealed with, what wraps that, and what stays when it is destroyed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

KEY_BYTES = 32
"""The length of every key: 256 bits."""
IN_MEMORY = ":memory:"
"""The place of keys that end with their process."""
_KEY_ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class SecretKey:
    """A key of 256 bits, and its id, which says nothing of it and is 16 hexadecimal digits."""

    key_id: str
    secret: bytes = field(repr=False)

    def derived(self, purpose: str) -> bytes:
        """Give a key of 256 bits for one purpose alone; it dies with this one."""
        return hmac.new(self.secret, f"kataribe {purpose}".encode(), hashlib.sha256).digest()


class WrappedBy(StrEnum):
    """Where the key is that wraps the users' keys."""

    FILE = "file"
    """In the key store itself: whoever has the file has the keys."""
    ENVIRONMENT = "environment"
    """In the variable KATARIBE_KEK."""
    COMMAND = "command"
    """At what KATARIBE_KEK_COMMAND asks, a key management service for one."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stays of a user who was erased: a salted hash of the id, the time, and what was erased.

    `salt` and `digest` are hexadecimal; `at` is ISO 8601; `counts` are numbers of rows by store.
    """

    salt: str
    digest: str
    at: str
    counts: Mapping[str, int] = field(default_factory=dict)

    def is_of(self, user: str) -> bool:
        """Whether this user was erased."""
        return hmac.compare_digest(self.digest, salted(user, self.salt))

    def is_of_key(self, key_id: str) -> bool:
        """Whether it is of the user that had the key of this id."""
        return hmac.compare_digest(self.salt, tombstone_salt(key_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStatus:
    """How a key store stands; `kek_id` is the id of what wraps the users' keys.

    `place` is a file, or `:memory:`; `is_made` False: nothing is there yet, all else is empty.
    """

    place: str
    is_made: bool
    wrapped_by: WrappedBy | None = None
    kek_id: str = ""
    users: int = 0
    tombstones: int = 0


def salted(user: str, salt: str) -> str:
    """Give the hash of a user's id under a salt, in hexadecimal."""
    return hmac.new(bytes.fromhex(salt), user.encode(), hashlib.sha256).hexdigest()


def tombstone_salt(key_id: str) -> str:
    """Give the salt of the tombstone of the user that had this key, known from what was sealed by it."""
    return hashlib.sha256(f"kataribe tombstone {key_id}".encode()).hexdigest()


def kek_id_of(secret: bytes) -> str:
    """Give the id of a key that wraps others: always the same, and nothing of it."""
    return hashlib.sha256(b"kataribe kek " + secret).digest()[:_KEY_ID_BYTES].hex()
