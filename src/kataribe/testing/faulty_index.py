"""An outside index that is late, doubles, loses, reorders and lies: what an answer must survive."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.gate import Gate
from kataribe.errors import VectorIndexError
from kataribe.ports import Consistency, IndexCapabilities, IndexEntry, Proposal, Vector, VectorIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFaults:
    """How often, from 0 to 1, each thing goes wrong.

    `late`: a write waits until `FaultyIndex.catch_up`. `doubled`: a write is done twice, and a
    proposal made twice. `lost`: a write is not done at all. `lying`: a question is answered as
    if there were no gate, with ids that nobody has. `away`: a call raises `VectorIndexError`.
    Writes that wait are done in any order.
    """

    late: float = 0.0
    doubled: float = 0.0
    lost: float = 0.0
    lying: float = 0.0
    away: float = 0.0


class FaultyIndex:
    """`VectorIndex` over another one, with faults drawn from a seed.

    Unless it `admits` them it declares itself as good as the one below. `faults` may be changed.
    """

    def __init__(
        self, below: VectorIndex, faults: IndexFaults, *, seed: int = 0, admits: bool = False
    ) -> None:
        self._below = below
        self.faults = faults
        self._random = random.Random(seed)
        self._admits = admits
        self._waiting: list[Callable[[], None]] = []
        self._seen: dict[str, set[str]] = {}

    @property
    def index_id(self) -> str:
        """That of the one below."""
        return self._below.index_id

    @property
    def capabilities(self) -> IndexCapabilities:
        """What it says of itself."""
        said = self._below.capabilities
        return replace(said, exact=False, consistency=Consistency.EVENTUAL) if self._admits else said

    def upsert(self, collection: str, entries: Sequence[IndexEntry]) -> None:
        """Write, or not."""
        self._seen.setdefault(collection, set()).update(entry.entry_id for entry in entries)
        self._write(lambda: self._below.upsert(collection, entries))

    def delete(self, collection: str, ids: Collection[str]) -> None:
        """Remove, or not."""
        self._write(lambda: self._below.delete(collection, ids))

    def _write(self, write: Callable[[], None]) -> None:
        self._may_be_away()
        if self._happens(self.faults.lost):
            return
        for _ in range(2 if self._happens(self.faults.doubled) else 1):
            if self._happens(self.faults.late):
                self._waiting.append(write)
            else:
                write()

    def nearest(self, vector: Vector, *, gate: Gate, top_k: int) -> tuple[Proposal, ...]:
        """Propose what the one below does, or anything at all."""
        self._may_be_away()
        if self._happens(self.faults.lying):
            every = [Proposal(space, one) for space, ids in self._seen.items() for one in sorted(ids)]
            every += [Proposal(space, "nobody's") for space in self._seen]
            self._random.shuffle(every)
            return tuple(every[:top_k])
        found = list(self._below.nearest(vector, gate=gate, top_k=top_k))
        if self._happens(self.faults.doubled):
            found = [one for one in found for _ in range(2)][:top_k]
        return tuple(found)

    def catch_up(self) -> None:
        """Do the writes that wait, in any order."""
        waiting, self._waiting = self._waiting, []
        self._random.shuffle(waiting)
        for write in waiting:
            write()

    def close(self) -> None:
        """Close the one below."""
        self._below.close()

    def _may_be_away(self) -> None:
        if self._happens(self.faults.away):
            raise VectorIndexError("the index is away; try again later")

    def _happens(self, often: float) -> bool:
        return self._random.random() < often
