"""Putting what was found in a better order, outside any view of the store (S0-42)."""

from __future__ import annotations

import math
from dataclasses import replace

from kataribe.domain.memory import Hit, Recollection
from kataribe.domain.similarity import DECIMALS
from kataribe.errors import ModelError
from kataribe.ports import Reranker
from kataribe.ports.telemetry import step


@step("rerank")
async def reranked(found: Recollection, question: str, reranker: Reranker, *, top_k: int) -> Recollection:
    """Order hits by a reranker's scores, ties as they were, and keep the first `top_k`.

    A hit's score is the reranker's from then on, as its part `rerank`; what it had before is its
    part `recall`. Nobody is asked when there is nothing to order. Raises `ModelError`.
    """
    backend = replace(found.backend, reranker=reranker.reranker_id)
    hits = found.hits
    if hits:
        scores = await reranker.rerank(question, [hit.text for hit in hits])
        if len(scores) != len(hits) or not all(math.isfinite(score) for score in scores):
            raise ModelError(f"{reranker.reranker_id} did not give one finite score for each memory")
        scored = [_scored(hit, round(score, DECIMALS)) for hit, score in zip(hits, scores, strict=True)]
        hits = tuple(sorted(scored, key=lambda hit: -(hit.score or 0.0)))[:top_k]
    return replace(found, hits=hits, backend=backend)


def _scored(hit: Hit, score: float) -> Hit:
    return replace(hit, score=score, parts={**hit.parts, "recall": hit.score or 0.0, "rerank": score})
