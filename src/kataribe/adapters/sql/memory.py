"""Memories in the ledger: what a gate admits, and what is derived by (space, unit)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from kataribe.adapters.sql import memory_rows, queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import BATCH, SqlPart, SqlWritingPart, or_highest
from kataribe.adapters.sql.segments import (
    SqlFeed,
    memory_state,
    pack,
    segment_at,
    stored_segments,
    without,
)
from kataribe.adapters.sql.traits import Beside
from kataribe.adapters.sql.where import Said
from kataribe.arena.both import search_both
from kataribe.arena.gated import ArenaShelves, EpisodeShelves, Gated
from kataribe.arena.keywords import ShelfKeywordIndex
from kataribe.arena.segment import postings_of_each
from kataribe.arena.vectors import ShelfVectorIndex
from kataribe.domain.around import StorySentence, TextStretch
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Place, Slice
from kataribe.domain.ids import delta_id
from kataribe.domain.markup import same_words
from kataribe.domain.memory import Kind, Memory, Trait
from kataribe.domain.records import MemoryState
from kataribe.domain.space import parse_space
from kataribe.domain.story.views import Share
from kataribe.ports import FoundByBoth, KeywordIndex, Vector, VectorSearch

_FEW_SPACES = 8
STORY_ORDER = "position, origin = 'hand', place, fact_id, holder"
"""As it was told: supplied and extracted facts in their order, then those made by hand."""
_LISTED_ORDER = "position, origin = 'hand', CASE kind WHEN 'turn' THEN session END, place, fact_id, holder"

_NOTHING_BESIDE: Beside = (None, None, 0)
# From the keys to their rows and on by the index of sessions: what lies between is not looked at.
_BESIDE = """
SELECT a.key, (
    SELECT c.key FROM memories c INDEXED BY ix_memories_session
    WHERE c.space = :space AND c.session = a.session AND c.holder = :holder
      AND c.position <= a.position AND c.live = 1
      AND (c.position < a.position OR c.place < a.place OR c.place = a.place AND c.fact_id < a.fact_id)
    ORDER BY c.position DESC, c.place DESC, c.fact_id DESC LIMIT 1), (
    SELECT c.position || ':' || c.key FROM memories c INDEXED BY ix_memories_session
    WHERE c.space = :space AND c.session = a.session AND c.holder = :holder
      AND c.position >= a.position AND c.live = 1
      AND (c.position > a.position OR c.place > a.place OR c.place = a.place AND c.fact_id > a.fact_id)
    ORDER BY c.position, c.place, c.fact_id LIMIT 1)
FROM json_each(:keys) j CROSS JOIN memories a NOT INDEXED ON a.key = j.value
WHERE a.space = :space AND a.session IS NOT NULL
"""
_SPACES_OF = """
SELECT DISTINCT m.space FROM json_each(?) j CROSS JOIN memories m NOT INDEXED ON m.key = j.value
"""
_ORDER = """
SELECT m.key, m.position, m.place, m.fact_id
FROM json_each(?) j CROSS JOIN memories m NOT INDEXED ON m.key = j.value
"""
# From one speaker to the next by the index: how much each said is not looked at.
_VOICES = """
WITH RECURSIVE said (speaker) AS (
  SELECT min(speaker) FROM memories INDEXED BY ix_memories_speaker
  WHERE space = :space AND holder = :holder AND speaker IS NOT NULL
  UNION ALL
  SELECT (SELECT min(m.speaker) FROM memories m INDEXED BY ix_memories_speaker
          WHERE m.space = :space AND m.holder = :holder AND m.speaker > said.speaker)
  FROM said WHERE said.speaker IS NOT NULL
)
SELECT speaker, (
  SELECT m.position FROM memories m INDEXED BY ix_memories_speaker
  WHERE m.space = :space AND m.holder = :holder AND m.speaker = said.speaker AND m.live = 1
  ORDER BY m.position LIMIT 1) AS first
