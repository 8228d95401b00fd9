"""Third step: texts become vectors, those already known are not embedded again."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.domain.ids import text_hash
from kataribe.errors import EmbedderError
from kataribe.ports import Embedder, Matrix
from kataribe.write.values import Embedded

BATCH = 256


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
