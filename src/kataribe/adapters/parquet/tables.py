"""Tables of rows as Parquet files, written by DuckDB, which is loaded when the first is written."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from kataribe.errors import ArchiveError, MissingExtraError
from kataribe.ports.bundles import ColumnType

_LINE = "pip install 'kataribe[archive]'"
_VENDOR = "kataribe.adapters.parquet.duck"
"""The module that loads DuckDB."""
_TYPES: Mapping[ColumnType, str] = {
    ColumnType.TEXT: "VARCHAR",
    ColumnType.WHOLE: "BIGINT",
    ColumnType.NUMBER: "DOUBLE",
    ColumnType.FLAG: "BOOLEAN",
    ColumnType.JSON: "VARCHAR",
}
_TOGETHER = 1000


class ParquetTables:
    """Writes Parquet."""

    def missing(self) -> str | None:
        """Give the line to type when DuckDB is not installed."""
        return None if find_spec("duckdb") else _LINE

    def write(
        self, out: BinaryIO, columns: Sequence[tuple[str, ColumnType]], rows: Iterable[Mapping[str, object]]
    ) -> None:
        """Write to a file that has no name, where the system has such, then copy it."""
        if line := self.missing():
            raise MissingExtraError(f"Parquet is written by DuckDB, which is not installed; type: {line}")
        write: Callable[..., None] = import_module(_VENDOR).write_table
        try:
            with _nameless() as path:
                write([(name, _TYPES[kind]) for name, kind in columns], _batches(columns, rows), path)
                with Path(path).open("rb") as made:
                    shutil.copyfileobj(made, out)
        except OSError as error:
            raise ArchiveError(f"a table cannot be written as Parquet: {error.strerror or error}") from error


def _batches(
    columns: Sequence[tuple[str, ColumnType]], rows: Iterable[Mapping[str, object]]
) -> Iterator[list[list[Any]]]:
    """Give some rows at a time, column by column."""
    batch: list[list[Any]] = []
    for row in rows:
        batch.append([_plain(row[name], kind) for name, kind in columns])
        if len(batch) == _TOGETHER:
            yield [list(column) for column in zip(*batch, strict=True)]
            batch = []
    if batch:
        yield [list(column) for column in zip(*batch, strict=True)]


def _plain(value: object, kind: ColumnType) -> object:
    if value is None or kind is not ColumnType.JSON:
        return value
    return json.dumps(value, ensure_ascii=False)


@contextmanager
def _nameless() -> Iterator[str]:
    """Give a path to write to of which nothing is left; in memory, where the system has such files."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("kataribe")
        try:
            yield f"/proc/self/fd/{handle}"
        finally:
            os.close(handle)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "table.parquet")
