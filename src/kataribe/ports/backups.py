"""What seals the rows of users in a backup, and opens them again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from kataribe.domain.keys import SecretKey
from kataribe.ports.keys import Seal


class BackupSealer(Protocol):
    """Gives the keys by which rows of users are sealed in a copy."""

    @property
    def seal(self) -> Seal:
        """What seals."""

    def keys(self, users: Collection[str]) -> Mapping[str, SecretKey]:
        """Give the keys of users that are in a copy; who was erased meanwhile has none, and is left out.

        It is asked while the copy stands still. Raises `StoreBusyError` where users came or went
        meanwhile, so that the copy is to be begun anew.
        """

    def owner(self, chain: str) -> str | None:
        """Tell whose a chain of the audit record is; None: nobody's, or nobody can tell."""


class BackupOpener(Protocol):
    """Gives the keys by which sealed rows of a backup are opened."""

    @property
    def seal(self) -> Seal:
        """What opens."""

    def key(self, key_id: str) -> SecretKey | None:
        """Give a key by its id; None: its user is to be left closed."""


class RemoteBackup(Protocol):
    """A backup that is no file of this machine; every method asks the place it lies in."""

    @property
    def address(self) -> str:
        """Its URL, without keys."""

    def exists(self) -> bool:
        """Tell whether it is there. Raises `StoreError`."""

    def put(self, draft: Path) -> None:
        """Put a finished backup there; it is there as a whole, or not at all.

        Raises `ConflictError` when one is there already, `StoreError`.
        """

    def fetch(self, to: Path) -> None:
        """Write it to a file of this machine. Raises `StoreError`."""

    def remove(self) -> None:
        """Take it away, where it is there. Raises `StoreError`."""
