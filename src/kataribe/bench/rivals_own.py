"""Ours among those compared, and the floor."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from kataribe.adapters.sql import SqlLedger
from kataribe.arena.arena import DEFAULT_BYTES
from kataribe.bench.rival_rows import Compared, Rows
from kataribe.bench.stand_ins import RandomEmbedder
from kataribe.bench.synthetic import open_ledger, put_rows, put_story
from kataribe.bench.workspace import NAME
from kataribe.ports import Matrix, Vector


class NumpyFloor(Compared):
    """The visible rows alone, side by side in memory, and one product: nothing exact is quicker."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def put(self, rows: Rows) -> None:
        """Write them as one file and keep what is visible."""
        np.save(self._place / "rows.npy", rows.vectors)
        self._numbers = np.flatnonzero(rows.is_visible)
        self._matrix = rows.vectors[self._numbers]

    def nearest(self, query: Vector, top: int) -> list[int]:
        """Multiply and take the best."""
        scores = self._matrix @ query
        best = np.argpartition(-scores, min(top, len(scores) - 1))[:top]
        found: list[int] = self._numbers[best[np.argsort(-scores[best])]].tolist()
        return found


def floor_of(rows: Rows, queries: Matrix, top: int) -> float:
    """Give the median seconds of the floor over the same rows, in the same process."""
    visible = rows.vectors[rows.is_visible]
    times: list[float] = []
    for query in queries[:20]:
        begun = perf_counter()
        scores = visible @ query
        np.argpartition(-scores, min(top, len(scores) - 1))[:top]
        times.append(perf_counter() - begun)
    return median(times)


class KataribeArena(Compared):
    """The ledger with its arena: texts, keywords and links go in beside the vectors."""

    _arena_bytes = DEFAULT_BYTES

    def __init__(self, place: Path) -> None:
        self._ledger: SqlLedger = open_ledger(place / "k.db", arena_bytes=self._arena_bytes)

    def put(self, rows: Rows) -> None:
        """Put them in as memories, sixteen episodes a transaction."""
        made, embedder = rows.made, RandomEmbedder()
        self._made = made
        with self._ledger.writing() as writing:
            put_story(writing, NAME, embedder)
        for first in range(1, made.episodes + 1, 16):
            with self._ledger.writing() as writing:
                for no in range(first, min(first + 16, made.episodes + 1)):
                    start = (no - 1) * made.an_episode
                    places = range(start, start + made.an_episode)
                    texts = [f"This is what is told in row {place}." for place in places]
                    put_rows(writing, no, texts, rows.vectors[start : places.stop], embedder.embedder_id)

    def nearest(self, query: Vector, top: int) -> list[int]:
        """Search in a read transaction of its own."""
        with self._ledger.reading() as reading:
            found = reading.vectors.nearest(query, gate=self._made.gate, top_k=top)
        numbers = [one.fact_id.split("-") for one in found]
        return [(int(no) - 1) * self._made.an_episode + int(place) for _, no, place in numbers]

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()


class KataribePlanB(KataribeArena):
    """The ledger without an arena: each episode's index is read when it is asked."""

    _arena_bytes = 0


ENGINES: dict[str, type[Compared]] = {
    "numpy floor": NumpyFloor,
    "kataribe (arena)": KataribeArena,
    "kataribe (plan B)": KataribePlanB,
}
