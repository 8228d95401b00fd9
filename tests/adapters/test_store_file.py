from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from kataribe.adapters.sql import SqlLedger
from kataribe.adapters.sql import ledger as ledger_module
from kataribe.adapters.sql.sqlite.connection import PAGE_SIZE, connect
from kataribe.adapters.sql.tables import APPLICATION_ID
from kataribe.errors import (
    ForeignStoreError,
    NewerStoreError,
    StoreBusyError,
    StoreError,
    StoreFullError,
)
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.ledger_world import GAP, LONG, a_story, an_episode, everything, fill

SECRET = "ナルシスの仮面 the mask of Narcissus"


@contextmanager
def opened(path: Path, *, busy_seconds: float = 5.0) -> Iterator[SqlLedger]:
    ledger = SqlLedger(str(path), FrozenClock(), busy_seconds=busy_seconds)
    try:
        yield ledger
    finally:
        ledger.close()


def read(path: Path) -> dict[str, object]:
    with opened(path) as ledger, ledger.reading() as reading:
        return everything(reading, "s")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed store with a filled story."""
    path = tmp_path_factory.mktemp("template") / "store.db"
    with opened(path) as ledger, ledger.writing() as writing:
        fill(writing)
    return path


@pytest.fixture
def store(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(template, tmp_path / "store.db"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def sql(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """Run SQL on a file as another program would; gives the rows of the last statement."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        rows: list[tuple[object, ...]] = []
        for statement in statements:
            rows = connection.execute(statement).fetchall()
        return rows


# -- refused and left untouched --------------------------------------------------------------


def _text(path: Path) -> None:
    path.write_text("Dear diary,\n" * 1000, encoding="utf-8")


def _short_text(path: Path) -> None:
    path.write_bytes(b"x")


def _another_program(path: Path) -> None:
    sql(path, "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('mine')")


def _another_program_with_an_id(path: Path) -> None:
    sql(path, "PRAGMA application_id = 252006674", "CREATE TABLE stories (story_id)")


def _another_program_in_wal(path: Path) -> None:
    sql(path, "PRAGMA journal_mode = WAL", "CREATE TABLE alembic_version (version_num)")


def _ours_by_name_only(path: Path) -> None:
    sql(path, f"PRAGMA application_id = {APPLICATION_ID}", "CREATE TABLE notes (text)")


@pytest.mark.parametrize(
    "make",
    [
        _text,
        _short_text,
        _another_program,
        _another_program_with_an_id,
        _another_program_in_wal,
        _ours_by_name_only,
    ],
)
def test_a_foreign_file_is_refused_and_left_untouched(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "foreign.db"
    make(path)
    before = contents(tmp_path)
    with pytest.raises(ForeignStoreError, match=r"foreign\.db"):
        SqlLedger(str(path), FrozenClock())
    assert contents(tmp_path) == before


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ForeignStoreError, match="folder"):
        SqlLedger(str(tmp_path / "folder"), FrozenClock())
    assert list((tmp_path / "folder").iterdir()) == []


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        SqlLedger(str(tmp_path / "missing" / "store.db"), FrozenClock())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_newer_store_is_refused_and_left_untouched(store: Path, journal: str) -> None:
    sql(store, f"PRAGMA journal_mode = {journal}", "UPDATE alembic_version SET version_num = '9999'")
    before = contents(store.parent)
    with pytest.raises(NewerStoreError, match="9999"):
        SqlLedger(str(store), FrozenClock())
    assert contents(store.parent) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(store: Path) -> None:
    store.chmod(0)
    with pytest.raises(StoreError, match="cannot be read"):
        SqlLedger(str(store), FrozenClock())
    store.chmod(0o600)
    assert read(store)["story"] is not None


def _scribble_over_tables(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[PAGE_SIZE : 40 * PAGE_SIZE] = b"\xa5" * (39 * PAGE_SIZE)
    path.write_bytes(data)


def _scribble_over_schema(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:PAGE_SIZE] = b"\xa5" * (PAGE_SIZE - 100)
    path.write_bytes(data)


def _cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 3 * PAGE_SIZE])


def _cut_off_after_head(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


@pytest.mark.parametrize(
    "damage", [_scribble_over_tables, _scribble_over_schema, _cut_off, _cut_off_after_head]
)
def test_a_damaged_file_is_told_and_never_read_as_empty(store: Path, damage: Callable[[Path], None]) -> None:
    damage(store)
    before = store.read_bytes()
    with pytest.raises(StoreError, match=r"store\.db"):
        read(store)
    assert store.read_bytes() == before


# -- what is opened --------------------------------------------------------------------------


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "store.db").touch()
    with opened(tmp_path / "store.db") as ledger:
        assert ledger.problems() == ()


