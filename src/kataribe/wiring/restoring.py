"""Restoring backups, trying them, and keeping those that a schedule asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from kataribe.adapters.sealing.schema import MEMORY
from kataribe.domain.backups import Restored
from kataribe.domain.keys import SecretKey
from kataribe.engine import Engine
from kataribe.errors import InputError, KeyLostError, KeyStoreError, StoreError, option
from kataribe.ports import Keys, Seal
from kataribe.settings import Settings, from_environment
from kataribe.wiring.keys import KeysAsSet, seal
from kataribe.wiring.remote import at_hand
from kataribe.wiring.services import default_services
from kataribe.wiring.stores import ledger_of, with_keys

T = TypeVar("T")

_RESTORING = "kataribe.adapters.sql.sqlite.restoring"
"""The module that opens backups; it loads the driver."""


def restore(
    file: str | Path, to: str | Path, *, leave_closed: bool = False, settings: Settings | None = None
) -> Restored:
    """Make a new store of a backup; `sync` makes again what a backup leaves out.

    What users said is opened by the key store of the store it was written of. Who was erased since does
    not come back, under an id that was used again neither. `leave_closed` restores without users whose
    key cannot be had. `file` may be a URL, such as `s3://BUCKET/NAME`. All of it is there, or nothing.
    Raises `ConflictError` when `to` exists; `KeyStoreError`, such as `KeyLostError`, when a user's key
    cannot be had; `StoreError`, and for a URL `InputError` and `MissingExtraError`.
    """
    if str(to) == MEMORY:
        raise InputError("a backup is restored to a file; name one")
    adapter: Any = import_module(_RESTORING)
    target = Path(to)
    adapter.check_is_free(target)
    chosen = replace(settings or from_environment(str(target)), path=str(target))
    working = target.with_name(f".{target.name}.restoring")
    with at_hand(file) as backup, adapter.working_folder(working) as folder:
        opening = _KeyedBackup.of(adapter.look_at(backup), chosen, leave_closed=leave_closed)
        draft = folder / "store.db"
        opened = adapter.copy_opened(opening.backup, draft, opening)
        done = opening.told(opened, str(target))
        problems = _run(lambda: _settle(adapter, draft, chosen, opening, done))
        adapter.put_in_place(draft, target)
    return replace(done, file=str(file), problems=(*done.problems, *problems))


def check_backup(
    file: str | Path, *, leave_closed: bool = False, settings: Settings | None = None
) -> Restored:
    """Try a backup: restore it into a temporary folder, compare counts, verify, and throw it away.

    What is wrong stands in `problems`. Raises as `restore` does where there is nothing to be tried.
    """
    adapter: Any = import_module(_RESTORING)
    with at_hand(file) as path, adapter.check_folder() as folder:
        backup = adapter.look_at(path)
        draft = folder / "store.db"
        chosen = replace(settings or from_environment(), path=str(draft))
        opening = _KeyedBackup.of(backup, chosen, leave_closed=leave_closed)
        try:
            opened = adapter.copy_opened(backup, draft, opening)
        except KeyStoreError:
            raise
        except StoreError as error:
            return replace(opening.told(None, None), file=str(file), problems=(str(error),))
        done = opening.told(opened, None)
        problems = _run(lambda: _verified(adapter, draft, chosen, opening))
    return replace(done, file=str(file), problems=(*done.problems, *problems))


@dataclass(slots=True)
class _KeyedBackup:
    """What of a backup can be opened, and why the rest cannot."""

    backup: Any
    keys: dict[str, SecretKey] = field(default_factory=dict)
    erased_keys: int = 0
    closed: int = 0
    erased_users: tuple[str, ...] = ()

    @classmethod
    def of(cls, backup: Any, chosen: Settings, *, leave_closed: bool) -> _KeyedBackup:
        """Get the keys of a backup. Raises `KeyStoreError` where one cannot be had, unless it may be left."""
        made = cls(backup)
        store = None
        try:
            if backup.store_id is not None:
                store = KeysAsSet(chosen)(backup.store_id, backup.known_as)
            made._take(store)
        except KeyStoreError as error:
            if backup.key_ids and not leave_closed:
                raise type(error)(f"{error}; {_GO_ON}") from error
            made.closed = len(backup.key_ids) - len(made.keys) - made.erased_keys
        finally:
            if store is not None:
                with suppress(KeyStoreError):
                    store.close()
        if made.closed and not leave_closed:
            raise KeyLostError(
                f"{made.closed} of the users in {backup.path} have no key in the key store, and no tombstone "
                f"says that they were erased: it is older than the backup; put back the newest copy of it; "
                f"{_GO_ON}"
            )
        return made

    @property
    def seal(self) -> Seal:
        """What opens."""
        return seal()

    def key(self, key_id: str) -> SecretKey | None:
        """Give a key by its id."""
        return self.keys.get(key_id)

    def _take(self, store: Keys | None) -> None:
        stones = () if store is None else store.tombstones()
        for key_id in self.backup.key_ids:
            key = None if store is None else store.by_id(key_id)
            if key is not None:
                self.keys[key_id] = key
            elif any(one.is_of_key(key_id) for one in stones):
                self.erased_keys += 1
            else:
                self.closed += 1
        self.erased_users = tuple(
            user
            for user, made_at in self.backup.users.items()
            if any(one.is_of(user) and _is_before(made_at, one.at) for one in stones)
        )

    def told(self, opened: Any, to: str | None) -> Restored:
        """Tell what came of it."""
        adapter: Any = import_module(_RESTORING)
        notes, in_the_open = self.backup.notes, len(self.backup.users)
        counts = {} if opened is None else opened.counts
        return Restored(
            file=str(self.backup.path),
            to=to,
            at=None if notes is None else notes.at,
            is_sealed=not in_the_open,
            users=len(self.keys) + in_the_open - len(self.erased_users),
            erased=self.erased_keys + len(self.erased_users),
            closed=self.closed,
            counts={table: counts.get(table, 0) for table in adapter.COUNTED if table in counts},
            problems=() if opened is None else opened.problems,
        )


_GO_ON = f"{option('leave_closed')} restores without them (nothing was restored)"


def _is_before(made_at: str, erased_at: str) -> bool:
    return datetime.fromisoformat(made_at) <= datetime.fromisoformat(erased_at)


async def _brought_up(adapter: Any, draft: Path, chosen: Settings, opening: _KeyedBackup) -> Engine:
    """Open a restored store as a store of the newest schema, without those who were erased since."""
    at = replace(chosen, path=str(draft))
    # What stands outside the store is that of the store it was written of.
    parts = replace(
        with_keys(default_services(settings=chosen), chosen), index=None, hook=None, audit_sink=None
    )
    ledger_of(at, parts.clock).close()
    if opening.erased_users:
        adapter.drop_users(draft, opening.erased_users)
    engine = Engine(ledger_of(at, parts.clock), parts)
    await engine.adopt_extractor()
    return engine


async def _settle(
    adapter: Any, draft: Path, chosen: Settings, opening: _KeyedBackup, done: Restored
) -> tuple[str, ...]:
    """Finish what an opening would, note the restore, and look the store over."""
    engine = await _brought_up(adapter, draft, chosen, opening)
    try:
        with suppress(KeyStoreError):
            await engine.finish_erasures()
        with suppress(StoreError):
            await engine.seal_plain()
        told = {"users": done.users, "erased": done.erased, "closed": done.closed}
        await engine.settle_restored({**told, "written": done.at or "", "sealed": done.is_sealed})
        return (await engine.verify()).problems
    finally:
        await engine.close()


async def _verified(adapter: Any, draft: Path, chosen: Settings, opening: _KeyedBackup) -> tuple[str, ...]:
    engine = await _brought_up(adapter, draft, chosen, opening)
    try:
        return (await engine.verify()).problems
    finally:
        await engine.close()


def _run(work: Callable[[], Awaitable[T]]) -> T:
    async def run() -> T:
        return await work()

    with ThreadPoolExecutor(1) as thread:
        # In a thread of its own: whoever restores may have a loop that runs.
        return thread.submit(asyncio.run, run()).result()