FROM said WHERE speaker IS NOT NULL
"""
_UNITS = (
    "SELECT unit FROM memories WHERE space = ? UNION SELECT unit FROM segments WHERE space = ? ORDER BY 1"
)
_PACKED = f"SELECT holder, fact_ids, live FROM segments WHERE space = ? AND {queries.OF_UNIT}"
_SOURCES = """
SELECT memory_key, source FROM sources WHERE memory_key IN (SELECT value FROM json_each(?)) ORDER BY 1, 2
"""
_HAS_SOURCES = "SELECT 1 FROM sources WHERE space = ? LIMIT 1"
_HAS_SUCCESSIONS = """
SELECT 1 FROM memories INDEXED BY ix_memories_supersedes
WHERE space = ? AND holder = ? AND supersedes IS NOT NULL LIMIT 1
"""
_TEXTS = "SELECT memory_id, text_hash, holder, position FROM memories WHERE space = ? AND unit = ?"
# By the index of sessions: of a sentence that was read its place is where it begins.
_READ_SENTENCES = """
SELECT fact_id, quote_start, quote_end, text, quote FROM memories INDEXED BY ix_memories_session
WHERE space = ? AND holder = ? AND session = ? AND position = ? AND place >= ? AND place < ?
  AND live = 1 AND quote_start = place
"""
# From the rows of the episode: there are few that were given in an episode that is read.
_GIVEN_SENTENCES = """
SELECT memories.fact_id, memories.quote_start, memories.quote_end, memories.text, memories.quote
FROM facts INDEXED BY ix_facts_episode
CROSS JOIN memories INDEXED BY ix_memories_fact ON memories.fact_id = facts.fact_id
WHERE facts.story_id = ? AND facts.episode_id = ? AND facts.quote IS NOT NULL
  AND memories.space = ? AND memories.holder = ? AND memories.position = ?
  AND memories.quote_start >= ? AND memories.quote_start < ?
  AND memories.live = 1 AND memories.origin != 'extracted'
