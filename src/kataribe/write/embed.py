"""Third step: texts become vectors, those already known are not embedded again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.ids import text_hash
from kataribe.domain.memory import Memory
from kataribe.errors import EmbedderError
from kataribe.ports import Embedder, Matrix

BATCH = 256


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors by text hash (float32, little endian), and the texts that failed with the reason."""

    vectors: Mapping[str, bytes]
    failures: Mapping[str, str]


def texts_of(memories: Sequence[Memory]) -> dict[str, str]:
    """Give the texts that need a vector by hash; what waits in review needs none."""
    return {memory.text_hash: memory.text for memory in memories if not memory.in_review}


async def embed_texts(texts: Sequence[str], embedder: Embedder) -> Embedded:
    """Embed texts in batches; when a batch fails only its failing texts are given up (S0-18)."""
    vectors: dict[str, bytes] = {}
    failures: dict[str, str] = {}
    for at in range(0, len(texts), BATCH):
        batch = texts[at : at + BATCH]
        try:
            _keep(vectors, batch, await embedder.embed_documents(batch))
        except EmbedderError:
            for text in batch:
                try:
                    _keep(vectors, [text], await embedder.embed_documents([text]))
                except EmbedderError as error:
                    failures[text_hash(text)] = str(error)
    return Embedded(vectors, failures)


def _keep(vectors: dict[str, bytes], texts: Sequence[str], matrix: Matrix) -> None:
    if matrix.shape[0] != len(texts):
        raise EmbedderError(f"the embedder gave {matrix.shape[0]} vectors for {len(texts)} texts")
    for text, row in zip(texts, matrix, strict=True):
        vectors[text_hash(text)] = row.astype("<f4").tobytes()
