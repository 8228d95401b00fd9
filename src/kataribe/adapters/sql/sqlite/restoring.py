"""Making a store of a backup: its sealed rows are opened in a copy, which takes its place in one step."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from kataribe.adapters.private_files import make_private_file
from kataribe.adapters.sql.migrate import is_up_to_date
from kataribe.adapters.sql.sqlite.connection import can_be_written, connect, in_words, make_durable
from kataribe.adapters.sql.sqlite.copying import SEALED_TABLES, part_bound, row_bound, unpacked
from kataribe.adapters.sql.sqlite.ownership import columns_of, tables_of
from kataribe.adapters.sql.tables import APPLICATION_ID, BACKUP_ID
from kataribe.domain.backups import BACKUP_MARK, BackupNotes
from kataribe.domain.keys import SecretKey
from kataribe.errors import ConflictError, ForeignStoreError, KeyStoreError, StoreBusyError, StoreError
from kataribe.ports.audit import KEYS_MARK, STORE_MARK
from kataribe.ports.backups import BackupOpener

COUNTED = ("stories", "episodes", "facts", "users", "turns", "documents", "memories")
"""The tables whose rows are told."""
_CHECKS = "kataribe-check-"
_LOCK = "lock"
_UNCOUNTED = frozenset({"marks", *SEALED_TABLES})


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupFile:
    """What can be told of a backup without any key.

    `notes` None: an earlier release wrote it. `store_id` and `known_as` lead to its key store (None: it
    has used none). `key_ids` are those that rows are sealed by; `users` stand in the open, each with when
    it was made (ISO 8601).
    """

    path: Path
    notes: BackupNotes | None
    store_id: str | None
    known_as: str | None
    key_ids: tuple[str, ...] = ()
    users: Mapping[str, str] = field(default_factory=dict)


def look_at(path: Path) -> BackupFile:
    """Look at a backup without changing it. Raises `ForeignStoreError`, `NewerStoreError`, `StoreError`."""
    _check_is_backup(path)
    with in_words(str(path)), closing(_reading(path)) as driver:
        is_up_to_date(driver, str(path))
        tables = tables_of(driver)
        marks = dict(driver.execute("SELECT name, value FROM marks")) if "marks" in tables else {}
        keyed = "SELECT DISTINCT key_id FROM sealed_parts ORDER BY key_id"
        there = "SELECT user_id, created_at FROM users"
        return BackupFile(
            path=path,
            notes=_notes(path, marks.get(BACKUP_MARK)),
            store_id=marks.get(STORE_MARK),
            known_as=marks.get(KEYS_MARK) or None,
            key_ids=tuple(row[0] for row in driver.execute(keyed)) if SEALED_TABLES[0] in tables else (),
            users=dict(driver.execute(there)) if "users" in tables else {},
        )


def _notes(path: Path, written: str | None) -> BackupNotes | None:
    try:
        return BackupNotes.read(written) if written else None
    except ValueError as error:
        raise StoreError(f"{path} is damaged: what it says of itself cannot be read; take another") from error


def _check_is_backup(path: Path) -> None:
    try:
        with path.open("rb") as opened:
            head = opened.read(100)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}; give another file") from error
    of = int.from_bytes(head[68:72], "big")
    if not head.startswith(b"SQLite format 3\x00") or of not in (APPLICATION_ID, BACKUP_ID):
        raise ForeignStoreError(f"{path} is no backup of a kataribe store; give another file")


def _reading(path: Path) -> sqlite3.Connection:
    # A backup may lie where nothing can be written; then nothing is made beside it.
    wal = Path(f"{path}-wal")
    plain = not (wal.exists() and wal.stat().st_size) or not can_be_written(str(path))
    mode = "mode=ro&immutable=1" if plain else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)


@dataclass(slots=True)
class OpenedCopy:
    """What came of opening a copy of a backup: rows by table, as they are and as they should be."""

    counts: dict[str, int] = field(default_factory=dict)
    expected: dict[str, int] = field(default_factory=dict)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is missing or too much."""
        return tuple(
            f"{table}: {self.counts.get(table, 0)} rows were restored, and the backup had {wanted}"
            for table, wanted in sorted(self.expected.items())
            if table not in _UNCOUNTED and self.counts.get(table, 0) != wanted
        )


def copy_opened(backup: BackupFile, draft: Path, opener: BackupOpener) -> OpenedCopy:
    """Copy a backup and open what is sealed in the copy, of those users whose key is given.

    Raises `StoreError` for what was changed or lacks rows.
    """
    make_private_file(draft)
    with in_words(str(backup.path)), closing(sqlite3.connect(draft, isolation_level=None)) as target:
        with closing(_reading(backup.path)) as source:
            source.backup(target)
        target.execute("PRAGMA synchronous = OFF")
        target.execute("PRAGMA temp_store = MEMORY")
        target.execute("BEGIN")
        expected = dict(backup.notes.counts) if backup.notes is not None else _counts(target)
        if backup.notes is not None:
            _RowOpening(target, backup, backup.notes, opener).open_into(expected)
            target.execute("DELETE FROM marks WHERE name = ?", (BACKUP_MARK,))
        broken = target.execute("PRAGMA foreign_key_check").fetchone()
        target.execute("COMMIT")
        if broken is not None:
            raise StoreError(f"{backup.path} is damaged: a row of {broken[0]} lacks the row of {broken[2]}")
        target.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        target.execute("VACUUM")
        return OpenedCopy(_counts(target), expected)


