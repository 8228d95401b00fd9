"""Writing a backup: rows of stories as they are, rows of users sealed. No word of a user is written in it.

What is sealed stands in three tables. `sealed_parts` has a row for each space of each user, which says
sealed whose it is and how many rows it has; `sealed_rows` has those rows.
"""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kataribe.adapters.private_files import make_private_file
from kataribe.adapters.sql.archives import Archives, payloads_of
from kataribe.adapters.sql.backups import ARCHIVED, Extract, extract
from kataribe.adapters.sql.rows import dump, load
from kataribe.adapters.sql.sqlite.connection import PAGE_SIZE
from kataribe.adapters.sql.sqlite.ownership import CHAIN_OWNER, Owners, Ownership, columns_of
from kataribe.adapters.sql.tables import APPLICATION_ID, BACKUP_ID
from kataribe.domain.backups import BACKUP_MARK, BackupNotes
from kataribe.domain.keys import SecretKey
from kataribe.domain.space import user_space
from kataribe.ports.backups import BackupSealer

_SEALED = (
    "CREATE TABLE sealed_parts (part INTEGER PRIMARY KEY, key_id TEXT NOT NULL, sealed BLOB NOT NULL)",
    """CREATE TABLE sealed_rows (part INTEGER NOT NULL, number INTEGER NOT NULL, sealed BLOB NOT NULL,
       PRIMARY KEY (part, number)) WITHOUT ROWID""",
)
SEALED_TABLES = ("sealed_parts", "sealed_rows")
_LAID = """
SELECT sql FROM sqlite_master WHERE type {} AND sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
"""


def part_bound(backup_id: str, part: int) -> tuple[str, str]:
    """Give what a part is sealed to: the backup and its place in it."""
    return f"backup/{backup_id}", f"part/{part}"


def row_bound(backup_id: str, part: int, number: int) -> str:
    """Give the place of a row that it is sealed to, beside its space."""
    return f"{backup_id}/{part}/{number}"


def packed(table: str, values: Sequence[object]) -> bytes:
    """Write a row of a table; bytes in it are Base64 in an object."""
    told = [{"b": base64.b64encode(one).decode()} if isinstance(one, bytes) else one for one in values]
    return json.dumps([table, told], ensure_ascii=False, separators=(",", ":")).encode()


def unpacked(written: bytes) -> tuple[str, list[object]]:
    """Read what `packed` wrote. Raises `ValueError`."""
    table, told = json.loads(written)
    return table, [base64.b64decode(one["b"]) if isinstance(one, dict) else one for one in told]


@dataclass(slots=True)
class _SealedPart:
    """What is sealed of one space of a user."""

    number: int
    user: str
    space: str
    rows: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def told(self) -> bytes:
        """Write what is said of it."""
        told = {"user": self.user, "space": self.space, "rows": self.rows, "counts": self.counts}
        return json.dumps(told, sort_keys=True).encode()


def write_copy(
    source: sqlite3.Connection,
    draft: Path,
    *,
    notes: BackupNotes,
    archives: Archives | None,
    sealer: BackupSealer | None,
) -> BackupNotes:
    """Write a new file with what a backup holds of a store, as it is at one moment.

    Without a `sealer` rows of users stand in it as they are. Raises `ArchiveError`, `StoreBusyError`.
    """
    make_private_file(draft)
    with closing(sqlite3.connect(draft, isolation_level=None)) as target:
        for pragma in (f"page_size = {PAGE_SIZE}", "journal_mode = OFF", "synchronous = OFF"):
            target.execute(f"PRAGMA {pragma}")
        source.execute("BEGIN")
        try:
            target.execute("BEGIN")
            done = _Copy(source, target, notes, archives, sealer).write()
            target.execute("COMMIT")
        finally:
            source.execute("ROLLBACK")
            # It knows keys, and the connection outlives it.
            source.create_function(CHAIN_OWNER, 1, None)
        is_sealed = bool(done.parts)
        target.execute(f"PRAGMA application_id = {BACKUP_ID if is_sealed else APPLICATION_ID}")
        # What holds no user is a store at once.
        target.execute(f"PRAGMA journal_mode = {'DELETE' if is_sealed else 'WAL'}")
    return done


