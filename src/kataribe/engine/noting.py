"""The traces and notes that reads leave: they wait in bounded buffers and are written together."""

from __future__ import annotations

import asyncio

from kataribe.domain.audit import Act, ActOutcome, AuditNote
from kataribe.domain.records import Trace
from kataribe.domain.space import Space, space_asked
from kataribe.engine.base import TRACES_KEPT
from kataribe.engine.giving_back import PersonalVerbs
from kataribe.engine.off_record import is_off_the_record
from kataribe.errors import StoreError

TRACES_TOGETHER = 64
"""How many traces wait before they are written."""


class Noting(PersonalVerbs):
    """What verbs stand on that leave traces, and notes for the audit record."""

    def _note(self, trace: Trace) -> None:
        """Let a trace wait to be written, off this read's path; what is off the record leaves none."""
        if is_off_the_record():
            return
        self._traces.append(trace)
        of = space_asked(story=trace.story, user=trace.user, library=trace.library)
        detail = {"as": trace.character, "hits": len(trace.ids), "story": trace.story, "at": trace.episode_no}
        told = {name: value for name, value in detail.items() if value not in ("", 0) or name == "hits"}
        self._note_act(of, Act(at=trace.at, act=trace.verb, detail=told))
        self._flush_many()

    def note_act(self, of: Space | None, verb: str, *, reason: str | None = None) -> None:
        """Let a note wait that a verb was done, or refused for a reason: it is written off its path."""
        outcome = ActOutcome.DONE if reason is None else ActOutcome.REFUSED
        now = self._services.clock.now().isoformat()
        self._note_act(of, Act(at=now, act=verb, outcome=outcome, reason=reason))
        self._flush_many()

    def _note_act(self, of: Space | None, act: Act) -> None:
        if self._auditor is None or not self._auditor.covers(of) or self._is_closed:
            return
        if len(self._notes) == TRACES_KEPT:
            self._notes_lost += 1
        self._notes.append(AuditNote(of=of, act=act))

    def _flush_many(self) -> None:
        waiting = max(len(self._traces), len(self._notes))
        if waiting >= TRACES_TOGETHER and (self._flushing is None or self._flushing.done()):
            self._flushing = asyncio.create_task(self.flush())

    async def flush(self) -> None:
        """Write what waits; when the store is busy it waits on, the oldest dropped first."""
        traces, notes, lost = list(self._traces), list(self._notes), self._notes_lost
        if not traces and not notes:
            return
        self._traces.clear()
        self._notes.clear()
        self._notes_lost = 0
        try:
            await asyncio.to_thread(self._put_waiting, traces, notes, lost)
        except StoreError:
            self._traces.extendleft(reversed(traces[-(TRACES_KEPT - len(self._traces)) :]))
            dropped = max(len(notes) + len(self._notes) - TRACES_KEPT, 0)
            self._notes.extendleft(reversed(notes[dropped:]))
            self._notes_lost += lost + dropped

    def _put_waiting(self, traces: list[Trace], notes: list[AuditNote], lost: int) -> None:
        if lost:
            now = self._services.clock.now().isoformat()
            notes = [AuditNote(of=None, act=Act(at=now, act="notes.lost", detail={"count": lost})), *notes]
        with self._ledger.writing(patience=0.2) as tx:
            tx.put_traces(traces, keep=self._services.traces_kept)
            if self._auditor is not None:
                self._auditor.put_late(tx, notes)
