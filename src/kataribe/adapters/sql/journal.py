"""Searches, uses, steps and checkpoints in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kataribe.adapters.sql import checkpoints, queries, undo
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.domain.records import Trace, Use
from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.undo import Scope, Step

_TRACES = """
SELECT * FROM (SELECT * FROM traces WHERE space = :space UNION SELECT * FROM traces WHERE beside = :space)
ORDER BY key DESC LIMIT :last
"""
_FLOOR = """
SELECT key FROM traces WHERE space = :space UNION ALL SELECT key FROM traces WHERE beside = :space
ORDER BY key DESC LIMIT 1 OFFSET :keep
"""
_OTHERS = """
SELECT beside FROM traces WHERE space = :space AND key <= :upto
UNION SELECT space FROM traces WHERE beside = :space AND key <= :upto
"""
_PRUNE = """
DELETE FROM traces WHERE key <= :upto AND key IN (
    SELECT key FROM traces WHERE space = :space AND beside IS :other
    UNION ALL SELECT key FROM traces WHERE beside = :space AND space = :other)
"""
_USES = """
SELECT fact_id, sum(times) AS times, max(at) AS last FROM uses
WHERE space = ? AND viewer = ? AND upto <= ? AND fact_id IN (SELECT value FROM json_each(?))
GROUP BY fact_id
"""
_HAS_USES = "SELECT 1 FROM uses WHERE space = ? AND viewer = ? LIMIT 1"
_USE = """
INSERT INTO uses (space, viewer, fact_id, upto, at, times)
SELECT space, ?, ?, ?, ?, 1 FROM spaces WHERE space = ?
ON CONFLICT (space, viewer, fact_id, upto) DO UPDATE SET times = times + 1, at = max(at, excluded.at)
"""


class SqlJournalView(SqlPart):
    """What is read of it."""

    def traces(self, space: str, *, last: int) -> tuple[Trace, ...]:
        """Give the last searches, newest first."""
        rows = queries.ask(self._driver, _TRACES, {"space": space, "last": last})
        return tuple(r.trace_in(row) for row in rows)

    def uses(self, space: str, viewer: str, fact_ids: Iterable[str], *, upto: int) -> Mapping[str, Use]:
        """Give how often and when last a viewer used these."""
        if not self.once(("uses", space, viewer), lambda: self._has_uses(space, viewer)):
            return {}
        rows = queries.ask(self._driver, _USES, (space, viewer, upto, r.dump(sorted(set(fact_ids)))))
        return {row.fact_id: Use(times=row.times, last=row.last) for row in rows}

    def _has_uses(self, space: str, viewer: str) -> bool:
        return bool(queries.tuples(self._driver, _HAS_USES, (space, viewer)))

    def inputs(self, story_id: str, scope: Scope) -> Mapping[str, str]:
        """Give what the scope covers of a story's inputs, by key."""
        return undo.inputs(self._driver, story_id, scope)

    def steps(self, story_id: str, *, last: int) -> tuple[Step, ...]:
        """Give the last steps that can be taken back, newest first."""
        return undo.steps(self._driver, story_id, last)

    def checkpoints(self, story_id: str) -> tuple[Checkpoint, ...]:
        """Give the checkpoints of a story, by name."""
        return checkpoints.all_of(self._driver, story_id)

    def checkpoint_inputs(self, story_id: str, name: str) -> Mapping[str, str]:
        """Give the inputs a checkpoint holds."""
        return checkpoints.inputs_of(self._driver, story_id, name)


class SqlJournalTransaction(SqlWritingPart, SqlJournalView):
    """What is written of it."""

    def put_traces(self, given: Sequence[Trace], *, keep: int | None = None) -> None:
        """Append traces; those of a story or user that is gone are dropped."""
        known = {row[0] for row in queries.tuples(self._driver, "SELECT space FROM spaces", ())}
        rows = [r.trace_out(trace) for trace in given]
        kept = [row for row in rows if {row["space"], row["beside"]} - {None} <= known]
        queries.insert(self._driver, "traces", kept)
        if keep is not None:
            named = {row[column] for row in kept for column in ("space", "beside")}
            self._prune({str(space) for space in named if space is not None}, keep)

    def _prune(self, spaces: Collection[str], keep: int) -> None:
        """Remove traces that are not among the last `keep` of any of their spaces."""
        for space in sorted(spaces):
            oldest = self._floor(space, keep)
            if oldest < 0:
                continue
            given = {"space": space, "upto": oldest}
            for (other,) in queries.tuples(self._driver, _OTHERS, given):
                upto = oldest if other is None else min(oldest, self._floor(other, keep))
                self._driver.execute(_PRUNE, {"space": space, "other": other, "upto": upto})

    def _floor(self, space: str, keep: int) -> int:
        """Give the newest key that is not among the last `keep` of a space; -1 when there is none."""
        found = queries.tuples(self._driver, _FLOOR, {"space": space, "keep": keep})
        return int(found[0][0]) if found else -1

    def put_uses(self, space: str, viewer: str, fact_ids: Sequence[str], *, upto: int, at: str) -> None:
        """Count one more use of each of these."""
        self._driver.executemany(_USE, [(viewer, fact_id, upto, at, space) for fact_id in fact_ids])

    def put_step(self, story_id: str, step: Step, *, keep: int) -> None:
        """Append a step and forget all but the last `keep`."""
        undo.put_step(self._driver, story_id, step, keep)

    def delete_step(self, story_id: str, number: int) -> None:
        """Forget a step."""
        self._driver.execute(undo.DELETE_STEP, (story_id, number))

    def put_checkpoint(self, story_id: str, checkpoint: Checkpoint, inputs: Mapping[str, str]) -> None:
        """Keep inputs under the checkpoint's name."""
        checkpoints.put(self._driver, story_id, checkpoint, inputs)

    def delete_checkpoint(self, story_id: str, name: str) -> bool:
        """Forget a checkpoint."""
        return checkpoints.delete(self._driver, story_id, name)
