"""Memories written: what is derived of a unit, put in its place, taken out, shown and hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kataribe.adapters.sql import memory_rows, queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlWritingPart
from kataribe.adapters.sql.memory import SqlMemoryView
from kataribe.adapters.sql.memory_gate import HAS_SOURCES
from kataribe.adapters.sql.segments import (
    SqlFeed,
    pack,
    segment_at,
    without,
)
from kataribe.arena.gated import EpisodeShelves, Gated
from kataribe.arena.keywords import ShelfKeywordIndex
from kataribe.arena.segment import postings_of_each
from kataribe.arena.vectors import ShelfVectorIndex
from kataribe.domain.gate import Gate, Place
from kataribe.domain.ids import delta_id
from kataribe.domain.memory import Kind, Memory

_TEXTS = "SELECT memory_id, text_hash, holder, position FROM memories WHERE space = ? AND unit = ?"
_DERIVED = """
SELECT DISTINCT m.fact_id FROM json_each(:gone) g
JOIN sources s ON s.space = :space AND s.source = g.value JOIN memories m ON m.key = s.memory_key
"""
_OF_FACTS = """
SELECT m.key, m.unit, m.memory_id, v.segment_key, v.slot
FROM memories m LEFT JOIN memory_vectors v ON v.memory_key = m.key
WHERE m.space = ? AND m.fact_id IN (SELECT value FROM json_each(?))
"""
_RESLOT = "UPDATE memory_vectors SET slot = ? WHERE memory_key = ?"


class SqlMemoryTransaction(SqlWritingPart, SqlMemoryView):
    """What is written of memories."""

    def _memories_revision(self, space: str) -> int:
        return self._revision(space)

    def _searching(self) -> tuple[Gated, ShelfVectorIndex, ShelfKeywordIndex]:
        # What has been written up to now, looked up each time: the next change may be of anything.
        gated = Gated(EpisodeShelves(SqlFeed(self._driver)))
        return gated, ShelfVectorIndex(gated), ShelfKeywordIndex(gated)

    def places(self, gate: Gate) -> tuple[Place, ...]:
        """Give the places of what has been written up to now."""
        return Gated(EpisodeShelves(SqlFeed(self._driver))).places(gate)

    def replace_memories(
        self,
        space: str,
        unit: str,
        given: Sequence[Memory],
        *,
        terms: Mapping[str, Sequence[str]],
        vectors: Mapping[str, bytes],
        embedder_id: str,
        shown: bool,
    ) -> None:
        """Put these memories in the place of the unit's."""
        self._take_out_derived(space, self._lost(space, unit, given))
        self._clear(space, unit)
        keys = dict(
            zip((one.memory_id for one in given), queries.new_keys(self._driver, "memories"), strict=False)
        )
        rows = [memory_rows.memory_out(keys[one.memory_id], unit, one, shown=shown) for one in given]
        queries.insert(self._driver, "memories", rows)
        derived = [
            {"memory_key": keys[one.memory_id], "source": source, "space": space}
            for one in given
            for source in one.sources
        ]
        queries.insert(self._driver, "sources", derived)
        segments: list[r.Values] = []
        places: list[r.Values] = []
        shares = _shares(given, vectors)
        words = [[terms[_named(one, terms)] for one in share] for share in shares]
        new = queries.new_keys(self._driver, "segments")
        for segment, share, postings in zip(new, shares, postings_of_each(words), strict=False):
            packed = pack(share, keys=keys, postings=postings, vectors=vectors)
            segments.append({"key": segment, "space": space, "unit": unit, "live": shown, **packed})
            by = embedder_id if share[0].text_hash in vectors else ""
            places += _vector_rows(share, keys, by, segment)
        queries.insert(self._driver, "segments", segments)
        queries.insert(self._driver, "memory_vectors", places)
        self._changed(space, [unit])

    def _clear(self, space: str, unit: str) -> None:
        for table in ("memories", "segments"):
            self._driver.execute(f"DELETE FROM {table} WHERE space = ? AND unit = ?", (space, unit))

    def _lost(self, space: str, unit: str, given: Sequence[Memory]) -> list[str]:
        """Name the memories of a unit that are not among these as they were.

        Empty where nothing in the space is derived from another memory.
        """
        if not queries.tuples(self._driver, HAS_SOURCES, (space,)):
            return []
        stays = {(one.memory_id, one.text_hash, one.holder, one.position) for one in given}
        rows = queries.tuples(self._driver, _TEXTS, (space, unit))
        return [row[0] for row in rows if tuple(row) not in stays]

    def _take_out_derived(self, space: str, gone: Collection[str]) -> None:
        """Remove what is derived from memories that are gone (P6)."""
        if not gone:
            return
        given = {"space": space, "gone": r.dump(sorted(gone))}
        facts = [row[0] for row in queries.tuples(self._driver, _DERIVED, given)]
        if facts:
            self.take_out(space, facts)

    def take_out(self, space: str, fact_ids: Collection[str]) -> None:
        """Remove every copy of these facts or turns."""
        rows = queries.ask(self._driver, _OF_FACTS, (space, r.dump(sorted(fact_ids))))
        slots: dict[int, set[int]] = {}
        for row in rows:
            if row.segment_key is not None:
                slots.setdefault(row.segment_key, set()).add(row.slot)
        self._driver.executemany("DELETE FROM memories WHERE key = ?", [(row.key,) for row in rows])
        for segment, gone in slots.items():
            self._drop_rows(segment, gone)
        self._changed(space, {row.unit for row in rows})
        self._take_out_derived(space, [row.memory_id for row in rows])

    def _drop_rows(self, key: int, slots: Collection[int]) -> None:
        """Pack a segment anew without some of its rows."""
        segment = segment_at(self._driver, key)
        if segment is None or len(slots) >= len(segment):
            self._driver.execute("DELETE FROM segments WHERE key = ?", (key,))
            return
        values = without(segment, slots)
        named = ", ".join(f"{column} = ?" for column in values)
        self._driver.execute(f"UPDATE segments SET {named} WHERE key = ?", (*values.values(), key))
        kept = [memory for slot, memory in enumerate(segment.keys.tolist()) if slot not in slots]
        self._driver.executemany(_RESLOT, list(enumerate(kept)))

    def forget_units(self, space: str, units: Collection[str] | None = None) -> None:
        """Remove all that is remembered of units."""
        chosen = self.units(space) if units is None else sorted(units)
        for unit in chosen:
            self._take_out_derived(space, self._lost(space, unit, ()))
            self._clear(space, unit)
        self._changed(space, chosen)

    def forget_share(self, space: str, unit: str, holder: str) -> None:
        """Remove what one holder remembers of a unit."""
        stays = [one for one in self.memories(space, unit=unit) if one.holder != holder]
        self._take_out_derived(space, self._lost(space, unit, stays))
        for table in ("memories", "segments"):
            sql = f"DELETE FROM {table} WHERE space = ? AND unit = ? AND holder = ?"
            self._driver.execute(sql, (space, unit, holder))
        self._changed(space, [unit])

    def show(self, space: str, units: Mapping[str, bool]) -> None:
        """Show or hide what is remembered of units."""
        for unit, shown in units.items():
            self._driver.execute(queries.SET_LIVE, (shown, space, unit))
            self._driver.execute(queries.SET_SEGMENTS_LIVE, (shown, space, unit))
        self._changed(space, units)

    def sweep(self) -> None:
        """Remove derived rows whose memory is gone."""
        for statement in queries.SWEEP:
            self._driver.execute(statement)


