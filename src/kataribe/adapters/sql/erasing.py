"""What the ledger has of a user, table by table, and what is noted to be removed elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.domain.privacy.erasure import WrittenExport
from kataribe.domain.space import SpaceType, names_between, parse_space, user_space

BY_SPACE: Mapping[str, tuple[str, ...]] = {
    "spaces": ("space",),
    "turns": ("space",),
    "turn_stubs": ("space",),
    "plain_units": ("space",),
    "access_keys": ("space",),
    "memories": ("space",),
    "sources": ("space",),
    "memory_vectors": ("space",),
    "segments": ("space",),
    "work": ("space",),
    "embeddings": ("space",),
    "uses": ("space",),
    "traces": ("space", "beside"),
    "hand_decisions": ("space",),
    "tier_values": ("space",),
    "turn_fates": ("space",),
    "open_questions": ("space",),
    "user_profile": ("space", "evidence_space"),
    "consent_log": ("space", "evidence_space"),
    "privacy_requests": ("space",),
    "exports": ("space",),
    "turn_marks": ("space",),
    "model_asks": ("space",),
    "archive_folders": ("space",),
    "archive_files": ("space",),
    "archive_payloads": ("space",),
}
"""The tables that hold anything of a user, and which of their columns name its spaces."""
BY_USER = ("users", "nights")
"""Those that hold it by the user's id."""

_NAMES = "SELECT DISTINCT {0} FROM {1} WHERE {0} >= ? AND {0} < ?"
_COUNT = "SELECT count(*) FROM {} WHERE {}"
_AMONG = "{} IN (SELECT value FROM json_each(:names))"
_FOLDERS = """
SELECT folder FROM archive_folders WHERE space IN (SELECT space FROM spaces WHERE user_id = ?) ORDER BY folder
"""
_FED = """
SELECT token, sum(json_array_length(ids)) FROM fed
WHERE token IN (SELECT token FROM spaces WHERE user_id = ?) AND index_id NOT LIKE 'webhook:%'
GROUP BY token
"""
_FED_GONE = """
SELECT index_id, token, sum(json_array_length(ids)) AS entries FROM fed
WHERE token NOT IN (SELECT token FROM spaces)
GROUP BY index_id, token HAVING entries > 0 ORDER BY index_id, token
"""
_EXPORTS = "SELECT path, sha256 FROM exports WHERE space = ? ORDER BY path"
_EXPORTS_GONE = "SELECT number, path, sha256 FROM exports_gone ORDER BY number"
_PUT_EXPORT = """
INSERT INTO exports (space, path, sha256) VALUES (?, ?, ?)
ON CONFLICT (space, path) DO UPDATE SET sha256 = excluded.sha256
"""
_FORGET_EXPORTS = "DELETE FROM exports_gone WHERE number IN (SELECT value FROM json_each(?))"


class SqlErasingView(SqlPart):
    """What is read for it."""

    def rows_of_user(self, user_id: str, of: SpaceType) -> Mapping[str, int]:
        """Count by table what is there of a user."""
        found = {table: self._of_spaces(table, user_id, of) for table in BY_SPACE}
        if of is SpaceType.USER:
            found |= {table: self._counted(table, "user_id = :user", user=user_id) for table in BY_USER}
        return {table: count for table, count in found.items() if count}

    def _of_spaces(self, table: str, user_id: str, of: SpaceType) -> int:
        columns = BY_SPACE[table]
        names = {name for column in columns for name in self._names(table, column, user_id, of)}
        where = " OR ".join(_AMONG.format(column) for column in columns)
        return self._counted(table, where, names=r.dump(sorted(names))) if names else 0

    def _names(self, table: str, column: str, user_id: str, of: SpaceType) -> tuple[str, ...]:
        """Name the spaces of a user that stand in a column, whether or not there are such spaces."""
        if of is SpaceType.USER:
            return (user_space(user_id),)
        rows = queries.tuples(self._driver, _NAMES.format(column, table), names_between(of))
        return tuple(name for (name,) in rows if parse_space(name).user == user_id)

    def _counted(self, table: str, where: str, **given: str) -> int:
        return int(queries.tuples(self._driver, _COUNT.format(table, where), given)[0][0])

    def archive_folders(self, user_id: str) -> tuple[str, ...]:
        """Name the folders of a user's spaces."""
        return tuple(row[0] for row in queries.tuples(self._driver, _FOLDERS, (user_id,)))

    def fed_of_user(self, user_id: str) -> Mapping[str, int]:
        """Count by collection the entries that indexes were given."""
        return dict(queries.tuples(self._driver, _FED, (user_id,)))

    def fed_to_gone(self) -> Mapping[tuple[str, str], int]:
        """Count the entries of spaces that are gone."""
        rows = queries.tuples(self._driver, _FED_GONE, ())
        return {(index, token): count for index, token, count in rows}

    def exports(self, user_id: str) -> tuple[WrittenExport, ...]:
        """Give the files that were written of a user."""
        rows = queries.tuples(self._driver, _EXPORTS, (user_space(user_id),))
        return tuple(WrittenExport(*row) for row in rows)

    def exports_gone(self) -> Mapping[int, WrittenExport]:
        """Give the files of users who are gone."""
        rows = queries.tuples(self._driver, _EXPORTS_GONE, ())
        return {number: WrittenExport(path, sha256) for number, path, sha256 in rows}


class SqlErasingTransaction(SqlWritingPart, SqlErasingView):
    """What is written for it."""

    def delete_talk(self, space: str) -> None:
        """Remove a space of talk."""
        self._driver.execute("DELETE FROM spaces WHERE space = ? AND type = 'talk'", (space,))

    def put_export(self, space: str, export: WrittenExport) -> None:
        """Note that a file was written."""
        self._driver.execute(_PUT_EXPORT, (space, export.path, export.sha256))

    def forget_exports(self, numbers: Collection[int]) -> None:
        """Forget files that are removed."""
        self._driver.execute(_FORGET_EXPORTS, (r.dump(sorted(numbers)),))
