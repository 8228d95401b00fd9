"""What is kept of tokens that permit an act on a user, in the ledger."""

from __future__ import annotations

from collections.abc import Collection

from kataribe.adapters.sql import queries
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.domain.privacy.requests import PrivacyAction, PrivacyRequest

_REQUESTS = "SELECT action, salt, digest, until FROM privacy_requests WHERE space = ? ORDER BY digest"
_DROP = "DELETE FROM privacy_requests WHERE space = ? AND digest = ?"


class SqlRequestsView(SqlPart):
    """What is read of them."""

    def privacy_requests(self, space: str) -> tuple[PrivacyRequest, ...]:
        """Give what is kept of tokens."""
        rows = queries.tuples(self._driver, _REQUESTS, (space,))
        return tuple(
            PrivacyRequest(PrivacyAction(action), salt, digest, until) for action, salt, digest, until in rows
        )


class SqlRequestsTransaction(SqlWritingPart, SqlRequestsView):
    """What is written of them."""

    def put_privacy_request(self, space: str, request: PrivacyRequest) -> None:
        """Keep a request."""
        row = {
            "space": space,
            "digest": request.digest,
            "salt": request.salt,
            "action": request.action.value,
            "until": request.until,
        }
        queries.insert(self._driver, "privacy_requests", [row])

    def drop_privacy_requests(self, space: str, digests: Collection[str]) -> None:
        """Forget requests."""
        self._driver.executemany(_DROP, [(space, digest) for digest in digests])
