"""What the engine asks of the world outside. Stores are sync, models are async."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kataribe.domain.memory import Draft
from kataribe.domain.story import Annotations, Character, Language

Vector = npt.NDArray[np.float32]
"""Shape (dimensions,), float32, unit length; all zeros for a text with nothing in it to embed."""

Matrix = npt.NDArray[np.float32]
"""Shape (texts, dimensions), float32; each row as `Vector`."""


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Give the present moment, with a zone."""


@runtime_checkable
class Embedder(Protocol):
    """Turns text into vectors.

    A text's vector depends on that text alone, never on its batch (P2), and the same text
    gives the same bytes on every call (P8). Query and document calls are apart (S4-98).
    """

    @property
    def embedder_id(self) -> str:
        """Name and version of everything that decides a vector, e.g. `chive-ja-ginza-5.3.0`."""

    @property
    def dimensions(self) -> int:
        """Length of every vector."""

    @property
    def is_lexical(self) -> bool:
        """True when it compares spelling, not meaning."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed what is to be found, in the order given; shape (len(texts), dimensions).

        Raises `EmbedderError` when a text cannot be embedded.
        """

    async def embed_query(self, text: str) -> Vector:
        """Embed a question; shape (dimensions,). Raises `EmbedderError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an extractor is given of one episode.

    `cast` is the cast as known by that episode: characters, and aliases whose `since` is
    not later. `paragraphs` are spans `text[start:end]` cut by the author's file or by rule.
    """

    text: str
    language: Language
    cast: tuple[Character, ...]
    annotations: Annotations
    paragraphs: tuple[tuple[int, int], ...]


class Extractor(Protocol):
    """Turns an episode's text into facts with an audience."""

    @property
    def extractor_id(self) -> str:
        """Name and version; a new one makes extracted episodes stale."""

    async def extract(self, source: Source) -> tuple[Draft, ...]:
        """Find the facts, in the order of the text. Raises `ExtractionError`."""
