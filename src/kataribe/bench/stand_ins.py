"""Stand-ins that cost next to nothing, so that what is measured is ours, and those that count."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from zlib import crc32

import numpy as np

from kataribe.adapters.host import LocalProcesses
from kataribe.bench.sizes import SEED
from kataribe.domain.memory import Extraction, Usage
from kataribe.engine import Services
from kataribe.ports import Embedder, Extractor, Matrix, Source, Vector
from kataribe.wiring import SystemClock, default_extractor

DIMENSIONS = 300
_POOL = 8192


class RandomEmbedder:
    """Gives random unit vectors drawn beforehand: a text always gets the same one.

    `seconds` sums up the time spent here, `documents` the texts it was handed.
    """

    embedder_id = "bench-random-1"
    is_lexical = False

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.seconds = 0.0
        self.documents = 0
        self._pool = unit_vectors(_POOL, dimensions)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Look the vectors up."""
        begun = perf_counter()
        found: Matrix = self._pool[[crc32(text.encode()) % _POOL for text in texts]]
        self.documents += len(texts)
        self.seconds += perf_counter() - begun
        return found

    async def embed_query(self, text: str) -> Vector:
        """Look the vector up."""
        found: Vector = self._pool[crc32(text.encode()[::-1]) % _POOL]
        return found


class CountingExtractor:
    """Another extractor, its calls counted."""

    def __init__(self, inner: Extractor) -> None:
        self._inner = inner
        self.calls = 0

    @property
    def extractor_id(self) -> str:
        """The inner extractor's id."""
        return self._inner.extractor_id

    def estimate(self, source: Source) -> Usage:
        """As the inner extractor says."""
        return self._inner.estimate(source)

    async def extract(self, source: Source) -> Extraction:
        """Extract and count."""
        self.calls += 1
        return await self._inner.extract(source)


def unit_vectors(count: int, dimensions: int = DIMENSIONS, seed: int = SEED) -> Matrix:
    """Draw random unit vectors, float32 (count, dimensions)."""
    drawn = np.random.default_rng(seed).standard_normal((count, dimensions), dtype=np.float32)
    matrix: Matrix = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return matrix


def services(embedder: Embedder, extractor: Extractor | None = None) -> Services:
    """Put together engines that know this embedder alone, whatever name is asked for."""
    made = extractor or default_extractor()
    return Services(
        embedder=lambda _: embedder,
        default_embedder=lambda _: "bench",
        extractor=lambda _: made,
        clock=SystemClock(),
        processes=LocalProcesses(),
    )
