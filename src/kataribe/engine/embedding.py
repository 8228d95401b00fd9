"""The verb that embeds texts of a caller, as the store embeds its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.domain.ids import check_text
from kataribe.engine.base import Base
from kataribe.errors import EmbedderError, InputError, NotPermittedError
from kataribe.formats.detect import told_language
from kataribe.ports import Remote

MOST_TEXTS = 2048
"""Texts that are embedded at once at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embeddings:
    """The vectors of texts, in their order, each of length 1, and who made them."""

    embedder: str
    embedder_id: str
    vectors: tuple[tuple[float, ...], ...]


class EmbedVerbs(Base):
    """Embedding what is not to be stored."""

    async def embed(
        self, texts: Sequence[str], embedder: str | None = None, *, here: bool = False
    ) -> Embeddings:
        """Embed texts by an embedder; without one by that which is set, or that of their language.

        `here` refuses one that asks another machine. Raises `InputError`, `EmbedderError`,
        `MissingExtraError`, `NotPermittedError`.
        """
        if not 1 <= len(texts) <= MOST_TEXTS:
            raise InputError(f"1 to {MOST_TEXTS} texts are embedded at once, not {len(texts)}")
        for text in texts:
            check_text(text, "text")
            if not text.strip():
                raise InputError("a text to embed must not be empty")
        name = embedder or self._services.default_embedder(told_language("\n".join(texts)))
        asked = self._services.embedder(name)
        if here and isinstance(asked, Remote) and asked.is_remote:
            raise NotPermittedError(f"{name} asks another machine, which is the owner's to do")
        found = await asked.embed_documents(texts)
        if len(found) != len(texts):
            raise EmbedderError(f"{name} gave {len(found)} vectors for {len(texts)} texts")
        return Embeddings(
            embedder=name,
            embedder_id=asked.embedder_id,
            vectors=tuple(tuple(float(one) for one in row) for row in found),
        )
