"""The ledger's part for access keys: who may connect to a server of this store."""

from __future__ import annotations

from typing import Protocol

from kataribe.domain.access import AccessKey


class AccessView(Protocol):
    """What is read of them within one view."""

    def access_key(self, key_id: str) -> AccessKey | None:
        """Give one key; None: there is none, or it was revoked."""

    def access_keys(self) -> tuple[AccessKey, ...]:
        """Give all keys, by the time they were made, then by id (author)."""


class AccessTransaction(AccessView, Protocol):
    """What is written of them within one transaction."""

    def put_access_key(self, key: AccessKey) -> None:
        """Add a key; the space it is bound to must be there, and takes it along when it goes."""

    def delete_access_key(self, key_id: str) -> None:
        """Remove a key: from now on it opens nothing."""
