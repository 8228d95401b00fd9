"""The ledger's part for the audit record, and for what ties it to its key store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from kataribe.domain.audit import AuditEvent, Head
from kataribe.domain.keys import Tombstone

STORE_MARK, KEYS_MARK, SINK_MARK = "store", "keys", "sink"
"""The marks of a store: its id, the name of its key store, and how far its record stands elsewhere too."""


class AuditSink(Protocol):
    """Where the record is kept besides the ledger."""

    @property
    def name(self) -> str:
        """Where it is, for messages."""

    def put(self, events: Sequence[AuditEvent]) -> None:
        """Keep events, durable when this returns; one that comes twice has the same key.

        Raises `StoreError` when they cannot be kept; they are handed in again then.
        """


class AuditView(Protocol):
    """What is read of it within one view."""

    def mark(self, name: str) -> str | None:
        """Give a mark of the store; None: it has none."""

    def audit_head(self, chain: str) -> Head:
        """Give how far one chain has grown."""

    def audit_heads(self) -> Mapping[str, Head]:
        """Give how far each chain has grown, by its name."""

    def audit_chains(self) -> tuple[str, ...]:
        """Name the chains that have events, whatever is said of their heads."""

    def audit_events(self, chain: str, *, after: int = 0, limit: int | None = None) -> tuple[AuditEvent, ...]:
        """Give the events of a chain behind that number, in order."""

    def last_audit_events(self, chains: Collection[str] | None, *, last: int) -> tuple[AuditEvent, ...]:
        """Give the last events of these chains, newest first (None: of all, without anchors)."""

    def shreds(self) -> Mapping[str, Tombstone]:
        """Give what is to stay of users whose keys are still to be destroyed, by the keys' ids."""


class AuditTransaction(AuditView, Protocol):
    """What is written of it within one transaction."""

    def put_mark(self, name: str, value: str) -> None:
        """Set a mark of the store."""

    def append_audit(self, events: Sequence[AuditEvent]) -> None:
        """Append events, each behind the last of its chain."""

    def erase_audit(self, chains: Collection[str]) -> None:
        """Remove whole chains."""

    def put_shred(self, key_id: str, tombstone: Tombstone) -> None:
        """Note that a key is to be destroyed once this is committed."""

    def delete_shred(self, key_id: str) -> None:
        """Forget that: it is destroyed."""
