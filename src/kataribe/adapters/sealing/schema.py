"""The tables of a key store's file, and how it is opened."""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x6B6B6579
"""SQLite's application id of a key store: the letters 'kkey'."""
FORMAT = "1"
MEMORY = ":memory:"

_TABLES = """
CREATE TABLE marks (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE keys (
    name TEXT PRIMARY KEY, key_id TEXT NOT NULL UNIQUE, wrapped BLOB NOT NULL,
    pseudonym_key TEXT NOT NULL, made_at TEXT NOT NULL
);
CREATE TABLE tombstones (
    salt TEXT PRIMARY KEY, digest TEXT NOT NULL, at TEXT NOT NULL, counts TEXT NOT NULL
)
"""


def connect(path: str, *, busy_seconds: float) -> sqlite3.Connection:
    """Open the file. What is deleted is overwritten, and what is committed survives a loss of power."""
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False, cached_statements=32
    )
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def lay(connection: sqlite3.Connection) -> None:
    """Make the tables, within a transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for table in _TABLES.split(";"):
        connection.execute(table)


def is_laid(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there."""
    return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


def is_ours(connection: sqlite3.Connection) -> bool:
    """Whether it is a key store, and not another file of SQLite."""
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)
