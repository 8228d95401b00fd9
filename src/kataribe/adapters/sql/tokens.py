"""Names that say nothing of what they name."""

from __future__ import annotations

import secrets


def new_token() -> str:
    """Make the name of a space in the change log or the archive: random, so that it says nothing."""
    return secrets.token_hex(16)
