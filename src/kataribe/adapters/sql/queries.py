"""What is read and written, as SQL through the driver: nothing else need be loaded to say it.

Rows come back as named tuples with the columns of `schema`.
"""

from __future__ import annotations

import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from operator import itemgetter
from typing import Any

from kataribe.adapters.sql.tables import LAGS, PRIMARY_KEYS
from kataribe.adapters.sql.where import Said, compile_filter
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate

Rows = list[Any]

SPACE_REVISION = "SELECT revision FROM spaces WHERE space = ?"
STORIES = """
SELECT s.*, p.language, p.embedder, p.embedder_id
FROM stories s JOIN spaces p ON p.story_id = s.story_id AND p.type = 'story'
"""
STORY = f"{STORIES} WHERE s.story_id = ?"
BRANCHES = f"{STORIES} WHERE s.parent_id = ? ORDER BY s.story_id"
USERS = """
SELECT u.*, p.language, p.embedder, p.embedder_id
FROM users u JOIN spaces p ON p.user_id = u.user_id AND p.type = 'user'
"""
CAST = "SELECT * FROM characters WHERE story_id = ? ORDER BY ordinal, character_id"
NAMES = "SELECT * FROM names WHERE story_id = ? ORDER BY ordinal"
CAST_SAID = "SELECT * FROM cast_said WHERE story_id = ? ORDER BY character_id"
GROUPS = "SELECT * FROM cast_groups WHERE story_id = ? ORDER BY group_id"
GROUPS_SAID = "SELECT * FROM groups_said WHERE story_id = ? ORDER BY group_id"
DELETE_GROUP = "DELETE FROM cast_groups WHERE story_id = ? AND group_id = ?"
NARRATIONS = "SELECT * FROM narrations WHERE story_id = ? ORDER BY ordinal"
# `+order_key`: the number, not the key, is to lead the search.
# From one character to the next by the index. Who is named often is soon met on the way through the
# episodes, who is named seldom is looked up: to read all rows would make each edit of a long story slow.
MENTIONED = """
WITH RECURSIVE named (character_id) AS (
  SELECT min(character_id) FROM mentions WHERE story_id = :story
  UNION ALL
  SELECT (SELECT min(m.character_id) FROM mentions m
          WHERE m.story_id = :story AND m.character_id > named.character_id)
  FROM named WHERE named.character_id IS NOT NULL
), found (character_id, since) AS (
  SELECT n.character_id, CASE
    WHEN (SELECT count(*) FROM (SELECT 1 FROM mentions m
          WHERE m.story_id = :story AND m.character_id = n.character_id LIMIT 33)) < 33
    THEN (SELECT min(e.no) FROM mentions m CROSS JOIN episodes e
          WHERE m.story_id = :story AND m.character_id = n.character_id
            AND e.story_id = :story AND e.episode_id = m.episode_id
            AND e.deleted_at IS NULL AND +e.order_key <= :cap)
    ELSE (SELECT e.no FROM episodes e
          WHERE e.story_id = :story AND e.deleted_at IS NULL AND +e.order_key <= :cap
            AND EXISTS (SELECT 1 FROM mentions m WHERE m.story_id = :story
                        AND m.episode_id = e.episode_id AND m.character_id = n.character_id)
          ORDER BY e.no LIMIT 1)
    END
  FROM named n WHERE n.character_id IS NOT NULL
)
SELECT character_id, since FROM found WHERE since IS NOT NULL ORDER BY since, character_id
"""
UPTO = """
SELECT order_key FROM episodes
WHERE story_id = ? AND deleted_at IS NULL AND no <= ? AND +order_key <= ? ORDER BY no DESC LIMIT 1
"""
# From the little that lags to its episodes, by the order key that is their position.
PENDING = f"""
SELECT DISTINCT e.no FROM work INDEXED BY ix_work_lagging
CROSS JOIN episodes e ON e.story_id = :story AND e.order_key = position
WHERE space = :space AND kind = 'extract' AND {LAGS} AND position <= :cap
  AND e.deleted_at IS NULL AND e.no <= :cutoff
  AND (instr(unit, ':') = 0
       OR substr(unit, instr(unit, ':') + 1) IN (SELECT value FROM json_each(:holders)))
ORDER BY e.no
"""
STATES = f"""
SELECT e.story_id, e.episode_id, e.no, e.order_key, e.title, e.version, e.fact_source, e.text_hash,
       e.notes_hash, e.rows_hash, e.annotated, e.deleted_at, length(e.text) AS characters,
       coalesce(w.wanted, '') AS wanted,
       coalesce(w.wanted != '' AND w.outcome = 'done' AND w.fingerprint = w.wanted, 0) AS visible,
       EXISTS (SELECT 1 FROM work s INDEXED BY ix_work_lagging
               WHERE space = w.space AND kind = 'extract' AND {LAGS} AND position = e.order_key
                 AND unit > e.episode_id || ':' AND unit < e.episode_id || ';') AS shares_due
FROM episodes e LEFT JOIN work w ON w.space = ? AND w.kind = 'extract' AND w.unit = e.episode_id
WHERE e.story_id = ?
"""
EPISODE = "SELECT * FROM episodes WHERE story_id = ? AND episode_id = ?"
BASE = "SELECT base FROM episodes WHERE story_id = ? AND episode_id = ?"
NOTES = "SELECT * FROM annotations WHERE story_id = ? AND episode_id = ? ORDER BY ordinal"
FACTS = "SELECT * FROM facts WHERE story_id = ? ORDER BY origin DESC, ordinal, fact_id"
FACT = "SELECT * FROM facts WHERE story_id = ? AND fact_id = ?"
FACTS_CALLED = """
SELECT facts.* FROM json_each(?) asked CROSS JOIN facts
ON facts.story_id = ? AND facts.fact_id = asked.value
"""
FACTS_OF_EPISODE = """
SELECT * FROM facts WHERE story_id = ? AND episode_id = ? ORDER BY origin DESC, ordinal, fact_id
"""
SUPPRESSIONS = """
SELECT holder, text_hash FROM suppressions WHERE story_id = ? AND episode_id = ? ORDER BY holder, text_hash
"""
PINS = "SELECT fact_id FROM pins WHERE story_id = ? AND episode_id = ?"
UNPIN = "DELETE FROM pins WHERE story_id = :story_id AND episode_id = :episode_id AND fact_id = :fact_id"
EXTRACTION = """
SELECT x.drafts, x.refused, x.usage, x.unnamed, e.text
FROM extractions x JOIN episodes e ON e.story_id = x.story_id AND e.episode_id = x.episode_id
WHERE x.story_id = ? AND x.episode_id = ? AND x.fingerprint = ?
"""
DROP_FREE_EXTRACTIONS = """
DELETE FROM extractions WHERE story_id = ? AND episode_id = ? AND usage IS NULL
  AND fingerprint NOT IN (SELECT value FROM json_each(?))
"""
LAST_NO = """
SELECT no FROM episodes
WHERE story_id = ? AND (deleted_at IS NULL OR ?) AND +order_key <= ? ORDER BY no DESC LIMIT 1
"""
FIRST_ANNOTATED = """
SELECT min(no) AS no FROM episodes
WHERE story_id = ? AND deleted_at IS NULL AND annotated AND +order_key <= ?
"""
KEYS_AROUND = """
SELECT (SELECT order_key FROM episodes
        WHERE story_id = :story AND no <= :no AND episode_id IS NOT :but
        ORDER BY no DESC, order_key DESC LIMIT 1) AS lower,
       (SELECT order_key FROM episodes
        WHERE story_id = :story AND no > :no AND episode_id IS NOT :but
        ORDER BY no, order_key LIMIT 1) AS upper
"""
"""Keys follow numbers, so the nearest number has the nearest key; no row is looked at but that one."""
TEXT_PRINTS = """
SELECT episode_id, text_hash || ':' || notes_hash FROM episodes
WHERE story_id = ? AND episode_id IN (SELECT value FROM json_each(?))
"""
"""What an episode's paragraphs are cut from; its text is not looked at."""
TEXT_AND_CUTS = "SELECT text, paragraphs FROM episodes WHERE story_id = ? AND episode_id = ?"
VERSIONS = "SELECT * FROM episode_versions WHERE story_id = ? AND episode_id = ? ORDER BY version"
DELTAS = "SELECT * FROM memory_deltas WHERE story_id = ? AND episode_id = ? ORDER BY version, delta_id"
NAMED_BY = "SELECT character_id FROM mentions WHERE story_id = ? AND episode_id = ?"

