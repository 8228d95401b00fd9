"""`Ledger` on one SQLite file."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

from kataribe.adapters.making import PartChoice
from kataribe.adapters.sql import archives, memory_rows, rows, segments, story_rows
from kataribe.adapters.sql.archives import Archives
from kataribe.adapters.sql.caches import Caches
from kataribe.adapters.sql.migrate import is_up_to_date, upgrade, version_of
from kataribe.adapters.sql.sqlite.connection import (
    MEMORY,
    can_be_written,
    check_is_ours,
    connect,
    damaged,
    in_words,
    make_durable,
)
from kataribe.adapters.sql.sqlite.copying import write_copy
from kataribe.adapters.sql.sqlite.holders import holders
from kataribe.adapters.sql.sqlite.pool import Lent, Pool
from kataribe.adapters.sql.sqlite.upgrade import keep_copy, kept_copies
from kataribe.adapters.sql.sqlite.writer_queue import WriterQueue
from kataribe.adapters.sql.tables import APPLICATION_ID, HEAD
from kataribe.adapters.sql.view import SqlTransaction, SqlView
from kataribe.arena.arena import DEFAULT_BYTES, Arena
from kataribe.domain.backups import BackupNotes
from kataribe.errors import ArchiveError, ConflictError, StoreBusyError, StoreError
from kataribe.ports import Archive, Clock, NotWarmError
from kataribe.ports.backups import BackupSealer

_BACKUP_ID_BYTES = 16
_READERS = tuple(one.__name__ for one in (rows, story_rows, memory_rows, segments))
"""The modules that make values out of what stands in rows."""
_READERS_WAITED_FOR = 5.0
"""Seconds that readers are given to end before the log stays as long as it is."""


class SqlLedger:
    """A store in one file (or `:memory:`), read by many processes and written by one at a time.

    `busy_seconds` is how long a writer waits for another; `full` makes commits survive a loss
    of power as well as the death of the process. `arena_bytes` bounds the memory of the search
    index; 0 does without it and reads each episode's index from the store (S0-34). `archive` takes
    the payload of what is not looked at every day (None: it stays in the file).

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
        archive: Archive | None = None,
    ) -> None:
        self.path = path
        self._caches = Caches(Arena(arena_bytes) if arena_bytes else None)
        self._clock = clock
        self._archives = None if archive is None else Archives(archive, self._fresh)
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
        self._pool = self._make_pool()
        try:
            self._prepare(exists)
        except BaseException:
            self._pool.close()
            raise

    @classmethod
    def available(cls, choice: PartChoice) -> str | None:  # noqa: ARG003 - the driver comes with Python
        """Nothing is missing."""
        return None

    @classmethod
    def make(cls, choice: PartChoice) -> SqlLedger:
        """Open the file that is named, as its options say."""
        return cls(choice.name, **choice.options)

    def _make_pool(self) -> Pool:
        def open_one() -> sqlite3.Connection:
            return connect(
                self.path, busy_seconds=self._busy_seconds, full=self._full, writable=self._writable
            )

        return Pool(open_one, shares_one=self._in_memory)

    def _prepare(self, exists: bool) -> None:
        """Create or upgrade the schema; another process may be at it at the same moment."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                with in_words(self.path), self._pool.lent() as connection:
                    self._bring_up(connection.driver, exists)
                return
            except StoreBusyError:
                # The switch to WAL says busy at once instead of waiting its turn.
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.02)

    def _bring_up(self, connection: sqlite3.Connection, exists: bool) -> None:
        connection.execute("BEGIN")
        try:
            # Whatever is refused here has not been touched yet.
            is_current = is_up_to_date(connection, self.path)
        finally:
            connection.execute("ROLLBACK")
        if is_current:
            self._use_wal(connection)
            return
        self._refuse_what_lost_its_wal(connection)
        if not exists:
            # At once, so that the file itself says whose it is from the first moment on.
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("BEGIN IMMEDIATE")
        kept = None
        try:
            former = version_of(connection)
            is_old = former is not None and former != HEAD
            if is_old and former is not None:
                kept = keep_copy(self.path, former)
            upgrade(connection, self.path)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        if is_old:
            self.upgraded_from, self.kept = former, kept
        self._use_wal(connection)

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        """Switch to WAL, once the schema stands in the file itself."""
        if self._writable and not self._in_memory:
            connection.execute("PRAGMA journal_mode = WAL")

    def _refuse_what_lost_its_wal(self, connection: sqlite3.Connection) -> None:
        """A file in WAL mode that holds nothing is none of ours: all it held stood in a file that is gone."""
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        if mode == "wal" and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StoreError(
                f"{self.path} is empty: what it held stood in {self.path}-wal, which is missing; "
                f"put that file back beside it, or restore a backup"
            )

    @contextmanager
    def _transaction(self, begin: str, seconds: float) -> Iterator[Lent]:
        with in_words(self.path), self._pool.lent() as connection:
            driver = connection.driver
            if connection.info.get("waits") != seconds:
                driver.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
                connection.info["waits"] = seconds
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
    def _turn(self, *, waits: bool = True) -> Iterator[None]:
        if not self._in_memory:
            yield
            return
        if not self._turns.acquire(blocking=waits):
            raise NotWarmError
        try:
            yield
        finally:
            self._turns.release()

    @contextmanager
    def reading(self, *, warm: bool = False) -> Iterator[SqlView]:
        """Open a consistent view. Raises `StoreError` where the file holds what cannot be read."""
        with (
            self._turn(waits=not warm),
            self._transaction("BEGIN", self._busy_seconds) as connection,
            self._unharmed(connection),
        ):
            yield SqlView(connection, self._caches, warm=warm, archives=self._archives)

    @contextmanager
    def _unharmed(self, connection: Lent) -> Iterator[None]:
        """Say that the file is damaged where that is why something in it made no sense."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, AssertionError) as error:
            if how := _damage(connection.driver, error):
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
            before = archives.count_gone(connection.driver)
            yield SqlTransaction(connection, self._clock, archives=self._archives)
            after = archives.count_gone(connection.driver)
            if self._archives is None:
                archives.refuse_to_strand(before, after)
        if self._archives is not None and after:
            # It is stored: whoever deleted asks for this again, and is told what is wrong.
            with suppress(StoreError):
                self.clear_archive()

    def clear_archive(self) -> None:
        """Remove from the archive what was deleted and is there still."""
        if self._archives is None:
            return
        with self._turn(), self._transaction("BEGIN", self._busy_seconds) as connection:
            if not archives.count_gone(connection.driver):
                return
        try:
            with self._turn(), self._transaction("BEGIN IMMEDIATE", self._busy_seconds) as connection:
                archives.remove_gone(self._archives.archive, connection.driver)
        except StoreError as error:
            raise ArchiveError(
                f"it is deleted in the store, but not yet in the archive: {error}; the next write tries again"
            ) from error

    @contextmanager
    def _fresh(self) -> Iterator[sqlite3.Connection]:
        """Look at the store as it is now, beside a view that is older."""
        with self._pool.lent() as connection:
            yield connection.driver

    def problems(self) -> tuple[str, ...]:
        """Ask SQLite whether the file is sound; what is asked next is read from the file, not remembered."""
        self._caches.clear()
        try:
            with self._turn(), self._transaction("BEGIN", self._busy_seconds) as connection:
                driver = connection.driver
                found = [str(row[0]) for row in driver.execute("PRAGMA integrity_check(20)")]
                broken = driver.execute("PRAGMA foreign_key_check").fetchall()
                lost = self._lost(driver) if found == ["ok"] else []
        except StoreBusyError:
            raise
        except StoreError as error:
            # So damaged that it cannot even be asked.
            return (f"integrity: {error}",)
        said = [] if found == ["ok"] else [f"integrity: {line}" for line in found]
        said += [f"foreign key: a row of {row[0]} points at a missing row of {row[2]}" for row in broken[:20]]
        said += lost
        return tuple(said)

    def archive_problems(self) -> tuple[str, ...]:
        """Give what is wrong with the files of the archive; empty when all are as they were written."""
        with self._turn(), self._transaction("BEGIN", self._busy_seconds) as connection:
            return tuple(self._lost(connection.driver))

    def _lost(self, driver: sqlite3.Connection) -> list[str]:
        return archives.problems(None if self._archives is None else self._archives.archive, driver)

    def scrub(self, *, whole: bool = False) -> tuple[str, ...]:
        """Write the log into the file and cut it off, so that neither holds what was deleted.

        A reader that still needs the log keeps it, and is named.
        """
        self._caches.forget_texts()
        if self._in_memory:
            return ()
        with in_words(self.path), self._pool.lent() as connection:
            driver = connection.driver
            if whole:
                driver.execute("VACUUM")
            seconds = min(self._busy_seconds, _READERS_WAITED_FOR)
            driver.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
            connection.info["waits"] = seconds
            is_busy = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
        return holders(self.path) if is_busy else ()

    def copies(self) -> tuple[str, ...]:
        """Name the copies that upgrades have left beside the store."""
        return () if self._in_memory else tuple(str(one) for one in kept_copies(self.path))

    def archived(self, folders: Collection[str]) -> tuple[str, ...]:
        """Name what lies in these folders of the archive."""
        if self._archives is None:
            return ()
        archive = self._archives.archive
        return tuple(f"{folder}/{name}" for folder in folders for name in archive.names(folder))

    def backup(
        self, path: Path, *, with_vectors: bool = False, sealer: BackupSealer | None = None
    ) -> BackupNotes:
        """Copy the ledger without caches to a new file, in one step; `with_vectors` keeps those of stories.

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
        notes = BackupNotes(
            backup_id=secrets.token_hex(_BACKUP_ID_BYTES),
            at=self._clock.now().isoformat(),
            with_vectors=with_vectors,
        )
        draft = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with in_words(str(path)), self._turn(), self._pool.lent() as connection:
                done = write_copy(
                    connection.driver, draft, notes=notes, archives=self._archives, sealer=sealer
                )
            make_durable(draft)
            os.replace(draft, path)
            make_durable(path.parent)
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                Path(f"{draft}{suffix}").unlink(missing_ok=True)
        return done

    def close(self) -> None:
        """Let go of the file."""
        self._pool.close()


def _damage(connection: sqlite3.Connection, error: Exception) -> str | None:
    """Tell how the file is damaged when that is why something could not be read; None when it is not."""
    try:
        found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.Error as broken:
        return str(broken)
    if found != "ok":
        return " ".join(found.split())
    met = traceback.walk_tb(error.__traceback__)
    if any(frame.f_globals.get("__name__") in _READERS for frame, _ in met):
        # Its pages are sound, but a row of it is none of ours; what it holds is nobody's to read here.
        return f"a row cannot be read: {type(error).__name__}"
    return None
