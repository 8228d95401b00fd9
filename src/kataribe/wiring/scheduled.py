"""The backups that a schedule asks for: each is checked before it counts, and before an older one goes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, tzinfo
from importlib import import_module
from pathlib import Path
from typing import Any

from kataribe.adapters.private_files import make_private_folder
from kataribe.domain.backups import KeptBackup, WrittenBackup, kept_of
from kataribe.engine import Engine
from kataribe.errors import InputError, StoreError
from kataribe.settings import Settings, from_environment
from kataribe.wiring.on_use import cron_times
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
    folder = Path(chosen.backups_folder)
    try:
        make_private_folder(folder)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}; set another folder") from error
    adapter: Any = import_module(_RESTORING)
    named = folder / f".{_stem(chosen)}.writing"
    with adapter.working_folder(named) as working, ThreadPoolExecutor(1) as thread:
        # In a thread of its own: whoever calls may have a loop that runs.
        return thread.submit(asyncio.run, _kept(adapter, chosen, zone, now, working)).result()


def _stem(chosen: Settings) -> str:
    return Path(chosen.path).stem


async def _kept(
    adapter: Any, chosen: Settings, zone: tzinfo, now: datetime, working: Path
) -> KeptBackup | None:
    parts = with_keys(default_services(settings=chosen), chosen)
    engine = Engine(ledger_of(chosen, parts.clock), parts)
    try:
        there = _there(chosen, await engine.backups())
        if there and not _is_due(chosen, zone, max(there), now):
            return None
        target = Path(chosen.backups_folder or "", f"{_stem(chosen)}-{now.strftime(_FORM)}.backup").absolute()
        draft = working / target.name
        done = await engine.backup(draft, listed_as=target)
        engine.note_act(None, _ACT)
        tried = await asyncio.to_thread(check_backup, draft, settings=chosen)
        if not tried.ok:
            await engine.forget_backups([str(target)])
            raise StoreError(f"the new backup did not pass its check ({tried.problems[0]}); older ones stay")
        adapter.put_in_place(draft, target)
        gone = _surplus(chosen, {**there, now: target})
        for one in gone:
            one.unlink(missing_ok=True)
        await engine.forget_backups([str(one) for one in gone])
        return KeptBackup(
            path=str(target), at=done.at, users=done.users, removed=tuple(str(one) for one in gone)
        )
    finally:
        await engine.close()


def _there(chosen: Settings, written: tuple[WrittenBackup, ...]) -> dict[datetime, Path]:
    """Give this store's own scheduled backups that are there, by the moments in their names."""
    named = re.compile(re.escape(_stem(chosen)) + r"-(\d{8}T\d{6}Z)\.backup")
    folder = Path(chosen.backups_folder or "").absolute()
    found: dict[datetime, Path] = {}
    for path in (Path(one.path) for one in written if one.path is not None):
        matched = named.fullmatch(path.name)
        if matched is not None and path.parent == folder and path.exists():
            found[datetime.strptime(matched[1], _FORM).replace(tzinfo=UTC)] = path
    return found


def _is_due(chosen: Settings, zone: tzinfo, last: datetime, now: datetime) -> bool:
    due = next(iter(cron_times(chosen.backups_cron, zone, last)), None)
    return due is not None and due <= now


def _surplus(chosen: Settings, there: Mapping[datetime, Path]) -> list[Path]:
    kept = kept_of(there, daily=chosen.backups_keep_daily, weekly=chosen.backups_keep_weekly)
    return [path for time, path in sorted(there.items()) if time not in kept]