_TOKEN = "(SELECT token FROM spaces WHERE space = ?)"
REVISION = f"SELECT max(revision) FROM changes WHERE token = {_TOKEN}"
CHANGED = f"SELECT unit FROM changes WHERE token = {_TOKEN} AND revision > ?"
NEXT_REVISION = """
INSERT INTO revisions (name, revision) VALUES ('', 1)
ON CONFLICT (name) DO UPDATE SET revision = revision + 1 RETURNING revision
"""
CHANGE = """
INSERT INTO changes (token, unit, revision) SELECT token, ?, ? FROM spaces WHERE space = ?
ON CONFLICT (token, unit) DO UPDATE SET revision = excluded.revision
"""
CHANGES_SINCE = """
SELECT s.space, c.unit, c.revision
FROM spaces s CROSS JOIN changes c ON c.token = s.token AND c.revision > :since
WHERE :story IS NULL OR s.story_id = :story ORDER BY c.revision, s.space, c.unit
"""
LATEST_REVISION = "SELECT revision FROM revisions WHERE name = ''"
DROP_CHANGES = f"DELETE FROM changes WHERE token = {_TOKEN}"
TOUCH = "UPDATE spaces SET revision = ? WHERE space = ?"
SET_SEGMENTS_LIVE = "UPDATE segments SET live = ? WHERE space = ? AND unit = ?"
VECTORS_OF_SEGMENT = "SELECT vectors, length(lengths) / 4 AS size FROM segments WHERE key = ?"
SET_NO = "UPDATE episodes SET no = ? WHERE story_id = ? AND episode_id = ?"
SET_ORDER_KEY = "UPDATE episodes SET order_key = ? WHERE story_id = ? AND episode_id = ?"
SET_DELETED = "UPDATE episodes SET deleted_at = ? WHERE story_id = ? AND episode_id = ?"
_SHIFT = """
UPDATE {table} SET {column} = j.value FROM json_each(:shifted) j
WHERE {table}.{of} AND {table}.{column} = CAST(j.key AS INTEGER)
"""
SHIFT_REFERENCES = (
    _SHIFT.format(table="names", column="since", of="story_id = :story"),
    _SHIFT.format(table="facts", column="quote_no", of="story_id = :story"),
    _SHIFT.format(table="memories", column="quote_no", of="space = :space"),
)
"""Makes what names an episode's number follow it, all at once: no number is moved twice."""
SET_BASE = "UPDATE episodes SET base = ? WHERE story_id = ? AND episode_id = ?"
PUT_CHARACTER = """
INSERT INTO characters (story_id, character_id, ordinal, extra)
VALUES (:story, :character,
        (SELECT coalesce(max(ordinal), -1) + 1 FROM characters WHERE story_id = :story), :extra)
ON CONFLICT (story_id, character_id) DO UPDATE SET extra = excluded.extra
"""
DELETE_CHARACTER = "DELETE FROM characters WHERE story_id = ? AND character_id = ?"
# An episode that names both ids names one from now on.
RENAME_CHARACTER = (
    "UPDATE OR REPLACE characters SET character_id = ? WHERE story_id = ? AND character_id = ?",
    "UPDATE OR REPLACE mentions SET character_id = ? WHERE story_id = ? AND character_id = ?",
    "UPDATE OR REPLACE suppressions SET holder = ? WHERE story_id = ? AND holder = ?",
)
DELETE_NAMES = "DELETE FROM names WHERE story_id = ? AND character_id = ?"
DELETE_FACT = "DELETE FROM facts WHERE story_id = ? AND fact_id = ?"
SET_INPUTS = """
UPDATE episodes SET notes_hash = ?, rows_hash = ?, annotated = ? WHERE story_id = ? AND episode_id = ?
"""
SET_LIVE = "UPDATE memories SET live = ? WHERE space = ? AND unit = ? AND holder != ''"
KNOWN_VECTORS = """
SELECT asked.value, v.segment_key, v.slot
FROM json_each(:hashes) asked
JOIN memory_vectors v ON v.memory_key = (
    SELECT memory_key FROM memory_vectors w
    WHERE w.space = :space AND w.embedder_id = :embedder AND w.text_hash = asked.value LIMIT 1)
"""
"""One row each, however often a text was said."""
NEXT_KEY = "SELECT coalesce(max(key), 0) + 1 FROM {table}"
"""The key that a new row would be given; within a transaction that writes nobody else takes it."""
OF_UNIT = "(unit >= ? AND unit < ? || ';' AND (unit = ? OR unit > ? || ':'))"
"""A unit, and the shares of it that holders have of their own: `;` comes right after `:`.

The range is what an index is searched by; the rest leaves out what else begins with the unit's name.
"""
MEMORY_STATES = f"""
SELECT m.memory_id, m.live, v.embedder_id, v.segment_key, v.slot
FROM memories m LEFT JOIN memory_vectors v ON v.memory_key = m.key
WHERE m.space = ? AND {OF_UNIT}
"""
_EPISODE_OF_UNIT = """
CASE instr(memories.unit, ':') WHEN 0 THEN memories.unit
ELSE substr(memories.unit, 1, instr(memories.unit, ':') - 1) END
"""
SWEEP = (
    f"""DELETE FROM memories WHERE EXISTS (
        SELECT 1 FROM spaces s WHERE s.space = memories.space AND s.type = 'story'
        AND NOT EXISTS (SELECT 1 FROM episodes e
                        WHERE e.story_id = s.story_id AND e.episode_id = {_EPISODE_OF_UNIT}))""",
    """DELETE FROM memories WHERE kind = 'turn' AND NOT EXISTS (
        SELECT 1 FROM turns t WHERE t.space = memories.space AND t.turn_id = memories.fact_id)""",
    """DELETE FROM memories WHERE kind = 'passage' AND NOT EXISTS (
        SELECT 1 FROM documents d WHERE d.space = memories.space AND d.name = memories.unit)""",
    "DELETE FROM memory_vectors WHERE memory_key NOT IN (SELECT key FROM memories)",
    "DELETE FROM segments WHERE key NOT IN (SELECT segment_key FROM memory_vectors)",
)
_OWN_SHARES = """
(SELECT substr(unit, instr(unit, ':') + 1) FROM work
 WHERE space = :space AND kind = 'extract' AND wanted != ''
   AND unit > :episode || ':' AND unit < :episode || ';')
"""
"""The holders who have a share of an episode of their own: `;` comes right after `:`."""
_OF_SHARE = f"""
(CASE WHEN :holder IS NULL THEN character_id NOT IN {_OWN_SHARES} ELSE character_id = :holder END)
"""
SET_DELTAS = f"""
UPDATE memory_deltas SET deleted_at = :gone WHERE story_id = :story AND episode_id = :episode AND (version = 0
    OR version = (SELECT version FROM episodes e
                  WHERE e.story_id = memory_deltas.story_id AND e.episode_id = memory_deltas.episode_id))
  AND {_OF_SHARE}
"""
REPLACED_DELTAS = f"""
DELETE FROM memory_deltas
WHERE story_id = :story AND episode_id = :episode AND version IN (0, :latest) AND {_OF_SHARE}
"""
OLDER_DELTAS = f"""
UPDATE memory_deltas SET deleted_at = :gone
WHERE story_id = :story AND episode_id = :episode AND deleted_at IS NULL AND {_OF_SHARE}
"""

