"""A segment: one holder's share of one episode, as it is stored and as it is searched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kataribe.domain.arrays import np, npt
from kataribe.domain.text.tokens import term_digest
from kataribe.ports import Matrix

Ints: TypeAlias = "npt.NDArray[np.int64]"
Hashes: TypeAlias = "npt.NDArray[np.uint64]"
Counts: TypeAlias = "npt.NDArray[np.uint32]"


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Which rows hold which terms how often: parallel arrays sorted by term hash, then row.

    A term is known by its 64-bit hash (`domain.tokens.term_hash`), so that no list of words
    is kept beside the memories.
    """

    hashes: Hashes
    rows: Counts
    counts: Counts
    lengths: Counts
    """Shape (rows of the segment,): how many terms each row has, repeats counted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segment:
    """The live memories of one holder from one unit, sorted by position, then fact id.

    A unit is an episode, whose rows all have its position, or some of a user's turns. The
    positions of two units of one space may overlap, and be the same. `matrix` has shape
    (rows, dimensions), float32.
    """

    unit: str
    positions: Ints
    keys: Ints
    fact_ids: tuple[str, ...]
    pinned: npt.NDArray[np.bool_]
    matrix: Matrix
    postings: Postings

    def __len__(self) -> int:
        return len(self.fact_ids)

    @property
    def position(self) -> int:
        """Of its first row: where the segment begins."""
        return int(self.positions[0])


def postings_of(documents: Sequence[Sequence[str]]) -> Postings:
    """Count the terms of each document; the row of a document is its place."""
    return postings_of_each([documents])[0]


def postings_of_each(shares: Sequence[Sequence[Sequence[str]]]) -> list[Postings]:
    """Count the terms of each share's documents: all at once, because most shares are small."""
    counted = _counted([terms for documents in shares for terms in documents])
    sizes = [len(digests) // _DIGEST for digests, _ in counted]
    hashes = np.frombuffer(b"".join([digests for digests, _ in counted]), dtype="<u8").astype(np.uint64)
    counts = np.frombuffer(b"".join([many for _, many in counted]), dtype=np.uint32)
    places = [row for documents in shares for row in range(len(documents))]
    rows = np.repeat(np.array(places, dtype=np.uint32), sizes)
    many = [len(documents) for documents in shares]
    owners = np.repeat(np.repeat(np.arange(len(many)), many), sizes)
    # Rows stand in order already, and a stable sort leaves them so.
    order = np.lexsort((hashes, owners))
    hashes, rows, counts = hashes[order], rows[order], counts[order]
    found: list[Postings] = []
    at = document = 0
    for documents in shares:
        end = at + sum(sizes[document : document + len(documents)])
        lengths = np.array([len(terms) for terms in documents], dtype=np.uint32)
        found.append(Postings(hashes[at:end], rows[at:end], counts[at:end], lengths))
        at, document = end, document + len(documents)
    return found


_DIGEST = 8
_ONCE = np.ones(1, dtype=np.uint32).tobytes()


def _counted(documents: Sequence[Sequence[str]]) -> list[tuple[bytes, bytes]]:
    """Give the hashes of each document's terms, each once, and how often each stands there (uint32).

    Copies of a fact are handed in as one object, and counted once.
    """
    known: dict[int, tuple[bytes, bytes]] = {}
    for terms in documents:
        if id(terms) not in known:
            known[id(terms)] = _counts(terms)
    return [known[id(terms)] for terms in documents]


def _counts(terms: Sequence[str]) -> tuple[bytes, bytes]:
    distinct = dict.fromkeys(terms)
    digests = b"".join(map(term_digest, distinct))
    if len(distinct) == len(terms):
        return digests, _ONCE * len(terms)
    counts = Counter(terms)
    return digests, np.array([counts[term] for term in distinct], dtype=np.uint32).tobytes()
