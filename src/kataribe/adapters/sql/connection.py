"""Opening a store: pragmas, errors in words, and what is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from kataribe.adapters.sql.schema import APPLICATION_ID
from kataribe.errors import (
    ForeignStoreError,
    InputError,
    KataribeError,
    StoreBusyError,
    StoreError,
    StoreFullError,
)

MEMORY = ":memory:"
PAGE_SIZE = 16384


def _translate(error: sqlite3.Error | sa.exc.DBAPIError, path: str) -> KataribeError:
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    words = str(cause)
    name = getattr(cause, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusyError(
            f"{path} is in use by another process; nothing was changed, try again in a moment"
        )
    if name.startswith("SQLITE_FULL"):
        return StoreFullError(
            f"no room left to write {path}; nothing was changed, free some disk space and try again"
        )
    if name.startswith("SQLITE_NOTADB"):
        return ForeignStoreError(f"{path} is not a kataribe store; give another file with --db")
    if name.startswith("SQLITE_CORRUPT"):
        return StoreError(f"{path} is damaged ({words}); restore a backup")
    if name.startswith("SQLITE_READONLY"):
        return StoreError(f"{path} cannot be written (read-only); check its permissions")
    if name.startswith("SQLITE_CANTOPEN"):
        return StoreError(f"{path} cannot be opened; check that its folder exists and may be written")
    return StoreError(f"{path}: {words}")


@contextmanager
def in_words(path: str) -> Iterator[None]:
    """Turn what the driver raises into errors a person can act on."""
    try:
        yield
    except (sqlite3.Error, sa.exc.DBAPIError) as error:
        raise _translate(error, path) from error
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object!r} holds bytes or half characters that are no text; give it as UTF-8"
        ) from error


def connect(path: str, *, busy_seconds: float, full: bool) -> sqlite3.Connection:
    """Open the file with the pragmas every connection needs.

    `full` also syncs every commit to the disk, so that it survives a loss of power;
    otherwise a commit survives the death of the process.
    """
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    cursor = connection.cursor()
    try:
        # The page size must come before anything is written; on an existing file it is ignored.
        cursor.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
        cursor.execute("PRAGMA temp_store = MEMORY")
        cursor.execute("PRAGMA cache_size = -65536")
    except sqlite3.Error:
        connection.close()
        raise
    finally:
        cursor.close()
    return connection


def check_is_ours(path: str) -> bool:
    """Look at a file without changing it: True for a kataribe store, False for a new or empty file.

    Raises `ForeignStoreError` for anything else, `StoreError` when it cannot be read.
    """
    if path == MEMORY:
        return False
    if "\0" in path:
        raise InputError("the path of the store holds a NUL character; give another with --db")
    file = Path(path)
    try:
        if file.is_dir():
            raise ForeignStoreError(f"{path} is a folder, not a kataribe store; give a file with --db")
        if not file.parent.exists():
            raise StoreError(f"the folder {file.parent} does not exist; create it first")
        if not file.exists() or file.stat().st_size == 0:
            return False
        with file.open("rb") as opened:
            head = opened.read(100)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}; give another with --db") from error
    if not head.startswith(b"SQLite format 3\x00") or int.from_bytes(head[68:72], "big") != APPLICATION_ID:
        raise ForeignStoreError(
            f"{path} is not a kataribe store; it was left untouched, give another file with --db"
        )
    return True
