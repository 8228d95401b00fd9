"""The backups that a schedule asks for: each is checked before it counts, and before an older one goes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, tzinfo
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from kataribe.adapters.private_files import make_private_folder
from kataribe.domain.backups import KeptBackup, WrittenBackup, kept_of
from kataribe.engine import Engine
from kataribe.errors import InputError, KataribeError, StoreError
from kataribe.ports.backups import RemoteBackup
from kataribe.settings import Settings, behind_scheme, from_environment
from kataribe.wiring.on_use import cron_times
from kataribe.wiring.remote import is_remote, remote_backup
from kataribe.wiring.restoring import check_backup
from kataribe.wiring.services import default_services
from kataribe.wiring.stores import ledger_of, with_keys

_FORM = "%Y%m%dT%H%M%SZ"
_RESTORING = "kataribe.adapters.sql.sqlite.restoring"
_ACT = "admin.backup"


def scheduled_backup(
    *, settings: Settings | None = None, zone: tzinfo = UTC, upto: datetime | None = None
) -> KeptBackup | None:
    """Write the backup that the settings ask for by a moment (None: now); None: there is one already.

    It goes by its name only when it has passed its check, and those that need not be kept go only then.
    `zone` is that of the cron expression. Raises `StoreError` when it does not pass, as every refusal of
    a backup is: the older ones stay. Raises `InputError` when no folder is set, `MissingExtraError`.
    """
    chosen = settings or from_environment()
    if chosen.backups_folder is None:
        raise InputError(
            "no folder for backups is set; set `folder` in [backups], or KATARIBE_BACKUPS_FOLDER"
        )
    now = (upto or datetime.now(UTC)).astimezone(UTC).replace(microsecond=0)
    place = _place(chosen.backups_folder, Path(chosen.path))
    adapter: Any = import_module(_RESTORING)
    folder = place.working_folder() / f".{_stem(chosen)}.writing"
    with adapter.working_folder(folder) as working, ThreadPoolExecutor(1) as thread:
        # In a thread of its own: whoever calls may have a loop that runs.
        return thread.submit(asyncio.run, _kept(place, chosen, zone, now, working)).result()


class _Place(Protocol):
    """Where scheduled backups are kept."""

    def working_folder(self) -> Path:
        """Give a folder of this machine, which is there, to write in. Raises `StoreError`."""

    def address(self, name: str) -> str:
        """Give what a backup of this name is listed as."""

    def exists(self, name: str) -> bool:
        """Tell whether it is there."""

    def put(self, draft: Path, name: str) -> None:
        """Give a finished backup its name."""

    def remove(self, name: str) -> None:
        """Take one away."""


class _Folder:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def working_folder(self) -> Path:
        """Give the folder itself, so that a rename is all that is left to do."""
        try:
            make_private_folder(self._folder)
        except OSError as error:
            raise StoreError(
                f"{self._folder} cannot be made: {error.strerror}; set another folder"
            ) from error
        return self._folder

    def address(self, name: str) -> str:
        return str(Path(self._folder, name).absolute())

    def exists(self, name: str) -> bool:
        return Path(self._folder, name).exists()

    def put(self, draft: Path, name: str) -> None:
        import_module(_RESTORING).put_in_place(draft, Path(self._folder, name).absolute())

    def remove(self, name: str) -> None:
        Path(self._folder, name).unlink(missing_ok=True)


class _Prefix:
    """A prefix in a bucket."""

    def __init__(self, url: str, store: Path) -> None:
        self._url = url.rstrip("/")
        self._store = store
        # What is wrong with it is said before anything is written.
        self._backup("x")

    def _backup(self, name: str) -> RemoteBackup:
        return remote_backup(f"{self._url}/{name}")

    def working_folder(self) -> Path:
        """Give the store's own folder: there is room for what is as large as the store."""
        return self._store.absolute().parent

    def address(self, name: str) -> str:
        return self._backup(name).address

    def exists(self, name: str) -> bool:
        return self._backup(name).exists()

    def put(self, draft: Path, name: str) -> None:
        self._backup(name).put(draft)

    def remove(self, name: str) -> None:
        self._backup(name).remove()


def _place(named: str, store: Path) -> _Place:
    return _Prefix(named, store) if is_remote(named) else _Folder(Path(behind_scheme(named)))


def _stem(chosen: Settings) -> str:
    return Path(chosen.path).stem


async def _kept(
    place: _Place, chosen: Settings, zone: tzinfo, now: datetime, working: Path
) -> KeptBackup | None:
    parts = with_keys(default_services(settings=chosen), chosen)
    engine = Engine(ledger_of(chosen, parts.clock), parts)
    try:
        there = await asyncio.to_thread(_there, place, chosen, await engine.backups())
        if there and not _is_due(chosen, zone, max(there), now):
            return None
        name = f"{_stem(chosen)}-{now.strftime(_FORM)}.backup"
        draft, address = working / name, place.address(name)
        done = await engine.backup(draft, listed_as=address)
        engine.note_act(None, _ACT)
        try:
            await asyncio.to_thread(_put_checked, place, draft, chosen)
        except KataribeError:
            await engine.forget_backups([address])
            raise
        gone: list[str] = []
        for one in _surplus(chosen, {**there, now: name}):
            await asyncio.to_thread(place.remove, one)
            gone.append(place.address(one))
        await engine.forget_backups(gone)
        return KeptBackup(path=address, at=done.at, users=done.users, removed=tuple(gone))
    finally:
        await engine.close()


def _put_checked(place: _Place, draft: Path, chosen: Settings) -> None:
    """Put a backup in its place when it has passed its check. Raises `StoreError` when it has not."""
    tried = check_backup(draft, settings=chosen)
    if not tried.ok:
        raise StoreError(f"the new backup did not pass its check ({tried.problems[0]}); older ones stay")
    place.put(draft, draft.name)


def _there(place: _Place, chosen: Settings, written: tuple[WrittenBackup, ...]) -> dict[datetime, str]:
    """Give the names of this store's own scheduled backups that are there, by the moments in them."""
    named = re.compile(re.escape(_stem(chosen)) + r"-(\d{8}T\d{6}Z)\.backup")
    found: dict[datetime, str] = {}
    for address in (one.path for one in written if one.path is not None):
        name = re.split(r"[/\\]", address)[-1]
        matched = named.fullmatch(name)
        if matched is not None and place.address(name) == address and place.exists(name):
            found[datetime.strptime(matched[1], _FORM).replace(tzinfo=UTC)] = name
    return found


def _is_due(chosen: Settings, zone: tzinfo, last: datetime, now: datetime) -> bool:
    due = next(iter(cron_times(chosen.backups_cron, zone, last)), None)
    return due is not None and due <= now


def _surplus(chosen: Settings, there: Mapping[datetime, str]) -> list[str]:
    kept = kept_of(there, daily=chosen.backups_keep_daily, weekly=chosen.backups_keep_weekly)
    return [name for time, name in sorted(there.items()) if time not in kept]
