"""Reading the ledger: each query is a small function named after what it asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

import sqlalchemy as sa

from kataribe.adapters.sql import hot, leases, undoing
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.caches import Caches
from kataribe.adapters.sql.generations import SqlGenerationReading
from kataribe.adapters.sql.schema import (
    episode_versions,
    facts,
    memory_deltas,
    stories,
    traces,
)
from kataribe.adapters.sql.segments import SqlFeed, memory_state, stored_segments, vectors_at
from kataribe.adapters.sql.talk import SqlTalkReading
from kataribe.arena.gated import ArenaShelves, EpisodeShelves, Gated
from kataribe.arena.keywords import ShelfKeywordIndex
from kataribe.arena.vectors import ShelfVectorIndex
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Place, story_space
from kataribe.domain.memory import Extraction, Memory, Trait
from kataribe.domain.records import Delta, EpisodeState, EpisodeVersion, MemoryState, Trace, Work
from kataribe.domain.steps import Scope, Step
from kataribe.domain.story import Annotations, Character, Episode, Fact, Story, Suppression
from kataribe.domain.views import Share
from kataribe.ports import KeywordIndex, VectorIndex

_BATCH = 500
_HIGHEST = 2**63 - 1
"""Beyond every episode number and order key, and within what SQLite can compare."""
STORY_ORDER = "position, origin = 'hand', place, fact_id, holder"
"""As it was told: supplied and extracted facts in their order, then those made by hand."""


class SqlReading(SqlTalkReading, SqlGenerationReading):
    """One consistent view of the ledger."""

    def __init__(self, connection: sa.Connection, caches: Caches) -> None:
        self._connection = connection
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        self._driver = driver
        self._caches = caches

    @cached_property
    def _gated(self) -> Gated:
        feed, arena = SqlFeed(self._driver), self._caches.arena
        return Gated(EpisodeShelves(feed) if arena is None else ArenaShelves(arena, feed))

    @cached_property
    def vectors(self) -> VectorIndex:
        """Search by likeness within this view."""
        return ShelfVectorIndex(self._gated)

    @cached_property
    def keywords(self) -> KeywordIndex:
        """Search by words within this view."""
        return ShelfKeywordIndex(self._gated)

    def _all(self, query: sa.Executable) -> list[r.Row]:
        return list(self._connection.execute(query).all())

    def _one(self, query: sa.Executable) -> r.Row:
        return self._connection.execute(query).first()

    def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id."""
        return tuple(r.story_in(row) for row in self._all(sa.select(stories).order_by(stories.c.story_id)))

    def story(self, story_id: str) -> Story | None:
        """Give one story."""
        return self._caches.story(story_id, self._revision(story_id), self._read_story)

    def _revision(self, story_id: str) -> int:
        """Give the revision of the last change of a story's cast and episodes; 0 for none."""
        found = hot.tuples(self._driver, hot.STORY_REVISION, (story_id,))
        return int(found[0][0]) if found else 0

    def _read_story(self, story_id: str) -> Story | None:
        found = hot.ask(self._driver, hot.STORY, (story_id,))
        return r.story_in(found[0]) if found else None

    def characters(self, story_id: str) -> tuple[Character, ...]:
        """Give the declared cast in its order."""
        return self._caches.cast(story_id, self._revision(story_id), self._read_cast)

    def _read_cast(self, story_id: str) -> tuple[Character, ...]:
        called: dict[str, list[r.Row]] = {}
        for row in hot.ask(self._driver, hot.NAMES, (story_id,)):
            called.setdefault(row.character_id, []).append(row)
        cast = hot.ask(self._driver, hot.CAST, (story_id,))
        return tuple(r.character_in(row, called.get(row.character_id, [])) for row in cast)

    def branches(self, story_id: str) -> tuple[Story, ...]:
        """Give the stories that are branches of this one."""
        return tuple(r.story_in(row) for row in hot.ask(self._driver, hot.BRANCHES, (story_id,)))

    def mentioned(self, story_id: str, *, cap: int | None = None) -> Mapping[str, int]:
        """Give who is named by the rows of live episodes, and from which number on."""

        def read(_: str) -> Mapping[str, int]:
            rows = hot.ask(self._driver, hot.MENTIONED, {"story": story_id, "cap": _or_highest(cap)})
            return {row.character_id: row.since for row in rows}

        return self._caches.mentioned(f"{story_id}:{cap}", self._revision(story_id), read)

    def episode_states(self, story_id: str) -> tuple[EpisodeState, ...]:
        """Give all episodes without texts."""
        rows = hot.ask(self._driver, f"{hot.STATES} ORDER BY no, order_key", (story_id,))
        return tuple(r.state_in(row) for row in rows)

    def episode_state(self, story_id: str, episode_id: str) -> EpisodeState | None:
        """Give one episode without its text."""
        rows = hot.ask(self._driver, f"{hot.STATES} AND episode_id = ?", (story_id, episode_id))
        return r.state_in(rows[0]) if rows else None

    def live_at(self, story_id: str, no: int) -> EpisodeState | None:
        """Give the live episode of this number without its text."""
        rows = hot.ask(self._driver, f"{hot.STATES} AND deleted_at IS NULL AND no = ?", (story_id, no))
        return r.state_in(rows[0]) if rows else None

    def keys_around(
        self, story_id: str, no: int, *, leaving_out: str | None = None
    ) -> tuple[int | None, int | None]:
        """Give the order keys an episode of this number belongs between."""
        given = {"story": story_id, "no": no, "but": leaving_out}
        found = hot.ask(self._driver, hot.KEYS_AROUND, given)[0]
        return found.lower, found.upper

    def first_annotated(self, story_id: str, *, cap: int | None = None) -> int | None:
        """Give the lowest number of a live episode with annotations or inline marks."""
        given = (story_id, _or_highest(cap))
        found: int | None = hot.ask(self._driver, hot.FIRST_ANNOTATED, given)[0].no
        return found

    def named_by(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give whom the rows of an episode name."""
        rows = hot.ask(self._driver, hot.NAMED_BY, (story_id, episode_id))
        return frozenset(row.character_id for row in rows)

    def episode(self, story_id: str, episode_id: str) -> Episode | None:
        """Give one episode with its text."""
        rows = hot.ask(self._driver, hot.EPISODE, (story_id, episode_id))
        return r.episode_in(rows[0]) if rows else None

    def live_texts(
        self, story_id: str, numbers: Collection[int], *, cap: int | None = None
    ) -> Mapping[int, str]:
        """Give the texts of the live episodes with these numbers."""
        if not numbers:
            return {}
        live = "SELECT no, text FROM episodes WHERE story_id = ? AND deleted_at IS NULL"
        sql = f"{live} AND +order_key <= ? AND no IN ({hot.marks(len(numbers))})"
        rows = hot.ask(self._driver, sql, (story_id, _or_highest(cap), *sorted(numbers)))
        return {row.no: row.text for row in rows}

    def upto(self, story_id: str, cutoff: int, *, cap: int | None = None) -> int | None:
        """Give the position of the last live episode numbered `cutoff` or lower."""
        given = (story_id, min(cutoff, _HIGHEST), _or_highest(cap))
        found = hot.ask(self._driver, hot.UPTO, given)
        return int(found[0].order_key) if found else None

    def pending(self, story_id: str, cutoff: int, *, cap: int | None = None) -> tuple[int, ...]:
        """Give the numbers of live episodes up to `cutoff` that are not in memory yet."""
        given = (story_id, min(cutoff, _HIGHEST), _or_highest(cap))
        return tuple(row.no for row in hot.ask(self._driver, hot.PENDING, given))

    def versions(self, story_id: str, episode_id: str) -> tuple[EpisodeVersion, ...]:
        """Give every version of an episode's text."""
        c = episode_versions.c
        query = sa.select(episode_versions).where(c.story_id == story_id, c.episode_id == episode_id)
        return tuple(r.version_in(row) for row in self._all(query.order_by(c.version)))

    def annotations(self, story_id: str, episode_id: str) -> Annotations:
        """Give the annotations of one episode."""
        base = hot.ask(self._driver, hot.BASE, (story_id, episode_id))
        rows = hot.ask(self._driver, hot.NOTES, (story_id, episode_id))
        return Annotations(
            rows=tuple(r.annotation_in(row) for row in rows),
            base=tuple(r.load(base[0].base)) if base else (),
        )

    def facts(self, story_id: str, episode_id: str | None = None) -> tuple[tuple[str, Fact], ...]:
        """Give supplied and hand-made facts."""
        if episode_id is None:
            rows = hot.ask(self._driver, hot.FACTS, (story_id,))
        else:
            rows = hot.ask(self._driver, hot.FACTS_OF_EPISODE, (story_id, episode_id))
        return tuple((row.episode_id, r.fact_in(row)) for row in rows)

    def fact(self, story_id: str, fact_id: str) -> tuple[str, Fact] | None:
        """Give one supplied or hand-made fact."""
        c = facts.c
        row = self._one(sa.select(facts).where(c.story_id == story_id, c.fact_id == fact_id))
        return None if row is None else (row.episode_id, r.fact_in(row))

    def suppressions(self, story_id: str, episode_id: str) -> tuple[Suppression, ...]:
        """Give what was struck out of an episode's extraction."""
        rows = hot.ask(self._driver, hot.SUPPRESSIONS, (story_id, episode_id))
        return tuple(Suppression(holder=row.holder, text_hash=row.text_hash) for row in rows)

    def pins(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give the pinned extracted facts of an episode."""
        return frozenset(row.fact_id for row in hot.ask(self._driver, hot.PINS, (story_id, episode_id)))

    def extraction(self, story_id: str, episode_id: str, fingerprint: str) -> Extraction | None:
        """Give a kept extraction; the fingerprint holds the text, so its spans are of the text as it is."""
        rows = hot.ask(self._driver, hot.EXTRACTION, (story_id, episode_id, fingerprint))
        return r.extraction_in(rows[0]) if rows else None

    def deltas(self, story_id: str, episode_id: str) -> tuple[Delta, ...]:
        """Give what each version of an episode put into memory."""
        c = memory_deltas.c
        query = sa.select(memory_deltas).where(c.story_id == story_id, c.episode_id == episode_id)
        return tuple(r.delta_in(row) for row in self._all(query.order_by(c.version, c.delta_id)))

    def memories(
        self, story_id: str, *, episode_id: str | None = None, fact_id: str | None = None
    ) -> tuple[Memory, ...]:
        """Give memories in story order, hidden ones too."""
        sql, given = f"SELECT {hot.memory_columns()} FROM memories WHERE story_id = ?", [story_id]
        for column, value in (("episode_id", episode_id), ("fact_id", fact_id)):
            if value is not None:
                sql, given = f"{sql} AND {column} = ?", [*given, value]
        rows = hot.ask(self._driver, f"{sql} ORDER BY {STORY_ORDER}", given)
        return tuple(r.memory_in(row) for row in rows)

    def memory_states(self, story_id: str, episode_id: str) -> Mapping[str, MemoryState]:
        """Give what is derived for each memory of an episode."""
        rows = hot.ask(self._driver, hot.MEMORY_STATES, (story_id, episode_id))
        packed = stored_segments(self._driver, story_id, episode_id)
        return {row.memory_id: memory_state(row, packed) for row in rows}

    def admitted(
        self, gate: Gate, *, keys: Collection[int] | None = None, where: Filter | None = None
    ) -> tuple[Memory, ...]:
        """Give the live memories the gate admits."""
        if gate.is_closed or (keys is not None and not keys):
            return ()
        condition, values = hot.said(where)
        if keys is not None:
            condition += f" AND key IN ({hot.marks(len(keys))})"
            values = (*values, *sorted(keys))
        tables = hot.BY_GATE if keys is None else hot.BY_KEY
        sql, given = hot.from_gate(
            hot.memory_columns(), gate, extra=(f" AND {condition}", values), tables=tables
        )
        ordered = f"SELECT * FROM ({sql}) ORDER BY part, {STORY_ORDER}"
        return tuple(r.memory_in(row) for row in hot.ask(self._driver, ordered, given))

    def traits(
        self, gate: Gate, keys: Collection[int], *, where: Filter | None = None
    ) -> Mapping[int, Trait]:
        """Give what ranking looks at of these memories, as far as the gate admits them."""
        slices = {(part.space, part.holder): part for part in gate.slices}
        condition, values = hot.said(where)
        sql = f"{hot.TRAITS} AND {condition}"
        found: dict[int, Trait] = {}
        for space, *rest in hot.tuples(self._driver, sql, (r.dump(sorted(keys)), *values)):
            key, fact_id, holder, position, place, pinned, *said = rest
            part = slices.get((space, holder))
            if part is not None and position <= part.upto:
                found[key] = Trait(key, fact_id, holder, position, place, part.part, bool(pinned), *said)
        return found

    def places(self, gate: Gate) -> tuple[Place, ...]:
        """Give the places of all live memories the gate admits."""
        return self._gated.places(gate)

    def gains(self, story_id: str) -> tuple[tuple[str, int, int], ...]:
        """Count the live memories of each holder and episode, and what waits in review."""
        return tuple(hot.tuples(self._driver, hot.GAINS, (story_space(story_id),)))

    def shares(
        self, story_id: str, *, upto: int | None = None, holders: Collection[str] | None = None
    ) -> Iterator[Share]:
        """Stream the live memories, and those in review, in story order."""
        given: list[object] = [story_space(story_id), _HIGHEST if upto is None else upto]
        sql = hot.SHARES
        if holders is not None:
            sql += " AND holder IN (SELECT value FROM json_each(?))"
            given.append(r.dump(sorted(holders)))
        cursor = self._driver.execute(f"{sql} ORDER BY {STORY_ORDER}", given)
        return (r.share_in(row) for row in cursor)

    def successions(
        self, gate: Gate, *, of: Collection[str] | None = None
    ) -> tuple[tuple[str, str, Place], ...]:
        """Give which admitted memories supersede which facts."""
        if gate.is_closed:
            return ()
        named: hot.Said = (" AND supersedes IS NOT NULL", ())
        if of is not None:
            asked = "(SELECT value FROM json_each(?))"
            either = f" AND (supersedes IN {asked} OR fact_id IN {asked})"
            named = (named[0] + either, (r.dump(sorted(of)),) * 2)
        sql, given = hot.from_gate(
            "fact_id, supersedes, position",
            gate,
            extra=named,
            tables=hot.BY_SUPERSEDED,
        )
        rows = hot.ask(
            self._driver, f"SELECT DISTINCT * FROM ({sql}) ORDER BY part, position, fact_id", given
        )
        return tuple((row.fact_id, row.supersedes, (row.part, row.position)) for row in rows)

    def admitted_facts(self, gate: Gate, fact_ids: Collection[str]) -> Mapping[str, Place]:
        """Give the places of those of these facts that the gate admits."""
        if gate.is_closed or not fact_ids:
            return {}
        found: dict[str, Place] = {}
        asked = sorted(fact_ids)
        for at in range(0, len(asked), _BATCH):
            batch = asked[at : at + _BATCH]
            named = (f" AND fact_id IN ({hot.marks(len(batch))})", tuple(batch))
            sql, given = hot.from_gate("fact_id, position", gate, extra=named, tables=hot.BY_FACT)
            found.update({row.fact_id: (row.part, row.position) for row in hot.ask(self._driver, sql, given)})
        return found

    def known_vectors(self, embedder_id: str, text_hashes: Collection[str]) -> Mapping[str, bytes]:
        """Give the vectors already made of texts with these hashes."""
        asked = r.dump(sorted(text_hashes))
        rows = hot.tuples(self._driver, hot.KNOWN_VECTORS, {"hashes": asked, "embedder": embedder_id})
        return vectors_at(self._driver, {hashed: (segment, slot) for hashed, segment, slot in rows})

    def work(self, story_id: str, episode_id: str | None = None) -> Mapping[str, Work]:
        """Give the state of the work on each episode, or on one."""
        if episode_id is None:
            rows = hot.ask(self._driver, hot.WORK, (story_id,))
        else:
            rows = hot.ask(self._driver, f"{hot.WORK} AND key = ?", (story_id, episode_id))
        return {row.key: r.work_in(row) for row in rows}

    def lagging(self, story_id: str) -> tuple[str, ...]:
        """Give the live episodes whose memory is not shown and not given up."""
        return tuple(row.episode_id for row in hot.ask(self._driver, leases.LAGGING, (story_id,)))

    def next_due(self, story_id: str) -> float | None:
        """Give the moment from which the next lagging episode can be claimed."""
        found: float | None = hot.ask(self._driver, leases.NEXT_DUE, (story_id,))[0].at
        return found

    def lease_holders(self, story_id: str) -> frozenset[str]:
        """Give the workers named by the leases of a story."""
        return frozenset(row.worker for row in hot.ask(self._driver, leases.HOLDERS, (story_id,)))

    def held(self, token: str, *, now: float) -> frozenset[str]:
        """Give the episodes leased by this token."""
        return frozenset(row.key for row in hot.ask(self._driver, leases.HELD, (token, now)))

    def traces(self, story_id: str, *, last: int) -> tuple[Trace, ...]:
        """Give the last traces, newest first."""
        query = sa.select(traces).where(traces.c.story_id == story_id)
        return tuple(r.trace_in(row) for row in self._all(query.order_by(traces.c.key.desc()).limit(last)))

    def inputs(self, story_id: str, scope: Scope) -> Mapping[str, str]:
        """Give what the scope covers of a story's inputs, by key."""
        return undoing.inputs(self._driver, story_id, scope)

    def steps(self, story_id: str, *, last: int) -> tuple[Step, ...]:
        """Give the last steps that can be taken back, newest first."""
        return undoing.steps(self._driver, story_id, last)


def _or_highest(cap: int | None) -> int:
    return _HIGHEST if cap is None else cap
