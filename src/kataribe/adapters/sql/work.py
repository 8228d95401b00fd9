"""Work in the ledger: what is wanted of each unit, who works on it, and how it ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.adapters.sql.tables import LAGS
from kataribe.domain.records import Wanted, Work
from kataribe.domain.space import Unit
from kataribe.domain.work import Lease, WorkKind

_WORK = "SELECT * FROM work WHERE space = ? AND kind = ?"
# Only so is the index of what lags read, and not all that was ever done.
_LAGGING = f"""
FROM work INDEXED BY ix_work_lagging WHERE space = ? AND kind = ? AND {LAGS}
  AND NOT (fingerprint = wanted AND outcome IN ('dead', 'dropped'))
"""
_DUE = f"SELECT unit {_LAGGING} ORDER BY position, unit"
_CLAIMABLE = f"""
SELECT unit {_LAGGING} AND (lease IS NULL OR leased_until <= ?)
  AND NOT (fingerprint = wanted AND outcome = 'failed' AND coalesce(due_at, 0) > ?)
ORDER BY position, unit LIMIT ?
"""
_NEXT_DUE = f"""
SELECT min(max(CASE WHEN lease IS NOT NULL THEN leased_until ELSE 0 END,
               CASE WHEN fingerprint = wanted AND outcome = 'failed'
                    THEN coalesce(due_at, 0) ELSE 0 END)) AS at
{_LAGGING}
"""
_THESE = """
SELECT unit FROM work WHERE space = ? AND kind = ? AND wanted != ''
  AND unit IN (SELECT value FROM json_each(?)) AND (lease IS NULL OR leased_until <= ?)
ORDER BY position, unit LIMIT ?
"""
_CLAIM = """
UPDATE work SET lease = ?, worker = ?, leased_until = ? WHERE space = ? AND kind = ? AND unit = ?
"""
_LET_GO = "UPDATE work SET lease = NULL, worker = NULL, leased_until = NULL"
_HOLDERS = """
SELECT DISTINCT worker FROM work INDEXED BY ix_work_lease WHERE space = ? AND kind = ? AND lease IS NOT NULL
"""
_HELD = "SELECT space, unit FROM work WHERE lease = ? AND leased_until > ?"
_RENEW = "UPDATE work SET leased_until = ? WHERE lease = ? AND leased_until > ?"
_RELEASE = f"{_LET_GO} WHERE lease = ?"
_VOID = f"{_LET_GO} WHERE lease IS NOT NULL AND worker = ?"
_WANT = """
INSERT INTO work (space, kind, unit, position, wanted, fingerprint, outcome, attempts)
VALUES (:space, :kind, :unit, :position, :wanted, '', 'due', 0)
ON CONFLICT (space, kind, unit) DO UPDATE SET
  position = excluded.position,
  lease = CASE WHEN wanted = excluded.wanted THEN lease END,
  worker = CASE WHEN wanted = excluded.wanted THEN worker END,
  leased_until = CASE WHEN wanted = excluded.wanted THEN leased_until END,
  wanted = excluded.wanted
"""
_WANT_NOTHING = f"{_LET_GO}, wanted = '' WHERE space = ? AND kind = ? AND unit = ?"
_PUT = """
INSERT INTO work (space, kind, unit, position, wanted, fingerprint, outcome, attempts, error, lease, worker,
                  leased_until, due_at)
VALUES (:space, :kind, :unit, 0, '', :fingerprint, :outcome, :attempts, :error, :lease, :worker,
        :leased_until, :due_at)
ON CONFLICT (space, kind, unit) DO UPDATE SET
  fingerprint = excluded.fingerprint, outcome = excluded.outcome, attempts = excluded.attempts,
  error = excluded.error, lease = excluded.lease, worker = excluded.worker,
  leased_until = excluded.leased_until, due_at = excluded.due_at
"""
_FAILED = f"WHERE space = ? AND kind = ? AND (? IS NULL OR {queries.OF_UNIT})"
_CLEAR = f"""
UPDATE work SET outcome = 'due', fingerprint = '', attempts = 0, error = NULL, due_at = NULL {_FAILED}
  AND (outcome IN ('failed', 'dead') OR (outcome = 'dropped' AND ? IS NOT NULL AND lease IS NULL))
