"""A backup holds no word of a user that opens without the user's key, and a restore brings all else back."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.adapters.sql import SqlLedger
from kataribe.adapters.sql.backups import LEFT_OUT
from kataribe.adapters.sql.sqlite.copying import write_copy
from kataribe.adapters.sql.sqlite.ownership import CHAIN_OWNER, OF_THE_STORE, Owners
from kataribe.adapters.sql.sqlite.restoring import copy_opened, look_at
from kataribe.domain.backups import BackupNotes, WrittenBackup
from kataribe.domain.keys import SecretKey
from kataribe.domain.terms import Language
from kataribe.errors import (
    ConflictError,
    KeyLostError,
    KeyStoreError,
    StoreBusyError,
    StoreError,
    WrongKeyError,
)
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from kataribe.wiring.keys import seal
from support.erasing import erase
from support.stores import empty_store, services

LANGUAGES: tuple[Language, ...] = ("en", "ja")
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=400)
YUKI, TARO = "yuki-quartzfeld", "taro-brambleworth"
PLANTED: dict[Language, dict[str, tuple[str, ...]]] = {
    "en": {
        YUKI: (
            "I am Perpetua Quillfeather and I live in Zanzibar.",
            "My sister Ottoline moved to Vladivostok last week.",
            "Write to perpetua@quillfeather.example, please.",
        ),
        TARO: (
            "I am Bartholomew Thistlewick and I live in Reykjavik.",
            "I decided to sell the Marmalade Galleon for good.",
            "My number is 415-555-2671.",
        ),
    },
    "ja": {
        YUKI: (
            "わたしは綾小路麗子、住まいは珊瑚町です。",
            "妹の千寿子は先週ウラジオストクへ越しました。",
            "連絡は reiko@ayanokoji.example へください。",
        ),
        TARO: (
            "ぼくは鬼龍院太郎、住まいは黒曜町です。",
            "金色の帆船を手放すことに決めました。",
            "電話は〇九〇の一二三四の五六七八です。",
        ),
    },
}
WORDS: dict[Language, dict[str, tuple[str, ...]]] = {
    "en": {YUKI: ("Quillfeather", "Zanzibar", "Ottoline"), TARO: ("Thistlewick", "Marmalade Galleon")},
    "ja": {YUKI: ("綾小路麗子", "珊瑚町", "千寿子"), TARO: ("鬼龍院太郎", "黒曜町", "金色の帆船")},
}
EPISODES: dict[Language, str] = {
    "en": "Himuro went to the lighthouse. The pin lies under the stone.",
    "ja": "氷室は灯台へ行った。鍵は石の下にある。",
}
QUESTIONS: dict[Language, tuple[str, ...]] = {
    "en": ("Where does the sister live?", "Who lives where?", "Where is the pin?"),
    "ja": ("妹はどこに住んでいる？", "住まいはどこ？", "鍵はどこ？"),
}
NICKNAMES = {YUKI: "Snowdrop-of-Yuki", TARO: "Thunder-of-Taro"}


def forms(word: str) -> Iterator[bytes]:
    """Give the ways in which a word may stand in a file."""
    for data in (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be")):
        yield data
        yield data.hex().encode()
        yield data.hex().upper().encode()
        # Wherever in a longer text it begins, the middle of it is written as one of these.
        for shift in range(3):
            yield base64.b64encode(b"\0" * shift + data)[4 if shift else 0 : -4]
    yield json.dumps(word)[1:-1].encode()


def stands_in(data: bytes, words: tuple[str, ...]) -> list[str]:
    return [word for word in words if any(form in data for form in forms(word))]


def lived(path: Path, language: Language) -> None:
    """Make a store with a story and two users: talk outside and under it, nights, a profile, searches."""
    parts = replace(services(), clock=FrozenClock(LATER))
    with kataribe.open(str(empty_store(path)), services=parts) as k:
        k.story("tale").create(language=language, embedder="hash", audience="wide")
        k.story("tale").cast.add(kataribe.Character(character_id="himuro"))
        k.story("tale").episodes.put(no=1, text=EPISODES[language])
        for user in (YUKI, TARO):
            tell(k, user, language)
        k.sync()
        for user in (YUKI, TARO):
            k.user(user).memory.nightly(at=NOON + timedelta(days=2))
            (kept, *_) = k.user(user).memory.list().memories
            k.user(user).memory.edit(kept.value.memory_id, f"{kept.value.text} {WORDS[language][user][0]}")
            k.user(user).profile.set("nickname", NICKNAMES[user], by_hand=True)
            for question in QUESTIONS[language]:
                k.recall(question, user=user, persona="himuro", as_of=LATER)
        k.sync()


def tell(k: Kataribe, user: str, language: Language) -> None:
    k.user(user).create(language=language, embedder="hash")
    for place, at in (({}, NOON), ({"story": "tale", "at": 1}, NOON + timedelta(hours=1))):
        turns = [
            kataribe.Turn(
                turn_id=f"{user}-{number}",
                session=f"with-{user}",
                speaker=user,
                text=text,
                time=at + timedelta(minutes=number),
                audience=kataribe.known_by("himuro"),
            )
            for number, text in enumerate(PLANTED[language][user])
        ]
        held: Any = place
        k.user(user).put_turns(turns, **held)


_LIVED: dict[Language, Path] = {}


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    found: Language = request.param
    return found


@pytest.fixture
def path(tmp_path: Path, language: Language, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a store that was lived in, and a key store of its own."""
    if language not in _LIVED:
        home = Path(tempfile.mkdtemp(prefix="kataribe-tests-"))
        with monkeypatch.context() as there:
            there.setenv("XDG_DATA_HOME", str(home / "data"))
            (home / "db").mkdir()
            lived(home / "db" / "k.db", language)
        _LIVED[language] = home
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for part in ("db", "data"):
        shutil.copytree(_LIVED[language] / part, tmp_path / part)
    return tmp_path / "db" / "k.db"


