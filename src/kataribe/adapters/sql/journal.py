"""Searches, uses and steps in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kataribe.adapters.sql import queries, undo
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.adapters.sql.schema import traces
from kataribe.domain.records import Trace, Use
from kataribe.domain.steps import Scope, Step

_TRACES = """
SELECT * FROM (SELECT * FROM traces WHERE space = :space UNION SELECT * FROM traces WHERE beside = :space)
ORDER BY key DESC LIMIT :last
"""
_USES = """
SELECT fact_id, sum(times) AS times, max(at) AS last FROM uses
WHERE space = ? AND viewer = ? AND upto <= ? AND fact_id IN (SELECT value FROM json_each(?))
GROUP BY fact_id
"""
_USE = """
INSERT INTO uses (space, viewer, fact_id, upto, at, times) SELECT space, ?, ?, ?, ?, 1 FROM spaces WHERE space = ?
ON CONFLICT (space, viewer, fact_id, upto) DO UPDATE SET times = times + 1, at = max(at, excluded.at)
"""


class SqlJournalView(SqlPart):
    """What is read of it."""

    def traces(self, space: str, *, last: int) -> tuple[Trace, ...]:
        """Give the last searches, newest first."""
        rows = queries.ask(self._driver, _TRACES, {"space": space, "last": last})
        return tuple(r.trace_in(row) for row in rows)

    def uses(self, space: str, viewer: str, fact_ids: Collection[str], *, upto: int) -> Mapping[str, Use]:
        """Give how often and when last a viewer used these."""
        rows = queries.ask(self._driver, _USES, (space, viewer, upto, r.dump(sorted(fact_ids))))
        return {row.fact_id: Use(times=row.times, last=row.last) for row in rows}

    def inputs(self, story_id: str, scope: Scope) -> Mapping[str, str]:
        """Give what the scope covers of a story's inputs, by key."""
        return undo.inputs(self._driver, story_id, scope)

    def steps(self, story_id: str, *, last: int) -> tuple[Step, ...]:
        """Give the last steps that can be taken back, newest first."""
        return undo.steps(self._driver, story_id, last)


class SqlJournalTransaction(SqlWritingPart, SqlJournalView):
    """What is written of it."""

    def put_traces(self, given: Sequence[Trace]) -> None:
        """Append traces; those of a story or user that is gone are dropped."""
        known = {row[0] for row in queries.tuples(self._driver, "SELECT space FROM spaces", ())}
        rows = [r.trace_out(trace) for trace in given]
        kept = [row for row in rows if {row["space"], row["beside"]} - {None} <= known]
        queries.insert(self._driver, traces, kept)

    def put_uses(self, space: str, viewer: str, fact_ids: Sequence[str], *, upto: int, at: str) -> None:
        """Count one more use of each of these."""
        self._driver.executemany(_USE, [(viewer, fact_id, upto, at, space) for fact_id in fact_ids])

    def put_step(self, story_id: str, step: Step, *, keep: int) -> None:
        """Append a step and forget all but the last `keep`."""
        undo.put_step(self._driver, story_id, step, keep)

    def delete_step(self, story_id: str, number: int) -> None:
        """Forget a step."""
        self._driver.execute(undo.DELETE_STEP, (story_id, number))
