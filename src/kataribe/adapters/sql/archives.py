"""What of the tiers lies in an archive: which file has the payload of which rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.tokens import new_token
from kataribe.domain.ids import digest
from kataribe.errors import ArchiveError, ArchiveLostError
from kataribe.ports.archive import Archive, Payload

_FOLDER = "SELECT folder FROM archive_folders WHERE space = ?"
_ADD_FOLDER = "INSERT INTO archive_folders (space, folder) VALUES (?, ?)"
_FILES = "SELECT name, sha256 FROM archive_files WHERE space = ? ORDER BY name"
_OF_KEYS = """
SELECT payload, name FROM archive_payloads
WHERE space = ? AND payload IN (SELECT value FROM json_each(?)) ORDER BY payload
"""
_STALE = """
SELECT DISTINCT name FROM archive_payloads p WHERE space = ?
  AND NOT EXISTS (SELECT 1 FROM tier_values v INDEXED BY ix_tier_values_payload
                  WHERE v.space = p.space AND v.payload = p.payload)
ORDER BY name
"""
_LIVE = """
SELECT payload FROM archive_payloads p WHERE space = ? AND name = ?
  AND EXISTS (SELECT 1 FROM tier_values v INDEXED BY ix_tier_values_payload
              WHERE v.space = p.space AND v.payload = p.payload)