def test_a_store_can_be_opened_again_while_it_is_first_open(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with opened(path) as first, opened(path) as second:
        with first.writing() as writing:
            fill(writing)
        with second.reading() as reading:
            assert len(reading.memories("story:s")) == 4


MAKE_AND_DIE = """
import os, sys
from kataribe.adapters.sql import SqlLedger
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.ledger_world import fill
ledger = SqlLedger(sys.argv[1], FrozenClock())
with ledger.writing() as writing:
    fill(writing)
os._exit(9)
"""


def test_a_store_whose_maker_died_can_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    assert subprocess.run([sys.executable, "-c", MAKE_AND_DIE, str(path)], check=False).returncode == 9
    assert len(read(path)["admitted"]) == 4  # type: ignore[arg-type]


def test_opening_a_store_leaves_no_file_open(store: Path, recwarn: pytest.WarningsRecorder) -> None:
    with opened(store):
        pass
    assert [str(warning.message) for warning in recwarn if warning.category is ResourceWarning] == []


def test_opening_and_closing_changes_no_byte(store: Path) -> None:
    before = contents(store.parent)
    assert read(store)["story"] is not None
    assert contents(store.parent) == before


def test_odd_names_are_names(tmp_path: Path) -> None:
    for name in ("空の 店.db", "a?mode=memory.db", "#%20.db", "file:x.db", "'quoted'.db"):
        with opened(tmp_path / name) as ledger, ledger.writing() as writing:
            fill(writing)
        assert (tmp_path / name).stat().st_size > 0
        assert len(read(tmp_path / name)["admitted"]) == 4  # type: ignore[arg-type]


def test_the_pragmas_are_in_force(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with opened(path):
        pass
    assert sql(path, "PRAGMA journal_mode") == [("wal",)]
    assert sql(path, "PRAGMA page_size") == [(PAGE_SIZE,)]
    assert PAGE_SIZE == 16384
    assert sql(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    for full, synchronous in ((False, 1), (True, 2)):
        with closing(connect(str(path), busy_seconds=1.5, full=full)) as connection:
            asked = ("foreign_keys", "secure_delete", "synchronous", "busy_timeout")
            found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]
        assert found == [1, 1, synchronous, 1500]


def test_what_is_deleted_leaves_no_trace_in_the_file(store: Path) -> None:
    with opened(store) as ledger:
        with ledger.writing() as writing:
            writing.put_story(a_story("gone", title=SECRET))
            writing.put_episode("gone", an_episode(1, SECRET * 2000), order_key=GAP)
        with ledger.writing() as writing:
            writing.delete_story("gone")
    assert SECRET.encode() not in b"".join(contents(store.parent).values())


# -- busy and full ---------------------------------------------------------------------------


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the store as another process at work would."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_held_store_is_busy_and_nothing_has_changed(store: Path) -> None:
    before = read(store)
    with opened(store, busy_seconds=0.1) as ledger:
        with held(store):
            with pytest.raises(StoreBusyError, match="try again"), ledger.writing() as writing:
                writing.delete_story("s")
            with pytest.raises(StoreBusyError), ledger.writing(patience=0) as writing:
                writing.delete_story("s")
            with ledger.reading() as reading:
                assert everything(reading, "s") == before
        with ledger.writing() as writing:
            writing.put_story(a_story("after"))
    assert read(store) == before


def test_a_held_store_can_be_opened_and_read(store: Path) -> None:
    before = read(store)
    with held(store), opened(store, busy_seconds=0.1) as ledger, ledger.reading() as reading:
        assert everything(reading, "s") == before


def test_patience_is_longer_than_the_hold(store: Path) -> None:
    ready, done = Event(), Event()

    def hold() -> None:
        with held(store):
            ready.set()
            done.wait(0.3)

    holding = Thread(target=hold)
    with opened(store, busy_seconds=0.05) as ledger:
        holding.start()
        ready.wait()
        with ledger.writing(patience=30) as writing:
            writing.put_story(a_story("after"))
        done.set()
        holding.join()
        with ledger.reading() as reading:
            assert reading.story("after") is not None


def test_a_full_disk_changes_nothing_and_the_store_is_usable_after(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(store)
    (pages,) = sql(store, "PRAGMA page_count")[0]
    assert isinstance(pages, int)

    def cramped(path: str, *, busy_seconds: float, full: bool, writable: bool) -> sqlite3.Connection:
        connection = connect(path, busy_seconds=busy_seconds, full=full, writable=writable)
        connection.execute(f"PRAGMA max_page_count = {pages + 3}")
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(ledger_module, "connect", cramped)
        with opened(store) as ledger:
            for _ in range(2):
                with pytest.raises(StoreFullError, match="free some disk space"), ledger.writing() as writing:  # noqa: PT012
                    writing.put_story(a_story("new"))
                    writing.delete_facts("s", ["f1-0"])
                    writing.put_episode("s", an_episode(3, LONG), order_key=3 * GAP)
                with ledger.reading() as reading:
                    assert everything(reading, "s") == before
                    assert reading.story("new") is None
            with ledger.writing() as writing:
                writing.put_story(a_story("small"))
            assert ledger.problems() == ()
    with opened(store) as ledger:
        with ledger.writing() as writing:
            writing.put_episode("s", an_episode(3, LONG), order_key=3 * GAP)
        assert ledger.problems() == ()
        with ledger.reading() as reading:
            assert [story.story_id for story in reading.stories()] == ["s", "small"]
            assert reading.episode("s", "e3") == an_episode(3, LONG)


WRITE_TOO_MUCH = """
import os, resource, signal, sys
from kataribe.adapters.sql import SqlLedger
from kataribe.errors import StoreError
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.ledger_world import GAP, LONG, a_story, an_episode
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger = SqlLedger(sys.argv[1], FrozenClock())
room = os.path.getsize(sys.argv[1]) + 65536
resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
try:
    with ledger.writing() as writing:
        writing.put_story(a_story("new"))
        for no in range(3, 9):
            writing.put_episode("s", an_episode(no, LONG), order_key=no * GAP)
except StoreError:
    with ledger.reading() as reading:
        assert reading.story("new") is None
        assert [state.no for state in reading.episode_states("s")] == [1, 2]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with ledger.writing() as writing:
        writing.put_story(a_story("after"))
    ledger.close()
    sys.exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file size there")
def test_a_file_that_may_not_grow_changes_nothing(store: Path) -> None:
    before = read(store)
    done = subprocess.run(
        [sys.executable, "-c", WRITE_TOO_MUCH, str(store)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 7, done.stderr
    assert read(store) == before
    with opened(store) as ledger:
        assert ledger.problems() == ()
        with ledger.reading() as reading:
            assert [story.story_id for story in reading.stories()] == ["after", "s"]


COUNT = """
import sys
from dataclasses import replace
from kataribe.adapters.sql import SqlLedger
from kataribe.testing.fakes import FrozenClock
ledger = SqlLedger(sys.argv[1], FrozenClock())
for _ in range(40):
    with ledger.writing() as writing:
        story = writing.story("counter")
        writing.put_story(replace(story, title=str(int(story.title) + 1)))
ledger.close()
"""


def test_writers_in_several_processes_lose_no_write(store: Path, tmp_path: Path) -> None:
    with opened(store) as ledger:
        with ledger.writing() as writing:
            writing.put_story(a_story("counter", title="0"))
        running = [subprocess.Popen([sys.executable, "-c", COUNT, str(store)]) for _ in range(3)]
        copies = 0
        while any(process.poll() is None for process in running):
            ledger.backup(tmp_path / f"copy{copies}.db")
            copies += 1
        assert [process.returncode for process in running] == [0, 0, 0]
        with ledger.reading() as reading:
            story = reading.story("counter")
    assert story is not None
    assert story.title == "120"
    # Each copy was made while they wrote, and none knows a later count than the next one.
    counts = [int(str(sql(tmp_path / f"copy{n}.db", _COUNT)[0][0])) for n in range(copies)]
    assert counts == sorted(counts)
    with opened(tmp_path / f"copy{copies - 1}.db") as copy:
        assert copy.problems() == ()


_COUNT = "SELECT title FROM stories WHERE story_id = 'counter'"


# -- backups ---------------------------------------------------------------------------------


def test_a_backup_holds_no_vectors_and_no_deleted_text(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with opened(store) as ledger:
        with ledger.reading() as reading:
            vectors = reading.known_vectors(
                ["story:s"], "any-1", [m.text_hash for m in reading.memories("story:s")]
            )
        with ledger.writing() as writing:
            writing.put_story(a_story("gone", title=SECRET))
            writing.put_episode("gone", an_episode(1, SECRET * 2000), order_key=GAP)
        with ledger.writing() as writing:
            writing.delete_story("gone")
        ledger.backup(copy)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["copy.db", "store.db"]
    data = copy.read_bytes()
    assert len(vectors) == 4
    assert all(vector not in data for vector in vectors.values())
    assert SECRET.encode() not in data
    assert sql(copy, "SELECT count(*) FROM memory_vectors") == [(0,)]
    assert sql(copy, "SELECT count(*) FROM extractions") == [(0,)]
    assert sql(copy, "PRAGMA journal_mode") == [("wal",)]
    assert sql(copy, "PRAGMA page_size") == [(PAGE_SIZE,)]


def test_a_backup_that_fails_leaves_nothing_behind(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(one: Path, other: Path) -> None:
        raise OSError("no")

    monkeypatch.setattr(os, "replace", fail)
    with opened(store) as ledger, pytest.raises((OSError, StoreError)):
        ledger.backup(tmp_path / "copy.db")
    assert [p.name for p in tmp_path.iterdir()] == ["store.db"]
