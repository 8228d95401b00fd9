"""The port of a webhook: somebody outside is told what becomes of memory."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from kataribe.domain.hooks import HookReply


class Webhook(Protocol):
    """A receiver outside. What it does not take is sent again, under the same id."""

    @property
    def hook_id(self) -> str:
        """What it is known by in the ledger: `webhook:` and what tells its address from others."""

    @property
    def name(self) -> str:
        """What people call it: its address, without secrets."""

    def send(self, message_id: str, body: bytes, *, at: datetime) -> HookReply:
        """Send a message, and wait for the answer; it takes no longer than a lease lasts."""
