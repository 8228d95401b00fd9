"""Files outside the ledger that hold payload: texts of memories that nobody looks at every day."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Payload:
    """What a memory says. `key` tells the ledger which of its rows it belongs to, and is no id."""

    key: str
    text: str
    topic: str


class Archive(Protocol):
    """Files in folders, each written once and never changed; both are named by whoever writes.

    The ledger says which files hold: what else lies in a folder was never committed.
    """

    def missing(self) -> str | None:
        """Give None when files can be written and read, else what to type so that they can."""

    def write(self, folder: str, name: str, payloads: Sequence[Payload]) -> str:
        """Write a file in this order, and give the SHA-256 of its bytes; it is durable when this returns.

        Nobody sees a part of it. Raises `ArchiveError`, `StoreFullError` when the disk is full,
        `MissingExtraError`.
        """

    def read(self, folder: str, files: Mapping[str, str]) -> tuple[Payload, ...]:
        """Give what these files hold, in the order of their names; each name comes with the hash.

        Raises `ArchiveLostError` for one that is not there or has other bytes, `MissingExtraError`.
        """

    def problem(self, folder: str, name: str, sha256: str) -> str | None:
        """Tell in a few words what is wrong with a file; None when it has the bytes of this hash."""

    def names(self, folder: str) -> tuple[str, ...]:
        """Name all that lies in a folder, sorted, half-written files too; nothing where there is none."""

    def remove(self, folder: str, names: Collection[str]) -> None:
        """Remove what has these names, as far as it is there. Raises `ArchiveError`."""

    def drop(self, folder: str) -> None:
        """Remove a folder with all in it, as far as it is there. Raises `ArchiveError`."""
