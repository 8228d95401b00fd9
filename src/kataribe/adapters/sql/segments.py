"""Segments as rows: one holder's share of one unit packed together, so that a shelf is read at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any

from kataribe.adapters.sql import queries
from kataribe.arena.segment import Postings, Segment, postings_of
from kataribe.domain.arrays import np
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Memory
from kataribe.domain.records import MemoryState
from kataribe.errors import StoreError
from kataribe.ports import NotWarmError

_BATCH = 500
_COLUMNS = "unit, position, positions, memory_keys, fact_ids, pinned, vectors, lengths, hashes, rows, counts"


def pack(
    members: Sequence[Memory],
    *,
    keys: Mapping[str, int],
    postings: Postings,
    vectors: Mapping[str, bytes],
) -> dict[str, object]:
    """Pack memories of one holder and unit, sorted by position and fact id, into a row's values.

    Either all of them have a vector, or none.

    `keys` are the store's keys by memory id; `postings` are of the members' terms, `vectors` go
    by text hash.
    """
    return {
        "holder": members[0].holder,
        "position": members[0].position,
        "positions": _positions_of(members),
        "memory_keys": np.array([keys[m.memory_id] for m in members], dtype="<i8").tobytes(),
        "fact_ids": "\n".join(m.fact_id for m in members),
        "pinned": bytes(m.pinned for m in members),
        "vectors": b"".join(vectors.get(m.text_hash, b"") for m in members),
        "lengths": postings.lengths.astype("<u4").tobytes(),
        "hashes": postings.hashes.astype("<u8").tobytes(),
        "rows": postings.rows.astype("<u4").tobytes(),
        "counts": postings.counts.astype("<u4").tobytes(),
    }


def unpack(row: tuple[Any, ...]) -> Segment:
    """Read a row of `_COLUMNS`. Raises `StoreError` when its parts do not fit together."""
    unit, position, positions, keys, fact_ids, pinned, vectors, lengths, hashes, rows, counts = row
    named = tuple(fact_ids.split("\n"))
    matrix = np.frombuffer(vectors, dtype="<f4")
    if len(matrix) % len(named):
        raise StoreError(f"the vectors of {unit!r} are damaged; run `kataribe rebuild`")
    return Segment(
        unit=unit,
        positions=np.full(len(named), position, dtype=np.int64)
        if positions is None
        else np.frombuffer(positions, dtype="<i8"),
        keys=np.frombuffer(keys, dtype="<i8"),
        fact_ids=named,
        pinned=np.frombuffer(pinned, dtype=np.bool_),
        matrix=matrix.reshape(len(named), -1),
        postings=Postings(
            hashes=np.frombuffer(hashes, dtype="<u8"),
            rows=np.frombuffer(rows, dtype="<u4"),
            counts=np.frombuffer(counts, dtype="<u4"),
            lengths=np.frombuffer(lengths, dtype="<u4"),
        ),
    )


Once = Callable[[Hashable, Callable[[], int]], int]
"""Gives what is read of the store as it stands, read when it is asked for first."""


class SqlFeed:
    """The arena's `Feed` over one transaction."""

    def __init__(
        self, connection: sqlite3.Connection, once: Once | None = None, *, warm: bool = False
    ) -> None:
        self._connection = connection
        self._once = once
        self.is_warm = warm

    def revision(self, space: str) -> int:
        """Give the revision of the last change of a space's memories."""
        if self._once is None:
            return self._read_revision(space)
        return self._once(("memories", space), lambda: self._read_revision(space))

    def _read_revision(self, space: str) -> int:
        found = queries.tuples(self._connection, queries.REVISION, (space,))
        return int(found[0][0] or 0)

    def changed(self, space: str, since: int) -> Collection[str] | None:
        """Give the episodes that changed after a revision; None when all of the space did."""
        units = {row[0] for row in queries.tuples(self._connection, queries.CHANGED, (space, since))}
        return None if "" in units else units

    def segments(
        self,
        space: str,
        holder: str,
        *,
        after: int | None = None,
        upto: int,
        units: Collection[str] | None = None,
    ) -> list[Segment]:
        """Give a holder's live segments up to a position, in order of position."""
        if self.is_warm:
            raise NotWarmError
        by = "" if units is None else " INDEXED BY ix_segments_unit"
        live = "space = ? AND holder = ? AND live = 1 AND position <= ?"
        sql = f"SELECT {_COLUMNS} FROM segments{by} WHERE {live}"
        given: tuple[object, ...] = (space, holder, upto)
        if after is not None:
            sql, given = f"{sql} AND position > ?", (*given, after)
        if units is None:
            rows = queries.tuples(self._connection, f"{sql} ORDER BY position", given)
            return [unpack(row) for row in rows]
        found: list[Segment] = []
        asked = sorted(units)
        for at in range(0, len(asked), _BATCH):
            batch = asked[at : at + _BATCH]
            named = f"{sql} AND unit IN ({queries.marks(len(batch))})"
            found += [unpack(row) for row in queries.tuples(self._connection, named, (*given, *batch))]
        return sorted(found, key=lambda segment: segment.position)

    def admitted_keys(self, gate: Gate, where: Filter) -> Collection[int]:
        """Give the keys of the live memories that pass gate and filter."""
        condition, values = queries.said(where)
        sql, given = queries.from_gate("key", gate, extra=(f" AND {condition}", values))
        return {row[0] for row in queries.tuples(self._connection, sql, given)}


