"""What a gate admits of the memories: whole, and what ranking looks at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from kataribe.adapters.sql import memory_rows, queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.memory_beside import SqlBesideView
from kataribe.adapters.sql.memory_told import SqlToldView
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Memory, Trait

_FEW_SPACES = 8
STORY_ORDER = "position, origin = 'hand', place, fact_id, holder"
"""As it was told: supplied and extracted facts in their order, then those made by hand."""
_SOURCES = """
SELECT memory_key, source FROM sources WHERE memory_key IN (SELECT value FROM json_each(?)) ORDER BY 1, 2
"""
HAS_SOURCES = "SELECT 1 FROM sources WHERE space = ? LIMIT 1"


class SqlGatedView(SqlBesideView, SqlToldView):
    """What a gate admits."""

    def admitted(
        self, gate: Gate, *, keys: Collection[int] | None = None, where: Filter | None = None
    ) -> tuple[Memory, ...]:
        """Give the live memories the gate admits."""
        if gate.is_closed or (keys is not None and not keys):
            return ()
        if keys is not None and where is None:
            return self._admitted_of(gate, keys)
        condition, values = queries.said(where)
        if keys is not None:
            condition += f" AND key IN ({queries.marks(len(keys))})"
            values = (*values, *sorted(keys))
        tables = queries.BY_GATE if keys is None else queries.BY_KEY
        columns, extra = queries.memory_columns(), (f" AND {condition}", values)
        found: list[r.Row] = []
        # A statement for some slices at a time: SQLite bounds how many one may join.
        for some in queries.in_parts(gate):
            sql, given = queries.from_gate(columns, some, extra=extra, tables=tables)
            found += queries.ask(self._driver, f"SELECT * FROM ({sql}) ORDER BY part, {STORY_ORDER}", given)
        if len(gate.slices) > queries.SLICES:
            found.sort(key=_in_order)
        return self._memories(found)

    def _admitted_of(self, gate: Gate, keys: Collection[int]) -> tuple[Memory, ...]:
        """Read a few memories by their keys, and ask the gate of each."""
        slices = {(part.space, part.holder): part for part in gate.slices}
        named = (
            self._of_keys(keys)
            if self._answers is None
            else self._answers.of_each("memory", keys, self._of_keys)
        )
        found: list[tuple[int, Memory]] = []
        for memory in named.values():
            part = slices.get((memory.space, memory.holder))
            if part is not None and memory.position <= part.upto:
                found.append((part.part, memory))
        found.sort(key=lambda one: (one[0], *_story_order(one[1])))
        return tuple([memory for _, memory in found])

    def _of_keys(self, keys: Collection[int]) -> dict[int, Memory]:
        rows = queries.ask(self._driver, queries.OF_KEYS, (r.dump(sorted(keys)),))
        return {memory.key: memory for memory in self._memories(rows)}

    def traits(
        self, gate: Gate, keys: Collection[int], *, where: Filter | None = None
    ) -> Mapping[int, Trait]:
        """Give what ranking looks at of these memories, as far as the gate admits them."""
        known = {} if where is not None else self._known_traits(gate, keys)
        found = known | self._read_traits(gate, [key for key in keys if key not in known], where)
        slices = {(part.space, part.holder): part for part in gate.slices}
        admitted: dict[int, Trait] = {}
        for key, trait in found.items():
            part = slices.get((trait.space, trait.holder))
            if part is not None and trait.position <= part.upto:
                admitted[key] = trait if trait.part == part.part else trait._replace(part=part.part)
        return admitted

    def _known_traits(self, gate: Gate, keys: Collection[int]) -> dict[int, Trait]:
        """Give the traits that were read of these memories as they stand."""
        found: dict[int, Trait] = {}
        if self._caches.traits is not None:
            for space in _few_spaces(gate):
                found |= self._caches.traits.traits(self._feed, space, keys)
        return found

    def _read_traits(self, gate: Gate, keys: Collection[int], where: Filter | None) -> dict[int, Trait]:
        """Read traits, whatever the gate admits, and keep those of its spaces."""
        if not keys:
            return {}
        condition, values = queries.said(where)
        sql = f"{queries.TRAITS} AND {condition}"
        found: dict[int, Trait] = {}
        by_space: dict[str, list[tuple[str, Trait]]] = {}
        for unit, space, *rest in queries.tuples(self._driver, sql, (r.dump(sorted(keys)), *values)):
            key, fact_id, holder, position, place, pinned, text, arousal, session, speaker = rest
            told = (text, arousal, session, speaker)
            trait = Trait(key, fact_id, holder, position, place, 0, bool(pinned), *told, space)
            found[key] = trait
            by_space.setdefault(space, []).append((unit, trait))
        if self._caches.traits is not None:
            for space in _few_spaces(gate):
                self._caches.traits.keep_traits(self._feed, space, by_space.get(space, ()))
        return found

    def _memories(self, rows: Sequence[r.Row]) -> tuple[Memory, ...]:
        derived = self._sources_of(rows)
        return tuple(memory_rows.memory_in(row, tuple(derived.get(row.key, ()))) for row in rows)

    def _sources_of(self, rows: Sequence[r.Row]) -> Mapping[int, list[str]]:
        """Give by key what these rows are derived from; where nothing is derived nothing is looked up."""
        spaces = {row.space for row in rows}
        some = {space for space in spaces if self._has_sources(space)}
        found: dict[int, list[str]] = {}
        if some:
            keys = r.dump([row.key for row in rows if row.space in some])
            for key, source in queries.tuples(self._driver, _SOURCES, (keys,)):
                found.setdefault(key, []).append(source)
        return found

    def _has_sources(self, space: str) -> bool:
        """Whether anything in a space is derived from another memory."""
        read = partial(queries.tuples, self._driver, HAS_SOURCES, (space,))
        return bool(self.once(("sources", space), read))


def _few_spaces(gate: Gate) -> Collection[str]:
    """Give the spaces of a gate, where they are few enough to look each one up."""
    spaces = {part.space for part in gate.slices}
    return spaces if len(spaces) <= _FEW_SPACES else ()


def _in_order(row: r.Row) -> tuple[object, ...]:
    """Sort rows as `part, STORY_ORDER` does."""
    return (row.part, *_story_order(row))


def _story_order(row: r.Row | Memory) -> tuple[object, ...]:
    """Sort rows as `STORY_ORDER` does."""
    return (row.position, row.origin == "hand", row.place, row.fact_id, row.holder)
