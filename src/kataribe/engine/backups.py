"""Verbs for backups: rows of users are sealed in them under the users' keys, so that erasure reaches them."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kataribe.domain.audit import ERASE, STORE_CHAIN, Act, ActOutcome, AuditNote, anchors
from kataribe.domain.backups import BACKUPS_MARK, BackupNotes, BackupRegister, WrittenBackup
from kataribe.domain.keys import IN_MEMORY, SecretKey
from kataribe.domain.space import PSEUDONYM, parse_space
from kataribe.engine.audit import AuditVerbs
from kataribe.engine.audit_check import heads_missing
from kataribe.engine.keyring import KeyRing
from kataribe.errors import ConflictError, InputError, KeyStoreError, StoreBusyError, StoreError
from kataribe.ports import Keys, Seal, Transaction, View

_TRIES = 5
_FAR = "://"
_BACKUP = "admin.backup"
"""How the audit record calls a backup, in earlier releases too."""


@dataclass(frozen=True, slots=True)
class _UserKey:
    """A user's key, and what the audit record calls the user."""

    key: SecretKey
    pseudonym: str


class KeyringSealer:
    """Seals by keys that were taken before the copy was begun, where they are those of its users still."""

    def __init__(self, seal: Seal, keys: Keys | None, taken: Mapping[str, _UserKey]) -> None:
        self.seal = seal
        self._keys = keys
        self._taken = taken
        self._called = {f"{PSEUDONYM}{one.pseudonym}": user for user, one in taken.items()}

    def keys(self, users: Collection[str]) -> Mapping[str, SecretKey]:
        """Give the keys of users that are in a copy."""
        found: dict[str, SecretKey] = {}
        for user in users:
            now = None if self._keys is None else self._keys.key_id(user)
            before = self._taken.get(user)
            if before is not None and now == before.key.key_id:
                found[user] = before.key
            elif before is None or now is not None:
                raise StoreBusyError("users came or went while the backup was written; try again")
        return found

    def owner(self, chain: str) -> str | None:
        """Tell whose a chain of the audit record is."""
        if chain == STORE_CHAIN:
            return None
        try:
            return self._called.get(parse_space(chain).user or "")
        except InputError:
            # Somebody changed its name: `audit verify` says so.
            return None


