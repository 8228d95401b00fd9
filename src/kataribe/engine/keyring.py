"""The key store of the store that is open: opened when a key is first needed, and tied to it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from kataribe.domain.keys import SecretKey
from kataribe.errors import ConflictError, KeyLostError, KeyStoreError, option
from kataribe.ports import Clock, Keys, Ledger, Transaction, View
from kataribe.ports.audit import KEYS_MARK, STORE_MARK

KeysOpener = Callable[[str, str | None], Keys]
"""Gives the key store of a store: of the store's id, and of the name it knows its key store by."""
_ID_BYTES = 16


class KeyRing:
    """Hands out the key store; without one of those who open it there is none."""

    def __init__(self, open_keys: KeysOpener, clock: Clock) -> None:
        self._open_keys = open_keys
        self._clock = clock
        self._lock = Lock()
        self._opened: tuple[str, Keys] | None = None
        self._fresh_id = secrets.token_hex(_ID_BYTES)

    def reading(self, view: View) -> Keys | None:
        """Give the key store; None: this store has never needed one."""
        store_id = view.mark(STORE_MARK)
        return None if store_id is None else self._of(store_id, view.mark(KEYS_MARK) or None)

    def writing(self, tx: Transaction) -> Keys:
        """Give the key store, made where there is none, and noted in the store."""
        keys = self._usable(tx)
        self._tie(tx, keys)
        return keys

    def _usable(self, tx: Transaction) -> Keys:
        store_id = tx.mark(STORE_MARK)
        if store_id is None:
            store_id = self._fresh_id
            tx.put_mark(STORE_MARK, store_id)
        return self._of(store_id, tx.mark(KEYS_MARK) or None)

    @staticmethod
    def _tie(tx: Transaction, keys: Keys) -> None:
        """Note in the store by which name it knows its key store again."""
        if not tx.mark(KEYS_MARK):
            tx.put_mark(KEYS_MARK, keys.ident())

    def give_up(self, tx: Transaction) -> None:
        """Let a new key store be made in the place of one that is lost, and of no other.

        Raises `ConflictError` when it is there.
        """
        keys = self.reading(tx)
        try:
            if keys is None or keys.status().is_made:
                raise ConflictError(f"no key store is missing; leave {option('anew')} out")
        except KeyLostError:
            tx.put_mark(KEYS_MARK, "")
            self.close()

    def pseudonym(self, tx: Transaction, user_id: str) -> tuple[str, str | None]:
        """Name a user of this store, and give the id of the key where one was just made for it."""
        keys = self._usable(tx)
        # An id that comes again must not be given the key it had.
        self._shred(keys, tx)
        if (found := keys.pseudonym(user_id)) is not None:
            return found, None
        made = keys.make(user_id, at=self._clock.now().isoformat())
        self._tie(tx, keys)
        return keys.pseudonym(user_id) or "", made.key_id

    def making(self, tx: Transaction, user_id: str) -> SecretKey:
        """Give a user's key, made where there is none."""
        keys = self._usable(tx)
        # An id that comes again must not be given the key it had.
        self._shred(keys, tx)
        made = keys.make(user_id, at=self._clock.now().isoformat())
        self._tie(tx, keys)
        return made

    def finish(self, ledger: Ledger) -> None:
        """Destroy the keys of users who are erased, those too that a kill has left."""
        with ledger.reading() as view:
            if not view.shreds():
                return
        with ledger.writing() as tx:
            if (keys := self.reading(tx)) is not None:
                self._shred(keys, tx)

    @staticmethod
    def _shred(keys: Keys, tx: Transaction) -> None:
        for key_id, tombstone in tx.shreds().items():
            keys.shred(key_id, tombstone)
            tx.delete_shred(key_id)

    def close(self) -> None:
        """Forget all keys."""
        with self._lock:
            if self._opened is not None:
                with suppress(KeyStoreError):
                    self._opened[1].close()
                self._opened = None

    def _of(self, store_id: str, known_as: str | None) -> Keys:
        with self._lock:
            if self._opened is None or self._opened[0] != store_id:
                self._opened = (store_id, self._open_keys(store_id, known_as))
            return self._opened[1]
