"""Confirmations: a token that permits one act for one user, once, for a while.

Of a token no more is kept than its hash under a salt of its own.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

VALID_SECONDS = 15 * 60
"""How long a token permits what it was asked for."""


class PrivacyAction(StrEnum):
    """What takes a token: it gives out, or destroys, all that is kept of a user."""

    EXPORT = "export"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class PrivacyRequest:
    """What is kept of a token: `salt` and `digest` are hexadecimal, `until` is when it ends (a position)."""

    action: PrivacyAction
    salt: str
    digest: str
    until: int

    @classmethod
    def of(cls, user_id: str, action: PrivacyAction, token: str, *, salt: str, at: int) -> PrivacyRequest:
        """Give what is kept of a token that is given out at the position `at`."""
        return cls(action, salt, _digest(user_id, action, token, salt), at + VALID_SECONDS * 1000)

    def is_over(self, at: int) -> bool:
        """Whether its time has passed."""
        return at >= self.until

    def permits(self, user_id: str, action: PrivacyAction, token: str) -> bool:
        """Whether a token is the one, for this user and act; compared in constant time."""
        found = _digest(user_id, action, token, self.salt)
        return hmac.compare_digest(self.digest, found) and self.action is action


def permitting(
    requests: Iterable[PrivacyRequest], user_id: str, action: PrivacyAction, token: str, *, at: int
) -> PrivacyRequest | None:
    """Give the request that a token permits an act by; each is compared, whichever it is."""
    found = [one for one in requests if one.permits(user_id, action, token) and not one.is_over(at)]
    return found[0] if found else None


def _digest(user_id: str, action: PrivacyAction, token: str, salt: str) -> str:
    # The length keeps an id from running into the next word.
    told = f"{len(user_id)}:{user_id}:{action}:{token}".encode(errors="surrogatepass")
    return hmac.new(bytes.fromhex(salt), told, hashlib.sha256).hexdigest()
