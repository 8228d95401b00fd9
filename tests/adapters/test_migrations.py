from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from kataribe.adapters.sql import SqlLedger, migrations
from kataribe.adapters.sql.migrate import KNOWN, upgrade, version_of
from kataribe.adapters.sql.schema import metadata
from kataribe.adapters.sql.tables import APPLICATION_ID, HEAD, PRIMARY_KEYS
from kataribe.domain.evidence import AudienceMode
from kataribe.domain.memory import NO_USAGE
from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.ledger_world import EXTRA, a_story, everything, fill


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    SqlLedger(str(path), FrozenClock()).close()
    return path


def shape(path: Path) -> dict[str, object]:
    """Tell what a store's tables and indexes are, however they were written down."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE name <> 'alembic_version'")
        found: dict[str, object] = {}
        for kind, name, sql in rows.fetchall():
            asked = ("table_xinfo", "foreign_key_list") if kind == "table" else ("index_xinfo",)
            facts = [sorted(connection.execute(f"PRAGMA {word}('{name}')").fetchall()) for word in asked]
            if "alembic_version" not in name:
                found[f"{kind} {name}"] = (facts, (sql or "").partition("WHERE")[2].strip())
        return found


def scripts() -> ScriptDirectory:
    assert migrations.__file__ is not None
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return ScriptDirectory.from_config(config)


def test_the_head_is_the_newest_migration() -> None:
    assert scripts().get_heads() == [HEAD]
    assert KNOWN[-1] == HEAD


def test_every_migration_is_known_and_they_form_one_line() -> None:
    line = [script.revision for script in scripts().walk_revisions()][::-1]
    assert tuple(line) == KNOWN == tuple(f"{n:04}" for n in range(1, len(line) + 1))


def test_migrations_give_the_schema_as_it_is_written(store: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{store}")
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
    engine.dispose()
    with closing(sqlite3.connect(store)) as driver:
        assert version_of(driver) == HEAD


def test_the_driver_knows_the_key_of_every_table() -> None:
    assert {
        name: tuple(column.name for column in table.primary_key.columns)
        for name, table in metadata.tables.items()
    } == PRIMARY_KEYS


def test_migrations_give_what_the_tables_would_give(store: Path, tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'plain.db'}")
    metadata.create_all(engine)
    engine.dispose()
    assert shape(store) == shape(tmp_path / "plain.db")
    assert "table memories" in shape(store)


def test_bringing_up_again_changes_nothing(store: Path) -> None:
    before = store.read_bytes()
    with closing(sqlite3.connect(store)) as connection:
        upgrade(connection, str(store))
        upgrade(connection, str(store))
    SqlLedger(str(store), FrozenClock()).close()
    assert store.read_bytes() == before


def test_a_migration_that_fails_leaves_an_empty_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store.db"
    real = command.upgrade

    def stop(config: Config, revision: str) -> None:
        real(config, revision)
        raise RuntimeError("stopped on the way")

    with monkeypatch.context() as patch:
        patch.setattr(command, "upgrade", stop)
        with pytest.raises(RuntimeError):
            SqlLedger(str(path), FrozenClock())
    assert shape(path) == {}
    SqlLedger(str(path), FrozenClock()).close()
    assert "table memories" in shape(path)


def test_what_was_extracted_before_fingerprints_were_kept_side_by_side_stays(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    engine = sa.create_engine(f"sqlite:///{path}")
    folder = Path(migrations.__file__ or "").parent
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(folder))
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(sa.text(f"PRAGMA application_id = {APPLICATION_ID}"))
        for table, given in OLD_ROWS.items():
            names = ", ".join(given)
            values = ", ".join(f":{name}" for name in given)
            connection.execute(sa.text(f"INSERT INTO {table} ({names}) VALUES ({values})"), given)
    engine.dispose()
    ledger = SqlLedger(str(path), FrozenClock())
    with ledger.reading() as reading:
        kept = reading.extraction("s", "e1", "print")
        assert kept is not None
        assert [(draft.text, draft.audience.holders()) for draft in kept.drafts] == [("雪。", ("ann",))]
        assert (kept.refused, kept.usage) == ((), NO_USAGE)
        assert reading.story("s") is not None
        assert not reading.stories()[0].asks_model
    ledger.close()


def but_keywords(held: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what keywords there are: they are cut anew, out of the texts."""
    states = [
        {name: replace(one, terms=()) for name, one in unit.items()} if isinstance(unit, Mapping) else unit
        for unit in held["memory_states"]
    ]
    return {**held, "memory_states": states, "wordy": []}


