"""What calibration found: from which similarity on a memory may be used, by embedder."""

from __future__ import annotations

from kataribe.domain.memory import Kind

_MINIMA: dict[tuple[str, Kind], float] = {}


def minimum_similarity(embedder_id: str, kind: Kind) -> float | None:
    """Give the cosine below which memories of a kind are not used; None: nothing was measured."""
    return _MINIMA.get((embedder_id, kind))
