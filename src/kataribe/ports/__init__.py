"""What the engine asks of the world outside. Stores are sync, models are async."""

from __future__ import annotations

from kataribe.ports.conversations import ConversationsTransaction, ConversationsView
from kataribe.ports.indexes import KeywordIndex, VectorIndex
from kataribe.ports.journal import JournalTransaction, JournalView
from kataribe.ports.ledger import Ledger, Transaction, View
from kataribe.ports.memory import GatedView, MemoryTransaction, MemoryView
from kataribe.ports.models import (
    Answerer,
    Batched,
    Clock,
    Embedder,
    Extractor,
    Judge,
    Matrix,
    Planner,
    Processes,
    Remote,
    Reranker,
    Source,
    TokenCounter,
    Vector,
)
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
from kataribe.ports.vectors import VectorsTransaction, VectorsView
from kataribe.ports.work import WorkTransaction, WorkView

__all__ = [
    "Answerer",
    "Batched",
    "Clock",
    "ConversationsTransaction",
    "ConversationsView",
    "Embedder",
    "EpisodesTransaction",
    "EpisodesView",
    "Extractor",
    "FactsTransaction",
    "FactsView",
    "GatedView",
    "JournalTransaction",
    "JournalView",
    "Judge",
    "KeywordIndex",
    "Ledger",
    "Matrix",
    "MemoryTransaction",
    "MemoryView",
    "Planner",
    "Processes",
    "Remote",
    "Reranker",
    "Source",
    "SpacesTransaction",
    "SpacesView",
    "Span",
    "StoriesTransaction",
    "StoriesView",
    "Telemetry",
    "TokenCounter",
    "Transaction",
    "Vector",
    "VectorIndex",
    "VectorsTransaction",
    "VectorsView",
    "View",
    "WorkTransaction",
    "WorkView",
]
