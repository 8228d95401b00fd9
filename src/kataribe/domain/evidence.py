"""What speaks for a holder of a sentence, how sure that is, and how sure a story wants it to be."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class EvidenceKind(StrEnum):
    """Why somebody is taken to hold a sentence."""

    ANNOTATED = "annotated"
    """The author says so, by an annotation, a mark or a fact's own row."""
    NARRATED = "narrated"
    """They tell it: the narrator, or the writer or hearer of a letter, a diary or a testimony."""
    SPOKE = "spoke"
    """They say it."""
    ADDRESSED = "addressed"
    """It is said to them."""
    ACTED = "acted"
    """They act bodily in it, perceive, arrive or leave."""
    PRESENT = "present"
    """They came into the scene before it and have not left."""
    INNER = "inner"
    """They think it."""


class Holding(NamedTuple):
    """One character taken to hold a sentence, by its strongest evidence.

    `confidence`, 0 to 1, is how often such a guess was right on works read for that purpose.
    """

    holder: str
    evidence: EvidenceKind
    confidence: float


class AudienceMode(StrEnum):
    """How sure a story wants to be before a guessed sentence is somebody's memory."""

    STRICT = "strict"
    EVIDENT = "evident"
    WIDE = "wide"

    @property
    def minimum(self) -> float:
        """The confidence, 0 to 1, below which a guess waits in review."""
        return _MINIMUM[self]

    def accepted(self, holdings: Iterable[Holding]) -> tuple[Holding, ...]:
        """Give those of the guesses that are sure enough, in their order."""
        return tuple(one for one in holdings if one.confidence >= self.minimum)


_MINIMUM = {AudienceMode.STRICT: 0.95, AudienceMode.EVIDENT: 0.6, AudienceMode.WIDE: 0.0}