"""
_ADD_FILE = "INSERT INTO archive_files (space, name, sha256) VALUES (?, ?, ?)"
_ADD_PAYLOAD = "INSERT INTO archive_payloads (space, payload, name) VALUES (?, ?, ?)"
_SPOIL = "UPDATE archive_files SET sha256 = '' WHERE space = ? AND name = ?"
_ADD_GONE = "INSERT INTO archive_gone (folder, name) VALUES (?, ?)"
_DROP_FILE = "DELETE FROM archive_files WHERE space = ? AND name = ?"
_DROP_PAYLOADS = """
DELETE FROM archive_payloads WHERE space = ? AND name = ? AND payload NOT IN (SELECT value FROM json_each(?))
"""
_GONE = "SELECT number, folder, name FROM archive_gone ORDER BY number"
_FORGET_GONE = "DELETE FROM archive_gone WHERE number = ?"
_ALL = """
SELECT d.folder, f.name, f.sha256 FROM archive_files f JOIN archive_folders d ON d.space = f.space
ORDER BY d.folder, f.name
"""
_FOLDERS = "SELECT space, folder FROM archive_folders ORDER BY folder"

_AWAY = "SELECT DISTINCT payload FROM tier_values WHERE space = ? AND payload IS NOT NULL"

Fresh = Callable[[], AbstractContextManager[sqlite3.Connection]]
"""Opens the store as it stands now, beside a view that stands where it began."""

_TRIES = 3
_NO_ARCHIVE = (
    "the texts of memories lie in an archive, and none is named; name its folder with KATARIBE_ARCHIVE=FOLDER"
)


def payload_key(text: str, topic: str) -> str:
    """Name a payload after what it says."""
    return digest("payload", text, topic)


@dataclass(frozen=True, slots=True)
class Archives:
    """The archive beside a store, as its rows tell it."""

    archive: Archive
    fresh: Fresh | None = None

    def payloads(self, driver: sqlite3.Connection, space: str, keys: Iterable[str]) -> dict[str, Payload]:
        """Give payloads by key. One that was deleted since this view began is left out.

        A file that another process has rewritten since is looked for where it stands now. Raises
        `ArchiveLostError`.
        """
        wanted = r.dump(sorted(set(keys)))
        try:
            return self._read(driver, space, wanted)
        except ArchiveLostError:
            if self.fresh is None:
                raise
        for left in reversed(range(_TRIES)):
            try:
                with self.fresh() as now:
                    return self._read(now, space, wanted)
            except ArchiveLostError:
                if not left:
                    raise
        raise AssertionError("the last try returns or raises")

    def _read(self, driver: sqlite3.Connection, space: str, wanted: str) -> dict[str, Payload]:
        named = dict(queries.tuples(driver, _OF_KEYS, (space, wanted)))
        files = dict(queries.tuples(driver, _FILES, (space,)))
        chosen = {name: files[name] for name in sorted(set(named.values()))}
        found = self.archive.read(folder_of(driver, space) or "", chosen)
        return {one.key: one for one in found if one.key in named}

    def add(self, driver: sqlite3.Connection, space: str, payloads: Iterable[Payload]) -> None:
        """Write a file of payloads that the archive does not have yet, and note it."""
        new = [one for one in payloads if not queries.tuples(driver, _OF_KEYS, (space, r.dump([one.key])))]
        if not new:
            return
        folder = folder_of(driver, space)
        assert folder is not None, "the folder is named and committed before anything is archived"
        name = f"{new_token()}.parquet"
        sha256 = self.archive.write(folder, name, new)
        driver.execute(_ADD_FILE, (space, name, sha256))
        driver.executemany(_ADD_PAYLOAD, [(space, one.key, name) for one in new])

    def settle(self, driver: sqlite3.Connection, space: str) -> None:
        """Write each file anew that has what no row needs any more, without that and in the same order.

        What is left of a file that is lost or changed stays noted, for `verify` to tell; its bytes
        go all the same.
        """
        folder = folder_of(driver, space)
        if folder is None:
            return
        files = dict(queries.tuples(driver, _FILES, (space,)))
        for (name,) in queries.tuples(driver, _STALE, (space,)):
            live = {key for (key,) in queries.tuples(driver, _LIVE, (space, name))}
            driver.execute(_DROP_PAYLOADS, (space, name, r.dump(sorted(live))))
            try:
                kept = [one for one in self.archive.read(folder, {name: files[name]}) if one.key in live]
            except ArchiveLostError:
                if live:
                    driver.execute(_ADD_GONE, (folder, name))
                    # Put back, it would bring what is deleted with it.
                    driver.execute(_SPOIL, (space, name))
                    continue
                kept = []
            driver.execute(_DROP_PAYLOADS, (space, name, "[]"))
            driver.execute(_DROP_FILE, (space, name))
            self.add(driver, space, kept)


def is_stale(driver: sqlite3.Connection, space: str) -> bool:
    """Whether the archive holds of a space what no row needs any more."""
    return bool(queries.tuples(driver, _STALE, (space,)))


def folder_of(driver: sqlite3.Connection, space: str) -> str | None:
    """Give the pseudonym of a space in the archive; None before anything of it was archived."""
    found = queries.tuples(driver, _FOLDER, (space,))
    return str(found[0][0]) if found else None


def make_folder(driver: sqlite3.Connection, space: str) -> None:
    """Give a space its pseudonym, random so that it says nothing of the space."""
    if folder_of(driver, space) is None:
        driver.execute(_ADD_FOLDER, (space, new_token()))


def count_gone(driver: sqlite3.Connection) -> int:
    """Count what is to be removed from the archive."""
    return int(queries.tuples(driver, "SELECT count(*) FROM archive_gone", ())[0][0])


def refuse_to_strand(before: int, after: int) -> None:
    """Raise `ArchiveError` where a transaction deletes what lies in an archive that is not named."""
    if after > before:
        raise ArchiveError(f"nothing was changed: {_NO_ARCHIVE}")


def named(archives: Archives | None) -> Archives:
    """Give the archive. Raises `ArchiveError` where none is named."""
    if archives is None:
        raise ArchiveError(_NO_ARCHIVE)
    return archives


def remove_gone(archive: Archive, driver: sqlite3.Connection) -> None:
    """Remove what committed transactions left behind, and then the note of it."""
    for number, folder, name in queries.tuples(driver, _GONE, ()):
        if name:
            archive.remove(folder, [name])
        else:
            archive.drop(folder)
        driver.execute(_FORGET_GONE, (number,))


def remove_orphans(archive: Archive, driver: sqlite3.Connection) -> int:
    """Remove files that nobody committed, and count them; only while nobody else writes."""
    removed = 0
    for space, folder in queries.tuples(driver, _FOLDERS, ()):
        files = {name for name, _ in queries.tuples(driver, _FILES, (space,))}
        orphans = [name for name in archive.names(folder) if name not in files]
        archive.remove(folder, orphans)
        removed += len(orphans)
    return removed


def problems(archive: Archive | None, driver: sqlite3.Connection) -> list[str]:
    """Compare every file with the hash that was written down."""
    files: list[tuple[str, str, str]] = queries.tuples(driver, _ALL, ())
    if not files:
        return []
    if archive is None:
        return [_NO_ARCHIVE]
    found = (archive.problem(*one) for one in files)
    remedy = "put it back from a copy, or run `kataribe rebuild`"
    return [f"archive: {one}; {remedy}" for one in found if one is not None]


def payloads_of(archives: Archives | None, driver: sqlite3.Connection, space: str) -> dict[str, Payload]:
    """Give what lies in the archive of a space, by key, without what was deleted there meanwhile.

    Raises `ArchiveError`.
    """
    keys = [key for (key,) in queries.tuples(driver, _AWAY, (space,))]
    return named(archives).payloads(driver, space, keys)
