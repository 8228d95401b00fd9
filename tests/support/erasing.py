"""Erasing a user, with the token that it takes."""

from __future__ import annotations

from kataribe.domain.privacy.erasure import ErasureReceipt
from kataribe.face.sync.kataribe import Kataribe


def erase(store: Kataribe, user_id: str) -> ErasureReceipt:
    """Ask for a token, and erase a user with it."""
    handle = store.user(user_id)
    return handle.delete(handle.privacy.request("delete"))