def _positions_of(members: Sequence[Memory]) -> bytes | None:
    """Write the position of each row; None where all have the first one's."""
    if all(m.position == members[0].position for m in members):
        return None
    return np.array([m.position for m in members], dtype="<i8").tobytes()


def without(segment: Segment, slots: Collection[int]) -> dict[str, object]:
    """Give a segment's row values without some of its rows; at least one must stay."""
    kept = np.array([row for row in range(len(segment)) if row not in slots], dtype=np.int64)
    new_row = np.full(len(segment), -1, dtype=np.int64)
    new_row[kept] = np.arange(len(kept))
    postings = segment.postings
    moved = new_row[postings.rows]
    stays = moved >= 0
    positions = segment.positions[kept]
    return {
        "position": int(positions[0]),
        "positions": None if (positions == positions[0]).all() else positions.astype("<i8").tobytes(),
        "memory_keys": segment.keys[kept].astype("<i8").tobytes(),
        "fact_ids": "\n".join(segment.fact_ids[row] for row in kept.tolist()),
        "pinned": segment.pinned[kept].tobytes(),
        "vectors": segment.matrix[kept].astype("<f4").tobytes(),
        "lengths": postings.lengths[kept].astype("<u4").tobytes(),
        "hashes": postings.hashes[stays].astype("<u8").tobytes(),
        "rows": moved[stays].astype("<u4").tobytes(),
        "counts": postings.counts[stays].astype("<u4").tobytes(),
    }


_STORED = f"SELECT key, {_COLUMNS} FROM segments WHERE"


def stored_segments(connection: sqlite3.Connection, space: str, unit: str) -> dict[int, Segment]:
    """Give the segments of a unit and its shares by key, hidden ones too."""
    given = (space, *queries.of_unit(unit))
    rows = queries.tuples(connection, f"{_STORED} space = ? AND {queries.OF_UNIT}", given)
    return {row[0]: unpack(row[1:]) for row in rows}


def segment_at(connection: sqlite3.Connection, key: int) -> Segment | None:
    """Give one segment."""
    rows = queries.tuples(connection, f"{_STORED} key = ?", (key,))
    return unpack(rows[0][1:]) if rows else None


def memory_state(row: Any, packed: Mapping[int, Segment]) -> MemoryState:
    """Tell what is derived for a memory, out of its segment."""
    segment = packed.get(row.segment_key)
    if segment is None or row.slot >= len(segment):
        return MemoryState(live=bool(row.live), terms=(), embedder_id=None, vector=None)
    postings = segment.postings
    mine = postings.rows == row.slot
    return MemoryState(
        live=bool(row.live),
        terms=tuple(np.repeat(postings.hashes[mine], postings.counts[mine]).tolist()),
        embedder_id=row.embedder_id,
        vector=segment.matrix[row.slot].tobytes(),
    )


def cut(
    key: int, memory_keys: bytes, terms: Mapping[int, Sequence[str]]
) -> tuple[bytes, bytes, bytes, bytes, int]:
    """Give lengths, hashes, rows and counts of a segment's terms, and its key."""
    held = np.frombuffer(memory_keys, dtype="<i8").tolist()
    made = postings_of([terms.get(memory, ()) for memory in held])
    lengths, hashes = made.lengths.astype("<u4").tobytes(), made.hashes.astype("<u8").tobytes()
    return lengths, hashes, made.rows.astype("<u4").tobytes(), made.counts.astype("<u4").tobytes(), key


def vectors_at(connection: sqlite3.Connection, places: Mapping[str, tuple[int, int]]) -> dict[str, bytes]:
    """Give vectors by name out of (segment key, slot); each segment is read once."""
    by_segment: dict[int, list[tuple[str, int]]] = {}
    for name, (segment, slot) in places.items():
        by_segment.setdefault(segment, []).append((name, slot))
    found: dict[str, bytes] = {}
    for segment, wanted in by_segment.items():
        for vectors, size in queries.tuples(connection, queries.VECTORS_OF_SEGMENT, (segment,)):
            width = len(vectors) // size
            found.update({name: vectors[slot * width : (slot + 1) * width] for name, slot in wanted})
    return found
