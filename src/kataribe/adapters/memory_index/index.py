"""Collections of entries in dictionaries, searched one by one: plainly right, and as slow as that."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence
from threading import Lock

from kataribe.domain.arrays import np
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.similarity import exact_similarities
from kataribe.ports import Consistency, IndexCapabilities, IndexEntry, Proposal, Vector


class MemoryIndex:
    """`VectorIndex` that forgets everything with its process; under a new id each time, so it is fed anew."""

    def __init__(self, where: str = "") -> None:
        self._id = f"memory-{where or secrets.token_hex(8)}"
        self._held: dict[str, dict[str, IndexEntry]] = {}
        self._lock = Lock()

    @staticmethod
    def available() -> str | None:
        """Nothing is missing: it needs no package."""
        return None

    @property
    def index_id(self) -> str:
        """A random id, or the one it was given."""
        return self._id

    @property
    def capabilities(self) -> IndexCapabilities:
        """It misses nothing."""
        return IndexCapabilities(filters=True, exact=True, consistency=Consistency.AT_ONCE)

    def upsert(self, collection: str, entries: Sequence[IndexEntry]) -> None:
        """Put entries in place, unless newer ones are there."""
        with self._lock:
            held = self._held.setdefault(collection, {})
            for entry in entries:
                known = held.get(entry.entry_id)
                if known is None or known.revision <= entry.revision:
                    held[entry.entry_id] = entry

    def delete(self, collection: str, ids: Collection[str]) -> None:
        """Remove entries; an empty collection is none."""
        with self._lock:
            held = self._held.get(collection, {})
            for entry_id in ids:
                held.pop(entry_id, None)
            if not held:
                self._held.pop(collection, None)

    def nearest(self, vector: Vector, *, gate: Gate, top_k: int) -> tuple[Proposal, ...]:
        """Score every entry behind the gate as the store does, sort, cut."""
        with self._lock:
            found = [
                (part, entry)
                for part in gate.slices
                for entry in self._behind(part)
                if len(entry.vector) == len(vector)
            ]
        if not found:
            return ()
        scores = exact_similarities(np.stack([entry.vector for _, entry in found]), vector).tolist()
        ranked = sorted(zip(scores, found, strict=True), key=_order)
        return tuple(Proposal(part.space, entry.entry_id) for _, (part, entry) in ranked[: max(top_k, 0)])

    def _behind(self, part: Slice) -> Iterator[IndexEntry]:
        for entry in self._held.get(part.space, {}).values():
            if entry.holder == part.holder and entry.position <= part.upto:
                yield entry

    def close(self) -> None:
        """There is nothing to let go of."""


def _order(scored: tuple[float, tuple[Slice, IndexEntry]]) -> tuple[float, int, int, str, str]:
    score, (part, entry) = scored
    return (-score, part.part, entry.position, entry.fact_id, entry.holder)
