"""What every part of a view, and every part of a transaction, stands on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from kataribe.adapters.sql import queries
from kataribe.adapters.sql.archives import Archives
from kataribe.adapters.sql.caches import Caches, answers_of
from kataribe.adapters.sql.sqlite.pool import Lent
from kataribe.domain.space import story_space
from kataribe.errors import StoreError
from kataribe.ports import Clock

T = TypeVar("T")

HIGHEST = 2**63 - 1
"""Beyond every episode number, order key and moment, and within what SQLite can compare."""
BATCH = 500
"""Values asked for in one statement."""


def or_highest(cap: int | None) -> int:
    """Give a bound, or one beyond everything."""
    return HIGHEST if cap is None else min(cap, HIGHEST)


class SqlPart:
    """A part of a view: the connection it reads from, and what may be remembered between views."""

    def __init__(
        self, connection: Lent, caches: Caches, *, warm: bool = False, archives: Archives | None = None
    ) -> None:
        self._driver = connection.driver
        self._archives = archives
        self._caches = caches
        self._warm = warm
        self._answers = (
            answers_of(connection.driver, connection.info, caches.generation) if caches.shared else None
        )

    def once(self, key: Hashable, read: Callable[[], T]) -> T:
        """Give what `read` gives of the store as it stands; a transaction reads each time."""
        return read() if self._answers is None else self._answers.get(key, read)

    def _revision(self, space: str) -> int:
        """Give the revision of the last change of a space's inputs; 0 for none."""
        return self.once(("inputs", space), lambda: self._read_revision(space))

    def _read_revision(self, space: str) -> int:
        found = queries.tuples(self._driver, queries.SPACE_REVISION, (space,))
        return int(found[0][0]) if found else 0


class SqlWritingPart(SqlPart):
    """A part of a transaction: all its changes have one revision.

    What it reads of stories and users it keeps until its next change.
    """

    def __init__(self, connection: Lent, clock: Clock, *, archives: Archives | None = None) -> None:
        # What is not committed yet must not come into caches that others share.
        super().__init__(connection, Caches(None, shared=False), archives=archives)
        self._clock = clock
        self._new: int | None = None

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
            # The number of changes did not.
            self._caches.clear()
            self._driver.execute("RELEASE part")
            raise
        self._driver.execute("RELEASE part")

    def _revision(self, space: str) -> int:  # noqa: ARG002 - of whatever space
        """Give what tells its states apart: the number of its changes."""
        return self._driver.total_changes

    def _now(self) -> str:
        return self._clock.now().isoformat()

    def _touch_story(self, story_id: str) -> None:
        self._touch(story_space(story_id))

    def _touch(self, space: str) -> None:
        self._driver.execute(queries.TOUCH, (self._new_revision(), space))

    def _new_revision(self) -> int:
        """Count up, once in a transaction: no number is ever used for two states of a store."""
        if self._new is None:
            self._new = int(self._driver.execute(queries.NEXT_REVISION).fetchall()[0][0])
        return self._new

    def _changed(self, space: str, units: Iterable[str]) -> None:
        """Note that the memories of these units have changed (empty: of all)."""
        revision = self._new_revision()
        self._driver.executemany(queries.CHANGE, [(unit, revision, space) for unit in units])

    def _forget_changes(self, space: str) -> None:
        """Leave one note that all of a space has changed."""
        self._driver.execute(queries.DROP_CHANGES, (space,))
        self._changed(space, [""])