class _RowOpening:
    """One copy while its rows are opened."""

    def __init__(
        self, target: sqlite3.Connection, backup: BackupFile, notes: BackupNotes, opener: BackupOpener
    ) -> None:
        self._target = target
        self._backup = backup
        self._notes = notes
        self._opener = opener
        self._inserts = {table: _insert(target, table) for table in tables_of(target)}

    def open_into(self, expected: dict[str, int]) -> None:
        """Open all parts, add what they should hold to what is expected, and take the sealed rows out."""
        if SEALED_TABLES[0] not in self._inserts:
            return
        asked = "SELECT part, key_id, sealed FROM sealed_parts ORDER BY part"
        parts = self._target.execute(asked).fetchall()
        if len(parts) != self._notes.parts:
            raise self._damaged(f"it has {len(parts)} sealed parts of {self._notes.parts}")
        for part, key_id, sealed in parts:
            key = self._opener.key(key_id)
            if key is not None:
                self._open_part(part, key, sealed, expected)
        for table in SEALED_TABLES:
            self._target.execute(f"DROP TABLE {table}")

    def _open_part(self, part: int, key: SecretKey, sealed: bytes, expected: dict[str, int]) -> None:
        told = json.loads(self._plain(key, *part_bound(self._notes.backup_id, part), sealed))
        asked = "SELECT number, sealed FROM sealed_rows WHERE part = ? ORDER BY number"
        rows = self._target.execute(asked, (part,)).fetchall()
        if [number for number, _ in rows] != list(range(told["rows"])):
            raise self._damaged(f"part {part} has {len(rows)} rows of {told['rows']}")
        for number, one in rows:
            bound = row_bound(self._notes.backup_id, part, number)
            table, values = unpacked(self._plain(key, told["space"], bound, one))
            self._target.execute(self._inserts[table], values)
        for table, count in told["counts"].items():
            expected[table] = expected.get(table, 0) + count

    def _plain(self, key: SecretKey, space: str, row: str, sealed: bytes) -> bytes:
        try:
            return self._opener.seal.open(key, space, row, sealed)
        except KeyStoreError as error:
            raise self._damaged("what is sealed in it was changed") from error

    def _damaged(self, how: str) -> StoreError:
        return StoreError(
            f"{self._backup.path} is damaged: {how}; take another backup (nothing was restored)"
        )


def _insert(target: sqlite3.Connection, table: str) -> str:
    places = ", ".join("?" * len(columns_of(target, table)))
    return f'INSERT INTO "{table}" VALUES ({places})'


def _counts(target: sqlite3.Connection) -> dict[str, int]:
    return {
        table: int(target.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])
        for table in tables_of(target)
    }


def drop_users(draft: Path, users: Collection[str]) -> None:
    """Take users out of a store of the newest schema, and write it anew so that nothing of them is left."""
    with in_words(str(draft)), closing(connect(str(draft), busy_seconds=1.0, full=False)) as target:
        target.execute("BEGIN IMMEDIATE")
        target.executemany("DELETE FROM users WHERE user_id = ?", [(one,) for one in users])
        target.execute("COMMIT")
        target.execute("VACUUM")
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def check_is_free(to: Path) -> None:
    """Refuse a store that is there, or of which something is left. Raises `ConflictError`, `StoreError`."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        if Path(f"{to}{suffix}").exists():
            raise ConflictError(f"{to}{suffix} exists already; restore to another name, or move it away")
    if not to.parent.exists():
        raise StoreError(f"the folder {to.parent} does not exist; create it first")


def put_in_place(draft: Path, to: Path) -> None:
    """Give a finished store its name, in one step and durably. Raises `ConflictError`."""
    with in_words(str(draft)), closing(sqlite3.connect(draft)) as driver:
        # Nothing of it may stand in a log beside it, which would stay behind.
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    make_durable(draft)
    check_is_free(to)
    try:
        # Unlike a rename it never takes the place of a store that came meanwhile.
        os.link(draft, to)
    except FileExistsError as error:
        raise ConflictError(f"{to} exists already; restore to another name, or move it away") from error
    except OSError:
        draft.rename(to)
    make_durable(to.parent)


@contextmanager
def working_folder(folder: Path) -> Iterator[Path]:
    """Hold a folder for oneself while the block runs; what a killed process left in it is removed first.

    Raises `StoreBusyError` while another process holds it, `StoreError`.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}; give another name") from error
    with in_words(str(folder)), closing(_locked(folder)):
        for left in folder.iterdir():
            if not left.name.startswith(_LOCK):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def check_folder() -> Iterator[Path]:
    """Hold a new folder among the temporary ones; those of processes that were killed are removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{_CHECKS}*"):
        with suppress(StoreError, OSError):
            if (left / _LOCK).exists() and not left.is_symlink() and _is_own(left):
                with working_folder(left):
                    pass
    with working_folder(Path(tempfile.mkdtemp(prefix=_CHECKS))) as folder:
        yield folder


def _is_own(folder: Path) -> bool:
    return os.name != "posix" or folder.lstat().st_uid == os.getuid()


def _locked(folder: Path) -> sqlite3.Connection:
    lock = sqlite3.connect(folder / _LOCK, timeout=0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        raise StoreBusyError(f"another process is at work in {folder}; wait for it") from error
    return lock