GAINS = """
SELECT holder, position, count(*) FROM memories
WHERE space = ? AND (live = 1 OR holder = '') GROUP BY holder, position ORDER BY holder, position
"""
SHARES = """
SELECT holder, position, unit, fact_id, text, origin, reason, flagged, quote, quote_no, supersedes,
       told_from, evidence, confidence
FROM memories WHERE space = ? AND (live = 1 OR holder = '') AND position <= ?
"""

# By key alone, whatever else an index might offer: the keys are few.
TRAITS = """
SELECT memories.unit, memories.space, memories.key, memories.fact_id, memories.holder, memories.position,
       memories.place, memories.pinned, memories.text, memories.arousal, memories.session, memories.speaker
FROM json_each(?) asked CROSS JOIN memories NOT INDEXED ON memories.key = asked.value
WHERE memories.live = 1
"""

_IN_SLICE = "space = ? AND holder = ? AND live = 1 AND position <= ?"
"""`live = 1` and not `live`: only so is the slice a prefix of the index, and the future not scanned."""
_NUMBER_OF_EPISODE = f"""
(SELECT e.no FROM spaces s CROSS JOIN episodes e
   ON e.story_id = s.story_id AND e.episode_id = {_EPISODE_OF_UNIT}
 WHERE s.space = memories.space AND s.type = 'story')
"""


