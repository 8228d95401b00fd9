"""What calibration found: from which similarity on a memory may be used, by embedder."""

from __future__ import annotations

from collections.abc import Mapping

from kataribe.domain.memory import Kind

_MINIMA: dict[tuple[str, Kind], float] = {}


def minimum_similarity(embedder_id: str, kind: Kind) -> float | None:
    """Give the cosine below which memories of a kind are not used; None: nothing was measured."""
    return _MINIMA.get((embedder_id, kind))


def is_enough(similarity: float, parts: Mapping[str, float], minimum: float | None) -> bool:
    """Tell whether a hit is like enough to the question to be used.

    It is when its cosine reaches `minimum` (None: everything does), when a phrase of the question
    stands in it verbatim, when a person pinned it, or when there was nothing to embed (a cosine
    of exactly 0) and words found it.
    """
    if minimum is None or similarity >= minimum:
        return True
    if parts.get("phrase", 0.0) > 0 or parts.get("pinned", 0.0) > 0:
        return True
    return similarity == 0.0 and parts.get("keyword", 0.0) > 0