@pytest.fixture
def backup(path: Path) -> Path:
    """Give a backup of it."""
    with opened(path) as k:
        k.admin.backup(path.with_name("k.backup"))
    return path.with_name("k.backup")


def opened(path: Path) -> Kataribe:
    return kataribe.open(str(path), services=replace(services(), clock=FrozenClock(LATER)))


def key_store(path: Path) -> Path:
    with opened(path) as k:
        return Path(k.admin.keys.status().place)


def answers(k: Kataribe, language: Language, user: str) -> list[object]:
    """Give what viewers of a user are told, as text and values."""
    given: dict[str, Any] = {"user": user, "persona": "himuro", "as_of": LATER}
    both: dict[str, Any] = {"user": user, "persona": "himuro", "story": "tale", "at": 2}
    told: list[object] = []
    for viewer in (given, both):
        told.append(k.known(**viewer))
        told += [k.recall(question, **viewer, top_k=20) for question in QUESTIONS[language]]
        told += [k.context(question, **viewer, top_k=20).text for question in QUESTIONS[language]]
    told.append(k.user(user).memory.list())
    told.append(k.user(user).profile.show())
    told.append(k.user(user).turns())
    told.append(k.user(user).turns(story="tale", at=1))
    return told


def of_story(k: Kataribe, language: Language) -> list[object]:
    given: dict[str, Any] = {"persona": "himuro", "story": "tale", "at": 2}
    return [k.known(**given), *(k.recall(one, **given) for one in QUESTIONS[language])]


