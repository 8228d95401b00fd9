"""The key store of a store, and where its audit record goes, by what is set."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from kataribe.adapters.audit_file import JsonLinesSink
from kataribe.adapters.audit_s3 import BucketSink
from kataribe.adapters.sealing.place import check_apart, default_place
from kataribe.adapters.sealing.schema import MEMORY
from kataribe.adapters.sealing.store import FileKeys
from kataribe.errors import InputError
from kataribe.ports import Keys, Seal
from kataribe.ports.audit import AuditSink
from kataribe.settings import SQLITE, Settings, behind_scheme, scheme_of, without_password


@lru_cache(maxsize=1)
def seal() -> Seal:
    """Give the seal; its package is loaded when something is first sealed or opened."""
    made: Any = import_module("kataribe.adapters.sealing.aead").AesGcmSeal()
    found: Seal = made
    return found


def audit_sink(settings: Settings) -> AuditSink | None:
    """Give where the audit record is kept besides the ledger, by what is set. Raises `InputError`."""
    named = settings.audit_sink
    if named is None:
        return None
    if scheme_of(named) == "s3":
        return BucketSink.named(behind_scheme(named))
    if scheme_of(named) not in (None, "file"):
        raise InputError(
            f"audit_sink must be a file of JSON Lines or a bucket, not {without_password(named)!r}; "
            f"give a path, or s3://BUCKET/PREFIX"
        )
    return JsonLinesSink(Path(behind_scheme(named)).expanduser())


class KeysAsSet:
    """Opens the key store that is set, else the one below the user's data folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __call__(self, store_id: str, known_as: str | None) -> Keys:
        """Give the key store of a store; nothing is made or read yet. Raises `KeyStoreError`."""
        return FileKeys(
            self._place(store_id),
            store_id,
            seal=seal,
            known_as=known_as,
            environ=self._settings.kek,
            busy_seconds=self._settings.busy_seconds,
        )

    def _place(self, store_id: str) -> str:
        """Keys of a store in memory end with it; a file that is named is refused beside the database."""
        named, database = self._settings.key_store, self._settings.path
        if database == MEMORY and named is None:
            return MEMORY
        place = default_place(store_id, os.environ) if named is None else Path(named).expanduser()
        if self._settings.ledger == SQLITE and database != MEMORY:
            check_apart(place, Path(database), is_named=named is not None)
        return str(place)
