"""What programs are shown of backups: which were written, what came of a restore."""

from __future__ import annotations

from typing import TypedDict

from kataribe.domain.backups import KeptBackup, Restored, WrittenBackup


class WrittenBackupJson(TypedDict):
    """A line of `backup --list --json`; `path` null and `sealed` false: by an earlier release."""

    path: str | None
    at: str
    sealed: bool
    users: int


class RestoredJson(TypedDict):
    """The one object of `restore --json`; `to` null: it was tried with `--check`."""

    ok: bool
    file: str
    to: str | None
    at: str | None
    sealed: bool
    users: int
    erased: int
    closed: int
    counts: dict[str, int]
    problems: list[str]


class KeptBackupJson(TypedDict):
    """A line of `schedule --json`: a backup that has passed its check, and those it took the place of."""

    backup: str
    at: str
    users: int
    removed: list[str]


def written_backup_json(one: WrittenBackup) -> WrittenBackupJson:
    """Give a backup that was written."""
    return {"path": one.path, "at": one.at, "sealed": one.is_sealed, "users": one.users}


def restored_json(done: Restored) -> RestoredJson:
    """Give what came of a restore."""
    return {
        "ok": done.ok,
        "file": done.file,
        "to": done.to,
        "at": done.at,
        "sealed": done.is_sealed,
        "users": done.users,
        "erased": done.erased,
        "closed": done.closed,
        "counts": dict(done.counts),
        "problems": list(done.problems),
    }


def kept_backup_json(one: KeptBackup) -> KeptBackupJson:
    """Give a backup that a schedule asked for."""
    return {"backup": one.path, "at": one.at, "users": one.users, "removed": list(one.removed)}