def _named(memory: Memory, terms: Collection[str]) -> str:
    """Give the name that a memory's terms go by: its own, or that of its fact."""
    return memory.memory_id if memory.memory_id in terms else memory.fact_id


def _shares(given: Iterable[Memory], vectors: Collection[str]) -> list[list[Memory]]:
    """Part memories by holder, each share by position and fact id; those in review have no holder.

    Those without a vector are shares of their own: the vectors of one share have one length.
    """
    shares: dict[tuple[str, bool], list[Memory]] = {}
    for memory in given:
        if not memory.in_review:
            shares.setdefault((memory.holder, memory.text_hash in vectors), []).append(memory)
    return [sorted(share, key=lambda m: (m.position, m.fact_id)) for _, share in sorted(shares.items())]


def _vector_rows(
    share: Sequence[Memory], keys: Mapping[str, int], embedder_id: str, segment: int
) -> list[r.Values]:
    """Write S0-9's row of the vector of each of one holder's memories."""
    scope = memory_rows.scope_of(share[0].holder)
    return [
        {
            "memory_key": keys[memory.memory_id],
            "space": memory.space,
            "vector_id": memory.memory_id,
            "delta_id": delta_of(memory) if memory.kind is Kind.FACT else None,
            "episode_id": memory.episode_id if memory.kind is Kind.FACT else None,
            "version": memory.version,
            "scope": scope,
            "character_id": memory.holder,
            "fact_index": memory.fact_index,
            "embedder_id": embedder_id,
            "text_hash": memory.text_hash,
            "segment_key": segment,
            "slot": slot,
        }
        for slot, memory in enumerate(share)
    ]


def delta_of(memory: Memory) -> str:
    """Name the delta that a fact is part of."""
    return delta_id(
        episode_id=memory.episode_id,
        version=memory.version,
        scope=memory_rows.scope_of(memory.holder),
        character_id=memory.holder,
    )
