"""The traces that viewer reads leave: they wait in a bounded buffer and are written together."""

from __future__ import annotations

import asyncio

from kataribe.domain.records import Trace
from kataribe.engine.base import TRACES_KEPT, Base
from kataribe.engine.off_record import is_off_the_record
from kataribe.errors import StoreError

TRACES_TOGETHER = 64
"""How many traces wait before they are written."""


class Noting(Base):
    """What verbs stand on that leave traces."""

    def _note(self, trace: Trace) -> None:
        """Let a trace wait to be written, off this read's path; what is off the record leaves none."""
        if is_off_the_record():
            return
        self._traces.append(trace)
        if len(self._traces) >= TRACES_TOGETHER and (self._flushing is None or self._flushing.done()):
            self._flushing = asyncio.create_task(self.flush())

    async def flush(self) -> None:
        """Write the traces that wait; when the store is busy they wait on, the oldest dropped first."""
        waiting = list(self._traces)
        if not waiting:
            return
        self._traces.clear()
        try:
            await asyncio.to_thread(self._put_traces, waiting)
        except StoreError:
            self._traces.extendleft(reversed(waiting[-(TRACES_KEPT - len(self._traces)) :]))

    def _put_traces(self, waiting: list[Trace]) -> None:
        with self._ledger.writing(patience=0.2) as tx:
            tx.put_traces(waiting, keep=self._services.traces_kept)