class _Copy:
    """One backup while it is written."""

    def __init__(
        self,
        source: sqlite3.Connection,
        target: sqlite3.Connection,
        notes: BackupNotes,
        archives: Archives | None,
        sealer: BackupSealer | None,
    ) -> None:
        self._source, self._target = source, target
        self._notes = notes
        self._archives = archives
        self._sealer = sealer
        self._owners = Owners(source)
        self._keys: Mapping[str, SecretKey] = {}
        self._parts: dict[tuple[str, str], _SealedPart] = {}
        self._counts: dict[str, int] = {}
        self._seals = False

    def write(self) -> BackupNotes:
        """Write all tables, what is said of the sealed parts, and at last the indexes."""
        users = [str(row[0]) for row in self._source.execute("SELECT user_id FROM users ORDER BY user_id")]
        if self._sealer is not None and users:
            self._seals = True
            self._keys = self._sealer.keys(users)
            self._source.create_function(CHAIN_OWNER, 1, self._sealer.owner)
        for (sql,) in self._source.execute(_LAID.format("= 'table'")).fetchall():
            self._target.execute(sql)
        for sql in _SEALED if self._seals else ():
            self._target.execute(sql)
        for table in self._owners.tables:
            self._write_table(table)
        self._write_parts()
        for (sql,) in self._source.execute(_LAID.format("!= 'table'")).fetchall():
            self._target.execute(sql)
        return self._write_notes(len(self._keys) if self._parts else 0)

    def _write_table(self, table: str) -> None:
        columns = columns_of(self._source, table)
        taken = extract(table, columns, with_vectors=self._notes.with_vectors)
        if taken is None or (self._seals and not self._owners.is_known(table)):
            # Where nobody can tell whose the rows are, none of them is written in the open.
            return
        owned = self._owners.of(table) if self._seals else None
        open_rows = self._rows(table, columns, taken, "1" if owned is None else f"{owned.user} IS NULL")
        places = ", ".join("?" * len(columns))
        inserted = self._target.executemany(f'INSERT INTO "{table}" VALUES ({places})', open_rows)
        self._counts[table] = max(inserted.rowcount, 0)
        if owned is not None:
            self._seal_table(table, columns, taken, owned)

    def _rows(
        self, table: str, columns: Sequence[str], taken: Extract, which: str, more: Sequence[str] = ()
    ) -> Iterator[tuple[Any, ...]]:
        chosen = ", ".join([*more, *taken.columns])
        sql = f'SELECT {chosen} FROM "{table}" t WHERE ({taken.rows}) AND ({which})'
        if table != ARCHIVED:
            return iter(self._source.execute(sql))
        named = {column: place + len(more) for place, column in enumerate(columns)}
        return _whole(self._source, self._source.execute(f"{sql} ORDER BY t.space"), named, self._archives)

    def _seal_table(self, table: str, columns: Sequence[str], taken: Extract, owned: Ownership) -> None:
        whose = (owned.user, owned.space)
        rows = self._rows(table, columns, taken, f"{owned.user} IS NOT NULL", whose)
        self._target.executemany("INSERT INTO sealed_rows VALUES (?, ?, ?)", self._sealed(table, rows))

    def _sealed(self, table: str, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[int, int, bytes]]:
        assert self._sealer is not None
        seal = self._sealer.seal.seal
        for user, space, *values in rows:
            key = self._keys.get(user)
            if key is None:
                # Erased while this was begun: nothing of it is in the copy.
                continue
            part = self._part(user, space or user_space(user))
            bound = row_bound(self._notes.backup_id, part.number, part.rows)
            yield part.number, part.rows, seal(key, part.space, bound, packed(table, values))
            part.rows += 1
            part.counts[table] = part.counts.get(table, 0) + 1

    def _part(self, user: str, space: str) -> _SealedPart:
        there = self._parts.get((user, space))
        if there is None:
            there = self._parts[user, space] = _SealedPart(len(self._parts), user, space)
        return there

    def _write_parts(self) -> None:
        if self._seals and not self._parts:
            for table in SEALED_TABLES:
                self._target.execute(f"DROP TABLE {table}")
        for part in self._parts.values():
            assert self._sealer is not None
            key = self._keys[part.user]
            sealed = self._sealer.seal.seal(key, *part_bound(self._notes.backup_id, part.number), part.told())
            self._target.execute(
                "INSERT INTO sealed_parts VALUES (?, ?, ?)", (part.number, key.key_id, sealed)
            )

    def _write_notes(self, users: int) -> BackupNotes:
        done = BackupNotes(
            backup_id=self._notes.backup_id,
            at=self._notes.at,
            users=users,
            parts=len(self._parts),
            with_vectors=self._notes.with_vectors,
            counts=self._counts,
        )
        if self._sealer is not None:
            put = "INSERT OR REPLACE INTO marks (name, value) VALUES (?, ?)"
            self._target.execute(put, (BACKUP_MARK, done.written()))
        return done


def _whole(
    driver: sqlite3.Connection,
    rows: Iterator[tuple[Any, ...]],
    named: Mapping[str, int],
    archives: Archives | None,
) -> Iterator[tuple[Any, ...]]:
    """Put into rows what lies of them in the archive; rows deleted from it meanwhile are left out."""
    space: str | None = None
    there: dict[str, Any] = {}
    for row in rows:
        key = row[named["payload"]]
        if key is None:
            yield row
            continue
        if row[named["space"]] != space:
            space = row[named["space"]]
            there = payloads_of(archives, driver, str(space))
        if key in there:
            whole = {**load(row[named["value"]]), "text": there[key].text, "topic": there[key].topic}
            changed: dict[int, object] = {
                named["value"]: dump(whole),
                named["payload"]: None,
                named["terms"]: None,
            }
            yield tuple(changed.get(place, value) for place, value in enumerate(row))