class BackupVerbs(AuditVerbs):
    """Writing backups, and telling which were written."""

    async def backup(
        self, path: str | Path, *, with_vectors: bool = False, listed_as: str | None = None
    ) -> BackupNotes:
        """Write a consistent copy without vectors to a new file; `sync` makes them again (author).

        Every row of a user's spaces is sealed in it under that user's key. `path` may be a URL, such as
        `s3://BUCKET/NAME`. `with_vectors` keeps vectors, so that the copy recalls at once; `listed_as` is
        the name it will go by (None: `path`). Raises `ConflictError` when the file exists, and for
        `with_vectors` where there are users; `KeyStoreError` where a user's key cannot be had, or ends with
        a store in memory; `StoreError`, and for a URL `InputError` and `MissingExtraError`.
        """
        self._check_open()
        if with_vectors and await self._user_ids():
            raise ConflictError(
                "a backup with vectors is for stores without users, and this one has some; leave "
                "--with-vectors out: a sync after the restore makes them again"
            )
        if isinstance(path, str) and _FAR in path:
            address, done = await self._put_far(path, with_vectors=with_vectors)
        else:
            address = str(Path(path).absolute())
            done = await self._written(Path(path), with_vectors=with_vectors)
        await self._register(listed_as or address, done)
        return done

    async def _put_far(self, url: str, *, with_vectors: bool) -> tuple[str, BackupNotes]:
        """Write a backup here, and put it where a URL says; gives its address without keys."""
        if self._services.remote_backup is None:
            raise InputError("a backup of this store is a file of this machine; give a path")
        place = self._services.remote_backup(url)
        if await asyncio.to_thread(place.exists):
            raise ConflictError(f"{place.address} exists already; give another name")
        with tempfile.TemporaryDirectory(prefix="kataribe-backup-") as folder:
            draft = Path(folder, "store.backup")
            done = await self._written(draft, with_vectors=with_vectors)
            await asyncio.to_thread(place.put, draft)
        return place.address, done

    async def _written(self, path: Path, *, with_vectors: bool) -> BackupNotes:
        for left in reversed(range(_TRIES)):
            sealer = await self._sealer()
            write = partial(self._ledger.backup, path, with_vectors=with_vectors, sealer=sealer)
            try:
                return await asyncio.to_thread(write)
            except StoreBusyError:
                if not left:
                    raise
        raise AssertionError("the last try returns or raises")

    async def _sealer(self) -> KeyringSealer | None:
        """Take the keys of all users, made where there are none. Raises `KeyStoreError`."""
        users = await self._user_ids()
        if self._auditor is None or self._services.seal is None:
            if users:
                raise KeyStoreError(
                    "what users said is sealed in a backup, and this store was opened without keys; give "
                    "`keys` and `seal`"
                )
            return None
        keyring, seal = self._auditor.keyring, self._services.seal()
        # An id that came again must not be sealed by the key it had.
        await asyncio.to_thread(keyring.finish, self._ledger)
        keys, taken = await self._read(lambda view: _taken(keyring, view, users))
        if missing := [user for user in users if user not in taken]:
            await self._write(lambda tx: _make_keys(keyring, tx, missing))
            keys, taken = await self._read(lambda view: _taken(keyring, view, users))
        if keys is not None and keys.status().place == IN_MEMORY:
            raise KeyStoreError(
                "the keys of a store in memory end with it, so that nobody could restore what users said; "
                "name a key store with --keys or KATARIBE_KEYS"
            )
        return KeyringSealer(seal, keys, taken)

    async def _user_ids(self) -> list[str]:
        return await self._read(lambda view: [one.user_id for one in view.users()])

    async def _register(self, address: str, done: BackupNotes) -> None:
        """Note which backup was written; one that is sealed may be missing there: erasure reaches it."""
        one = WrittenBackup(path=address, at=done.at, users=done.users)
        try:
            await self._write(lambda tx: _put_register(tx, _register_of(tx, done.at).adding(one)))
        except StoreError:
            return

    async def forget_backups(self, paths: Collection[str]) -> None:
        """Take backups off the list that are no more."""
        now = self._services.clock.now().isoformat()
        await self._write(lambda tx: _put_register(tx, _register_of(tx, now).without(paths)))

    async def backups(self) -> tuple[WrittenBackup, ...]:
        """Give the backups written of this store, oldest first (author); see `backups_written`."""
        await self.flush()
        return await self._read(backups_written)

    async def settle_restored(self, detail: Mapping[str, object]) -> None:
        """Note in a store that it was restored, and account for chains that were left closed."""
        auditor = self._auditor
        now = self._services.clock.now().isoformat()

        def act(tx: Transaction) -> None:
            if auditor is None:
                return
            if gone := heads_missing(tx):
                erased = Act(at=now, act=ERASE, detail={"by": "restore", "chains": anchors(gone)})
                auditor.put(tx, [AuditNote(of=None, act=erased)])
            auditor.put(tx, [AuditNote(of=None, act=Act(at=now, act="restore", detail=detail))])

        await self._write(act)


def backups_written(view: View) -> tuple[WrittenBackup, ...]:
    """Give the backups written of a store, oldest first.

    Those of earlier releases, in which nothing is sealed, are told by the audit record alone: without a file.
    """
    register = _register_of(view, "")
    before = [
        WrittenBackup(path=None, at=event.at, is_sealed=False)
        for event in view.audit_events(STORE_CHAIN)
        if event.act == _BACKUP
        and event.outcome == ActOutcome.DONE
        and (not register.since or event.at < register.since)
    ]
    return (*before, *register.written)


def _register_of(view: View, now: str) -> BackupRegister:
    return BackupRegister.read(view.mark(BACKUPS_MARK), now=now)


def _put_register(tx: Transaction, register: BackupRegister) -> None:
    tx.put_mark(BACKUPS_MARK, register.text())


def _taken(keyring: KeyRing, view: View, users: Collection[str]) -> tuple[Keys | None, dict[str, _UserKey]]:
    keys = keyring.reading(view) if users else None
    if keys is None:
        return None, {}
    found: dict[str, _UserKey] = {}
    for user in users:
        key, pseudonym = keys.of(user), keys.pseudonym(user)
        if key is not None and pseudonym is not None:
            found[user] = _UserKey(key, pseudonym)
    return keys, found


def _make_keys(keyring: KeyRing, tx: Transaction, users: Collection[str]) -> None:
    for user in users:
        if tx.user(user) is not None:
            keyring.making(tx, user)
