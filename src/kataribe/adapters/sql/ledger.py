"""`Ledger` on one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock

import sqlalchemy as sa
from sqlalchemy.pool import QueuePool, StaticPool

from kataribe.adapters.sql import memory_rows, rows, segments, story_rows
from kataribe.adapters.sql.caches import Caches
from kataribe.adapters.sql.connection import (
    MEMORY,
    can_be_written,
    check_is_ours,
    connect,
    damaged,
    in_words,
)
from kataribe.adapters.sql.migrate import is_up_to_date, upgrade, version_of
from kataribe.adapters.sql.schema import APPLICATION_ID, HEAD
from kataribe.adapters.sql.upgrade import keep_copy
from kataribe.adapters.sql.view import SqlTransaction, SqlView
from kataribe.adapters.sql.writer_queue import WriterQueue
from kataribe.arena.arena import DEFAULT_BYTES, Arena
from kataribe.errors import ConflictError, StoreBusyError, StoreError
from kataribe.ports import Clock

_READERS = tuple(one.__name__ for one in (rows, story_rows, memory_rows, segments))
"""The modules that make values out of what stands in rows."""


class SqlLedger:
    """A store in one file (or `:memory:`), read by many processes and written by one at a time.

    `busy_seconds` is how long a writer waits for another; `full` makes commits survive a loss
    of power as well as the death of the process. `arena_bytes` bounds the memory of the search
    index; 0 does without it and reads each episode's index from the store (S0-34).

    A foreign, newer or unreadable file is refused and left untouched.
    """

    def __init__(
        self,
        path: str,
        clock: Clock,
        *,
        busy_seconds: float = 30.0,
        full: bool = False,
        arena_bytes: int = DEFAULT_BYTES,
    ) -> None:
        self.path = path
        self._caches = Caches(Arena(arena_bytes) if arena_bytes else None)
        self._clock = clock
        self._busy_seconds = busy_seconds
        self._full = full
        self._in_memory = path == MEMORY
        # In memory there is one connection, so its transactions take turns.
        self._turns = RLock()
        self._writers = WriterQueue(path)
        self.upgraded_from: str | None = None
        """The schema this store had before it was opened here; None when nothing was upgraded."""
        self.kept: Path | None = None
        """Where it was copied to before."""
        exists = check_is_ours(path)
        self._writable = not exists or can_be_written(path)
        self._engine = self._make_engine()
        try:
            self._prepare(exists)
        except BaseException:
            self._engine.dispose()
            raise

    def _make_engine(self) -> sa.Engine:
        def creator() -> sqlite3.Connection:
            return connect(
                self.path, busy_seconds=self._busy_seconds, full=self._full, writable=self._writable
            )

        if self._in_memory:
            return sa.create_engine("sqlite://", creator=creator, poolclass=StaticPool)
        return sa.create_engine(
            "sqlite://", creator=creator, poolclass=QueuePool, pool_size=8, max_overflow=32
        )

    def _prepare(self, exists: bool) -> None:
        """Create or upgrade the schema; another process may be at it at the same moment."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                with in_words(self.path), self._engine.connect() as connection:
                    self._bring_up(connection, exists)
                return
            except StoreBusyError:
                # The switch to WAL says busy at once instead of waiting its turn.
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.02)

    def _bring_up(self, connection: sa.Connection, exists: bool) -> None:
        connection.exec_driver_sql("BEGIN")
        try:
            # Whatever is refused here has not been touched yet.
            is_current = is_up_to_date(connection, self.path)
        finally:
            connection.exec_driver_sql("ROLLBACK")
        if is_current:
            self._use_wal(connection)
            return
        self._refuse_what_lost_its_wal(connection)
        if not exists:
            # At once, so that the file itself says whose it is from the first moment on.
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        kept = None
        try:
            former = version_of(connection)
            is_old = former is not None and former != HEAD
            if is_old and former is not None:
                kept = keep_copy(self.path, former)
            upgrade(connection, self.path)
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")
        if is_old:
            self.upgraded_from, self.kept = former, kept
        self._use_wal(connection)

    def _use_wal(self, connection: sa.Connection) -> None:
        """Switch to WAL, once the schema stands in the file itself."""
        if self._writable and not self._in_memory:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")

    def _refuse_what_lost_its_wal(self, connection: sa.Connection) -> None:
        """A file in WAL mode that holds nothing is none of ours: all it held stood in a file that is gone."""
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        if mode == "wal" and not connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar():
            raise StoreError(
                f"{self.path} is empty: what it held stood in {self.path}-wal, which is missing; "
                f"put that file back beside it, or restore a backup"
            )

    @contextmanager
    def _transaction(self, begin: str, seconds: float) -> Iterator[sa.Connection]:
        with in_words(self.path), self._engine.connect() as connection:
            # Straight through the driver: these three are a tenth of a small recall otherwise.
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            driver.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
            driver.execute(begin)
            try:
                yield connection
                driver.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled back already.
                if driver.in_transaction:
                    driver.execute("ROLLBACK")
                raise

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._in_memory:
            with self._turns:
                yield
        else:
            yield

    @contextmanager
    def reading(self) -> Iterator[SqlView]:
        """Open a consistent view. Raises `StoreError` where the file holds what cannot be read."""
        with (
            self._turn(),
            self._transaction("BEGIN", self._busy_seconds) as connection,
            self._unharmed(connection),
        ):
            yield SqlView(connection, self._caches)

    @contextmanager
    def _unharmed(self, connection: sa.Connection) -> Iterator[None]:
        """Say that the file is damaged where that is why something in it made no sense."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, AssertionError) as error:
            if how := _damage(connection, error):
                raise StoreError(damaged(self.path, how)) from error
            raise

    @contextmanager
    def writing(self, *, patience: float | None = None) -> Iterator[SqlTransaction]:
        """Open a transaction; other writers wait."""
        seconds = self._busy_seconds if patience is None else patience
        with (
            self._turn(),
            self._writers.turn(seconds) as left,
            self._transaction("BEGIN IMMEDIATE", left) as connection,
            self._unharmed(connection),
        ):
            yield SqlTransaction(connection, self._clock)

    def problems(self) -> tuple[str, ...]:
        """Ask SQLite whether the file is sound; what is asked next is read from the file, not remembered."""
        self._caches.clear()
        try:
            with self._turn(), self._transaction("BEGIN", self._busy_seconds) as connection:
                found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check(20)")]
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        except StoreBusyError:
            raise
        except StoreError as error:
            # So damaged that it cannot even be asked.
            return (f"integrity: {error}",)
        said = [] if found == ["ok"] else [f"integrity: {line}" for line in found]
        said += [f"foreign key: a row of {row[0]} points at a missing row of {row[2]}" for row in broken[:20]]
        return tuple(said)

    def scrub(self) -> None:
        """Write the log into the file and cut it off, so that neither holds what was deleted.

        A reader that still needs the log keeps it; the next write that finds none leaves it short.
        """
        if self._in_memory:
            return
        with in_words(self.path), self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def backup(self, path: Path) -> None:
        """Copy the ledger without vectors and caches to a new file, in one step.

        Raises `ConflictError` when the file exists.
        """
        try:
            is_there, has_folder = path.exists(), path.parent.exists()
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}; give another name") from error
        if is_there:
            raise ConflictError(f"{path} exists already; give the backup another name")
        if not has_folder:
            raise StoreError(f"the folder {path.parent} does not exist; create it first")
        draft = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with in_words(str(path)), self._turn():
                self._copy(draft)
            os.replace(draft, path)
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                Path(f"{draft}{suffix}").unlink(missing_ok=True)

    def _copy(self, draft: Path) -> None:
        with self._engine.connect() as connection, closing(sqlite3.connect(draft)) as target:
            source = connection.connection.driver_connection
            assert isinstance(source, sqlite3.Connection)
            source.backup(target)
            # Without vectors nothing can be recalled: every episode is marked to be done again.
            target.executescript(
                """
                PRAGMA journal_mode = DELETE;
                PRAGMA secure_delete = ON;
                DELETE FROM memory_vectors;
                DELETE FROM segments;
                DELETE FROM changes;
                DELETE FROM extractions WHERE usage IS NULL;
                UPDATE work SET fingerprint = '', outcome = 'due', attempts = 0, error = NULL, lease = NULL,
                    worker = NULL, leased_until = NULL, due_at = NULL;
                UPDATE memories SET live = 0;
                DELETE FROM embeddings;
                VACUUM;
                PRAGMA journal_mode = WAL;
                """
            )

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()


def _damage(connection: sa.Connection, error: Exception) -> str | None:
    """Tell how the file is damaged when that is why something could not be read; None when it is not."""
    try:
        found = str(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar())
    except sa.exc.DBAPIError as broken:
        return str(broken.orig)
    if found != "ok":
        return " ".join(found.split())
    met = traceback.walk_tb(error.__traceback__)
    if any(frame.f_globals.get("__name__") in _READERS for frame, _ in met):
        # Its pages are sound, but a row of it is none of ours.
        return f"a row cannot be read: {error}"
    return None
