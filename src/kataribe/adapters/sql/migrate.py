"""Bringing a store to the newest schema, and refusing one that is newer."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import sqlalchemy as sa

from kataribe.adapters.sql.schema import HEAD
from kataribe.errors import ForeignStoreError, NewerStoreError

_FOLDER = Path(__file__).parent / "migrations"
KNOWN = tuple(sorted(file.stem.split("_")[0] for file in (_FOLDER / "versions").glob("[0-9]*.py")))


def version_of(connection: sa.Connection) -> str | None:
    """Tell the schema version of a store; None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return found


def is_up_to_date(connection: sa.Connection, path: str) -> bool:
    """Whether the schema is the newest; raise for a newer store and for tables that are not ours."""
    found = version_of(connection)
    if found is not None and found not in KNOWN:
        raise NewerStoreError(
            f"{path} was written by a newer kataribe (schema {found}; this one knows up to {HEAD}); "
            f"upgrade kataribe"
        )
    if found is None and sa.inspect(connection).get_table_names():
        raise ForeignStoreError(f"{path} holds tables that are not kataribe's; it was left untouched")
    return found == HEAD


def upgrade(connection: sa.Connection, path: str) -> None:
    """Create or upgrade the schema inside the caller's transaction, unless somebody just did."""
    if is_up_to_date(connection, path):
        return
    # Alembic takes most of a second to import and is needed only here.
    command, config_of = import_module("alembic.command"), import_module("alembic.config")
    config = config_of.Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
