"""Access keys in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kataribe.adapters.sql import queries
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.domain.access import AccessKey, AccessScope
from kataribe.domain.space import parse_space

_KEYS = "SELECT key_id, scope, digest, made_at, space, persona, upto, users_from, prefix FROM access_keys"


class SqlAccessView(SqlPart):
    """What is read of them."""

    def access_key(self, key_id: str) -> AccessKey | None:
        """Give one key."""
        found = queries.tuples(self._driver, f"{_KEYS} WHERE key_id = ?", (key_id,))
        return _key(found[0]) if found else None

    def access_keys(self) -> tuple[AccessKey, ...]:
        """Give all keys."""
        return tuple(
            _key(row) for row in queries.tuples(self._driver, f"{_KEYS} ORDER BY made_at, key_id", ())
        )


class SqlAccessTransaction(SqlWritingPart, SqlAccessView):
    """What is written of them."""

    def put_access_key(self, key: AccessKey) -> None:
        """Add a key."""
        row = {
            "key_id": key.key_id,
            "scope": key.scope.value,
            "digest": key.digest,
            "made_at": key.made_at,
            "space": None if key.of is None else key.of.name,
            "persona": key.persona,
            "upto": key.upto if key.read is None else key.read,
            "users_from": key.users_from,
            "prefix": key.prefix,
        }
        queries.insert(self._driver, "access_keys", [row])

    def delete_access_key(self, key_id: str) -> None:
        """Remove a key."""
        self._driver.execute("DELETE FROM access_keys WHERE key_id = ?", (key_id,))


def _key(row: Sequence[Any]) -> AccessKey:
    key_id, scope, digest, made_at, space, persona, last, users_from, prefix = row
    is_reader = scope == AccessScope.READER
    return AccessKey(
        key_id=key_id,
        scope=AccessScope(scope),
        digest=digest,
        made_at=made_at,
        of=None if space is None else parse_space(space),
        persona=persona,
        upto=None if is_reader else last,
        read=last if is_reader else None,
        users_from=users_from,
        prefix=prefix,
    )
