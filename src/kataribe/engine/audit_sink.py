"""Handing the audit record on to where it is kept besides the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock

from kataribe.domain.audit import ANCHOR, STORE_CHAIN, AuditEvent, heads_in
from kataribe.errors import StoreBusyError
from kataribe.ports import Ledger, View
from kataribe.ports.audit import SINK_MARK, AuditSink

_TOGETHER = 500
"""Events of the store's chain that are handed on at once."""


class AuditOutbox:
    """Hands on what is not there yet, in the order of the store's chain: nothing is left out by a kill.

    After a kill, or where two processes hand on at once, an event may be handed on twice.
    """

    def __init__(self, ledger: Ledger, sink: AuditSink) -> None:
        self._ledger = ledger
        self._sink = sink
        self._lock = Lock()

    def deliver(self) -> None:
        """Hand on all there is. Raises `StoreError` when the sink does not take it."""
        with self._lock:
            while self._deliver_some():
                pass

    def _deliver_some(self) -> bool:
        with self._ledger.reading() as view:
            done = int(view.mark(SINK_MARK) or 0)
            events = view.audit_events(STORE_CHAIN, after=done, limit=_TOGETHER)
            told = [one for event in events for one in _with_anchored(view, event)]
        if not events:
            return False
        self._sink.put(told)
        try:
            with self._ledger.writing(patience=0.2) as tx:
                tx.put_mark(SINK_MARK, str(events[-1].n))
        except StoreBusyError:
            # They are handed on again: that is better than to keep others waiting.
            return False
        return len(events) == _TOGETHER


def _with_anchored(view: View, event: AuditEvent) -> Iterator[AuditEvent]:
    """Give what an event anchors, and the event; of a chain that was erased nothing is left."""
    if event.act == ANCHOR:
        for chain, (head, added) in heads_in(event.detail).items():
            yield from view.audit_events(chain, after=head.length - added, limit=added)
    yield event
