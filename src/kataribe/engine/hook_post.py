"""Sending messages to a webhook's receiver: one process at a time, with patience for one that fails."""

from __future__ import annotations

import json

from kataribe.domain.hooks import HookMessage
from kataribe.errors import StoreError
from kataribe.formats.wire.hooks import hook_message_json
from kataribe.ports import Clock, Ledger, Processes
from kataribe.ports.hooks import Webhook

MOST_TRIES = 8
"""So many times a message is sent that the receiver refuses; then the next one has its turn."""
_WAIT, _FACTOR, _LONGEST = 5.0, 4.0, 3600.0
"""Seconds until a receiver that failed is tried again, and how they grow."""
_LEASE = 60.0
"""Seconds for which one process alone tells a receiver; longer than it may take to answer."""


class NotTakenError(Exception):
    """The receiver did not take a message; it is left alone for a while."""


class HookPost:
    """Sends to one receiver. `sent`, `given_up` and `failures` (in a row) count since the store was opened.

    `failing` says what went wrong last, None while messages are taken; nothing is sent from `until` on, in
    seconds since 1970 (None: whenever).
    """

    def __init__(self, ledger: Ledger, hook: Webhook, clock: Clock, processes: Processes) -> None:
        self._ledger = ledger
        self._hook = hook
        self._clock = clock
        self._processes = processes
        self.until: float | None = None
        self.failures = 0
        self.failing: str | None = None
        self.sent = 0
        self.given_up = 0
        self._tries = ("", 0)
        self._not_before = 0.0
        self._held_until = 0.0

    @property
    def may_try(self) -> bool:
        """Whether the receiver was left alone for long enough since it failed."""
        return self._now() >= self._not_before

    def send(self, message: HookMessage) -> None:
        """Send a message. Raises `NotTakenError`; one that is refused too often passes for told."""
        if self.until is not None and self._now() >= self.until:
            raise NotTakenError("the time is over")
        self.hold()
        body = json.dumps(hook_message_json(message), ensure_ascii=False, separators=(",", ":")).encode()
        reply = self._hook.send(message.message_id, body, at=self._clock.now())
        if reply.is_taken:
            self.sent += 1
            self.failures, self.failing, self._tries = 0, None, ("", 0)
            return
        tried = self._tries[1] + 1 if self._tries[0] == message.message_id else 1
        self._tries = (message.message_id, tried)
        if reply.is_refused and tried >= MOST_TRIES:
            self.given_up += 1
            return
        self.failures += 1
        self.failing = reply.reason
        wait = min(_WAIT * _FACTOR ** min(self.failures - 1, 16), _LONGEST)
        self._not_before = self._now() + min(max(wait, reply.retry_after or 0.0), _LONGEST)
        raise NotTakenError(reply.reason)

    def hold(self) -> None:
        """Take or renew the right to tell the receiver. Raises `NotTakenError` while another has it."""
        now, me = self._now(), self._processes.me()
        if now < self._held_until - _LEASE / 2:
            return
        with self._ledger.writing() as tx:
            owner, until = _lease_in(tx.mark(self._lease))
            if owner != me and until > now and not self._processes.is_gone(owner):
                self._held_until = 0.0
                raise NotTakenError("another process tells it")
            tx.put_mark(self._lease, json.dumps([me, now + _LEASE]))
        self._held_until = now + _LEASE

    def let_go(self) -> None:
        """Give the right back, if it is held."""
        if not self._held_until:
            return
        self._held_until = 0.0
        try:
            with self._ledger.writing(patience=2.0) as tx:
                if _lease_in(tx.mark(self._lease))[0] == self._processes.me():
                    tx.put_mark(self._lease, "")
        except StoreError:
            # It runs out by itself.
            return

    def _now(self) -> float:
        return self._clock.now().timestamp()

    @property
    def _lease(self) -> str:
        return f"{self._hook.hook_id} lease"


def _lease_in(mark: str | None) -> tuple[str, float]:
    if not mark:
        return "", 0.0
    owner, until = json.loads(mark)
    return str(owner), float(until)
