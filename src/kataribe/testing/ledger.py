"""What every `Ledger` promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kataribe.ports import Ledger
from kataribe.testing.ledger_changes import LedgerChanges
from kataribe.testing.ledger_leases import LedgerLeases
from kataribe.testing.ledger_talk import LedgerTalk
from kataribe.testing.ledger_turns import LedgerTurns
from kataribe.testing.ledger_undo import LedgerUndo
from kataribe.testing.ledger_values import LedgerValues


class LedgerContract(LedgerValues, LedgerChanges, LedgerTurns, LedgerLeases, LedgerUndo, LedgerTalk):
    """What every `Ledger` promises."""

    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        """Give an empty ledger, and close it afterwards."""
        raise NotImplementedError
