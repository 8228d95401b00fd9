"""A store of the first schema, brought to the newest one with what it holds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

import kataribe
from kataribe.adapters.sql import SqlLedger, migrations
from kataribe.adapters.sql.schema import APPLICATION_ID
from kataribe.domain.text.tokens import tokens
from kataribe.testing.fakes import FrozenClock
from support.model import everything
from support.stores import empty_store, engines

STORIES = Path(kataribe.__file__).parent / "stories"
VIEWERS = (("澪", 3), ("澪", 6), ("宗一", 9), ("nobody", 9))
QUESTIONS = ("灯守とは誰のこと？",)


def first_schema(path: Path) -> None:
    """Make an empty store as the first version did."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA journal_mode = WAL")
    config = Config()
    assert migrations.__file__ is not None
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()


def written_back(new: Path, old: Path) -> None:
    """Copy what a store holds into one of the first schema, as the first version wrote it."""
    first_schema(old)
    ledger = SqlLedger(str(new), FrozenClock())
    with ledger.reading() as reading, closing(sqlite3.connect(old)) as target:
        states = {
            memory_id: state
            for episode in reading.episode_states("s")
            for memory_id, state in reading.memory_states("s", episode.episode_id).items()
        }
        target.execute("ATTACH ? AS new", (str(new),))
        tables = [
            name for (name,) in target.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")
        ]
        for table in tables:
            columns = [row[1] for row in target.execute(f"PRAGMA main.table_info({table})")]
            there = {row[1] for row in target.execute(f"PRAGMA new.table_info({table})")}
            if table == "alembic_version" or not there:
                continue
            values = [column if column in there else "''" for column in columns]
            target.execute(f"INSERT INTO main.{table} SELECT {','.join(values)} FROM new.{table}")
        for memory_id, text in target.execute("SELECT memory_id, text FROM memories").fetchall():
            packed = "".join(f"\n{term}\n" for term in tokens(text, "ja"))
            target.execute("UPDATE memories SET terms = ? WHERE memory_id = ?", (packed, memory_id))
            target.execute(
                "UPDATE memory_vectors SET vector = ? WHERE vector_id = ?",
                (states[memory_id].vector, memory_id),
            )
        target.commit()
    ledger.close()


def test_memories_are_packed_and_recalled_as_before(tmp_path: Path) -> None:
    new, old = empty_store(tmp_path / "new.db"), tmp_path / "old.db"
    with kataribe.open(str(new), engines=engines()) as store:
        store.import_story(STORIES / "yoimachi", story_id="s", embedder="hash")
        store.sync("s")
        store.delete_episode("s", no=3)
        wanted = everything(store, "s", VIEWERS, QUESTIONS, ids=True)
    written_back(new, old)
    with kataribe.open(str(old), engines=engines()) as store:
        assert everything(store, "s", VIEWERS, QUESTIONS, ids=True) == wanted
        assert store.verify("s").problems == ()
        store.restore_episode("s", no=3)
        assert store.verify("s").problems == ()
        assert everything(store, "s", VIEWERS, QUESTIONS, ids=True) != wanted
