from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kataribe.adapters.sql import SqlLedger
from kataribe.ports import Ledger
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.ledger import LedgerContract
from kataribe.testing.ledger_world import everything, fill


class TestSqlLedgerOnAFile(LedgerContract):
    @pytest.fixture
    def ledger(self, tmp_path: Path) -> Iterator[Ledger]:
        store = tmp_path / "store.db"
        # Opened, closed and opened again: a store as it is met most of the time.
        SqlLedger(str(store), FrozenClock()).close()
        ledger = SqlLedger(str(store), FrozenClock())
        yield ledger
        ledger.close()

    def open_backup(self, path: Path) -> Ledger:
        return SqlLedger(str(path), FrozenClock())

    def test_what_was_written_is_there_when_it_is_opened_again(self, ledger: Ledger, tmp_path: Path) -> None:
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
        ledger.close()
        again = SqlLedger(str(tmp_path / "store.db"), FrozenClock())
        with again.reading() as reading:
            assert everything(reading, "s") == before
        again.close()


class TestSqlLedgerInMemory(LedgerContract):
    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        ledger = SqlLedger(":memory:", FrozenClock())
        yield ledger
        ledger.close()

    def open_backup(self, path: Path) -> Ledger:
        return SqlLedger(str(path), FrozenClock())
