"""Stand-ins for what comes from outside: time, a model's facts, an embedder that fails or is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from kataribe.domain.memory import NO_USAGE, Draft, Extraction, Usage
from kataribe.errors import EmbedderError, ExtractionError, withheld
from kataribe.ports import Embedder, Matrix, Source, Vector

LONG_AGO = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
"""Where a `FrozenClock` stands unless told otherwise."""


class FrozenClock:
    """A clock that stands still until it is set or moved; who sleeps moves it on and waits for nothing."""

    def __init__(self, at: datetime = LONG_AGO) -> None:
        self._at = _with_zone(at)

    def now(self) -> datetime:
        """Give the moment it stands at."""
        return self._at

    def set(self, at: datetime) -> None:
        """Stand at another moment."""
        self._at = _with_zone(at)

    def advance(self, by: timedelta = timedelta(seconds=1)) -> None:
        """Move on."""
        self._at += by

    async def sleep(self, seconds: float) -> None:
        """Move on by as much, and let others have their turn."""
        self.advance(timedelta(seconds=seconds))
        await asyncio.sleep(0)


def _with_zone(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise ValueError(f"a moment needs a zone: {at!r}")
    return at


class FakeExtractor:
    """Gives the drafts scripted for a text, none for any other; fails on chosen texts.

    `drafts` and `failing` may be changed between calls; `asked` keeps the texts in order.
    """

    def __init__(
        self,
        drafts: Mapping[str, Sequence[Draft]] | None = None,
        *,
        failing: Collection[str] = (),
        extractor_id: str = "fake-1",
    ) -> None:
        self.drafts: dict[str, Sequence[Draft]] = dict(drafts or {})
        self.failing = set(failing)
        self.asked: list[str] = []
        self._extractor_id = extractor_id

    @property
    def extractor_id(self) -> str:
        """The id it was given."""
        return self._extractor_id

    @property
    def calls(self) -> int:
        """How often it was called, failures counted in."""
        return len(self.asked)

    def estimate(self, source: Source) -> Usage:  # noqa: ARG002 - the same for every text
        """Nothing: nobody is asked."""
        return NO_USAGE

    async def extract(self, source: Source) -> Extraction:
        """Give what was scripted, or raise `ExtractionError`."""
        self.asked.append(source.text)
        if source.text in self.failing:
            raise ExtractionError(f"told to fail on {withheld(repr(source.text[:40]))}")
        return Extraction(drafts=tuple(self.drafts.get(source.text, ())))


class CountingEmbedder:
    """Another embedder, with every text it was handed kept in order."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.documents: list[str] = []
        self.queries: list[str] = []

    @property
    def embedder_id(self) -> str:
        """The inner embedder's id."""
        return self._inner.embedder_id

    @property
    def dimensions(self) -> int:
        """The inner embedder's dimensions."""
        return self._inner.dimensions

    @property
    def is_lexical(self) -> bool:
        """As the inner embedder says."""
        return self._inner.is_lexical

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed and count."""
        self.documents += texts
        return await self._inner.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        """Embed and count."""
        self.queries.append(text)
        return await self._inner.embed_query(text)


class FailingEmbedder(CountingEmbedder):
    """Another embedder that fails on chosen texts; `failing` may be changed between calls.

    What it was handed is counted even when it fails.
    """

    def __init__(self, inner: Embedder, failing: Collection[str] = ()) -> None:
        super().__init__(inner)
        self.failing = set(failing)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed, or raise `EmbedderError` when one of the texts was chosen to fail."""
        matrix = await super().embed_documents(texts)
        self._check(texts)
        return matrix

    async def embed_query(self, text: str) -> Vector:
        """Embed, or raise `EmbedderError` when the text was chosen to fail."""
        vector = await super().embed_query(text)
        self._check((text,))
        return vector

    def _check(self, texts: Sequence[str]) -> None:
        for text in texts:
            if text in self.failing:
                raise EmbedderError(f"told to fail on {withheld(repr(text[:40]))}")
