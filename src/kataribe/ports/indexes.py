"""Search inside a gate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Candidate
from kataribe.ports.models import Vector


class VectorIndex(Protocol):
    """Finds memories by likeness, inside a gate.

    Exact: similarities are cosines in [-1, 1], each computed row by row in float64 and
    rounded to 6 decimals; ties are broken by the slice's part, then position, then fact id,
    then holder.
    """

    def nearest(
        self, vector: Vector, *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the `top_k` most similar live memories the gate admits, best first.

        `DENY_ALL` gives nothing and reads nothing. Raises `EmbedderMismatchError` when the
        vector's length is not that of the memories.
        """

    def similarities(self, vector: Vector, keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the similarity of each of these memories by key; those outside the gate are left out."""

    def vectors_of(self, keys: Collection[int], *, gate: Gate) -> Mapping[int, Vector]:
        """Give the vector of each of these memories by key; those outside the gate are left out."""


class KeywordIndex(Protocol):
    """Finds memories by their words, inside a gate, ranked by BM25.

    Every count (documents, lengths, how many hold a term) is taken inside the gate (P2).
    """

    def matching(
        self, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> tuple[Candidate, ...]:
        """Give the `top_k` best live memories that hold any of the terms, best first.

        Scores are positive BM25 scores rounded to 6 decimals; ties as in `VectorIndex`.
        """

    def scores(self, terms: Sequence[str], keys: Collection[int], *, gate: Gate) -> Mapping[int, float]:
        """Give the score of each of these memories by key, 0 for one that holds none of the terms.

        Those outside the gate are left out.
        """
