"""Writing and reading rows of payload by DuckDB, which keeps nothing and asks no network."""

from __future__ import annotations

import errno
import glob
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

Rows = Sequence[tuple[str, str, str]]

_ALONE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",
    "threads": "1",
}
_MADE = "CREATE TABLE payloads (number INTEGER, key VARCHAR, text VARCHAR, topic VARCHAR)"
_FILLED = "INSERT INTO payloads SELECT unnest(?), unnest(?), unnest(?), unnest(?)"
_WRITTEN = """
COPY (SELECT key, text, topic FROM payloads ORDER BY number) TO '{}' (FORMAT parquet, USE_TMP_FILE false)
"""
_READ = """
SELECT key, text, topic FROM read_parquet(?, filename = true, file_row_number = true)
ORDER BY filename, file_row_number
"""


def write_rows(rows: Rows, path: str) -> None:
    """Write keys, texts and topics to a new Parquet file, in this order. Raises `OSError`."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    with _duck() as driver:
        driver.execute(_MADE)
        driver.execute(_FILLED, [list(range(len(rows))), *columns])
        driver.execute(_WRITTEN.format(path.replace("'", "''")))


def read_rows(paths: Sequence[str]) -> Rows:
    """Give the rows of these files, in the order of their names. Raises `OSError`."""
    with _duck() as driver:
        # Else a `*` in the name of a folder would stand for others.
        return driver.execute(_READ, [[glob.escape(path) for path in paths]]).fetchall()


@contextmanager
def _duck() -> Iterator[duckdb.DuckDBPyConnection]:
    try:
        with duckdb.connect(":memory:", config=_ALONE) as driver:
            yield driver
    except duckdb.Error as error:
        full = "No space left" in str(error)
        raise OSError(errno.ENOSPC if full else errno.EIO, str(error)) from error


def write_table(columns: Sequence[tuple[str, str]], batches: Iterable[list[list[Any]]], path: str) -> None:
    """Write a table to a file as Parquet: names and types of its columns, and its rows some at a time.

    Raises `OSError`.
    """
    named = ", ".join(f'"{name}" {kind}' for name, kind in columns)
    filled = ", ".join(f"unnest(?::{kind}[])" for _, kind in columns)
    with _duck() as driver:
        driver.execute(f"CREATE TABLE given ({named})")
        for batch in batches:
            driver.execute(f"INSERT INTO given SELECT {filled}", batch)
        place = path.replace("'", "''")
        driver.execute(f"COPY given TO '{place}' (FORMAT parquet, USE_TMP_FILE false)")
