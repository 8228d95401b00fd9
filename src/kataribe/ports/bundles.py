"""Files in which a user's data are given out: the bundle itself, and tables of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Protocol

from kataribe.domain.privacy.records import ExportedBundle, UserRecords


class ColumnType(StrEnum):
    """What stands in a column of a table; each may be empty."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "true or false"
    JSON = "JSON"


class RowTables(Protocol):
    """Writes tables of rows for programs that read columns."""

    def missing(self) -> str | None:
        """Give None when tables can be written, else what to type so that they can."""

    def write(
        self, out: BinaryIO, columns: Sequence[tuple[str, ColumnType]], rows: Iterable[Mapping[str, object]]
    ) -> None:
        """Write the rows in their order; nothing of them is left anywhere else. Raises `ArchiveError`."""


class BundleDraft(Protocol):
    """A bundle that is written and has no name yet: a process that ends now leaves nothing of it."""

    @property
    def bundle(self) -> ExportedBundle:
        """What it is once it is published."""

    def publish(self) -> ExportedBundle:
        """Give it its name; it is durable when this returns. Raises `ConflictError` where a file is there."""


class BundleFormat(Protocol):
    """Writes all that is kept of a user into one file."""

    def check(self, path: Path) -> None:
        """Raise `ConflictError` where a file is there already, `InputError` where none can be made."""

    def draft(self, records: UserRecords, path: Path) -> AbstractContextManager[BundleDraft]:
        """Write a bundle beside its place; what is not published by the end of the block is gone.

        Raises `StoreFullError`, `InputError`.
        """
