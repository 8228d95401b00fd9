"""Floors: what plain code needs for the same, on the same machine, in the same run."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from kataribe.bench.sizes import SEED, Sizes
from kataribe.bench.stand_ins import unit_vectors
from kataribe.bench.timing import WARM_UP, Watch, worked
from kataribe.ports import Matrix

_TOP = 10


def scan(rows: int, sizes: Sizes) -> float:
    """Time a float32 product and the ten best over `rows` vectors that lie in memory.

    Gives the lowest of three medians of the processor's time in milliseconds: a busy machine must
    not lower the bar.
    """
    matrix = unit_vectors(rows)
    queries = unit_vectors(sizes.calls + WARM_UP, seed=SEED + 1)
    return min(_scan(matrix, queries, sizes).cpu for _ in range(3))


def _scan(matrix: Matrix, queries: Matrix, sizes: Sizes) -> Watch:
    watch = Watch(sizes.calls, sizes.seconds / 4)
    for at in watch.rounds():
        scores = matrix @ queries[at]
        best = np.argpartition(-scores, min(_TOP, len(scores) - 1))[:_TOP]
        best[np.argsort(-scores[best])]
    return watch


def insert(path: Path, texts: Sequence[str], vectors: Matrix) -> float:
    """Count how many facts, a text and a vector each, one plain transaction writes a second of work."""
    rows = [(text, row.tobytes()) for text, row in zip(texts, vectors, strict=True)]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE facts (key INTEGER PRIMARY KEY, text TEXT, vector BLOB)")
        begun = worked()
        with connection:
            connection.executemany("INSERT INTO facts (text, vector) VALUES (?, ?)", rows)
        return len(rows) / (worked() - begun)
