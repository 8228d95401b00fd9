"""Whose a row is: the user whose space it goes with, found by the keys that the tables declare."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_TABLES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name
"""
_BY_NAME = {"space": "space", "token": "token"}
"""Columns that name a space though no key says so: what they name may be gone by now."""
_CHAIN = "chain"
CHAIN_OWNER = "kataribe_chain_owner"
"""The function of the connection that tells whose a chain of the audit record is."""

OF_THE_STORE: Mapping[str, str] = {
    "alembic_version": "the version of the schema",
    "archive_gone": "folders of an archive, by names that say nothing",
    "marks": "ids of the store and its key store",
    "revisions": "a counter",
    "shreds": "keys that are to be destroyed, by ids that say nothing",
    "stories": "stories belong to no user",
}
"""Tables whose rows are nobody's, and why; what goes with a story is no user's either."""


@dataclass(frozen=True, slots=True)
class _Reference:
    """Columns of a table that name a row of another."""

    columns: tuple[str, ...]
    table: str
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ownership:
    """SQL that tells of a row of a table whose it is, and in which space it lies (null: of no one space)."""

    user: str
    space: str


def tables_of(driver: sqlite3.Connection) -> list[str]:
    """Name the tables of a store."""
    return [str(row[0]) for row in driver.execute(_TABLES)]


def columns_of(driver: sqlite3.Connection, table: str) -> list[str]:
    """Name the columns of a table, in order."""
    return [str(row[1]) for row in driver.execute(f'PRAGMA table_info("{table}")')]


class Owners:
    """Tells of every table of a store whose rows it holds."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        self.tables = tables_of(driver)
        self._columns = {table: columns_of(driver, table) for table in self.tables}
        self._references = {table: _references(driver, table) for table in self.tables}

    def of(self, table: str) -> Ownership | None:
        """Tell whose the rows of a table are; None: no user's."""
        if _CHAIN in self._columns[table]:
            return Ownership(f'{CHAIN_OWNER}(t."{_CHAIN}")', f't."{_CHAIN}"')
        ways = self._ways(table, "t", frozenset())
        if not ways:
            return None
        return Ownership(_first(ways), self._space(table))

    def is_known(self, table: str) -> bool:
        """Whether it is known whose rows a table holds: a user's, or nobody's for a reason."""
        if self.of(table) is not None or table in OF_THE_STORE:
            return True
        return any(one.table == "stories" for one in self._references[table])

    def _ways(self, table: str, alias: str, met: frozenset[str]) -> list[str]:
        """Give the ways from a row to its user, the shortest first."""
        if "user_id" in self._columns[table] and table in ("users", "spaces"):
            return [f'{alias}."user_id"']
        found: list[str] = []
        for one in sorted(self._all_references(table), key=lambda one: one.table not in ("users", "spaces")):
            if one.table in met or one.table == table:
                continue
            inner = f"{alias}{len(met)}"
            further = self._ways(one.table, inner, met | {table})
            if further:
                on = " AND ".join(
                    f'{inner}."{named}" = {alias}."{column}"'
                    for column, named in zip(one.columns, one.named, strict=True)
                )
                found.append(f'(SELECT {_first(further)} FROM "{one.table}" {inner} WHERE {on})')
        return found

    def _all_references(self, table: str) -> list[_Reference]:
        declared = self._references[table]
        keyed = {column for one in declared for column in one.columns if one.table == "spaces"}
        by_name = [
            _Reference((column,), "spaces", (named,))
            for column, named in _BY_NAME.items()
            if column in self._columns[table] and column not in keyed and table != "spaces"
        ]
        return [*declared, *by_name]

    def _space(self, table: str) -> str:
        if "space" in self._columns[table]:
            return 't."space"'
        if "token" in self._columns[table]:
            return '(SELECT p."space" FROM "spaces" p WHERE p."token" = t."token")'
        return "NULL"


def _first(ways: Sequence[str]) -> str:
    return ways[0] if len(ways) == 1 else f"COALESCE({', '.join(ways)})"


def _references(driver: sqlite3.Connection, table: str) -> list[_Reference]:
    keys: dict[int, list[tuple[int, str, str, str]]] = {}
    for number, place, target, column, named, *_ in driver.execute(f'PRAGMA foreign_key_list("{table}")'):
        keys.setdefault(number, []).append((place, target, column, named))
    return [
        _Reference(
            tuple(column for _, _, column, _ in sorted(key)), key[0][1], tuple(n for *_, n in sorted(key))
        )
        for key in keys.values()
    ]
