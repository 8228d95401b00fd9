"""Memories in the ledger: what is kept of a space, behind no gate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from kataribe.adapters.sql import memory_rows, queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import or_highest
from kataribe.adapters.sql.memory_gate import STORY_ORDER, SqlGatedView
from kataribe.adapters.sql.segments import (
    memory_state,
    stored_segments,
)
from kataribe.domain.memory import Memory
from kataribe.domain.records import MemoryState
from kataribe.domain.story.views import Share

_LISTED_ORDER = "position, origin = 'hand', CASE kind WHEN 'turn' THEN session END, place, fact_id, holder"
_UNITS = (
    "SELECT unit FROM memories WHERE space = ? UNION SELECT unit FROM segments WHERE space = ? ORDER BY 1"
)
_PACKED = f"SELECT holder, fact_ids, live FROM segments WHERE space = ? AND {queries.OF_UNIT}"


class SqlMemoryView(SqlGatedView):
    """What is kept of a space's memories, behind no gate."""

    def memories(
        self, space: str, *, unit: str | None = None, fact_id: str | None = None
    ) -> tuple[Memory, ...]:
        """Give memories in order, hidden ones too."""
        sql = f"SELECT {queries.memory_columns()} FROM memories WHERE space = ?"
        given: list[str | None] = [space]
        if unit is not None:
            sql, given = f"{sql} AND {queries.OF_UNIT}", [*given, *queries.of_unit(unit)]
        if fact_id is not None:
            sql, given = f"{sql} AND fact_id = ?", [*given, fact_id]
        rows = queries.ask(self._driver, f"{sql} ORDER BY {_LISTED_ORDER}", given)
        return self._memories(rows)

    def memory_states(self, space: str, unit: str) -> Mapping[str, MemoryState]:
        """Give what is derived for each memory of a unit."""
        rows = queries.ask(self._driver, queries.MEMORY_STATES, (space, *queries.of_unit(unit)))
        packed = stored_segments(self._driver, space, unit)
        return {row.memory_id: memory_state(row, packed) for row in rows}

    def units(self, space: str) -> tuple[str, ...]:
        """Give the units that hold memories or packed rows."""
        return tuple(row[0] for row in queries.tuples(self._driver, _UNITS, (space, space)))

    def packed(self, space: str, unit: str) -> Mapping[tuple[str, str], bool]:
        """Give what the search index holds of a unit."""
        return {
            (holder, fact_id): bool(live)
            for holder, fact_ids, live in queries.tuples(
                self._driver, _PACKED, (space, *queries.of_unit(unit))
            )
            for fact_id in fact_ids.split("\n")
        }

    def gains(self, space: str) -> tuple[tuple[str, int, int], ...]:
        """Count the live memories of each holder and position, and what waits in review."""
        return tuple(queries.tuples(self._driver, queries.GAINS, (space,)))

    def shares(
        self, space: str, *, upto: int | None = None, holders: Collection[str] | None = None
    ) -> Iterator[Share]:
        """Stream the live memories, and those in review, in order."""
        given: list[object] = [space, or_highest(upto)]
        sql = queries.SHARES
        if holders is not None:
            sql += " AND holder IN (SELECT value FROM json_each(?))"
            given.append(r.dump(sorted(holders)))
        cursor = self._driver.execute(f"{sql} ORDER BY {STORY_ORDER}", given)
        return (memory_rows.share_in(row) for row in cursor)
