"""Bringing a store to the newest schema, and refusing one that is newer."""

from __future__ import annotations

import sqlite3
from importlib import import_module
from pathlib import Path
from typing import Any

from kataribe.adapters.sql.tables import HEAD
from kataribe.errors import ForeignStoreError, NewerStoreError

_FOLDER = Path(__file__).parent / "migrations"
KNOWN = tuple(sorted(file.stem.split("_")[0] for file in (_FOLDER / "versions").glob("[0-9]*.py")))
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"


def _tables(connection: sqlite3.Connection) -> frozenset[str]:
    return frozenset(row[0] for row in connection.execute(_TABLES).fetchall())


def version_of(connection: sqlite3.Connection) -> str | None:
    """Tell the schema version of a store; None for an empty one."""
    if "alembic_version" not in _tables(connection):
        return None
    found = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return str(found[0][0]) if found else None


def is_up_to_date(connection: sqlite3.Connection, path: str) -> bool:
    """Whether the schema is the newest; raise for a newer store and for tables that are not ours."""
    found = version_of(connection)
    if found is not None and found not in KNOWN:
        raise NewerStoreError(
            f"{path} was written by a newer kataribe (schema {found}; this one knows up to {HEAD}); "
            f"upgrade kataribe"
        )
    if found is None and _tables(connection):
        raise ForeignStoreError(f"{path} holds tables that are not kataribe's; it was left untouched")
    return found == HEAD


def upgrade(connection: sqlite3.Connection, path: str) -> None:
    """Create or upgrade the schema inside the caller's transaction, unless somebody just did."""
    if is_up_to_date(connection, path):
        return
    # Both take most of a second to import and are needed only here.
    command, config_of = import_module("alembic.command"), import_module("alembic.config")
    config = config_of.Config()
    config.set_main_option("script_location", str(_FOLDER))
    with _engine_on(connection).connect() as lent:
        config.attributes["connection"] = lent
        command.upgrade(config, "head")


def _engine_on(connection: sqlite3.Connection) -> Any:
    """Make an engine that ends no transaction and closes nothing: both are the caller's."""
    sqlalchemy, pools = import_module("sqlalchemy"), import_module("sqlalchemy.pool")
    engine = sqlalchemy.create_engine(
        "sqlite://", creator=lambda: connection, poolclass=pools.StaticPool, hide_parameters=True
    )
    for ending in ("do_commit", "do_rollback", "do_close", "do_terminate"):
        setattr(engine.dialect, ending, _leave)
    return engine


def _leave(*_: object) -> None:
    """Do nothing."""
