from __future__ import annotations

import base64
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kataribe.adapters.sealing.aead import AesGcmSeal
from kataribe.adapters.sealing.place import check_apart, data_folder, default_place
from kataribe.adapters.sealing.store import FileKeys
from kataribe.domain.keys import WrappedBy
from kataribe.errors import KeyLostError, KeyStoreError, StoreError, WrongKeyError
from kataribe.ports.keys import Keys, Seal
from kataribe.testing.keys import AT, USERS, KeysContract, SealContract
from support.effort import EFFORT

STORE = "store-1"
KEK = base64.b64encode(b"a" * 32).decode()
OTHER_KEK = ("62" * 32).upper()
SRC = Path(__file__).resolve().parents[2] / "src"


def opened(path: str | Path, *, store: str = STORE, known_as: str | None = None, **environ: str) -> FileKeys:
    return FileKeys(path, store, seal=AesGcmSeal, known_as=known_as, environ=environ)


class TestAesGcm(SealContract):
    @pytest.fixture
    def sealer(self) -> Seal:
        return AesGcmSeal()


class TestFileKeys(KeysContract):
    @pytest.fixture
    def keys(self, tmp_path: Path) -> Iterator[Keys]:
        keys = opened(tmp_path / "a folder" / "鍵.keys")
        yield keys
        keys.close()


class TestKeysInMemory(KeysContract):
    @pytest.fixture
    def keys(self) -> Iterator[Keys]:
        keys = opened(":memory:")
        yield keys
        keys.close()


class TestKeysWrappedByTheEnvironment(KeysContract):
    @pytest.fixture
    def keys(self, tmp_path: Path) -> Iterator[Keys]:
        keys = opened(tmp_path / "k", KATARIBE_KEK=KEK, KATARIBE_KEK_NEXT=OTHER_KEK)
        yield keys
        keys.close()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "data" / "k.keys"


def test_the_file_is_for_its_owner_alone(place: Path) -> None:
    opened(place).make("ゆき", at=AT)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o622])
def test_a_file_that_others_can_use_is_refused(place: Path, mode: int) -> None:
    opened(place).make("yuki", at=AT)
    place.chmod(mode)
    with pytest.raises(KeyStoreError, match="chmod 600"):
        opened(place).of("yuki")
    with pytest.raises(KeyStoreError, match="chmod 600"):
        opened(place).make("ken", at=AT)


def test_no_id_of_a_user_stands_in_the_file(place: Path) -> None:
    keys = opened(place)
    for user in USERS:
        keys.make(user, at=AT)
    stone = keys.tombstone("ゆき", at=AT, counts={})
    made = keys.of("ゆき")
    assert made is not None
    keys.shred(made.key_id, stone)
    keys.close()
    held = place.read_bytes()
    assert not [user for user in USERS if user.encode() in held]


def test_a_shredded_key_is_in_no_byte_of_the_file(place: Path) -> None:
    keys = opened(place)
    key = keys.make("ゆき", at=AT)
    (wrapped,) = sqlite3.connect(place).execute("SELECT wrapped FROM keys").fetchone()
    assert wrapped[-20:] in place.read_bytes()
    keys.shred(key.key_id, keys.tombstone("ゆき", at=AT, counts={}))
    keys.close()
    assert wrapped[-20:] not in place.read_bytes()
    assert key.key_id.encode() not in place.read_bytes()
    assert [one.name for one in place.parent.iterdir()] == [place.name]


def test_a_key_is_not_given_any_more_once_another_process_has_shredded_it(place: Path) -> None:
    here, there = opened(place), opened(place)
    key = here.make("yuki", at=AT)
    there.shred(key.key_id, there.tombstone("yuki", at=AT, counts={}))
    assert here.of("yuki") is None


def test_a_key_store_that_is_gone_is_not_made_anew(place: Path) -> None:
    keys = opened(place)
    keys.make("yuki", at=AT)
    known_as = keys.ident()
    place.rename(place.with_suffix(".old"))
    for again in (keys, opened(place, known_as=known_as)):
        with pytest.raises(KeyLostError, match="put it back"):
            again.make("yuki", at=AT)
        with pytest.raises(KeyLostError, match="put it back"):
            again.of("yuki")
        with pytest.raises(KeyLostError, match="put it back"):
            again.status()
    assert not place.exists()
    place.touch(0o600)
    with pytest.raises(KeyLostError, match="is empty"):
        opened(place, known_as=known_as).make("yuki", at=AT)
    place.with_suffix(".old").replace(place)
    assert keys.of("yuki") is not None


