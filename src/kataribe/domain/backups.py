"""Backups: what is written down of each, what came of a restore, and which of them are kept."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

BACKUP_MARK, BACKUPS_MARK = "backup", "backups"
"""The mark of a copy that says it is a backup, and the mark of a store that lists those written of it."""
LISTED_MOST = 1000
"""Backups that a store lists; the oldest are dropped first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupNotes:
    """What a backup says of itself: nothing of its users but how many there are.

    `backup_id` says nothing; `at` is when it was written, in ISO 8601. `counts` are rows that stand in
    the open, by table; `parts` are the sealed parts, one for each space of a user.
    """

    backup_id: str
    at: str
    users: int = 0
    parts: int = 0
    with_vectors: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)

    def written(self) -> str:
        """Give it as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def read(cls, written: str) -> BackupNotes:
        """Read what `written` gave. Raises `ValueError`."""
        try:
            return cls(**json.loads(written))
        except TypeError as error:
            raise ValueError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenBackup:
    """A backup that was written of a store, by its path or URL; `path` None: by an earlier release.

    `is_sealed` False: it was written before rows of users were sealed, and opens without a key.
    """

    path: str | None
    at: str
    is_sealed: bool = True
    users: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What came of a restore, or of trying one.

    `file` is the backup and `to` the new store (None: it was tried, and thrown away). `at` is when the
    backup was written (None: by an earlier release). `is_sealed` False: it holds users' rows in the open.
    `users` are restored; `erased` are not, since they were erased; `closed` are not, since their key
    cannot be had. `counts` are restored rows of inputs and memories. `problems` are what is wrong with
    what was restored, empty when it is sound.
    """

    file: str
    to: str | None
    at: str | None
    is_sealed: bool
    users: int = 0
    erased: int = 0
    closed: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it is sound."""
        return not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBackup:
    """What came of a scheduled backup: the new file, which has passed its check, and those it took away."""

    path: str
    at: str
    users: int = 0
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupRegister:
    """The backups that were written of a store, oldest first; `since` is when the list was begun."""

    since: str
    written: tuple[WrittenBackup, ...] = ()

    def text(self) -> str:
        """Give it as JSON."""
        return json.dumps({"since": self.since, "written": [asdict(one) for one in self.written]})

    @classmethod
    def read(cls, text: str | None, *, now: str) -> BackupRegister:
        """Read what `text` gave; None: it begins now."""
        if not text:
            return cls(since=now)
        found = json.loads(text)
        return cls(since=found["since"], written=tuple(WrittenBackup(**one) for one in found["written"]))

    def adding(self, one: WrittenBackup) -> BackupRegister:
        """Add a backup, in the place of one of that name."""
        rest = self.without([one.path] if one.path else []).written
        return BackupRegister(since=self.since, written=(*rest, one)[-LISTED_MOST:])

    def without(self, paths: Collection[str]) -> BackupRegister:
        """Leave out what is no more."""
        left = tuple(one for one in self.written if one.path not in paths)
        return BackupRegister(since=self.since, written=left)


def kept_of(times: Iterable[datetime], *, daily: int, weekly: int) -> frozenset[datetime]:
    """Choose which backups stay: the newest of each of the last days that have one, and of the last weeks.

    Days and weeks are those of UTC; a week begins on Monday. The newest of all stays always.
    """
    newest = sorted(times, reverse=True)
    days: dict[object, datetime] = {}
    weeks: dict[object, datetime] = {}
    for time in newest:
        day = time.astimezone(UTC).date()
        days.setdefault(day, time)
        weeks.setdefault(day.isocalendar()[:2], time)
    return frozenset([*newest[:1], *[*days.values()][:daily], *[*weeks.values()][:weekly]])
