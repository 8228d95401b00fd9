"""What the engine asks of the world outside. Stores are sync, models are async."""

from __future__ import annotations

from kataribe.ports.access import AccessTransaction, AccessView
from kataribe.ports.archive import Archive, Payload
from kataribe.ports.associations import AssociationsTransaction, AssociationsView, HeldMarks
from kataribe.ports.audit import AuditTransaction, AuditView
from kataribe.ports.conversations import ConversationsTransaction, ConversationsView
from kataribe.ports.documents import DocumentsTransaction, DocumentsView
from kataribe.ports.feeding import FeedingTransaction, FeedingView
from kataribe.ports.indexes import (
    Consistency,
    FoundByBoth,
    IndexCapabilities,
    IndexEntry,
    KeywordIndex,
    Proposal,
    VectorIndex,
    VectorSearch,
)
from kataribe.ports.journal import JournalTransaction, JournalView
from kataribe.ports.keys import Keys, Seal
from kataribe.ports.ledger import Ledger, NotWarmError, Transaction, View
from kataribe.ports.memory import GatedView, MemoryTransaction, MemoryView
from kataribe.ports.models import (
    Answerer,
    Batched,
    Clock,
    Embedder,
    Extractor,
    Heard,
    Judge,
    Matrix,
    Planner,
    Processes,
    Proofreader,
    Remote,
    Reranker,
    Source,
    Speaking,
    Summarizer,
    TokenCounter,
    Vector,
    Worded,
)
from kataribe.ports.profiles import ProfilesTransaction, ProfilesView
from kataribe.ports.spaces import SpacesTransaction, SpacesView
from kataribe.ports.stories import (
    EpisodesTransaction,
    EpisodesView,
    FactsTransaction,
    FactsView,
    StoriesTransaction,
    StoriesView,
)
from kataribe.ports.telemetry import Span, Telemetry
from kataribe.ports.tiers import RecordedNight, TiersTransaction, TiersView
from kataribe.ports.vectors import VectorsTransaction, VectorsView
from kataribe.ports.work import WorkTransaction, WorkView

__all__ = [
    "AccessTransaction",
    "AccessView",
    "Answerer",
    "Archive",
    "AssociationsTransaction",
    "AssociationsView",
    "AuditTransaction",
    "AuditView",
    "Batched",
    "Clock",
    "Consistency",
    "ConversationsTransaction",
    "ConversationsView",
    "DocumentsTransaction",
    "DocumentsView",
    "Embedder",
    "EpisodesTransaction",
    "EpisodesView",
    "Extractor",
    "FactsTransaction",
    "FactsView",
    "FeedingTransaction",
    "FeedingView",
    "FoundByBoth",
    "GatedView",
    "Heard",
    "HeldMarks",
    "IndexCapabilities",
    "IndexEntry",
    "JournalTransaction",
    "JournalView",
    "Judge",
    "Keys",
    "KeywordIndex",
    "Ledger",
    "Matrix",
    "MemoryTransaction",
    "MemoryView",
    "NotWarmError",
    "Payload",
    "Planner",
    "Processes",
    "ProfilesTransaction",
    "ProfilesView",
    "Proofreader",
    "Proposal",
    "RecordedNight",
    "Remote",
    "Reranker",
    "Seal",
    "Source",
    "SpacesTransaction",
    "SpacesView",
    "Span",
    "Speaking",
    "StoriesTransaction",
    "StoriesView",
    "Summarizer",
    "Telemetry",
    "TiersTransaction",
    "TiersView",
    "TokenCounter",
    "Transaction",
    "Vector",
    "VectorIndex",
    "VectorSearch",
    "VectorsTransaction",
    "VectorsView",
    "View",
    "Worded",
    "WorkTransaction",
    "WorkView",
]
