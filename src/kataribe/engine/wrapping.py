"""A ledger in front of another one."""

from __future__ import annotations

from kataribe.ports import Ledger


class WrappedLedger:
    """What stands in front of a ledger: what it does not do itself, the ledger behind it does.

    Transactions are its own: whatever is written passes through it.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.reading = ledger.reading
        self.problems = ledger.problems
        self.scrub = ledger.scrub
        self.clear_archive = ledger.clear_archive
        self.backup = ledger.backup
        self.copies = ledger.copies
        self.archived = ledger.archived

    def close(self) -> None:
        """Let go of the store."""
        self._ledger.close()
