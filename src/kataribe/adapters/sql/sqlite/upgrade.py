"""Upgrading a store: a copy is kept before anything is changed, and it can be tried on a copy first."""

from __future__ import annotations

import glob
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from kataribe.adapters.private_files import make_private_file
from kataribe.adapters.sql.migrate import upgrade, version_of
from kataribe.adapters.sql.sqlite.connection import MEMORY, check_is_ours, connect, in_words
from kataribe.adapters.sql.tables import HEAD
from kataribe.domain.upgrade import Upgrade
from kataribe.errors import StoreError

_COUNTED = ("stories", "episodes", "facts", "users", "turns", "memories", "traces")


def copy_path(path: str, version: str) -> Path:
    """Name the file a store of an older version is copied to before it is upgraded."""
    store = Path(path)
    return store.with_name(f"{store.name}.schema-{version}")


def kept_copies(path: str) -> tuple[Path, ...]:
    """Give the copies of a store that are there, by name."""
    store = Path(path)
    return tuple(sorted(store.parent.glob(f"{glob.escape(store.name)}.schema-*")))


def keep_copy(path: str, version: str) -> Path | None:
    """Copy a store as it is before it is upgraded; None for one in memory.

    A copy that a former attempt left is replaced. Raises `StoreError` when it cannot be written:
    nothing has been changed then.
    """
    if path == MEMORY:
        return None
    target = copy_path(path, version)
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with in_words(str(target)):
            _copy(path, draft)
        os.replace(draft, target)
    except OSError as error:
        raise StoreError(
            f"{target} cannot be written ({error.strerror}): the store is copied there before it is "
            f"upgraded; make room, or upgrade a copy of it elsewhere"
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return target


def _copy(path: str, target: Path) -> None:
    make_private_file(target)
    with (
        closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)


def is_store(path: str) -> bool:
    """Whether there is a store of ours at a path. Raises `ForeignStoreError`, `StoreError`."""
    return path != MEMORY and check_is_ours(path)


def try_upgrade(path: str) -> Upgrade:
    """Upgrade a copy of a store that is thrown away, and tell what came of it."""
    if path == MEMORY or not check_is_ours(path):
        return Upgrade(path=path, found=None, head=HEAD, is_dry=True)
    with TemporaryDirectory(prefix="kataribe-upgrade-") as folder:
        copy = Path(folder) / "store.db"
        with in_words(path):
            _copy(path, copy)
        return _upgraded(path, str(copy))


def looked_over(path: str, *, found: str | None, kept: Path | None) -> Upgrade:
    """Tell what an upgraded store holds and whether it is sound; `found` is the version it had before."""
    with in_words(path), closing(connect(path, busy_seconds=30.0, full=False)) as connection:
        return Upgrade(
            path=path,
            found=found,
            head=HEAD,
            is_dry=False,
            copy=None if kept is None else str(kept),
            counts=_counts(connection),
            problems=_problems(connection),
        )


def _upgraded(path: str, copy: str) -> Upgrade:
    with in_words(path), closing(connect(copy, busy_seconds=1.0, full=False)) as connection:
        found = version_of(connection)
        connection.execute("BEGIN IMMEDIATE")
        upgrade(connection, path)
        connection.execute("COMMIT")
        return Upgrade(
            path=path,
            found=found,
            head=HEAD,
            is_dry=True,
            counts=_counts(connection),
            problems=_problems(connection),
        )


def _counts(connection: sqlite3.Connection) -> Mapping[str, int]:
    return {
        table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in _COUNTED
    }


def _problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    sound = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    said = [] if sound == ["ok"] else [f"integrity: {line}" for line in sound]
    return tuple(
        said + [f"foreign key: a row of {row[0]} points at a missing {row[2]}" for row in broken[:20]]
    )