def test_the_key_store_of_another_store_is_refused_and_left_as_it_is(place: Path, tmp_path: Path) -> None:
    opened(place).make("yuki", at=AT)
    other = opened(tmp_path / "other.keys")
    other.make("yuki", at=AT)
    other.close()
    before = place.read_bytes()
    with pytest.raises(WrongKeyError, match="another store"):
        opened(place, store="store-2").make("yuki", at=AT)
    with pytest.raises(WrongKeyError, match="another store"):
        opened(place, known_as=opened(tmp_path / "other.keys").ident()).of("yuki")
    assert place.read_bytes() == before


@pytest.mark.parametrize("junk", [b"\x00" * 100, "鍵ではない".encode() * 400])
def test_a_file_that_is_none_is_refused_and_left_as_it_is(place: Path, junk: bytes) -> None:
    place.parent.mkdir()
    place.write_bytes(junk)
    place.chmod(0o600)
    with pytest.raises(KeyStoreError):
        opened(place).make("yuki", at=AT)
    assert place.read_bytes() == junk


def test_another_file_of_sqlite_is_no_key_store(place: Path) -> None:
    place.parent.mkdir()
    sqlite3.connect(place).execute("CREATE TABLE t (a)").connection.close()
    place.chmod(0o600)
    with pytest.raises(KeyStoreError, match="is no key store"):
        opened(place).make("yuki", at=AT)


def test_a_damaged_key_is_said_to_be_damaged(place: Path) -> None:
    keys = opened(place)
    keys.make("yuki", at=AT)
    keys.close()
    with sqlite3.connect(place) as driver:
        driver.execute("UPDATE keys SET wrapped = zeroblob(length(wrapped))")
    with pytest.raises(KeyStoreError, match="is damaged"):
        opened(place).of("yuki")


def test_without_the_key_of_the_environment_there_are_no_keys(place: Path) -> None:
    keys = opened(place, KATARIBE_KEK=KEK)
    made = keys.make("yuki", at=AT)
    keys.close()
    before = place.read_bytes()
    assert b"a" * 32 not in before
    assert KEK.encode() not in before
    with pytest.raises(WrongKeyError, match="set it"):
        opened(place).of("yuki")
    for wrong in (OTHER_KEK, base64.b64encode(b"c" * 32).decode()):
        with pytest.raises(WrongKeyError, match="set the right one"):
            opened(place, KATARIBE_KEK=wrong).make("ken", at=AT)
    assert place.read_bytes() == before
    assert opened(place, KATARIBE_KEK=KEK).of("yuki") == made
    # A name for the record needs no key.
    assert opened(place).pseudonym("yuki") is not None


@pytest.mark.parametrize("given", ["", "short", "x" * 44, base64.b64encode(b"k" * 16).decode(), "鍵" * 20])
def test_what_is_no_key_is_refused_without_being_told(place: Path, given: str) -> None:
    if not given:
        opened(place, KATARIBE_KEK="").make("yuki", at=AT)
        assert opened(place).status().wrapped_by is WrappedBy.FILE
        return
    with pytest.raises(KeyStoreError, match="KATARIBE_KEK gives") as refused:
        opened(place, KATARIBE_KEK=given).make("yuki", at=AT)
    assert given not in str(refused.value)
    assert not opened(place).status().is_made


def test_a_command_gives_the_key(place: Path) -> None:
    command = f"{sys.executable} -c 'print(\"{KEK}\")'"
    made = opened(place, KATARIBE_KEK_COMMAND=command).make("yuki", at=AT)
    assert opened(place, KATARIBE_KEK_COMMAND=command).of("yuki") == made
    assert opened(place).status().wrapped_by is WrappedBy.COMMAND
    for wrong, said in (
        (f"{sys.executable} -c 'raise SystemExit(4)'", "failed with code 4"),
        ("/nowhere/at/all", "cannot be run"),
        (f"{sys.executable} -c 'print(1)'", "gives no key|gives 0 bytes"),
    ):
        with pytest.raises(KeyStoreError, match=said):
            opened(place, KATARIBE_KEK_COMMAND=wrong).of("yuki")


