"""What an index outside the ledger was fed, kept beside the change log."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import HIGHEST, SqlPart, SqlWritingPart
from kataribe.adapters.sql.segments import SqlFeed
from kataribe.domain.feeding import UNFED, FedUnit, FeedState
from kataribe.domain.gate import Gate
from kataribe.domain.space import MemoryAddress
from kataribe.ports import IndexEntry

_WHOLE = ""
"""The unit that stands for all of a space, in `fed` as in `changes`."""
_STATE = """
SELECT p.token, coalesce((SELECT max(revision) FROM changes c WHERE c.token = p.token), 0),
       (SELECT revision FROM fed f WHERE f.index_id = :index AND f.token = p.token AND f.unit = ''),
       (SELECT length(vectors) / length(lengths) FROM segments s WHERE s.space = p.space LIMIT 1)
FROM spaces p WHERE p.space = :space
"""
# A unit is as new as its own last change, or as the last one of all of its space.
_LAGGING = """
WITH mine (token, since) AS (
  SELECT p.token, coalesce((SELECT c.revision FROM changes c WHERE c.token = p.token AND c.unit = ''), 0)
  FROM spaces p WHERE p.space = :space
), known (unit) AS (
  SELECT unit FROM changes, mine WHERE changes.token = mine.token AND unit != ''
  UNION SELECT unit FROM fed, mine WHERE index_id = :index AND fed.token = mine.token AND unit != ''
  UNION SELECT unit FROM segments WHERE space = :space AND live = 1
)
SELECT k.unit, max(mine.since, coalesce(c.revision, 0)) AS newest
FROM known k CROSS JOIN mine
LEFT JOIN changes c ON c.token = mine.token AND c.unit = k.unit
LEFT JOIN fed f ON f.index_id = :index AND f.token = mine.token AND f.unit = k.unit
WHERE newest > coalesce(f.revision, -1) ORDER BY k.unit
"""
# What has changed since all was fed: two looks into the index of revisions, however long the space.
_CHANGED_SINCE = """
SELECT c.unit, c.revision FROM changes c
LEFT JOIN fed f ON f.index_id = :index AND f.token = c.token AND f.unit = c.unit
WHERE c.token = :token AND c.revision > :since
  AND (c.unit = '' OR c.revision > coalesce(f.revision, -1)) ORDER BY c.unit
