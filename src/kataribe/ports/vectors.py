"""The ledger's part for vectors: those that are known, and a new generation laid beside the old."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol


class VectorsView(Protocol):
    """What is read of vectors by the texts they are of; all are float32, little endian, by text hash."""

    def known_vectors(
        self, spaces: Collection[str], embedder_id: str, text_hashes: Collection[str]
    ) -> Mapping[str, bytes]:
        """Give the vectors already made of texts with these hashes in these spaces."""

    def staged_vectors(
        self, space: str, embedder_id: str, text_hashes: Collection[str]
    ) -> Mapping[str, bytes]:
        """Give the vectors made ahead of a change of embedder."""

    def unembedded(self, space: str, embedder_id: str) -> Mapping[str, str]:
        """Give the ids of facts or turns that are shown and whose text has no vector of this embedder.

        By text hash. A vector counts wherever in the space it lies: made ahead, or of another
        memory of the same text.
        """


class VectorsTransaction(VectorsView, Protocol):
    """The step from one generation to the next, within one transaction."""

    def stage_vectors(self, space: str, embedder_id: str, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors made ahead of a change of embedder."""

    def clear_staged(self, space: str, embedder_id: str) -> None:
        """Forget the vectors made ahead for this embedder."""

    def switch_vectors(self, space: str, embedder_id: str, terms: Mapping[int, Sequence[str]]) -> int:
        """Put this embedder's vectors, and these terms, in the place of those of a space's shown memories.

        `terms` go by the store's keys of memories. Returns how many memories it has. Hidden memories
        keep what they have: they are made again before they are shown. Raises `ConflictError` when a
        vector is missing; nothing may be written any more then.
        """
