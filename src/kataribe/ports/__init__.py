"""What the engine asks of the world outside. Stores are sync, models are async."""

from __future__ import annotations

from kataribe.ports.generations import GenerationReading, GenerationWriting
from kataribe.ports.indexes import KeywordIndex, VectorIndex
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
    Reranker,
    Source,
    TokenCounter,
    Vector,
)
from kataribe.ports.stores import Ledger, Reading, Writing
from kataribe.ports.talk import TalkReading, TalkWriting
from kataribe.ports.telemetry import Span, Telemetry

__all__ = [
    "Answerer",
    "Batched",
    "Clock",
    "Embedder",
    "Extractor",
    "GenerationReading",
    "GenerationWriting",
    "Judge",
    "KeywordIndex",
    "Ledger",
    "Matrix",
    "Planner",
    "Processes",
    "Reading",
    "Reranker",
    "Source",
    "Span",
    "TalkReading",
    "TalkWriting",
    "Telemetry",
    "TokenCounter",
    "Vector",
    "VectorIndex",
    "Writing",
]