def test_rotation_moves_the_key_from_the_file_to_the_environment_and_on(place: Path) -> None:
    keys = opened(place, KATARIBE_KEK=KEK, KATARIBE_KEK_NEXT=OTHER_KEK)
    first = opened(place)
    made = first.make("ゆき", at=AT)
    kept = sqlite3.connect(place).execute("SELECT value FROM marks WHERE name = 'kek'").fetchone()[0]
    assert first.status().wrapped_by is WrappedBy.FILE
    assert keys.rotate(WrappedBy.ENVIRONMENT) == 1
    assert keys.status().wrapped_by is WrappedBy.ENVIRONMENT
    assert kept.encode() not in place.read_bytes()
    # The new one is in force, whichever of the two variables it stands in.
    assert opened(place, KATARIBE_KEK=OTHER_KEK).of("ゆき") == made
    assert keys.of("ゆき") == made
    with pytest.raises(WrongKeyError):
        opened(place, KATARIBE_KEK=KEK).of("ゆき")
    assert opened(place, KATARIBE_KEK=OTHER_KEK).rotate(WrappedBy.FILE) == 1
    assert opened(place).of("ゆき") == made


def test_a_rotation_that_cannot_be_done_changes_nothing(place: Path) -> None:
    keys = opened(place)
    keys.make("yuki", at=AT)
    keys.close()
    before = place.read_bytes()
    with pytest.raises(KeyStoreError, match="KATARIBE_KEK_NEXT is not set"):
        opened(place, KATARIBE_KEK=KEK).rotate(WrappedBy.ENVIRONMENT)
    assert place.read_bytes() == before


def test_the_place_is_below_the_users_data(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert data_folder({"XDG_DATA_HOME": "/data"}, "linux") == Path("/data")
    assert data_folder({"XDG_DATA_HOME": "data", "HOME": home}, "linux") == tmp_path / ".local" / "share"
    mac = tmp_path / "Library" / "Application Support"
    assert data_folder({"HOME": home, "XDG_DATA_HOME": "/x"}, "darwin") == mac
    assert data_folder({"HOME": home}, "win32") == tmp_path / "AppData" / "Local"
    assert default_place("abc", {"HOME": home}).relative_to(tmp_path).parts[-3:] == (
        "kataribe",
        "keys",
        "abc.keys",
    )


def test_a_place_in_the_databases_folder_is_refused(tmp_path: Path) -> None:
    database = tmp_path / "db" / "k.db"
    for place in (tmp_path / "db" / "k.keys", tmp_path / "db" / ".." / "db" / "k.keys"):
        for is_named in (True, False):
            with pytest.raises(KeyStoreError, match="folder of the database"):
                check_apart(place, database, is_named=is_named)
    below = tmp_path / "db" / "keys" / "k.keys"
    with pytest.raises(KeyStoreError, match="folder of the database"):
        check_apart(below, database, is_named=True)
    check_apart(below, database, is_named=False)
    check_apart(tmp_path / "else" / "k.keys", database, is_named=True)
    link = tmp_path / "link"
    (tmp_path / "db").mkdir()
    link.symlink_to(tmp_path / "db")
    with pytest.raises(KeyStoreError, match="folder of the database"):
        check_apart(link / "k.keys", database, is_named=True)


def test_a_place_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KeyStoreError, match="cannot be made"):
        opened(tmp_path / "file" / "k.keys").make("yuki", at=AT)


_WRITER = """
import sys, time
from kataribe.adapters.sealing.aead import AesGcmSeal
from kataribe.adapters.sealing.store import FileKeys
keys = FileKeys(sys.argv[1], "store-1", seal=AesGcmSeal)
for n in range(10_000):
    key = keys.make(f"{sys.argv[2]}-{n}", at="2026-05-01")
    print(n, key.key_id, flush=True)
    if n % 5 == 4:
        keys.rotate()
    time.sleep(0.005)  # the other one wants its turn
"""


def _begin(place: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(place), name],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )


def test_no_key_that_was_given_is_lost_when_processes_are_killed(place: Path) -> None:
    for round_ in range(EFFORT):
        writers = [_begin(place, f"{round_}{name}") for name in "ab"]
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline()
        for writer in writers:
            os.kill(writer.pid, signal.SIGKILL)
        keys = opened(place)
        for name, writer in zip("ab", writers, strict=True):
            told = [line.split() for line in writer.communicate()[0].splitlines() if line.count(" ") == 1]
            assert keys.of(f"{round_}{name}-0") is not None
            for n, key_id in told:
                found = keys.of(f"{round_}{name}-{n}")
                assert found is not None
                assert key_id.startswith(found.key_id[: len(key_id)])
        keys.close()


def test_what_the_key_store_refuses_is_refused_by_the_store() -> None:
    assert issubclass(KeyLostError, KeyStoreError)
    assert issubclass(WrongKeyError, KeyStoreError)
    assert issubclass(KeyStoreError, StoreError)