def test_a_store_without_checkpoints_is_given_room_for_them(tmp_path: Path) -> None:
    """What was there by then stays row by row; every guess counts in a story of before there was a choice."""
    path = tmp_path / "store.db"
    ledger = SqlLedger(str(path), FrozenClock())
    with ledger.writing() as writing:
        fill(writing)
        (ann,) = writing.characters("s")
        writing.put_character("s", replace(ann, narrates=()))
        writing.put_story(replace(a_story("s", title="題", extra=EXTRA), audience=AudienceMode.WIDE))
        before = everything(writing, "s") | {"groups": (), "said_cast": {}, "said_groups": {}}
    ledger.close()
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(Path(migrations.__file__ or "").parent))
        config.attributes["connection"] = connection
        command.downgrade(config, "0004")
    engine.dispose()
    assert "table checkpoints" not in shape(path)
    ledger = SqlLedger(str(path), FrozenClock())
    assert ledger.upgraded_from == "0004"
    with ledger.writing() as writing:
        assert but_keywords(everything(writing, "s")) == but_keywords(before)
        assert writing.checkpoints("s") == ()
        made = Checkpoint(name="夜の前", at="2026-01-01T00:00:00+00:00", episodes=2, facts=1)
        writing.put_checkpoint("s", made, {"no:e1": "1"})
        assert writing.checkpoints("s") == (made,)
    assert ledger.problems() == ()
    ledger.close()


OLD_ROWS: dict[str, dict[str, object]] = {
    "stories": {
        "story_id": "s",
        "language": "ja",
        "language_told": False,
        "embedder": "hash",
        "embedder_id": "hash-1",
        "extractor_id": "rules-1",
        "extra": "{}",
        "revision": 1,
        "created_at": "2001-01-01",
    },
    "episodes": {
        "story_id": "s",
        "episode_id": "e1",
        "no": 1,
        "order_key": 1,
        "text": "雪。風。",
        "text_hash": "h",
        "version": 1,
        "fact_source": "extracted",
        "base": "[]",
        "extra": "{}",
        "notes_hash": "n",
        "rows_hash": "r",
        "annotated": False,
        "wanted": "w",
        "visible": True,
        "created_at": "2001-01-01",
    },
    "extractions": {
        "story_id": "s",
        "episode_id": "e1",
        "fingerprint": "print",
        "drafts": '[[0,2,"[\\"ann\\"]","scene",false,3]]',
    },
}
"""A story as the first schema held it."""


OPEN_TOGETHER = """
import sys, time
from pathlib import Path
import alembic.command, alembic.config
from kataribe.adapters.sql import SqlLedger
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.ledger_world import a_story
folder, me, all_of_us = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for round_ in range(8):
    (folder / f"ready-{round_}-{me}").touch()
    while not all((folder / f"ready-{round_}-{n}").exists() for n in range(all_of_us)):
        time.sleep(0.0005)
    ledger = SqlLedger(str(folder / f"store{round_}.db"), FrozenClock())
    with ledger.writing() as writing:
        writing.put_story(a_story(f"story of {me}"))
    ledger.close()
"""


def test_four_processes_may_open_a_missing_file_at_once(tmp_path: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_TOGETHER, str(tmp_path), str(me), "4"],
            stderr=subprocess.PIPE,
            text=True,
        )
        for me in range(4)
    ]
    try:
        # One that fails leaves the others waiting for it: look at whichever ends first.
        while all(process.poll() is None for process in running):
            try:
                running[0].wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                continue
        failed = [process for process in running if process.poll() not in (None, 0)]
        if not failed:
            for process in running:
                process.wait(timeout=60)
            failed = [process for process in running if process.returncode]
        said = [process.stderr.read() for process in failed if process.stderr is not None]
        assert not failed, said
    finally:
        for process in running:
            process.kill()
            process.communicate()
    for round_ in range(8):
        ledger = SqlLedger(str(tmp_path / f"store{round_}.db"), FrozenClock())
        with ledger.reading() as reading:
            assert [story.story_id for story in reading.stories()] == [f"story of {n}" for n in range(4)]
        ledger.close()