def sealed_parts(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as driver:
        return driver.execute("SELECT part, key_id FROM sealed_parts").fetchall()


def test_no_word_of_a_user_stands_in_a_backup_in_any_form(
    path: Path, backup: Path, language: Language
) -> None:
    """Neither what was said, in words or tokens, nor names, ids, sessions, a profile or an edited memory."""
    data = backup.read_bytes()
    planted = tuple(word for user in (YUKI, TARO) for word in (*WORDS[language][user], NICKNAMES[user]))
    ids = (YUKI, TARO, "<email:", "<phone:", "Ottoline moved", "ウラジオストク")
    assert stands_in(data, (*planted, *ids)) == []
    # What is looked for does stand in the store; and what is a story's stands in both.
    live = b"".join(one.read_bytes() for one in path.parent.glob("k.db*"))
    assert set(stands_in(live, (WORDS[language][YUKI][1], YUKI, TARO))) == {
        WORDS[language][YUKI][1],
        YUKI,
        TARO,
    }
    assert stands_in(data, (EPISODES[language],)) == [EPISODES[language]]
    assert len(sealed_parts(backup)) >= 4


def test_a_restored_store_answers_byte_for_byte_as_it_did(
    path: Path, backup: Path, language: Language
) -> None:
    done = kataribe.restore(backup, path.with_name("again.db"))
    assert (done.ok, done.is_sealed, done.users, done.erased, done.closed) == (True, True, 2, 0, 0)
    assert done.counts["turns"] == 12
    with opened(path) as k, opened(path.with_name("again.db")) as again:
        again.sync()
        for user in (YUKI, TARO):
            assert answers(again, language, user) == answers(k, language, user)
        assert of_story(again, language) == of_story(k, language)
        assert again.verify().problems == ()
        assert again.admin.audit.verify().problems == ()
        assert ("restore", "done") in {
            (one.act, one.outcome) for one in again.admin.audit.list(space="store")
        }


def test_an_old_backup_gives_nothing_of_who_was_erased_and_all_of_the_others(
    path: Path, backup: Path, language: Language
) -> None:
    """An id that was used again after the erasure gets nothing back either."""
    with opened(path) as k:
        before, of_tale = answers(k, language, TARO), of_story(k, language)
        erase(k, YUKI)
        tell(k, YUKI, language)
        k.user(YUKI).profile.set("nickname", "new", by_hand=True)
    done = kataribe.restore(backup, path.with_name("again.db"))
    assert (done.ok, done.users, done.erased, done.closed) == (True, 1, 1, 0)
    with opened(path.with_name("again.db")) as again:
        again.sync()
        assert [one.user_id for one in again.admin.users()] == [TARO]
        assert answers(again, language, TARO) == before
        assert of_story(again, language) == of_tale
        assert again.verify().problems == ()
        assert again.admin.audit.verify().problems == ()
        assert again.admin.audit.verify().erased > 0
    data = b"".join(one.read_bytes() for one in path.parent.glob("again.db*"))
    assert stands_in(data, (*WORDS[language][YUKI], NICKNAMES[YUKI], YUKI)) == []


def test_without_the_key_store_a_restore_is_refused_unless_it_may_leave_users_closed(
    path: Path, backup: Path, language: Language
) -> None:
    with opened(path) as k:
        of_tale = of_story(k, language)
    key_store(path).unlink()
    to = path.with_name("again.db")
    with pytest.raises(KeyLostError, match="leave_closed=") as refused:
        kataribe.restore(backup, to)
    assert "--leave-closed" in refused.value.in_shell
    with pytest.raises(KeyLostError):
        kataribe.check_backup(backup)
    assert not to.exists()
    done = kataribe.restore(backup, to, leave_closed=True)
    assert (done.ok, done.users, done.erased, done.closed) == (True, 0, 0, 2)
    with opened(to) as again:
        again.sync()
        assert of_story(again, language) == of_tale
        assert again.admin.users() == ()
        assert again.admin.audit.verify().problems == ()


def test_keys_that_are_wrapped_anew_open_what_was_written_before(path: Path, backup: Path) -> None:
    with opened(path) as k:
        k.admin.keys.rotate()
    assert kataribe.check_backup(backup).users == 2


def test_a_key_store_of_another_store_opens_nothing(
    path: Path, backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = key_store(path)
    monkeypatch.setenv("KATARIBE_KEYS", str(tmp_path / "other" / "k.keys"))
    (tmp_path / "elsewhere").mkdir()
    with kataribe.open(str(tmp_path / "elsewhere" / "k.db"), services=services()) as k:
        k.admin.keys.init()
    with pytest.raises(WrongKeyError):
        kataribe.restore(backup, path.with_name("again.db"))
    monkeypatch.setenv("KATARIBE_KEYS", str(place))
    assert kataribe.restore(backup, path.with_name("again.db")).users == 2


def test_a_key_that_is_missing_without_a_tombstone_is_lost_and_not_erased(path: Path, backup: Path) -> None:
    """As where the key store is a copy that is older than the backup."""
    with closing(sqlite3.connect(key_store(path))) as driver:
        driver.execute("DELETE FROM keys WHERE key_id = ?", (sealed_parts(backup)[0][1],))
        driver.commit()
    with pytest.raises(KeyLostError, match="older than the backup"):
        kataribe.restore(backup, path.with_name("again.db"))
    done = kataribe.restore(backup, path.with_name("again.db"), leave_closed=True)
    assert (done.users, done.erased, done.closed) == (1, 0, 1)


FIRST = "(SELECT sealed FROM sealed_rows WHERE part = 0 AND number = 1)"
LAST = "(SELECT max(number) FROM sealed_rows WHERE part = 0)"


@pytest.mark.parametrize(
    "harm",
    [
        f"UPDATE sealed_rows SET sealed = {FIRST} WHERE part = 0 AND number = 0",
        f"DELETE FROM sealed_rows WHERE part = 0 AND number = {LAST}",
        "DELETE FROM sealed_parts WHERE part = 1",
        "UPDATE sealed_parts SET sealed = (SELECT sealed FROM sealed_parts WHERE part = 0) WHERE part = 1",
    ],
)
def test_a_backup_that_was_changed_is_refused_and_leaves_nothing(path: Path, backup: Path, harm: str) -> None:
    with closing(sqlite3.connect(backup)) as driver:
        driver.execute(harm)
        driver.commit()
    before = sorted(path.parent.iterdir())
    with pytest.raises(StoreError, match="damaged"):
        kataribe.restore(backup, path.with_name("again.db"))
    assert sorted(path.parent.iterdir()) == before
    tried = kataribe.check_backup(backup)
    assert not tried.ok
    assert "damaged" in tried.problems[0]


def test_a_restore_takes_the_place_of_nothing(path: Path, backup: Path) -> None:
    there = path.with_name("there.db")
    there.write_bytes(b"mine")
    with pytest.raises(ConflictError):
        kataribe.restore(backup, there)
    assert there.read_bytes() == b"mine"
    path.with_name("gone.db-wal").write_bytes(b"of another")
    with pytest.raises(ConflictError, match="wal"):
        kataribe.restore(backup, path.with_name("gone.db"))
    with pytest.raises(StoreError, match="does not exist"):
        kataribe.restore(backup, path.parent / "no" / "k.db")
    with pytest.raises(StoreError):
        kataribe.restore(path.with_name("none.backup"), path.with_name("again.db"))
    with pytest.raises(StoreError, match="no backup"):
        kataribe.restore(there, path.with_name("again.db"))


def test_a_drill_leaves_nothing_and_changes_nothing(path: Path, backup: Path, tmp_path: Path) -> None:
    temporary = Path(tempfile.gettempdir())
    before = (backup.read_bytes(), key_store(path).read_bytes(), set(temporary.glob("kataribe-check-*")))
    tried = kataribe.check_backup(backup)
    assert (tried.ok, tried.to, tried.users) == (True, None, 2)
    after = (backup.read_bytes(), key_store(path).read_bytes(), set(temporary.glob("kataribe-check-*")))
    assert after == before


def test_what_a_killed_drill_left_is_removed_by_the_next(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    left = tmp_path / "tmp" / "kataribe-check-left"
    left.mkdir(parents=True)
    (left / "lock").touch()
    (left / "store.db").write_bytes(b"words")
    assert kataribe.check_backup(backup).ok
    assert [*(tmp_path / "tmp").iterdir()] == []


def test_a_backup_of_an_earlier_release_is_restored_without_who_was_erased_since(
    path: Path, language: Language
) -> None:
    """Nothing is sealed in it: it is said so, and the tombstone decides."""
    old = path.with_name("old.backup")
    ledger = SqlLedger(str(path), FrozenClock(LATER))
    ledger.backup(old)
    ledger.close()
    with opened(path) as k:
        before = answers(k, language, TARO)
        erase(k, YUKI)
    done = kataribe.restore(old, path.with_name("again.db"))
    assert (done.ok, done.is_sealed, done.at, done.users, done.erased) == (True, False, None, 1, 1)
    with opened(path.with_name("again.db")) as again:
        again.sync()
        assert [one.user_id for one in again.admin.users()] == [TARO]
        assert answers(again, language, TARO) == before
        assert again.verify().problems == ()
    data = b"".join(one.read_bytes() for one in path.parent.glob("again.db*"))
    assert stands_in(data, (*WORDS[language][YUKI], YUKI)) == []


def test_who_has_no_key_yet_is_given_one_for_a_backup(tmp_path: Path) -> None:
    settings = kataribe.Settings(path=str(tmp_path / "k.db"), audit="off")
    with kataribe.open(settings=settings, services=services()) as k:
        k.user("u").create(language="en", embedder="hash")
        k.user("u").said("I like the harbour in spring.", speaker="u", persona="himuro")
        assert not k.admin.keys.status().is_made
        k.admin.backup(tmp_path / "k.backup")
        assert k.admin.keys.status().users == 1
    assert b"harbour" not in (tmp_path / "k.backup").read_bytes()
    assert kataribe.restore(tmp_path / "k.backup", tmp_path / "again.db").users == 1


def test_a_store_in_memory_with_users_is_not_backed_up(tmp_path: Path) -> None:
    """Its keys end with it."""
    with kataribe.open(":memory:", services=services()) as k:
        k.story("s").create(language="en", embedder="hash")
        k.admin.backup(tmp_path / "stories.backup")
        k.user("u").create(language="en", embedder="hash")
        with pytest.raises(KeyStoreError, match="in memory"):
            k.admin.backup(tmp_path / "k.backup")
    assert not (tmp_path / "k.backup").exists()


def test_without_the_key_store_no_backup_is_written(path: Path) -> None:
    key_store(path).unlink()
    with opened(path) as k, pytest.raises(KeyLostError):
        k.admin.backup(path.with_name("k.backup"))
    assert not path.with_name("k.backup").exists()


# -- every table ---------------------------------------------------------------------------------


def test_every_table_is_a_users_or_known_to_be_nobodys(path: Path) -> None:
    """A new table with rows of a user is sealed by its keys; one that hangs on nothing must say why."""
    with closing(sqlite3.connect(path)) as driver:
        owners = Owners(driver)
        unknown = [table for table in owners.tables if not owners.is_known(table)]
        assert [table for table in unknown if table not in LEFT_OUT] == []
        assert sorted(table for table in OF_THE_STORE if table not in owners.tables) == []
        assert sorted(table for table in OF_THE_STORE if owners.of(table) is not None) == []
        driver.execute("CREATE TABLE moods (number INTEGER PRIMARY KEY, whose TEXT, mood TEXT)")
        assert not Owners(driver).is_known("moods")


class OneSealer:
    """Seals everything by one key."""

    def __init__(self) -> None:
        self.seal = seal()
        self._key = SecretKey("00" * 8, b"k" * 32)

    def keys(self, users: Any) -> dict[str, SecretKey]:
        return dict.fromkeys(users, self._key)

    def owner(self, chain: str) -> str | None:
        return "planted-id" if chain == "user:~planted" else None

    def key(self, key_id: str) -> SecretKey | None:
        return self._key if key_id == self._key.key_id else None


def planted_rows(path: Path, word: str) -> dict[str, set[tuple[Any, ...]]]:
    """Put a row of a user into every table that can hold one, a word in each of its texts."""
    space, of = (
        "user:planted-id",
        {"space": "user:planted-id", "user_id": "planted-id", "chain": "user:~planted"},
    )
    of |= {"beside": space, "evidence_space": space, "token": "planted-token"}
    with closing(sqlite3.connect(path)) as driver:
        driver.create_function(CHAIN_OWNER, 1, lambda chain: None)
        owners = Owners(driver)
        for table in owners.tables:
            if owners.of(table) is None:
                continue
            to_stories = {
                row[3] for row in driver.execute(f'PRAGMA foreign_key_list("{table}")') if row[2] == "stories"
            }
            values: list[object] = []
            for _, column, kind, *_ in driver.execute(f'PRAGMA table_info("{table}")'):
                if column in to_stories or (table == "tier_values" and column == "payload"):
                    values.append(None)
                elif column in of:
                    values.append(of[column])
                else:
                    values.append({"TEXT": word, "BLOB": word.encode()}.get(kind, 7))
            places = ", ".join("?" * len(values))
            driver.execute(f'INSERT INTO "{table}" VALUES ({places})', values)
        # Rows of one turn and one memory hang together by their words and numbers.
        driver.commit()
        assert driver.execute("PRAGMA foreign_key_check").fetchall() == []
        return {table: rows_of(driver, table) for table in owners.tables if owners.of(table) is not None}


def rows_of(driver: sqlite3.Connection, table: str) -> set[tuple[Any, ...]]:
    return {tuple(row) for row in driver.execute(f'SELECT * FROM "{table}"')}


@pytest.mark.parametrize("word", ["Quillfeather", "綾小路麗子"])
def test_a_row_of_any_table_of_a_users_space_is_sealed_or_absent(tmp_path: Path, word: str) -> None:
    path = empty_store(tmp_path / "k.db")
    planted = planted_rows(path, word)
    assert len(planted) > 30
    with closing(sqlite3.connect(path)) as driver:
        # A table that says in no way whose its rows are is left out.
        driver.execute("CREATE TABLE moods (number INTEGER PRIMARY KEY, mood TEXT)")
        driver.execute("INSERT INTO moods (mood) VALUES (?)", (word,))
        driver.commit()
    notes, sealer = BackupNotes(backup_id="b", at=NOON.isoformat()), OneSealer()
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        write_copy(driver, tmp_path / "k.backup", notes=notes, archives=None, sealer=sealer)
    data = (tmp_path / "k.backup").read_bytes()
    assert stands_in(data, (word, "planted-id", "planted-token", "~planted")) == []
    opened = copy_opened(look_at(tmp_path / "k.backup"), tmp_path / "again.db", sealer)
    assert opened.problems == ()
    with closing(sqlite3.connect(tmp_path / "again.db")) as driver:
        for table, rows in planted.items():
            found = rows_of(driver, table)
            if table in LEFT_OUT:
                assert found == set()
            elif table not in ("memories", "work", "model_asks", "extractions"):
                assert found == rows, table
            else:
                assert len(found) == len(rows), table


def test_who_is_erased_while_a_backup_is_written_is_not_in_it(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    planted_rows(path, "Quillfeather")
    sealer = OneSealer()
    sealer.keys = lambda users: {}  # type: ignore[method-assign]
    notes = BackupNotes(backup_id="b", at=NOON.isoformat())
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        write_copy(driver, tmp_path / "k.backup", notes=notes, archives=None, sealer=sealer)
    assert stands_in((tmp_path / "k.backup").read_bytes(), ("Quillfeather", "planted-id")) == []
    with opened(tmp_path / "k.backup") as k:
        assert k.admin.users() == ()


# -- the list of backups -------------------------------------------------------------------------


def test_a_store_lists_its_backups_and_those_from_before_sealing(path: Path, backup: Path) -> None:
    with opened(path) as k:
        (one,) = k.admin.backups.list()
        assert one == WrittenBackup(path=str(backup), at=LATER.isoformat(), is_sealed=True, users=2)
        k.admin.backups.forget([str(backup)])
        assert k.admin.backups.list() == ()
    with closing(sqlite3.connect(path)) as driver:
        # As an earlier release left it: the act is noted, and no list was kept.
        driver.execute("DELETE FROM marks WHERE name = 'backups'")
        driver.commit()
    with opened(path) as k:
        (before,) = k.admin.backups.list()
        assert (before.path, before.is_sealed) == (None, False)


# -- kills ---------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path
import kataribe
from kataribe.adapters.sql.sqlite import copying, restoring
from kataribe.domain.keys import SecretKey

what, moment, file, to = sys.argv[1:]
left = int(moment)

def dying(function):
    def run(*given, **named):
        global left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **named)
    return run

copying.packed = dying(copying.packed)
restoring.unpacked = dying(restoring.unpacked)
os.replace = dying(os.replace)
os.link = dying(os.link)
if what == "backup":
    with kataribe.open(file) as k:
        k.admin.backup(to)
else:
    kataribe.restore(file, to)
"""


def dies(*given: object) -> int:
    """Run it in a process of its own, which kills itself at that moment."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED, *map(str, given)]
    return subprocess.run(command, env=environ, check=False).returncode


@pytest.mark.parametrize("language", ["ja"], indirect=True)
@pytest.mark.parametrize("moment", [40, "last"])
def test_a_kill_in_the_middle_leaves_what_was_there(
    path: Path, language: Language, moment: int | str
) -> None:
    """Of a backup and of a restore, in the midst of the rows, and before the file gets its name."""
    before, told = path.with_name("before.backup"), path.with_name("k.backup")
    with opened(path) as k:
        k.admin.backup(before)
        kept = answers(k, language, YUKI)
    chosen = 1 + count_rows(before) if moment == "last" else moment
    assert dies("backup", chosen, path, told) == -signal.SIGKILL
    assert not told.exists()
    left = b"".join(one.read_bytes() for one in path.parent.glob(".k.backup*"))
    assert stands_in(left, (*WORDS[language][YUKI], YUKI)) == []
    with opened(path) as k:
        assert answers(k, language, YUKI) == kept
        k.admin.backup(told)
    to = path.with_name("again.db")
    assert dies("restore", chosen, before, to) == -signal.SIGKILL
    assert not to.exists()
    assert kataribe.restore(before, to).ok
    assert [one.name for one in path.parent.iterdir() if one.name.startswith(".again")] == []


def count_rows(backup: Path) -> int:
    with closing(sqlite3.connect(backup)) as driver:
        return int(driver.execute("SELECT count(*) FROM sealed_rows").fetchone()[0])


def test_users_who_come_while_a_backup_is_written_are_in_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is begun anew with the key of the newcomer; when they never cease to come it is refused."""
    ledger_backup = SqlLedger.backup
    coming: Iterator[str] = iter(["mei"])

    def meanwhile(self: SqlLedger, *given: Any, **named: Any) -> BackupNotes:
        if (one := next(coming, None)) is not None:
            other.user(one).create(language="en", embedder="hash")
        return ledger_backup(self, *given, **named)

    monkeypatch.setattr(SqlLedger, "backup", meanwhile)
    with opened(path) as k, opened(path) as other:
        k.admin.backup(path.with_name("k.backup"))
        assert len(look_at(path.with_name("k.backup")).key_ids) == 3
        coming = map("u{}".format, range(100))
        with pytest.raises(StoreBusyError, match="came or went"):
            k.admin.backup(path.with_name("never.backup"))
    assert not path.with_name("never.backup").exists()