"""
_HOLDERS = "SELECT DISTINCT holder FROM segments WHERE space = ? AND unit = ? AND live = 1 ORDER BY holder"
_IDS = "SELECT key, memory_id FROM memories WHERE space = ? AND unit = ? AND live = 1"
_FED = "SELECT token, unit, revision, ids FROM fed WHERE index_id = ?"
_NAMED = """
SELECT key, holder, position FROM memories
WHERE space = ? AND live = 1 AND memory_id IN (SELECT value FROM json_each(?))
"""
_OF_UNITS = """
SELECT key, holder, position FROM memories
WHERE space = ? AND live = 1 AND unit IN (SELECT value FROM json_each(?))
"""


class SqlFeedingView(SqlPart):
    """What is read for an outside index."""

    def feed_state(self, index_id: str, space: str) -> FeedState | None:
        """Tell how far an index was fed of a space."""
        found = queries.tuples(self._driver, _STATE, {"index": index_id, "space": space})
        if not found:
            return None
        token, revision, upto, dimensions = found[0]
        return FeedState(
            space=space,
            collection=token,
            revision=revision,
            fed_upto=UNFED if upto is None else upto,
            dimensions=dimensions or 0,
        )

    def lagging_units(self, index_id: str, space: str) -> Mapping[str, int]:
        """Give the units that lag; where all was fed once, only what has changed since is looked at."""
        state = self.feed_state(index_id, space)
        if state is None:
            return {}
        if state.fed_upto != UNFED:
            given = {"index": index_id, "token": state.collection, "since": state.fed_upto}
            changed = dict(queries.tuples(self._driver, _CHANGED_SINCE, given))
            if _WHOLE not in changed:
                return changed
        return dict(queries.tuples(self._driver, _LAGGING, {"index": index_id, "space": space}))

    def entries_of(self, space: str, unit: str, *, revision: int) -> tuple[IndexEntry, ...]:
        """Give what is to be held of a unit."""
        feed = SqlFeed(self._driver)
        ids = dict(queries.tuples(self._driver, _IDS, (space, unit)))
        holders = [row[0] for row in queries.tuples(self._driver, _HOLDERS, (space, unit))]
        return tuple(
            IndexEntry(
                entry_id=ids[key],
                holder=holder,
                position=position,
                fact_id=fact_id,
                revision=revision,
                vector=vector,
            )
            for holder in holders
            for segment in feed.segments(space, holder, upto=HIGHEST, units=[unit])
            for key, position, fact_id, vector in zip(
                segment.keys.tolist(),
                segment.positions.tolist(),
                segment.fact_ids,
                segment.matrix,
                strict=True,
            )
            if key in ids
        )

    def fed_unit(self, index_id: str, space: str, unit: str) -> FedUnit | None:
        """Give what the index was fed of a unit."""
        sql = f"{_FED} AND unit = ? AND token = (SELECT token FROM spaces WHERE space = ?)"
        found = queries.tuples(self._driver, sql, (index_id, unit, space))
        return _fed_in(found[0]) if found else None

    def fed_to_none(self, index_id: str) -> tuple[FedUnit, ...]:
        """Give what was fed of spaces that are gone."""
        sql = f"{_FED} AND token NOT IN (SELECT token FROM spaces) ORDER BY token, unit"
        return tuple(_fed_in(row) for row in queries.tuples(self._driver, sql, (index_id,)))

    def proposed_keys(self, gate: Gate, ids: Mapping[str, Collection[str]]) -> frozenset[int]:
        """Give the keys of memories named by id, as far as the gate admits them."""
        return self._admitted_keys(gate, ids, _NAMED)

    def unit_keys(self, gate: Gate, units: Mapping[str, Collection[str]]) -> frozenset[int]:
        """Give the keys of the memories of units, as far as the gate admits them."""
        return self._admitted_keys(gate, units, _OF_UNITS)

    def _admitted_keys(self, gate: Gate, asked: Mapping[str, Collection[str]], sql: str) -> frozenset[int]:
        return frozenset(
            key
            for space, names in asked.items()
            if names
            for key, holder, position in queries.tuples(self._driver, sql, (space, r.dump(sorted(names))))
            if gate.admits(MemoryAddress(space, holder, position))
        )

    def changed_units(self, space: str, since: int) -> Collection[str] | None:
        """Give the units that changed after a revision."""
        return SqlFeed(self._driver).changed(space, since)


class SqlFeedingTransaction(SqlWritingPart, SqlFeedingView):
    """What is written of the feeding of an index."""

    def put_fed(self, index_id: str, fed_unit: FedUnit) -> None:
        """Record what an index holds of a unit."""
        row = {
            "index_id": index_id,
            "token": fed_unit.collection,
            "unit": fed_unit.unit,
            "revision": fed_unit.revision,
            "ids": r.dump(sorted(fed_unit.ids)),
        }
        queries.insert(self._driver, "fed", [row], replace=True)

    def drop_fed(self, index_id: str, collection: str) -> None:
        """Forget what an index was fed of one collection."""
        self._driver.execute("DELETE FROM fed WHERE index_id = ? AND token = ?", (index_id, collection))

    def doubt_fed(self, index_id: str) -> None:
        """Take everything for unfed."""
        self._driver.execute("UPDATE fed SET revision = ? WHERE index_id = ?", (UNFED, index_id))

    def settle_feed(self, index_id: str, space: str, *, upto: int) -> bool:
        """Record that a space was fed up to a revision."""
        state = self.feed_state(index_id, space)
        if state is None or any(one <= upto for one in self.lagging_units(index_id, space).values()):
            return False
        if upto > state.fed_upto:
            self.put_fed(index_id, FedUnit(collection=state.collection, unit=_WHOLE, revision=upto, ids=()))
        return True


def _fed_in(row: tuple[str, str, int, str]) -> FedUnit:
    token, unit, revision, ids = row
    return FedUnit(collection=token, unit=unit, revision=revision, ids=tuple(json.loads(ids)))
