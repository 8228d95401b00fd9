"""Two sentences of a story, and what somebody who reads both says of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PairVerdict(StrEnum):
    """What is said of two sentences."""

    CONTRADICTS = "contradicts"
    """Both cannot be true."""
    TELLS = "tells"
    """Who reads the second knows what the first says."""
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two sentences and the numbers of the episodes they stand in."""

    one: str
    one_no: int
    other: str
    other_no: int
