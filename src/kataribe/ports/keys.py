"""The key store and the seal: a user's words are worth nothing without the user's key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kataribe.domain.keys import KeyStatus, SecretKey, Tombstone, WrappedBy


class Seal(Protocol):
    """Encrypts what stands in one row of one space: put elsewhere, it does not open."""

    def seal(self, key: SecretKey, space: str, row: str, plain: bytes) -> bytes:
        """Encrypt and authenticate; twice the same gives two that differ."""

    def open(self, key: SecretKey, space: str, row: str, sealed: bytes) -> bytes:
        """Give what was sealed.

        Raises `KeyLostError` when it was sealed with another key, `WrongKeyError` when it is not
        of this row, was changed, or is nothing sealed.
        """

    def key_of(self, sealed: bytes) -> str:
        """Give the id of the key something was sealed with. Raises `WrongKeyError` for nothing sealed."""


class Keys(Protocol):
    """The users' keys of one store, in a place of their own: never in the ledger or a backup.

    Several threads and processes may use it at once; what returns is durable. Every method raises
    `KeyStoreError` when the place is refused, `KeyLostError` when the key store is gone though the
    store has used it, and `WrongKeyError` when it is another store's or the key that wraps the
    users' keys is not the right one. Nothing is overwritten then.
    """

    def ident(self) -> str:
        """Give the name of this key store, by which its store knows it again; made when there is none."""

    def of(self, user: str) -> SecretKey | None:
        """Give a user's key; None when there is none."""

    def make(self, user: str, *, at: str) -> SecretKey:
        """Give a user's key, a new random one when there is none. `at` is when, in ISO 8601."""

    def key_id(self, user: str) -> str | None:
        """Give the id of a user's key, without the key; None when there is none."""

    def by_id(self, key_id: str) -> SecretKey | None:
        """Give the key of this id, of whomever it is; None when there is none (any more)."""

    def pseudonym(self, user: str) -> str | None:
        """Give the name that records call a user by, without the user's key; None when there is none.

        It is an HMAC of the id under a key that goes with the user's: nobody can tell then whose it was.
        """

    def tombstone(self, user: str, *, at: str, counts: Mapping[str, int]) -> Tombstone:
        """Write down under a salt of its own that a user is erased; it is kept by `shred`.

        The salt is that of the user's key (`tombstone_salt`): what was sealed by it is known for erased.
        """

    def shred(self, key_id: str, tombstone: Tombstone) -> bool:
        """Destroy a user's key and keep the tombstone, once; False: there is no such key any more."""

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Give the tombstones, oldest first."""

    def rotate(self, to: WrappedBy | None = None) -> int:
        """Wrap every user's key anew, by a new key of this sort (None: as before); gives how many.

        All of them or none; nothing else is read or written.
        """

    def status(self) -> KeyStatus:
        """Tell how it stands, without any user's key."""

    def close(self) -> None:
        """Forget all keys at hand; closing twice is closing."""
