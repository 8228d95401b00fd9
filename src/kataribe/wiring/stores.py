"""Opening and upgrading a store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from kataribe.domain.audit import AuditScope
from kataribe.domain.upgrade import Upgrade
from kataribe.engine import Engine, Services
from kataribe.errors import FormatError, KataribeError, StoreError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.policy import read_policy
from kataribe.ports import Clock
from kataribe.settings import Settings, from_environment
from kataribe.wiring.clock import SystemClock
from kataribe.wiring.keys import KeysAsSet, audit_sink, seal
from kataribe.wiring.registries import LEDGERS, choice
from kataribe.wiring.remote import remote_backup
from kataribe.wiring.services import archive_of, default_services


async def _check_policy(engine: Engine, parts: Services, file: str) -> None:
    """Refuse a policy for embedders of which this store knows none: it would silently do nothing."""
    used = {one.embedder_id for one in await engine.stories()}
    used |= {one.embedder_id for one in await engine.users()}
    if not used:
        return
    for embedder_id in parts.tuning.embedders:
        if embedder_id not in used:
            raise FormatError(
                f'embedders."{embedder_id}": nothing in this store is embedded by it, but by '
                f"{', '.join(sorted(used))}; calibrate anew, or remove this part",
                file=file,
            )


def ledger_of(chosen: Settings, clock: Clock) -> Any:
    """Open the ledger that is set. Raises `StoreError`."""
    options: dict[str, object] = {
        "clock": clock,
        "busy_seconds": chosen.busy_seconds,
        "full": chosen.durability == "full",
        "arena_bytes": chosen.arena_bytes,
    }
    if chosen.archive is not None:
        options["archive"] = archive_of(chosen.archive, chosen)
    return LEDGERS.make(choice(chosen, chosen.ledger, chosen.path, **options))


_UPGRADES = "kataribe.adapters.sql.sqlite.upgrade"
"""The module that looks at a store's schema; it loads the driver."""


def _head() -> str:
    head: str = import_module(_UPGRADES).HEAD
    return head


def upgrade(path: str | None = None, *, dry_run: bool = False, settings: Settings | None = None) -> Upgrade:
    """Bring a store to the newest schema and look it over; a copy of it as it was is kept beside it.

    Opening an old store upgrades it too. With `dry_run` a copy is upgraded and thrown away: no byte
    of the store is changed. Without `path` it is the environment's KATARIBE_DB, else ./kataribe.db.
    Raises `StoreError` when there is no store, when it is foreign, newer, locked or unreadable, or
    when the copy cannot be written; it is left untouched then.
    """
    chosen = settings or from_environment(path)
    upgrades: Any = import_module(_UPGRADES)
    if not upgrades.is_store(chosen.path):
        raise StoreError(f"there is no store at {chosen.path}; name one with --db or KATARIBE_DB")
    if dry_run:
        tried: Upgrade = upgrades.try_upgrade(chosen.path)
        return tried
    ledger = ledger_of(chosen, SystemClock())
    ledger.close()
    done: Upgrade = upgrades.looked_over(
        chosen.path, found=ledger.upgraded_from or upgrades.HEAD, kept=ledger.kept
    )
    with ThreadPoolExecutor(1) as thread:
        # In a thread of its own: whoever upgrades may have a loop that runs.
        thread.submit(asyncio.run, _seal(chosen)).result()
    return done


async def _seal(chosen: Settings) -> None:
    """Seal what an earlier release stored in the open."""
    parts = with_keys(default_services(settings=chosen), chosen)
    engine = Engine(ledger_of(chosen, parts.clock), parts)
    try:
        await engine.seal_plain()
    finally:
        await engine.close()


def with_keys(parts: Services, chosen: Settings) -> Services:
    """Give the key store that is set, and keep the audit record, where nothing else was handed in."""
    parts = replace(parts, remote_backup=parts.remote_backup or remote_backup)
    if parts.keys is not None:
        return parts
    return replace(
        parts,
        keys=KeysAsSet(chosen),
        seal=parts.seal or seal,
        audit=AuditScope(chosen.audit),
        audit_sink=audit_sink(chosen),
    )


def archive_problems(settings: Settings) -> tuple[str, ...]:
    """Give what is wrong with the archive beside a store that is there. Raises `StoreError`."""
    ledger = ledger_of(settings, SystemClock())
    try:
        return tuple(getattr(ledger, "archive_problems", tuple)())
    finally:
        ledger.close()


async def open_async(
    path: str | None = None,
    *,
    settings: Settings | None = None,
    services: Services | None = None,
    policy: str | None = None,
    upgraded: Callable[[Upgrade], None] | None = None,
) -> AsyncKataribe:
    """Open a store for use in an event loop; see `open`."""
    chosen = settings or from_environment(path)
    parts = services or default_services(settings=chosen)
    tuned_by = policy or chosen.policy
    if tuned_by is not None:
        parts = replace(parts, tuning=read_policy(Path(tuned_by)))
    parts = with_keys(parts, chosen)
    ledger = ledger_of(chosen, parts.clock)
    if upgraded is not None and getattr(ledger, "upgraded_from", None) is not None:
        kept = None if ledger.kept is None else str(ledger.kept)
        upgraded(Upgrade(path=chosen.path, found=ledger.upgraded_from, head=_head(), is_dry=False, copy=kept))
    engine = Engine(ledger, parts)
    try:
        await engine.finish_erasures(reach=False)
        with suppress(StoreError):
            # Who has no key or may not write here may read; a sync says why it cannot be done.
            await engine.seal_plain()
        await engine.adopt_extractor()
        if tuned_by is not None:
            await _check_policy(engine, parts, tuned_by)
    except BaseException as error:
        if isinstance(error, KataribeError):
            engine.hush(error, None)
        await engine.close()
        raise
    return AsyncKataribe(engine)


def open(  # noqa: A001 - `kataribe.open` is how it reads
    path: str | None = None,
    *,
    settings: Settings | None = None,
    services: Services | None = None,
    policy: str | None = None,
    upgraded: Callable[[Upgrade], None] | None = None,
) -> Kataribe:
    """Open a store: a file, created when missing, or `:memory:`.

    Without `path` it is the environment's KATARIBE_DB, else ./kataribe.db. `policy` is a file that
    tunes recall, else KATARIBE_POLICY. A store of an earlier version is copied beside itself and
    upgraded; `upgraded` is then called with what was done. Raises `StoreError` when the file is
    foreign, newer, locked or unreadable; it is left untouched then. Raises `InputError` when the policy is
    wrong or not for what is in this store.
    """
    return Kataribe._start(
        lambda: open_async(path, settings=settings, services=services, policy=policy, upgraded=upgraded)
    )