"""
_HAS_GIVEN = "SELECT 1 FROM facts WHERE story_id = ? LIMIT 1"
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


class SqlGatedView(SqlPart):
    """What a gate admits."""

    @cached_property
    def _feed(self) -> SqlFeed:
        return SqlFeed(self._driver, self.once, warm=self._warm)

    @cached_property
    def _gated(self) -> Gated:
        feed, arena = self._feed, self._caches.arena
        return Gated(
            EpisodeShelves(feed) if arena is None else ArenaShelves(arena, feed), self._caches.tables
        )

    @cached_property
    def _indexes(self) -> tuple[Gated, ShelfVectorIndex, ShelfKeywordIndex]:
        # Made once: a recall asks for the same words twice, and the index keeps what it looked up.
        return self._gated, ShelfVectorIndex(self._gated), ShelfKeywordIndex(self._gated)

    def _searching(self) -> tuple[Gated, ShelfVectorIndex, ShelfKeywordIndex]:
        return self._indexes

    @property
    def vectors(self) -> VectorSearch:
        """Search by likeness within this view."""
        return self._searching()[1]

    @property
    def keywords(self) -> KeywordIndex:
        """Search by words within this view."""
        return self._searching()[2]

    def search(
        self, vector: Vector, terms: Sequence[str], *, gate: Gate, top_k: int, where: Filter | None = None
    ) -> FoundByBoth:
        """Search by likeness and by words."""
        return search_both(*self._searching(), vector, terms, gate=gate, top_k=top_k, where=where)

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

    def places(self, gate: Gate) -> tuple[Place, ...]:
        """Give the places of all live memories the gate admits."""
        return self.once(("places", gate), lambda: self._gated.places(gate))

    def neighbours(self, gate: Gate, keys: Collection[int]) -> Mapping[int, tuple[int, ...]]:
        """Give the keys of what stands before and after, inside the gate."""
        before: dict[int, list[int]] = {}
        after: dict[int, list[int]] = {}
        for part in self._slices_of(gate, keys):
            for key, beside in self._beside(part, keys).items():
                if beside is _NOTHING_BESIDE:
                    continue
                earlier, later, position = beside
                if earlier is not None:
                    before.setdefault(key, []).append(earlier)
                if later is not None and position <= part.upto:
                    after.setdefault(key, []).append(later)
        several = [ones for found in (before, after) for ones in found.values() if len(ones) > 1]
        order = self._order({one for ones in several for one in ones})
        nowhere = (0, 0, "")
        last = {key: max(ones, key=lambda k: order.get(k, nowhere)) for key, ones in before.items()}
        first = {key: min(ones, key=lambda k: order.get(k, nowhere)) for key, ones in after.items()}
        return {
            key: tuple(found[key] for found in (last, first) if key in found)
            for key in sorted(last.keys() | first.keys())
        }

    def _beside(self, part: Slice, keys: Collection[int]) -> Mapping[int, Beside]:
        """Give what stands beside these memories of a space at one holder, now or later."""
        cache = self._caches.traits
        known = {} if cache is None else cache.beside(self._feed, part.space, part.holder, keys)
        if missing := [key for key in keys if key not in known]:
            given = {"keys": r.dump(sorted(missing)), "space": part.space, "holder": part.holder}
            found = dict.fromkeys(missing, _NOTHING_BESIDE)
            for key, earlier, later in queries.tuples(self._driver, _BESIDE, given):
                if earlier is not None or later is not None:
                    position, _, named = (later or "").partition(":")
                    found[key] = (earlier, int(named) if named else None, int(position or 0))
            if cache is not None:
                cache.keep_beside(self._feed, part.space, part.holder, found)
            known |= found
        return known

    def _slices_of(self, gate: Gate, keys: Collection[int]) -> Sequence[Slice]:
        """Give the slices of the spaces these keys lie in: a gate may have very many."""
        if len({part.space for part in gate.slices}) < 3:
            return gate.slices
        spaces = {row[0] for row in queries.tuples(self._driver, _SPACES_OF, (r.dump(sorted(keys)),))}
        return [part for part in gate.slices if part.space in spaces]

    def _order(self, keys: Collection[int]) -> Mapping[int, tuple[int, int, str]]:
        """Give what turns of a session are sorted by."""
        if not keys:
            return {}
        rows = queries.tuples(self._driver, _ORDER, (r.dump(sorted(keys)),))
        return {key: (position, place, fact_id) for key, position, place, fact_id in rows}

    def voices(self, gate: Gate) -> Mapping[str, int]:
        """Give who speaks, and from when on."""
        found: dict[str, int] = {}
        for part in gate.slices:
            theirs = self._caches.voices(
                (part.space, part.holder), self._memories_revision(part.space), self._read_voices
            )
            for speaker, first in theirs.items():
                if first <= part.upto:
                    found[speaker] = min(first, found.get(speaker, first))
        return dict(sorted(found.items()))

    def _memories_revision(self, space: str) -> int:
        return self._feed.revision(space)

    def _read_voices(self, address: tuple[str, str]) -> Mapping[str, int]:
        given = {"space": address[0], "holder": address[1]}
        rows = queries.tuples(self._driver, _VOICES, given)
        return {speaker: first for speaker, first in rows if first is not None}

    def successions(
        self, gate: Gate, *, of: Iterable[str] | None = None
    ) -> tuple[tuple[str, str, Place], ...]:
        """Give which admitted memories supersede which facts."""
        gate = Gate(tuple([part for part in gate.slices if self._has_successions(part)]))
        if gate.is_closed:
            return ()
        named: Said = (" AND supersedes IS NOT NULL", ())
        if of is not None:
            asked = "(SELECT value FROM json_each(?))"
            either = f" AND (supersedes IN {asked} OR fact_id IN {asked})"
            named = (named[0] + either, (r.dump(sorted(set(of))),) * 2)
        found: set[tuple[str, str, Place]] = set()
        for some in queries.in_parts(gate):
            sql, given = queries.from_gate(
                "fact_id, supersedes, position", some, extra=named, tables=queries.BY_SUPERSEDED
            )
            rows = queries.tuples(self._driver, sql, given)
            found.update((new, old, (part, position)) for new, old, position, part in rows)
        return tuple(sorted(found, key=lambda one: (one[2], one[0])))

    def _has_successions(self, part: Slice) -> bool:
        """Whether a holder remembers anything of a space, now or later, that supersedes another."""
        read = partial(queries.tuples, self._driver, _HAS_SUCCESSIONS, (part.space, part.holder))
        return bool(self.once(("supersedes", part.space, part.holder), read))

    def sentences(
        self, gate: Gate, stretches: Collection[TextStretch], *, where: Filter | None = None
    ) -> Mapping[TextStretch, tuple[StorySentence, ...]]:
        """Give the sentences the gate admits that begin in these stretches."""
        condition, values = queries.said(where)
        found: dict[TextStretch, tuple[StorySentence, ...]] = {}
        for here in stretches:
            told = [
                StorySentence(here.space, part.holder, here.position, here.episode_id, *row)
                for part in gate.slices
                if part.space == here.space and here.position <= part.upto
                for row in self._sentences(here, part.holder, f" AND {condition}", values)
            ]
            if told:
                found[here] = tuple(sorted(told, key=_in_text))
        return found

    def _sentences(
        self, here: TextStretch, holder: str, condition: str, values: Sequence[object]
    ) -> Iterator[tuple[str, int, int, str]]:
        """Read what was read of a text, then what files and people say in its words, of one holder.

        A statement for each holder and stretch: there are few, and to hand them over together costs more.
        """
        space, episode_id, position, start, end = here
        given: tuple[object, ...] = (space, holder, episode_id, position, start, end, *values)
        for *told, _ in queries.tuples(self._driver, _READ_SENTENCES + condition, given):
            yield tuple(told)
        story_id = parse_space(space).story or ""
        if self._has_given(story_id):
            given = (story_id, episode_id, space, holder, position, start, end, *values)
            for *told, quote in queries.tuples(self._driver, _GIVEN_SENTENCES + condition, given):
                if same_words(told[-1], quote):
                    yield tuple(told)

    def _has_given(self, story_id: str) -> bool:
        """Whether a story has any fact that a file or a hand gave."""
        read = partial(queries.tuples, self._driver, _HAS_GIVEN, (story_id,))
        return bool(self.once(("given", story_id), read))

    def admitted_facts(self, gate: Gate, fact_ids: Collection[str]) -> Mapping[str, Place]:
        """Give the places of those of these facts that the gate admits."""
        if not fact_ids:
            return {}
        found: dict[str, Place] = {}
        asked = sorted(fact_ids)
        for at in range(0, len(asked), BATCH):
            batch = asked[at : at + BATCH]
            named = (" AND fact_id IN (SELECT value FROM json_each(?))", (r.dump(batch),))
            for some in queries.in_parts(gate):
                sql, given = queries.from_gate("fact_id, position", some, extra=named, tables=queries.BY_FACT)
                rows = queries.tuples(self._driver, sql, given)
                found.update((fact_id, (part, position)) for fact_id, position, part in rows)
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
        read = partial(queries.tuples, self._driver, _HAS_SOURCES, (space,))
        return bool(self.once(("sources", space), read))


def _in_text(one: StorySentence) -> tuple[int, int, str, str]:
    """Sort sentences as they stand in a text."""
    return (one.start, one.end, one.fact_id, one.holder)


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


class SqlMemoryView(SqlGatedView):
    """What is kept of a space's memories, behind no gate."""

    def memories(
        self, space: str, *, unit: str | None = None, fact_id: str | None = None
    ) -> tuple[Memory, ...]:
        """Give memories in order, hidden ones too."""
        sql, given = f"SELECT {queries.memory_columns()} FROM memories WHERE space = ?", [space]
        if unit is not None:
            sql, given = f"{sql} AND {queries.OF_UNIT}", [*given, unit, unit, unit]
        if fact_id is not None:
            sql, given = f"{sql} AND fact_id = ?", [*given, fact_id]
        rows = queries.ask(self._driver, f"{sql} ORDER BY {_LISTED_ORDER}", given)
        return self._memories(rows)

    def memory_states(self, space: str, unit: str) -> Mapping[str, MemoryState]:
        """Give what is derived for each memory of a unit."""
        rows = queries.ask(self._driver, queries.MEMORY_STATES, (space, unit, unit, unit))
        packed = stored_segments(self._driver, space, unit)
        return {row.memory_id: memory_state(row, packed) for row in rows}

    def units(self, space: str) -> tuple[str, ...]:
        """Give the units that hold memories or packed rows."""
        return tuple(row[0] for row in queries.tuples(self._driver, _UNITS, (space, space)))

    def packed(self, space: str, unit: str) -> Mapping[tuple[str, str], bool]:
        """Give what the search index holds of a unit."""
        return {
            (holder, fact_id): bool(live)
            for holder, fact_ids, live in queries.tuples(self._driver, _PACKED, (space, unit, unit, unit))
            for fact_id in fact_ids.split("\n")
        }

    def gains(self, space: str) -> tuple[tuple[str, int, int], ...]:
        """Count the live memories of each holder and position, and what waits in review."""
        return tuple(queries.tuples(self._driver, queries.GAINS, (space,)))

    def shares(
        self, space: str, *, upto: int | None = None, holders: Collection[str] | None = None
    ) -> Iterator[Share]:
        """Stream the live memories, and those in review, in order."""
        given: list[object] = [space, or_highest(upto)]
        sql = queries.SHARES
        if holders is not None:
            sql += " AND holder IN (SELECT value FROM json_each(?))"
            given.append(r.dump(sorted(holders)))
        cursor = self._driver.execute(f"{sql} ORDER BY {STORY_ORDER}", given)
        return (memory_rows.share_in(row) for row in cursor)


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
        if not queries.tuples(self._driver, _HAS_SOURCES, (space,)):
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
