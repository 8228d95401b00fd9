"""A step of all that is made: texts become vectors, those already known are not embedded again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kataribe.domain.ids import text_hash
from kataribe.errors import EmbedderError, EmbedderUnavailableError, KataribeError
from kataribe.ports import Batched, Embedder, Matrix
from kataribe.work.task import Embedded, words_of

BATCH = 256
_OUTAGES = 2
"""Batches in a row that may find the embedder away before the rest is left for later."""


async def embed_texts(
    texts: Sequence[str], embedder: Embedder, *, told: Callable[[KataribeError], str] = str
) -> Embedded:
    """Embed texts in batches; when a batch fails only its failing texts are given up (S0-18).

    While the embedder cannot be reached a batch is skipped whole (S4-102): its texts are among
    the failures, so that nobody takes them for done. `told` says why, of an error.
    """
    vectors: dict[str, bytes] = {}
    failures: dict[str, str] = {}
    size = embedder.batch if isinstance(embedder, Batched) else BATCH
    outages = 0
    for at in range(0, len(texts), size):
        batch = texts[at : at + size]
        try:
            _keep(vectors, batch, await embedder.embed_documents(batch))
        except EmbedderUnavailableError as error:
            outages += 1
            lost = texts[at:] if outages == _OUTAGES else batch
            failures.update({text_hash(text): told(error) for text in lost})
            if outages == _OUTAGES:
                break
            continue
        except EmbedderError:
            await _one_by_one(batch, embedder, vectors, failures, told)
        outages = 0
    return Embedded(vectors, failures, embedder.embedder_id, words_of(embedder))


async def _one_by_one(
    batch: Sequence[str],
    embedder: Embedder,
    vectors: dict[str, bytes],
    failures: dict[str, str],
    told: Callable[[KataribeError], str],
) -> None:
    for at, text in enumerate(batch):
        try:
            _keep(vectors, [text], await embedder.embed_documents([text]))
        except EmbedderUnavailableError as error:
            failures.update({text_hash(lost): told(error) for lost in batch[at:]})
            return
        except EmbedderError as error:
            failures[text_hash(text)] = told(error)


def _keep(vectors: dict[str, bytes], texts: Sequence[str], matrix: Matrix) -> None:
    if matrix.shape[0] != len(texts):
        raise EmbedderError(f"the embedder gave {matrix.shape[0]} vectors for {len(texts)} texts")
    for text, row in zip(texts, matrix, strict=True):
        vectors[text_hash(text)] = row.astype("<f4").tobytes()
