"""A change of embedder: the vectors of a new generation are laid beside the old, then take their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class GenerationReading(Protocol):
    """What is still to be made of a new generation."""

    def unembedded(self, space: str, embedder_id: str) -> Mapping[str, str]:
        """Give what is embedded of a space's shown memories and has no vector of this embedder, by hash.

        A vector counts wherever it lies: made ahead, or of another memory of the same text.
        """


class GenerationWriting(Protocol):
    """The step from one generation to the next, within one transaction."""

    def switch_vectors(self, space: str, embedder_id: str) -> int:
        """Put this embedder's vectors in the place of those of a space's shown memories.

        Returns how many memories it has. Hidden memories keep what they have: they are made
        again before they are shown. Raises `ConflictError` when a vector is missing; nothing
        may be written any more then.
        """
