"""`Keys` in one file: each user's key wrapped by one that wraps all of them, and the tombstones.

Nobody's id stands in it: a user is found by an HMAC of the id under a salt of the file.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from kataribe.adapters.sealing import schema
from kataribe.adapters.sealing.kek import fitting_kek, kind_for_new, new_kek
from kataribe.adapters.sealing.place import check_private, prepare
from kataribe.domain.keys import (
    KEY_BYTES,
    KeyStatus,
    SecretKey,
    Tombstone,
    WrappedBy,
    kek_id_of,
    salted,
    tombstone_salt,
)
from kataribe.errors import KeyLostError, KeyStoreError, StoreBusyError, StoreFullError, WrongKeyError
from kataribe.ports.keys import Seal

_ID_BYTES, _PSEUDONYM_BYTES = 8, 10
_FOUND = "SELECT key_id, wrapped, pseudonym_key FROM keys WHERE name = ?"
_MAKE = "INSERT INTO keys (name, key_id, wrapped, pseudonym_key, made_at) VALUES (?, ?, ?, ?, ?)"
_TOMBSTONE = "INSERT OR IGNORE INTO tombstones (salt, digest, at, counts) VALUES (?, ?, ?, ?)"


class FileKeys:
    """The keys of one store in a file of their own, made when a key is first needed.

    `store_id` is whose they are; `known_as` is the name the store knows its key store by (None: it
    has used none yet). `environ` holds the variables that give the key to wrap with; `seal` is
    asked for when a key is wrapped or unwrapped first.
    """

    def __init__(
        self,
        path: str | Path,
        store_id: str,
        *,
        seal: Callable[[], Seal],
        known_as: str | None = None,
        environ: Mapping[str, str] | None = None,
        busy_seconds: float = 30.0,
    ) -> None:
        self._path = str(path)
        self._store_id = store_id
        self._seal = seal
        self._known_as = known_as
        self._environ = dict(environ or {})
        self._busy_seconds = busy_seconds
        self._lock = RLock()
        self._driver: sqlite3.Connection | None = None
        self._seen: tuple[int, int] | None = None
        self._secrets: dict[str, bytes] = {}
        self._marks: dict[str, str] = {}

    def ident(self) -> str:
        """Give its name."""
        with self._writing():
            return self._marks["ident"]

    def of(self, user: str) -> SecretKey | None:
        """Give a user's key."""
        with self._reading() as driver:
            row = None if driver is None else self._row(driver, user)
            return None if row is None or driver is None else self._unwrapped(driver, row[0], row[1])

    def make(self, user: str, *, at: str) -> SecretKey:
        """Give a user's key, a new one when there is none."""
        with self._writing() as driver:
            if (row := self._row(driver, user)) is not None:
                return self._unwrapped(driver, row[0], row[1])
            key = SecretKey(secrets.token_hex(_ID_BYTES), os.urandom(KEY_BYTES))
            name = self._named(user)
            wrapped = self._wrapped(self._kek(driver), key)
            driver.execute(_MAKE, (name, key.key_id, wrapped, secrets.token_hex(KEY_BYTES), at))
        self._secrets[key.key_id] = key.secret
        return key

    def key_id(self, user: str) -> str | None:
        """Give the id of a user's key."""
        with self._reading() as driver:
            row = None if driver is None else self._row(driver, user)
            return None if row is None else row[0]

    def by_id(self, key_id: str) -> SecretKey | None:
        """Give the key of this id."""
        sql = "SELECT wrapped FROM keys WHERE key_id = ?"
        with self._reading() as driver:
            row = None if driver is None else driver.execute(sql, (key_id,)).fetchone()
            return None if row is None or driver is None else self._unwrapped(driver, key_id, row[0])

    def pseudonym(self, user: str) -> str | None:
        """Give the name that records call a user by."""
        with self._reading() as driver:
            row = None if driver is None else self._row(driver, user)
            return None if row is None else _pseudonym(user, row[2])

    def tombstone(self, user: str, *, at: str, counts: Mapping[str, int]) -> Tombstone:
        """Write down under a salt of its own that a user is erased."""
        key_id = self.key_id(user)
        salt = secrets.token_hex(KEY_BYTES) if key_id is None else tombstone_salt(key_id)
        return Tombstone(salt=salt, digest=salted(user, salt), at=at, counts=dict(counts))

    def shred(self, key_id: str, tombstone: Tombstone) -> bool:
        """Destroy a user's key and keep the tombstone."""
        counts = json.dumps(dict(tombstone.counts), sort_keys=True)
        with self._writing() as driver:
            gone = driver.execute("DELETE FROM keys WHERE key_id = ?", (key_id,)).rowcount
            driver.execute(_TOMBSTONE, (tombstone.salt, tombstone.digest, tombstone.at, counts))
        self._secrets.pop(key_id, None)
        return bool(gone)

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Give the tombstones, oldest first."""
        sql = "SELECT salt, digest, at, counts FROM tombstones ORDER BY at, salt"
        with self._reading() as driver:
            rows = [] if driver is None else driver.execute(sql).fetchall()
        return tuple(
            Tombstone(salt=salt, digest=digest, at=at, counts=json.loads(counts))
            for salt, digest, at, counts in rows
        )

    def rotate(self, to: WrappedBy | None = None) -> int:
        """Wrap every user's key anew, in one transaction."""
        with self._writing() as driver:
            former = self._kek(driver)
            kind = to or WrappedBy(self._marks["wrapped_by"])
            kek = new_kek(kind, self._environ, is_next=True)
            rows = driver.execute("SELECT key_id, wrapped FROM keys").fetchall()
            anew = [
                (self._wrapped(kek, SecretKey(key_id, self._opened(former, key_id, wrapped))), key_id)
                for key_id, wrapped in rows
            ]
            driver.executemany("UPDATE keys SET wrapped = ? WHERE key_id = ?", anew)
            self._put_kek(driver, kind, kek)
        return len(rows)

    def status(self) -> KeyStatus:
        """Tell how it stands."""
        with self._reading() as driver:
            if driver is None:
                return KeyStatus(place=self._path, is_made=False)
            users, tombstones = (
                int(driver.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
                for table in ("keys", "tombstones")
            )
            self._read_marks(driver)
            return KeyStatus(
                place=self._path,
                is_made=True,
                wrapped_by=WrappedBy(self._marks["wrapped_by"]),
                kek_id=self._marks["kek_id"],
                users=users,
                tombstones=tombstones,
            )

    def close(self) -> None:
        """Forget all keys at hand."""
        with self._lock:
            self._secrets.clear()
            self._marks.clear()
            if self._driver is not None:
                self._driver.close()
                self._driver = None

    # Rows and keys.

    def _named(self, user: str) -> str:
        return salted(user, self._marks["salt"])

    def _row(self, driver: sqlite3.Connection, user: str) -> tuple[str, bytes, str] | None:
        found: tuple[str, bytes, str] | None = driver.execute(_FOUND, (self._named(user),)).fetchone()
        return found

    def _wrapped(self, kek: SecretKey, key: SecretKey) -> bytes:
        return self._seal().seal(kek, self._store_id, key.key_id, key.secret)

    def _opened(self, kek: SecretKey, key_id: str, wrapped: bytes) -> bytes:
        try:
            return self._seal().open(kek, self._store_id, key_id, wrapped)
        except (KeyLostError, WrongKeyError) as error:
            raise KeyStoreError(
                f"the key {key_id} in {self._path} is damaged; put back a copy of the key store"
            ) from error

    def _unwrapped(self, driver: sqlite3.Connection, key_id: str, wrapped: bytes) -> SecretKey:
        if key_id not in self._secrets:
            self._secrets[key_id] = self._opened(self._kek(driver), key_id, wrapped)
        return SecretKey(key_id, self._secrets[key_id])

    def _kek(self, driver: sqlite3.Connection) -> SecretKey:
        """Give the key that wraps the others; another process may have changed it."""
        self._read_marks(driver)
        kind, wanted = WrappedBy(self._marks["wrapped_by"]), self._marks["kek_id"]
        if kind is not WrappedBy.FILE:
            return fitting_kek(kind, wanted, self._environ)
        secret = base64.b64decode(self._marks["kek"])
        if kek_id_of(secret) != wanted:
            raise KeyStoreError(f"the key store {self._path} is damaged; put back a copy of it")
        return SecretKey(wanted, secret)

    def _put_kek(self, driver: sqlite3.Connection, kind: WrappedBy, kek: SecretKey) -> None:
        kept = base64.b64encode(kek.secret).decode() if kind is WrappedBy.FILE else ""
        self._put_marks(driver, {"wrapped_by": kind.value, "kek_id": kek.key_id, "kek": kept})

    def _put_marks(self, driver: sqlite3.Connection, marks: Mapping[str, str]) -> None:
        driver.executemany("INSERT OR REPLACE INTO marks (name, value) VALUES (?, ?)", list(marks.items()))

    def _read_marks(self, driver: sqlite3.Connection) -> None:
        self._marks = dict(driver.execute("SELECT name, value FROM marks").fetchall())

    # The file.

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """Give the file as it is; None where there is none and the store has used none."""
        with self._lock, self._in_words():
            driver = self._opened_file()
            if driver is None:
                yield None
                return
            driver.execute("BEGIN")
            try:
                yield driver
            finally:
                driver.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction, in a file that is made where there is none and the store has used none."""
        with self._lock, self._in_words():
            driver = self._opened_file() or self._new_file()
            try:
                driver.execute("BEGIN IMMEDIATE")
                if self._driver is None:
                    self._lay_first(driver)
                yield driver
                driver.execute("COMMIT")
            except BaseException:
                if driver.in_transaction:
                    driver.execute("ROLLBACK")
                if self._driver is None:
                    driver.close()
                raise
            if self._driver is None:
                self._driver, self._seen = driver, _identity(self._path)

    def _opened_file(self) -> sqlite3.Connection | None:
        self._check_still_there()
        if self._driver is not None:
            return self._driver
        if self._path == schema.MEMORY or not os.path.exists(self._path):
            self._refuse_when_known(f"the key store {self._path} is not there")
            return None
        check_private(Path(self._path))
        driver = schema.connect(self._path, busy_seconds=self._busy_seconds)
        try:
            return self._driver_of(driver)
        except BaseException:
            driver.close()
            raise

    def _driver_of(self, driver: sqlite3.Connection) -> sqlite3.Connection | None:
        """Take a file that is this store's; None for one that another process is just making."""
        if not schema.is_laid(driver):
            self._refuse_when_known(f"the key store {self._path} is empty")
            driver.close()
            return None
        if not schema.is_ours(driver):
            raise KeyStoreError(f"{self._path} is no key store; name another file with --keys")
        self._read_marks(driver)
        self._check_marks()
        self._driver, self._seen = driver, _identity(self._path)
        return driver

    def _check_marks(self) -> None:
        marks = self._marks
        if marks["format"] != schema.FORMAT:
            raise KeyStoreError(f"a newer kataribe wrote the key store {self._path}; install that one")
        if marks["store"] != self._store_id or (self._known_as or marks["ident"]) != marks["ident"]:
            raise WrongKeyError(
                f"{self._path} is the key store of another store; name that of this one with --keys or "
                f"KATARIBE_KEYS (nothing was changed)"
            )

    def _refuse_when_known(self, what: str) -> None:
        if self._known_as is not None:
            raise KeyLostError(
                f"{what}, and this store has used it: without it what is sealed cannot be read; put it "
                f"back, or name it with --keys or KATARIBE_KEYS (nothing was changed); if it is lost for "
                f"good, `kataribe keys init --anew` makes another"
            )

    def _check_still_there(self) -> None:
        """Let go of a file that was taken away or replaced while it was open."""
        if self._driver is None or self._path == schema.MEMORY:
            return
        if _identity(self._path) != self._seen:
            self._known_as = self._marks["ident"]
            self.close()

    def _new_file(self) -> sqlite3.Connection:
        if self._path != schema.MEMORY:
            prepare(Path(self._path))
            check_private(Path(self._path))
        return schema.connect(self._path, busy_seconds=self._busy_seconds)

    def _lay_first(self, driver: sqlite3.Connection) -> None:
        """Make the tables with the first key, in one transaction, unless another process was quicker."""
        if not schema.is_laid(driver):
            schema.lay(driver)
            self._put_first_marks(driver)
        self._read_marks(driver)
        self._check_marks()

    def _put_first_marks(self, driver: sqlite3.Connection) -> None:
        kind = kind_for_new(self._environ)
        kek = new_kek(kind, self._environ, is_next=False)
        self._put_marks(
            driver,
            {
                "format": schema.FORMAT,
                "store": self._store_id,
                "ident": secrets.token_hex(_ID_BYTES),
                "salt": secrets.token_hex(KEY_BYTES),
            },
        )
        self._put_kek(driver, kind, kek)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code == sqlite3.SQLITE_BUSY:
                raise StoreBusyError(
                    f"another process holds the key store {self._path}; try again"
                ) from error
            if code == sqlite3.SQLITE_FULL:
                raise StoreFullError(f"no room on the disk for the key store {self._path}") from error
            raise KeyStoreError(f"the key store {self._path} cannot be used: {error}") from error
        except sqlite3.DatabaseError as error:
            raise KeyStoreError(
                f"the key store {self._path} is damaged ({error}); put back a copy (nothing was changed)"
            ) from error


def _identity(path: str) -> tuple[int, int] | None:
    """Tell a file from another of its name; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _pseudonym(user: str, key: str) -> str:
    """Name a user by an HMAC of the id, in 16 letters and digits."""
    digest = hmac.new(bytes.fromhex(key), user.encode(), hashlib.sha256).digest()
    return base64.b32encode(digest[:_PSEUDONYM_BYTES]).decode().lower()
