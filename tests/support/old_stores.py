"""Stores that earlier versions wrote, and what they were made with: see tests/adapters/stores/README.md."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.domain.memory import Draft, Extraction, Reason, Refusal, Usage
from kataribe.domain.terms import PUBLIC
from kataribe.engine import Services
from kataribe.errors import EmbedderError
from kataribe.ports import Extractor, Matrix, Source, Vector
from kataribe.testing.fakes import FrozenClock
from kataribe.wiring import default_services

STORES = Path(__file__).resolve().parents[1] / "adapters" / "stores"
VERSIONS = ("0001", "0002", "0003")
MODEL = "openai:reader"
"""The model that read some of the texts: a `Reader`."""
PORT, HARBOUR, BRANCH = "港町", "harbour", "harbour-if"
USED_AT = datetime(2025, 3, 1, 8, 0, tzinfo=UTC)
# In the words of the versions that make their stores with what is in here.
USES: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
    ({"story_id": PORT, "character": "潮", "at": 3}, ("f1", "f2")),
    ({"story_id": PORT, "character": "潮", "at": 3}, ("f1",)),
    ({"story_id": PORT, "character": "凪", "at": 5}, ("f4",)),
    ({"user": "nora", "persona": "pip"}, ("D1:2",)),
)
"""What viewers used at that moment, in the stores that keep uses."""
LATER = datetime(2025, 6, 1, 9, 0, tzinfo=UTC)
"""When they are opened again: all that waited is due by then."""


def restore(version: str, path: Path) -> Path:
    """Write the store that the last version of this schema made to `path`."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((STORES / f"{version}.sql").read_text("utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    return path


class Reader:
    """A model's extractor without a model: the first line is a fact for all, a line with `?` is refused."""

    extractor_id = "reader-1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def estimate(self, source: Source) -> Usage:
        return Usage(calls=1, input_tokens=len(source.text), output_tokens=0)

    async def extract(self, source: Source) -> Extraction:
        self.asked.append(source.text)
        spans = [(start, end) for start, end in source.paragraphs if "?" not in source.text[start:end]]
        holders = sorted(one.character_id for one in source.cast)[:1]
        secret = replace(PUBLIC, world=False, members=frozenset(holders))
        return Extraction(
            drafts=tuple(
                Draft(
                    text=f"In short: {source.text[start:end]}",
                    start=start,
                    end=end,
                    audience=secret if place and holders else PUBLIC,
                    reason=Reason.MODEL,
                    importance=4,
                )
                for place, (start, end) in enumerate(spans)
            ),
            refused=tuple(
                Refusal(text=source.text[start:end], quote=source.text[start:end], reason="it asks")
                for start, end in source.paragraphs
                if "?" in source.text[start:end]
            ),
            usage=Usage(calls=1, input_tokens=len(source.text), output_tokens=7, cost=Decimal("0.0012")),
        )


class Small:
    """An embedder of eight numbers, the one that a change of embedder had begun to use."""

    embedder_id = "small-1"
    dimensions = 8
    is_lexical = True

    def __init__(self, *, refuses: Callable[[str], bool] = lambda text: False) -> None:
        self.asked: list[str] = []
        self._refuses = refuses

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.asked += texts
        if any(map(self._refuses, texts)):
            raise EmbedderError("this embedder stopped on the way")
        return np.stack([_small(text) for text in texts]).astype(np.float32)

    async def embed_query(self, text: str) -> Vector:
        return _small(text)


def _small(text: str) -> Vector:
    digest = blake2b(text.encode(), digest_size=8).digest()
    numbers = np.frombuffer(digest, dtype=np.uint8).astype(np.float32) + 1
    vector: Vector = (numbers / np.linalg.norm(numbers)).astype(np.float32)
    return vector


class FormerRules:
    """Today's rules under the name that they had when the stores were made.

    What spoke for each holder, and how surely, they did not say.
    """

    extractor_id = "rules-1"

    def __init__(self, rules: Extractor) -> None:
        self._rules = rules

    def estimate(self, source: Source) -> Usage:
        return self._rules.estimate(source)

    async def extract(self, source: Source) -> Extraction:
        found = await self._rules.extract(source)
        return replace(found, drafts=tuple(replace(draft, holdings=()) for draft in found.drafts), unnamed=())


def services(
    *,
    at: datetime = LATER,
    reader: Reader | None = None,
    small: Small | None = None,
    former_rules: bool = True,
) -> Services:
    """Give engines as the stores were made with, at a moment at which the clock stands.

    With `former_rules` the rules go by their former name, so that what they found is not stale.
    """
    parts = default_services(FrozenClock(at))
    embedders: dict[str, Any] = {"small": small or Small(), "hash": parts.embedder("hash")}
    rules, read = parts.extractor("rules"), reader or Reader()
    if former_rules:
        rules = FormerRules(rules)
    return replace(
        parts,
        embedder=embedders.__getitem__,
        extractor=lambda name: read if name == MODEL else rules,
    )
