"""Opening a store: pragmas, errors in words, and what is refused."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kataribe.adapters.private_files import make_private_file
from kataribe.adapters.sql.tables import APPLICATION_ID, BACKUP_ID
from kataribe.errors import (
    ForeignStoreError,
    InputError,
    KataribeError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    withheld,
)

MEMORY = ":memory:"
PAGE_SIZE = 16384
WAL_PAGES = 3000
"""Pages in the log at which it is written into the file; SQLite finds some 4,060 in one table of its own."""


def _translate(error: sqlite3.Error, path: str) -> KataribeError:
    words = str(error)
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusyError(
            f"{path} is in use by another process; what was stored before stays, try again in a moment"
        )
    if name.startswith("SQLITE_FULL"):
        return StoreFullError(
            f"no room left to write {path}; what was stored before stays, free some disk space and try again"
        )
    if name.startswith("SQLITE_NOTADB"):
        return ForeignStoreError(f"{path} is not a kataribe store; give another file with --db")
    if name.startswith("SQLITE_CORRUPT"):
        return StoreError(damaged(path, words))
    if words.startswith("Could not decode to UTF-8"):
        # SQLite quotes the text, which may be nobody's to read here.
        return StoreError(damaged(path, "a text in it is not UTF-8"))
    if name.startswith("SQLITE_READONLY"):
        return StoreError(f"{path} cannot be written, only read; check the permissions of it and its folder")
    if name.startswith("SQLITE_CANTOPEN"):
        return StoreError(f"{path} cannot be opened; check that its folder exists and may be written")
    return StoreError(f"{path}: {withheld(words, name or type(error).__name__)}")


def damaged(path: str, how: str) -> str:
    """Say that a file is damaged, and what to do."""
    lost = (
        ""
        if path == MEMORY or Path(f"{path}-wal").exists()
        else f"put {path}-wal back if it was removed, or "
    )
    return f"{path} is damaged ({how}); `kataribe verify` says more; {lost}restore a backup"


@contextmanager
def in_words(path: str) -> Iterator[None]:
    """Turn what the driver raises into errors a person can act on."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error, path) from error
    except UnicodeEncodeError as error:
        raise InputError(
            f"a text holds half a character or a byte that is no text, at character {error.start}; "
            f"give it as UTF-8"
        ) from error


def make_durable(path: Path) -> None:
    """Have a file, or the names in a folder, survive a loss of power; where a system cannot, nothing is done.

    Windows opens no folder.
    """
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def can_be_written(path: str) -> bool:
    """Whether the file and its folder may be written: beside the file SQLite keeps others."""
    as_we_are = os.access in os.supports_effective_ids
    file = Path(path)
    return all(
        os.access(one, os.W_OK, effective_ids=as_we_are) for one in (file, file.parent) if one.exists()
    )


def _address(path: str, *, writable: bool) -> str:
    if writable:
        return path
    wal = Path(f"{path}-wal")
    if wal.exists() and (wal.stat().st_size or Path(f"{path}-shm").exists()):
        # Somebody is at it, or what was written last stands there: it is read with the rest.
        return f"{Path(path).absolute().as_uri()}?mode=ro"
    return f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"


def connect(path: str, *, busy_seconds: float, full: bool, writable: bool = True) -> sqlite3.Connection:
    """Open the file with the pragmas every connection needs.

    A file that is missing is made for its owner alone, and so is what SQLite makes beside it. One that
    is not `writable` is read as it is, and nothing is made beside it. `full` also syncs
    every commit to the disk, so that it survives a loss of power; otherwise a commit survives the
    death of the process.
    """
    if writable and path != MEMORY:
        make_private_file(Path(path))
    connection = sqlite3.connect(
        _address(path, writable=writable),
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        uri=not writable,
    )
    cursor = connection.cursor()
    try:
        # The page size must come before anything is written; on an existing file it is ignored.
        cursor.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
        cursor.execute("PRAGMA temp_store = MEMORY")
        cursor.execute("PRAGMA cache_size = -65536")
        cursor.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
        cursor.close()
    except sqlite3.Error:
        # It closes its cursors too; closing them after it would hide what was wrong.
        connection.close()
        raise
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
    is_sqlite, of = head.startswith(b"SQLite format 3\x00"), int.from_bytes(head[68:72], "big")
    if is_sqlite and of == BACKUP_ID:
        raise ForeignStoreError(
            f"{path} is a backup in which what users said is sealed; type: kataribe restore {path} --to DB"
        )
    if not is_sqlite or of != APPLICATION_ID:
        raise ForeignStoreError(
            f"{path} is not a kataribe store; it was left untouched, give another file with --db"
        )
    return True
