"""What every `Ledger` promises: the sum of what its parts promise, each a contract of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kataribe.ports import Ledger
from kataribe.testing.ledger_access import AccessContract
from kataribe.testing.ledger_associations import AssociationsContract
from kataribe.testing.ledger_audit import AuditContract
from kataribe.testing.ledger_conversations import ConversationsContract
from kataribe.testing.ledger_documents import DocumentsContract
from kataribe.testing.ledger_episodes import EpisodesContract
from kataribe.testing.ledger_erasing import ErasingContract
from kataribe.testing.ledger_facts import FactsContract
from kataribe.testing.ledger_feeding import FeedingContract
from kataribe.testing.ledger_journal import JournalContract
from kataribe.testing.ledger_memory import MemoryContract
from kataribe.testing.ledger_profiles import ProfilesContract
from kataribe.testing.ledger_requests import RequestsContract
from kataribe.testing.ledger_sources import SourcesContract
from kataribe.testing.ledger_spaces import SpacesContract
from kataribe.testing.ledger_stories import StoriesContract
from kataribe.testing.ledger_tiers import TiersContract
from kataribe.testing.ledger_transactions import TransactionsContract
from kataribe.testing.ledger_vectors import VectorsContract
from kataribe.testing.ledger_work import WorkContract


class LedgerContract(
    SpacesContract,
    MemoryContract,
    SourcesContract,
    VectorsContract,
    WorkContract,
    JournalContract,
    StoriesContract,
    EpisodesContract,
    FactsContract,
    ConversationsContract,
    DocumentsContract,
    FeedingContract,
    TiersContract,
    AssociationsContract,
    AuditContract,
    ProfilesContract,
    RequestsContract,
    ErasingContract,
    AccessContract,
    TransactionsContract,
):
    """What every `Ledger` promises."""

    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        """Give an empty ledger, and close it afterwards."""
        raise NotImplementedError