def of_unit(unit: str | None) -> tuple[str | None, ...]:
    """Give what `OF_UNIT` is asked with."""
    return (unit,) * 4


def ask(
    connection: sqlite3.Connection, sql: str, values: Sequence[object] | Mapping[str, object] = ()
) -> Rows:
    """Run a query and name the columns of its rows."""
    cursor = connection.execute(sql, values)
    make = _row_maker(tuple(column[0] for column in cursor.description))
    return [make(row) for row in cursor]


@lru_cache(maxsize=64)
def _insert(table: str, columns: tuple[str, ...], key: tuple[str, ...], once: tuple[str, ...] = ()) -> str:
    sql = f"INSERT INTO {table} ({','.join(columns)}) VALUES ({marks(len(columns))})"
    if key:
        kept = (*key, *once)
        new = ",".join(f"{column} = excluded.{column}" for column in columns if column not in kept)
        sql += f" ON CONFLICT ({','.join(key)}) DO {f'UPDATE SET {new}' if new else 'NOTHING'}"
    return sql


def tuples(
    connection: sqlite3.Connection, sql: str, values: Sequence[object] | Mapping[str, object]
) -> list[tuple[Any, ...]]:
    """Run a query over very many rows, whose columns need no names."""
    return connection.execute(sql, values).fetchall()


