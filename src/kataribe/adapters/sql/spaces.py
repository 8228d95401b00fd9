"""Spaces in the ledger."""

from __future__ import annotations

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.adapters.sql.tokens import new_token
from kataribe.domain.records import ChangeLog, SpaceState, UnitChange
from kataribe.domain.space import SpaceType, parse_space

_SPACE = "SELECT * FROM spaces WHERE space = ?"
_NAMED_BY_OTHERS = "SELECT * FROM spaces WHERE story_id IS NOT NULL OR user_id IS NOT NULL"
"""A library's space is called as it is, and nobody renames it."""


class SqlSpacesView(SqlPart):
    """What is read of spaces."""

    def space(self, space: str) -> SpaceState | None:
        """Give one space."""
        found = queries.ask(self._driver, _SPACE, (space,))
        return r.space_in(found[0]) if found else None

    def space_token(self, space: str) -> str | None:
        """Give what tells a space from a later one of its name."""
        found = queries.tuples(self._driver, "SELECT token FROM spaces WHERE space = ?", (space,))
        return str(found[0][0]) if found else None

    def spaces(self, *, story: str | None = None, user: str | None = None) -> tuple[SpaceState, ...]:
        """Give spaces, by name."""
        asked = {"story_id": story, "user_id": user}
        given = {column: value for column, value in asked.items() if value is not None}
        where = " AND ".join(["true", *(f"{column} = ?" for column in given)])
        sql = f"SELECT * FROM spaces WHERE {where} ORDER BY space"
        return tuple(r.space_in(row) for row in queries.ask(self._driver, sql, tuple(given.values())))

    def changes(self, since: int, *, story: str | None = None) -> ChangeLog:
        """Give what has changed after a revision."""
        found = queries.tuples(self._driver, queries.LATEST_REVISION, ())
        rows = queries.tuples(self._driver, queries.CHANGES_SINCE, {"since": since, "story": story})
        return ChangeLog(
            cursor=int(found[0][0]) if found else 0, changes=tuple(UnitChange(*row) for row in rows)
        )


class SqlSpacesTransaction(SqlWritingPart, SqlSpacesView):
    """What is written of spaces."""

    def put_space(self, space: SpaceState) -> None:
        """Add a space, or replace what is recorded of it."""
        said = parse_space(space.space)
        row = {
            "space": space.space,
            "type": said.type.value,
            "story_id": said.story,
            "user_id": said.user,
            "place": said.place,
            "language": space.language,
            "embedder": space.embedder,
            "embedder_id": space.embedder_id,
            "revision": self._new_revision(),
        }
        is_new = not queries.tuples(self._driver, _SPACE, (space.space,))
        queries.put(self._driver, "spaces", row, {"token": new_token(), "created_at": self._now()})
        if is_new:
            # Whoever still has memories of a deleted space of this name reads anew.
            self._changed(space.space, [""])

    def _rename_spaces(self) -> None:
        """Give spaces the names that the ids they belong to ask for; what is kept by them follows."""
        for row in queries.ask(self._driver, _NAMED_BY_OTHERS, ()):
            said = parse_space(row.space)
            renamed = type(said)(
                type=SpaceType(row.type), story=row.story_id, user=row.user_id, place=row.place
            ).name
            if renamed != row.space:
                self._driver.execute("UPDATE spaces SET space = ? WHERE space = ?", (renamed, row.space))
                self._forget_changes(renamed)
                self._touch(renamed)