"""


class SqlWorkView(SqlPart):
    """What is read of work."""

    def work(self, space: str, kind: WorkKind, unit: str | None = None) -> Mapping[str, Work]:
        """Give how the work on each unit, or on one, stands."""
        if unit is None:
            rows = queries.ask(self._driver, _WORK, (space, kind.value))
        else:
            given = (space, kind.value, *queries.of_unit(unit))
            rows = queries.ask(self._driver, f"{_WORK} AND {queries.OF_UNIT}", given)
        return {row.unit: r.work_in(row) for row in rows}

    def due(self, space: str, kind: WorkKind) -> tuple[str, ...]:
        """Give the units that lag and are not given up."""
        return tuple(row[0] for row in queries.tuples(self._driver, _DUE, (space, kind.value)))

    def next_due(self, space: str, kind: WorkKind) -> float | None:
        """Give the moment from which the next unit can be claimed."""
        found: float | None = queries.tuples(self._driver, _NEXT_DUE, (space, kind.value))[0][0]
        return found

    def lease_holders(self, space: str, kind: WorkKind) -> frozenset[str]:
        """Give the workers named by leases."""
        return frozenset(row[0] for row in queries.tuples(self._driver, _HOLDERS, (space, kind.value)))

    def held(self, token: str, *, now: float) -> frozenset[Unit]:
        """Give the units leased by this token."""
        return frozenset(Unit(*row) for row in queries.tuples(self._driver, _HELD, (token, now)))


class SqlWorkTransaction(SqlWritingPart, SqlWorkView):
    """What is written of work."""

    def want(self, space: str, kind: WorkKind, wanted: Mapping[str, Wanted | None]) -> None:
        """Record what each of these units should be made from."""
        for unit, one in wanted.items():
            if one is None:
                self._driver.execute(_WANT_NOTHING, (space, kind.value, unit))
                continue
            row = {"space": space, "kind": kind.value, "unit": unit}
            self._driver.execute(_WANT, {**row, "position": one.position, "wanted": one.fingerprint})

    def put_work(self, space: str, kind: WorkKind, unit: str, work: Work) -> None:
        """Record how the work on a unit ended."""
        row = {
            "space": space,
            "kind": kind.value,
            "unit": unit,
            "fingerprint": work.fingerprint,
            "outcome": work.outcome.value,
            "attempts": work.attempts,
            "error": work.error,
            "lease": work.lease,
            "worker": work.worker,
            "leased_until": work.leased_until,
            "due_at": work.due_at,
        }
        self._driver.execute(_PUT, row)

    def clear_failures(self, space: str, kind: WorkKind, unit: str | None = None) -> int:
        """Forget failed attempts and dead letters."""
        given = (space, kind.value, unit, *queries.of_unit(unit), unit)
        return self._driver.execute(_CLEAR, given).rowcount

    def claim(
        self,
        space: str,
        kind: WorkKind,
        lease: Lease,
        *,
        now: float,
        limit: int,
        among: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        """Lease units that are due."""
        if among is None:
            rows = queries.tuples(self._driver, _CLAIMABLE, (space, kind.value, now, now, limit))
        else:
            asked = (space, kind.value, r.dump(sorted(among)), now, limit)
            rows = queries.tuples(self._driver, _THESE, asked)
        units = tuple(unit for (unit,) in rows)
        claims = [(lease.token, lease.worker, lease.until, space, kind.value, unit) for unit in units]
        self._driver.executemany(_CLAIM, claims)
        return units

    def renew(self, token: str, *, now: float, until: float) -> int:
        """Make the leases of this token last longer."""
        return self._driver.execute(_RENEW, (until, token, now)).rowcount

    def release(self, token: str) -> None:
        """Let go of the leases of this token."""
        self._driver.execute(_RELEASE, (token,))

    def void(self, workers: Collection[str]) -> None:
        """Let go of every lease of these workers."""
        self._driver.executemany(_VOID, [(worker,) for worker in sorted(workers)])
