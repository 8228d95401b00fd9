"""Files that are damaged, cannot be written or lost a part: told in words, and never for ever."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.sql.sqlite.connection import PAGE_SIZE
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import KataribeError, StoreError
from kataribe.face.sync.kataribe import Kataribe
from support.stores import services

WREN: ViewerKeys = {"story": "s", "persona": "wren", "at": 3}
TEXTS = (
    "Wren hid the silver key. レンは鍵を隠した。",
    "The well is dry. 井戸は涸れた。",
    "Nobody came. 誰も来ない。",
)


def fill(path: Path) -> Path:
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").cast.add(kataribe.Character(character_id="wren"))
        for no, text in enumerate(TEXTS, start=1):
            store.story("s").episodes.put(no=no, text=f"[[known-by: public]] {text}")
        store.sync()
    return path


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("damage") / "k.db")


@pytest.fixture
def path(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(template, tmp_path / "k.db"))


def sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def first_page(path: Path, name: str) -> int:
    """Tell on which page a table or index begins."""
    with closing(sqlite3.connect(path)) as connection:
        return int(
            connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
        )


def swap(path: Path, one: int, other: int) -> None:
    data = bytearray(path.read_bytes())
    first, second = (slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE) for page in (one, other))
    data[first], data[second] = data[second], data[first]
    path.write_bytes(bytes(data))


# -- damage ------------------------------------------------------------------------------------


VERBS: tuple[Callable[[Kataribe], object], ...] = (
    lambda store: store.sync(),
    lambda store: store.admin.rebuild(),
    lambda store: store.recall("key", story="s", persona="wren", at=3),
    lambda store: store.story("s").views.matrix(),
)


@pytest.mark.parametrize(
    ("one", "other"),
    [("episodes", "stories"), ("episodes", "memories"), ("characters", "segments"), ("segments", "memories")],
)
def test_swapped_pages_end_in_words(path: Path, one: str, other: str) -> None:
    swap(path, first_page(path, one), first_page(path, other))
    for ask in VERBS:
        with suppress(KataribeError), kataribe.open(str(path), services=services()) as store:
            ask(store)
    said = _verified(path)
    assert said
    assert all("integrity" in one or "damaged" in one for one in said[:1])


def _verified(path: Path) -> tuple[str, ...]:
    """Give what `verify` finds, or why it finds nothing."""
    try:
        with kataribe.open(str(path), services=services()) as store:
            return store.verify().problems
    except StoreError as error:
        return (str(error),)


@pytest.mark.parametrize("value", ["'never heard of'", "7", "x'00ff'"])
def test_a_row_that_makes_no_sense_is_damage(path: Path, value: str) -> None:
    sql(path, "PRAGMA ignore_check_constraints = ON", f"UPDATE episodes SET fact_source = {value}")
    with kataribe.open(str(path), services=services()) as store:
        with pytest.raises(StoreError, match="damaged"):
            store.story("s").episodes.list()
        found = store.verify()
    assert not found.ok
    assert any("damaged" in problem for problem in found.problems)


def test_a_text_that_is_not_utf8_is_damage_and_is_not_quoted(path: Path) -> None:
    sql(path, "UPDATE memories SET text = CAST(x'73656372657420ff' AS TEXT)")
    with kataribe.open(str(path), services=services()) as store:
        with pytest.raises(StoreError, match="damaged") as caught:
            store.known(**WREN)
        assert "secret" not in str(caught.value)
        found = store.verify()
    assert not found.ok
    assert not any("secret" in problem for problem in found.problems)


UNDONE = (
    """CREATE TRIGGER undone AFTER UPDATE OF outcome ON work WHEN new.outcome = 'done'
    BEGIN UPDATE work SET outcome = 'due' WHERE rowid = new.rowid; END""",
    "UPDATE work SET outcome = 'due'",
)
"""As damage to an index makes it: what is done is due again at once."""


def test_a_sync_of_work_that_never_stays_done_ends(path: Path) -> None:
    sql(path, *UNDONE)
    with kataribe.open(str(path), services=services()) as store, pytest.raises(StoreError, match="stay done"):
        store.sync()


def test_a_sync_that_goes_round_looks_whether_the_file_is_damaged(path: Path) -> None:
    sql(path, *UNDONE, "UPDATE characters SET story_id = 'nobody'")
    with (
        kataribe.open(str(path), services=services()) as store,
        pytest.raises(StoreError, match=r"is damaged .*; `kataribe verify` says more; restore a backup"),
    ):
        store.sync()


# -- files that can only be read ---------------------------------------------------------------


@contextmanager
def only_read(folder: Path) -> Iterator[None]:
    """Take the right to write a folder and its files; root, who may all, becomes another meanwhile."""
    files = [folder, *folder.iterdir()]
    for file in files:
        file.chmod(0o555 if file.is_dir() else 0o444)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for file in files:
            file.chmod(0o755 if file.is_dir() else 0o644)


@pytest.mark.skipif(sys.platform == "win32", reason="rights of folders are POSIX's")
def test_a_store_in_a_folder_that_cannot_be_written_is_read_and_says_why_it_is_not_written() -> None:
    # Not in the folder of tests, which nobody but its owner may enter.
    folder = Path(tempfile.mkdtemp())
    try:
        path = fill(folder / "k.db")
        _ask(path)  # What is loaded on first use may stand where another user may not look.
        before = {file.name: file.read_bytes() for file in folder.iterdir()}
        with only_read(folder):
            _ask(path)
            with kataribe.open(str(path), services=services()) as store:
                with pytest.raises(StoreError, match=r"cannot be written, only read; check the permissions"):
                    store.story("s").episodes.put(no=9, text="x")
                with pytest.raises(StoreError, match="only read"):
                    store.admin.rebuild()
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    finally:
        shutil.rmtree(folder)


def _ask(path: Path) -> None:
    with kataribe.open(str(path), services=services()) as store:
        assert "key" in store.recall("silver key 鍵", **WREN).hits[0].text
        assert len(store.known(**WREN).hits) == 4
        assert store.story("s").views.matrix().rows
        assert store.verify().ok


# -- a lost part of a store ----------------------------------------------------------------------


def test_a_store_whose_wal_is_gone_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    path, lost = tmp_path / "k.db", tmp_path / "lost.db"
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
        data = path.read_bytes()
    # The schema stands in the file itself, whatever becomes of the WAL.
    lost.write_bytes(data)
    with kataribe.open(str(lost), services=services()) as store:
        assert store.admin.stories() == ()
    # A store of an earlier version had even that in the WAL.
    bare = tmp_path / "bare.db"
    with closing(sqlite3.connect(bare, isolation_level=None)) as made:
        made.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        made.execute(f"PRAGMA application_id = {int.from_bytes(data[68:72], 'big')}")
        made.execute("PRAGMA journal_mode = WAL")
    kept = bare.read_bytes()
    with pytest.raises(StoreError, match=r"bare\.db-wal, which is missing; put that file back"):
        kataribe.open(str(bare), services=services())
    assert bare.read_bytes() == kept
