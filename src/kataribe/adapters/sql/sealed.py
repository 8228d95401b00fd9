"""What is sealed of turns, in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart, or_highest
from kataribe.domain.privacy.sealed import SealedTurn

_SEALED = "SELECT * FROM turns INDEXED BY ix_turns_sealed WHERE space = ? AND sealed IS NOT NULL AND at <= ?"
_THESE = """
SELECT * FROM turns WHERE space = ? AND sealed IS NOT NULL AND at <= ?
  AND turn_id IN (SELECT value FROM json_each(?))
"""
_ORDER = "ORDER BY at, session, ordinal, turn_id"
_SEAL = "UPDATE turns SET sealed = ? WHERE space = ? AND turn_id = ?"
_PLAIN = "SELECT space, unit FROM plain_units ORDER BY space, unit"
_SETTLE = "DELETE FROM plain_units WHERE space = ? AND unit = ?"


class SqlSealedView(SqlPart):
    """What is read of it."""

    def sealed_turns(
        self, space: str, *, turn_ids: Collection[str] | None = None, upto: int | None = None
    ) -> tuple[SealedTurn, ...]:
        """Give the turns of which something is sealed."""
        given: list[object] = [space, or_highest(upto)]
        if turn_ids is None:
            rows = queries.ask(self._driver, f"{_SEALED} {_ORDER}", given)
        else:
            rows = queries.ask(self._driver, f"{_THESE} {_ORDER}", [*given, r.dump(sorted(turn_ids))])
        return tuple(SealedTurn(turn=r.turn_in(row), sealed=row.sealed) for row in rows)

    def plain_units(self) -> tuple[tuple[str, str], ...]:
        """Give what an earlier release stored and nobody has looked through yet."""
        return tuple((space, unit) for space, unit in queries.tuples(self._driver, _PLAIN, ()))


class SqlSealedTransaction(SqlWritingPart, SqlSealedView):
    """What is written of it."""

    def seal_turns(self, space: str, sealed: Mapping[str, bytes]) -> None:
        """Set what is sealed of turns."""
        self._driver.executemany(_SEAL, [(blob, space, turn_id) for turn_id, blob in sealed.items()])

    def settle_plain(self, space: str, unit: str) -> None:
        """Note that a unit was looked through."""
        self._driver.execute(_SETTLE, (space, unit))
