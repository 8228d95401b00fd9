"""An embedder made in a test, as slow as wanted, and a process that moves a store to it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import kataribe
from kataribe.adapters.embedding import TextByText
from kataribe.domain.ids import digest, normalise
from kataribe.engine import Services
from kataribe.errors import EmbedderError
from kataribe.ports import Embedder, Matrix, Vector
from support.stores import services

Before = Callable[[Sequence[str]], Awaitable[None]]


class SketchEmbedder(TextByText):
    """Sums a random vector for each two characters; `salt` makes another embedder of it."""

    def __init__(self, salt: str = "a", dimensions: int = 96, *, log: Path | None = None) -> None:
        self._salt = salt
        self._dimensions = dimensions
        self._log = log
        self.seconds = 0.0
        self.failing: Collection[str] = ()
        self.before: Before | None = None
        """Called with the texts before they are embedded."""
        self.documents: list[str] = []

    @property
    def embedder_id(self) -> str:
        return f"sketch-{self._salt}-{self._dimensions}"

    @property
    def batch(self) -> int:
        """A few at a time, so that there is a middle to be stopped in."""
        return 4

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def is_lexical(self) -> bool:
        return True

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if self.before is not None:
            await self.before(texts)
        self.documents += texts
        if self._log is not None:
            with self._log.open("a") as log:
                log.writelines(json.dumps(text) + "\n" for text in texts)
        await asyncio.sleep(self.seconds)
        if failing := set(texts) & set(self.failing):
            raise EmbedderError(f"told to fail on {sorted(failing)[0]!r}")
        return await super().embed_documents(texts)

    def _embed(self, text: str) -> Vector:
        clean = normalise(text)
        total = np.zeros(self._dimensions)
        for at in range(len(clean)):
            seed = int(digest(self._salt, clean[at : at + 2])[:12], 16)
            total += np.random.default_rng(seed).normal(size=self._dimensions)
        made: Vector = (total / (np.linalg.norm(total) or 1.0)).astype(np.float32)
        return made


def with_sketches(**named: Embedder) -> Services:
    """Give the default engines with these embedders beside theirs."""
    usual = services()
    return replace(usual, embedder=lambda name: named[name] if name in named else usual.embedder(name))


def _main(store: str, log: str, seconds: str) -> None:
    slow = SketchEmbedder("b", log=Path(log))
    slow.seconds = float(seconds)
    with kataribe.open(store, services=with_sketches(b=slow)) as opened:
        opened.admin.reembed(embedder="b", story="s")


if __name__ == "__main__":
    _main(*sys.argv[1:])
