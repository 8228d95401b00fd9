"""Comparing what is stored with what is made anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kataribe.domain.arrays import np
from kataribe.domain.memory import Memory
from kataribe.domain.records import MemoryState

TOLERANCE = 1e-3
"""How far a vector may be from one made anew: an outside embedder need not give the same bytes."""


def unlike(
    stored: Sequence[Memory],
    packed: Mapping[tuple[str, str], bool],
    derived: Mapping[str, MemoryState],
) -> Iterator[str]:
    """Compare the search index of a unit with its memories, both ways; what is hidden need not be in it."""
    held = {(memory.holder, memory.fact_id) for memory in stored if not memory.in_review}
    shown = {(one.holder, one.fact_id) for one in stored if derived[one.memory_id].live}
    for holder, fact_id in sorted(shown - packed.keys()):
        yield f"{fact_id} of {holder} is not in the search index; run `kataribe rebuild`"
    for holder, fact_id in sorted(packed.keys() - held):
        yield f"the search index holds {fact_id} of {holder}, which is no memory; run `kataribe rebuild`"


def worn(
    memory_id: str,
    state: MemoryState,
    *,
    terms: tuple[int, ...],
    vector: bytes | None,
    embedder_id: str,
    source: str,
) -> Iterator[str]:
    """Compare what finds a memory with what its `source` (its turn, its document) gives now.

    `vector` is None where it could not be made anew.
    """
    if not state.live:
        yield f"memory {memory_id} is hidden and should not be"
    if state.terms != terms:
        yield f"memory {memory_id} has other keywords than its {source}"
    if state.vector is None or state.embedder_id != embedder_id:
        yield f"memory {memory_id} has no vector of {embedder_id}"
    elif vector is not None and not is_near(state.vector, vector):
        yield f"memory {memory_id} has another vector than its {source}"


def is_near(one: bytes, other: bytes) -> bool:
    """Whether two vectors (float32, little endian) are the same but for `TOLERANCE`."""
    if one == other:
        return True
    if len(one) != len(other):
        return False
    return bool(np.allclose(np.frombuffer(one, "<f4"), np.frombuffer(other, "<f4"), atol=TOLERANCE))