def insert(
    connection: sqlite3.Connection,
    table: str,
    rows: Sequence[Mapping[str, object]],
    *,
    replace: bool = False,
) -> None:
    """Insert rows; with `replace` a row of the same primary key is given the new values."""
    if rows:
        key, columns = PRIMARY_KEYS[table] if replace else (), tuple(rows[0])
        # By place, which the driver binds in half the time it takes by name; no table has one column.
        connection.executemany(_insert(table, columns, key), map(itemgetter(*columns), rows))


def put(
    connection: sqlite3.Connection, table: str, row: Mapping[str, object], once: Mapping[str, object]
) -> None:
    """Insert a row with the values `once` gives, or give the one of the same primary key those of `row`."""
    values = (*row.values(), *once.values())
    connection.execute(_insert(table, (*row, *once), PRIMARY_KEYS[table], tuple(once)), values)


def new_keys(connection: sqlite3.Connection, table: str) -> Iterator[int]:
    """Count the keys that new rows of a table are to have, in a transaction that writes."""
    return count(connection.execute(NEXT_KEY.format(table=table)).fetchone()[0])


def clear(connection: sqlite3.Connection, table: str, story_id: str, episode_id: str) -> None:
    """Delete an episode's rows."""
    sql = f"DELETE FROM {table} WHERE story_id = ? AND episode_id = ?"
    connection.execute(sql, (story_id, episode_id))


def copy(
    connection: sqlite3.Connection, table: str, episode: tuple[str, str], fresh: Mapping[str, object]
) -> None:
    """Copy an episode's (story id, episode id) rows of a table with other values in these columns."""
    columns = [row[0] for row in tuples(connection, "SELECT name FROM pragma_table_info(?)", (table,))]
    taken = ",".join("?" if column in fresh else column for column in columns)
    sql = f"INSERT INTO {table} ({','.join(columns)}) SELECT {taken} FROM {table}"
    given = [fresh[column] for column in columns if column in fresh]
    connection.execute(f"{sql} WHERE story_id = ? AND episode_id = ?", (*given, *episode))


@lru_cache(maxsize=256)
def _row_maker(columns: tuple[str, ...]) -> Callable[[Sequence[object]], Any]:
    made: Any = namedtuple("Row", columns, rename=True)  # type: ignore[misc]
    make: Callable[[Sequence[object]], Any] = made._make
    return make


BY_GATE, BY_KEY = "memories", "memories NOT INDEXED"
BY_FACT = "memories INDEXED BY ix_memories_fact"
BY_SUPERSEDED = "memories INDEXED BY ix_memories_supersedes"
"""How the rows of a gate are found: all of them by its own index, a few by what names them."""


def from_gate(columns: str, gate: Gate, *, extra: Said = ("", ()), tables: str = BY_GATE) -> Said:
    """Select from the live rows of a gate, by default a prefix of the index for each of its slices.

    The last column is the `part` of the slice.
    """
    condition, values = extra
    parts: list[str] = []
    given: list[object] = []
    for s in gate.slices:
        parts.append(f"SELECT {columns}, {s.part} AS part FROM {tables} WHERE {_IN_SLICE}{condition}")
        given += [s.space, s.holder, s.upto, *values]
    return " UNION ALL ".join(parts), tuple(given)


SLICES = 200
"""Slices read by one statement: SQLite joins at most 500 selects."""


def in_parts(gate: Gate) -> Iterator[Gate]:
    """Give a gate in pieces that one statement can read; nothing for a closed one."""
    for at in range(0, len(gate.slices), SLICES):
        yield Gate(gate.slices[at : at + SLICES])


def memory_columns() -> str:
    """Name what a memory is read from, its episode's number included."""
    return f"memories.*, {_NUMBER_OF_EPISODE} AS episode_no"


_DOCUMENT = f"json_set(memories.fields, '$.episode_no', {_NUMBER_OF_EPISODE})"
"""What a filter looks at."""


def said(where: Filter | None) -> Said:
    """Say a caller's filter in SQL, over a memory's fields and its episode's number."""
    if where is None:
        return "1", ()
    condition, values = compile_filter(where, _DOCUMENT)
    return f"({condition})", values


def marks(count: int) -> str:
    """Give `count` question marks."""
    return ",".join("?" * count)


OF_KEYS = f"""
SELECT {memory_columns()}
FROM json_each(?) asked CROSS JOIN memories NOT INDEXED ON memories.key = asked.value
WHERE memories.live = 1
"""
