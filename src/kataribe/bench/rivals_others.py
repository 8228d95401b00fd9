"""Others among those compared: used when they are installed, never needed.

Each is used as its documents say for a filtered search, with no index but its own default.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

from kataribe.bench.rival_rows import ADMITTED, BATCH, Compared, NotInstalledError, Rows
from kataribe.bench.stand_ins import DIMENSIONS
from kataribe.ports import Vector

_MOST_OF_MEM0 = 20_000
_GATE = "holder IN ({}) AND position <= {{}}".format(", ".join(f"'{holder}'" for holder in ADMITTED))


def _needed(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise NotInstalledError("not installed") from error


def _batches(rows: Rows) -> Iterator[range]:
    for first in range(0, len(rows.vectors), BATCH):
        yield range(first, min(first + BATCH, len(rows.vectors)))


def _arrow_table(arrow: Any, rows: Rows) -> Any:
    flat = arrow.array(rows.vectors.reshape(-1))
    return arrow.table(
        {
            "number": arrow.array(range(len(rows.vectors))),
            "vector": arrow.FixedSizeListArray.from_arrays(flat, DIMENSIONS),
            "holder": arrow.array(rows.holders),
            "position": arrow.array(rows.positions),
        }
    )


class SqliteVec(Compared):
    """A `vec0` table with holder and position as metadata columns."""

    def __init__(self, place: Path) -> None:
        extension = _needed("sqlite_vec").loadable_path()
        self._connection: Any
        if hasattr(sqlite3.Connection, "enable_load_extension"):
            self._connection = sqlite3.connect(place / "v.db", isolation_level=None)
            self._connection.enable_load_extension(True)
            self._connection.load_extension(extension)
        else:
            try:
                apsw = import_module("apsw")
            except ImportError as error:
                raise NotInstalledError("this Python loads no SQLite extensions; install apsw too") from error
            self._connection = apsw.Connection(str(place / "v.db"))
            self._connection.enable_load_extension(True)
            self._connection.load_extension(extension)

    def put(self, rows: Rows) -> None:
        """Insert in one transaction, in WAL as our own store is."""
        self._upto = rows.upto
        run = self._connection.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        run(
            f"CREATE VIRTUAL TABLE v USING vec0(vector float[{DIMENSIONS}] distance_metric=cosine, "
            "holder text, position integer)"
        )
        run("BEGIN")
        self._connection.cursor().executemany(
            "INSERT INTO v (rowid, vector, holder, position) VALUES (?, ?, ?, ?)",
            (
                (at, rows.vectors[at].tobytes(), rows.holders[at], int(rows.positions[at]))
                for at in range(len(rows.vectors))
            ),
        )
        run("COMMIT")

    def nearest(self, query: Vector, top: int) -> list[int]:
        """Ask for the nearest that pass the filter."""
        sql = f"SELECT rowid FROM v WHERE vector MATCH ? AND k = ? AND {_GATE.format('?')} ORDER BY distance"
        return [row[0] for row in self._connection.execute(sql, (query.tobytes(), top, self._upto))]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class Chroma(Compared):
    """A persistent collection (HNSW, cosine) filtered by metadata."""

    def __init__(self, place: Path) -> None:
        chromadb = _needed("chromadb")
        settings = chromadb.config.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(path=str(place), settings=settings)
        self._collection: Any = client.create_collection("rows", metadata={"hnsw:space": "cosine"})

    def put(self, rows: Rows) -> None:
        """Add in batches."""
        self._where = {
            "$and": [{"holder": {"$in": list(ADMITTED)}}, {"position": {"$lte": rows.upto}}],
        }
        for batch in _batches(rows):
            self._collection.add(
                ids=[str(at) for at in batch],
                embeddings=rows.vectors[batch.start : batch.stop],
                metadatas=[{"holder": rows.holders[at], "position": int(rows.positions[at])} for at in batch],
            )

    def nearest(self, query: Vector, top: int) -> list[int]:
        """Ask for the nearest that pass the filter."""
        found = self._collection.query(query_embeddings=[query], n_results=top, where=self._where, include=[])
        return [int(named) for named in found["ids"][0]]


class Lance(Compared):
    """A LanceDB table searched exactly, the filter before the search."""

    def __init__(self, place: Path) -> None:
        self._connection: Any = _needed("lancedb").connect(str(place))
        self._arrow: Any = _needed("pyarrow")

    def put(self, rows: Rows) -> None:
        """Create the table in one go."""
        self._upto = rows.upto
        self._table: Any = self._connection.create_table("rows", _arrow_table(self._arrow, rows))

    def nearest(self, query: Vector, top: int) -> list[int]:
        """Ask for the nearest that pass the filter."""
        asked = (
            self._table.search(query).distance_type("cosine").where(_GATE.format(self._upto), prefilter=True)
        )
        found = asked.select(["number"]).limit(top).to_arrow()
        numbers: list[int] = found["number"].to_pylist()
        return numbers


class Duck(Compared):
    """A DuckDB table of fixed-size arrays, sorted by distance."""

    def __init__(self, place: Path) -> None:
        self._connection: Any = _needed("duckdb").connect(str(place / "v.duckdb"))
        self._arrow: Any = _needed("pyarrow")

    def put(self, rows: Rows) -> None:
        """Create the table out of one in memory."""
        self._upto = rows.upto
        self._connection.register("given", _arrow_table(self._arrow, rows))
        self._connection.execute("CREATE TABLE rows AS SELECT * FROM given")
        self._connection.unregister("given")

    def nearest(self, query: Vector, top: int) -> list[int]:
        """Sort what passes the filter."""
        sql = (
            f"SELECT number FROM rows WHERE {_GATE.format(self._upto)} "
            f"ORDER BY array_cosine_distance(vector, ?::FLOAT[{DIMENSIONS}]) LIMIT {top}"
        )
        return [row[0] for row in self._connection.execute(sql, [query.tolist()]).fetchall()]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class Mem0(Compared):
    """Mem0 over its default store in a folder, its embedder looked up and no model asked."""

    def __init__(self, place: Path) -> None:
        # It would report to its makers, and asks for the key of a model that is not asked here.
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(place))
        os.environ.setdefault("OPENAI_API_KEY", "none")
        store = {"path": str(place / "q"), "on_disk": True, "embedding_model_dims": DIMENSIONS}
        self._memory: Any = _needed("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(place / "history.db"),
            }
        )
        self._memory.embedding_model = self
        self._query: list[float] = []

    def embed(self, text: str, kind: str | None = None) -> list[float]:  # noqa: ARG002 - as it asks
        """Give the vector of the question."""
        return self._query

    def put(self, rows: Rows) -> None:
        """Insert in batches, as its own `add` does once a model has said what to remember."""
        if len(rows.vectors) > _MOST_OF_MEM0:
            raise NotInstalledError(f"takes minutes for more than {_MOST_OF_MEM0:,} rows")
        self._where = {
            "user_id": "u",
            "holder": {"in": list(ADMITTED)},
            "position": {"lte": rows.upto},
        }
        for batch in _batches(rows):
            self._memory.vector_store.insert(
                vectors=[rows.vectors[at].tolist() for at in batch],
                payloads=[
                    {
                        "data": str(at),
                        "user_id": "u",
                        "holder": rows.holders[at],
                        "position": int(rows.positions[at]),
                    }
                    for at in batch
                ],
                ids=[str(UUID(int=at)) for at in batch],
            )

    def nearest(self, query: Vector, top: int) -> list[int]:
        """Ask for the nearest that pass the filter."""
        self._query = query.tolist()
        found = self._memory.search("?", top_k=top, threshold=0.0, filters=self._where)
        return [int(one["memory"]) for one in found["results"]]

    def close(self) -> None:
        """Close its store."""
        self._memory.vector_store.client.close()


ENGINES: dict[str, type[Compared]] = {
    "sqlite-vec": SqliteVec,
    "Chroma": Chroma,
    "LanceDB": Lance,
    "DuckDB": Duck,
    "mem0": Mem0,
}
