"""What every writing transaction stands on: nothing cached, one revision, parts that can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import sqlalchemy as sa

from kataribe.adapters.sql import hot
from kataribe.adapters.sql.caches import Caches
from kataribe.adapters.sql.reading import SqlReading
from kataribe.adapters.sql.segments import SqlFeed
from kataribe.arena.gated import EpisodeShelves, Gated
from kataribe.arena.keywords import ShelfKeywordIndex
from kataribe.arena.vectors import ShelfVectorIndex
from kataribe.errors import StoreError
from kataribe.ports import Clock, KeywordIndex, VectorIndex


class SqlTransaction(SqlReading):
    """One transaction of the ledger."""

    def __init__(self, connection: sa.Connection, clock: Clock) -> None:
        # What is not committed yet must not come into caches that others share.
        super().__init__(connection, Caches(None, keeps=False))
        self._clock = clock
        self._new: int | None = None

    def _run(self, statement: sa.Executable, rows: Sequence[Mapping[str, object]] | None = None) -> None:
        if rows is None:
            self._connection.execute(statement)
        elif rows:
            self._connection.execute(statement, list(rows))

    @property
    def vectors(self) -> VectorIndex:
        """Search by likeness in what has been written up to now."""
        return ShelfVectorIndex(Gated(EpisodeShelves(SqlFeed(self._driver))))

    @property
    def keywords(self) -> KeywordIndex:
        """Search by words in what has been written up to now."""
        return ShelfKeywordIndex(Gated(EpisodeShelves(SqlFeed(self._driver))))

    @contextmanager
    def part(self) -> Iterator[None]:
        """Open a part that is undone by itself."""
        self._driver.execute("SAVEPOINT part")
        try:
            yield
        except BaseException as error:
            if not self._driver.in_transaction:
                # A full disk takes the whole transaction with it.
                raise StoreError(
                    "the store undid the whole transaction; what was stored before it stays"
                ) from error
            self._driver.execute("ROLLBACK TO part")
            # The count went back with it: the next change counts up again.
            self._new = None
            self._driver.execute("RELEASE part")
            raise
        self._driver.execute("RELEASE part")

    def _now(self) -> str:
        return self._clock.now().isoformat()

    def _touch(self, story_id: str) -> None:
        self._driver.execute(hot.TOUCH, (self._new_revision(), story_id))

    def _new_revision(self) -> int:
        """Count up, once in a transaction: no number is ever used for two states of a store."""
        if self._new is None:
            self._new = int(self._driver.execute(hot.NEXT_REVISION).fetchall()[0][0])
        return self._new

    def _changed(self, space: str, units: Iterable[str]) -> None:
        """Note that the memories of these episodes are others now (empty: of all)."""
        revision = self._new_revision()
        self._driver.executemany(hot.CHANGE, [(space, unit, revision) for unit in units])
