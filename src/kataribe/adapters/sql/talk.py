"""Conversations in the ledger: users, turns by page, and what is remembered of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from kataribe.adapters.sql import hot
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.schema import embeddings, memories, memory_vectors, segments, traces, turns, users
from kataribe.adapters.sql.segments import memory_state, pack, page_segments, positions_of
from kataribe.domain.conversation import Turn, User, is_system, user_space
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Memory
from kataribe.domain.records import MemoryState, Trace, Use

_TURNS = "SELECT * FROM turns WHERE user_id = ?"
_SAID_ORDER = "at, session, ordinal, turn_id"
_LAGGING = "SELECT page FROM lagging_pages WHERE user_id = ? ORDER BY page"
_LAG = "INSERT INTO lagging_pages (user_id, page) VALUES (?, ?) ON CONFLICT DO NOTHING"
_MEMORIES = "SELECT memories.*, NULL AS episode_no FROM memories WHERE user_id = ?"
_KEYS = "SELECT memory_id, key FROM memories WHERE user_id = ? AND page = ?"
_REMEMBERED = "SELECT DISTINCT page FROM memories WHERE user_id = ? ORDER BY page"
_PAGES = (
    "SELECT page FROM turns WHERE user_id = ? UNION SELECT page FROM memories WHERE user_id = ? ORDER BY 1"
)
_STATES = """
SELECT m.memory_id, m.live, v.embedder_id, v.segment_key, v.slot
FROM memories m LEFT JOIN memory_vectors v ON v.memory_key = m.key
WHERE m.user_id = ? AND m.page = ?
"""
# From the few pages that lag to their turns: all that was ever said is not looked at.
_PENDING = """
SELECT t.speaker, count(*) FROM lagging_pages p
CROSS JOIN turns t INDEXED BY ix_turns_page ON t.user_id = p.user_id AND t.page = p.page
WHERE p.user_id = :user AND t.at <= :upto
  AND (t.held_by IS NULL OR EXISTS (SELECT 1 FROM json_each(t.held_by) h
                                    WHERE h.value IN (SELECT value FROM json_each(:holders))))
  AND NOT EXISTS (SELECT 1 FROM memories m
                  WHERE m.user_id = :user AND m.page = t.page AND m.fact_id = t.turn_id AND m.live = 1)
GROUP BY t.speaker
"""
_HIDE = (
    "DELETE FROM memories WHERE user_id = ? AND page = ?",
    "DELETE FROM segments WHERE user_id = ? AND unit = ?",
)
# From the keys to their rows and on by the index of sessions: what lies between is not looked at.
_BESIDE = """
SELECT a.key, (
    SELECT c.key FROM memories c INDEXED BY ix_memories_session
    WHERE c.space = a.space AND c.session = a.session AND c.holder = :holder
      AND c.position <= min(:upto, a.position) AND c.live = 1
      AND (c.position < a.position OR c.place < a.place OR c.place = a.place AND c.fact_id < a.fact_id)
    ORDER BY c.position DESC, c.place DESC, c.fact_id DESC LIMIT 1), (
    SELECT c.key FROM memories c INDEXED BY ix_memories_session
    WHERE c.space = a.space AND c.session = a.session AND c.holder = :holder
      AND c.position <= :upto AND c.position >= a.position AND c.live = 1
      AND (c.position > a.position OR c.place > a.place OR c.place = a.place AND c.fact_id > a.fact_id)
    ORDER BY c.position, c.place, c.fact_id LIMIT 1)
FROM json_each(:keys) j CROSS JOIN memories a NOT INDEXED ON a.key = j.value
WHERE a.space = :space AND a.session IS NOT NULL
"""
_ORDER = """
SELECT m.key, m.position, m.place, m.fact_id
FROM json_each(?) j CROSS JOIN memories m NOT INDEXED ON m.key = j.value
"""
# From one speaker to the next by the index: how much each said is not looked at.
_SPEAKERS = """
WITH RECURSIVE said (speaker) AS (
  SELECT min(speaker) FROM memories INDEXED BY ix_memories_speaker
  WHERE space = :space AND holder = :holder AND speaker IS NOT NULL
  UNION ALL
  SELECT (SELECT min(m.speaker) FROM memories m INDEXED BY ix_memories_speaker
          WHERE m.space = :space AND m.holder = :holder AND m.speaker > said.speaker)
  FROM said WHERE said.speaker IS NOT NULL
)
SELECT speaker FROM said WHERE speaker IS NOT NULL AND EXISTS (
  SELECT 1 FROM memories m INDEXED BY ix_memories_speaker
  WHERE m.space = :space AND m.holder = :holder AND m.speaker = said.speaker AND m.position <= :upto
    AND m.live = 1)
"""
_TRACES = "SELECT * FROM traces WHERE user_id = ? ORDER BY key DESC LIMIT ?"
_PRUNE = """
DELETE FROM traces WHERE {owner} = ? AND key <= (
    SELECT key FROM traces WHERE {owner} = ? ORDER BY key DESC LIMIT 1 OFFSET ?)
"""
_USES = """
SELECT fact_id, sum(times) AS times, max(at) AS last FROM uses
WHERE {owner} = ? AND viewer = ? AND upto <= ? AND fact_id IN (SELECT value FROM json_each(?))
GROUP BY fact_id
"""
_USE = """
INSERT INTO uses ({owner}, viewer, fact_id, upto, at, times) VALUES (?, ?, ?, ?, ?, 1)
ON CONFLICT ({owner}, viewer, fact_id, upto) DO UPDATE SET times = times + 1, at = max(at, excluded.at)
"""
_EMBEDDINGS = """
SELECT text_hash, vector FROM embeddings
WHERE embedder_id = ? AND text_hash IN (SELECT value FROM json_each(?))
"""


class _Open(Protocol):
    """What the two halves need of a transaction."""

    _driver: sqlite3.Connection

    def _changed(self, space: str, units: Iterable[str]) -> None: ...

    def _new_revision(self) -> int: ...

    def _now(self) -> str: ...


class SqlTalkReading:
    """What is read of conversations."""

    _driver: sqlite3.Connection

    def users(self) -> tuple[User, ...]:
        """Give all users, by id."""
        return tuple(r.user_in(row) for row in hot.ask(self._driver, "SELECT * FROM users ORDER BY user_id"))

    def user(self, user_id: str) -> User | None:
        """Give one user."""
        found = hot.ask(self._driver, "SELECT * FROM users WHERE user_id = ?", (user_id,))
        return r.user_in(found[0]) if found else None

    def turn(self, user_id: str, turn_id: str) -> Turn | None:
        """Give one turn."""
        found = hot.ask(self._driver, f"{_TURNS} AND turn_id = ?", (user_id, turn_id))
        return r.turn_in(found[0]) if found else None

    def turns(self, user_id: str, *, session: str | None = None, page: str | None = None) -> tuple[Turn, ...]:
        """Give turns in the order they were said."""
        sql, given = _TURNS, [user_id]
        for column, value in (("session", session), ("page", page)):
            if value is not None:
                sql, given = f"{sql} AND {column} = ?", [*given, value]
        return tuple(r.turn_in(row) for row in hot.ask(self._driver, f"{sql} ORDER BY {_SAID_ORDER}", given))

    def lagging_pages(self, user_id: str) -> tuple[str, ...]:
        """Give the pages whose memory is not of their turns."""
        return tuple(row[0] for row in hot.tuples(self._driver, _LAGGING, (user_id,)))

    def pending_turns(self, user_id: str, *, holders: Collection[str], upto: int) -> int:
        """Count the turns that are not in memory yet."""
        given = {"user": user_id, "holders": r.dump(sorted(holders)), "upto": upto}
        found = hot.tuples(self._driver, _PENDING, given)
        return sum(count for speaker, count in found if not is_system(speaker))

    def turn_memories(self, user_id: str, *, page: str | None = None) -> tuple[Memory, ...]:
        """Give the memories of a user's turns."""
        sql, given = _MEMORIES, [user_id]
        if page is not None:
            sql, given = f"{sql} AND page = ?", [user_id, page]
        rows = hot.ask(self._driver, f"{sql} ORDER BY position, session, place, fact_id, holder", given)
        return tuple(r.memory_in(row) for row in rows)

    def turn_states(self, user_id: str, page: str) -> Mapping[str, MemoryState]:
        """Give what is derived for each memory of a page."""
        rows = hot.ask(self._driver, _STATES, (user_id, page))
        packed = page_segments(self._driver, user_id, page)
        return {row.memory_id: memory_state(row, packed) for row in rows}

    def remembered_pages(self, user_id: str) -> tuple[str, ...]:
        """Give the pages that hold memories."""
        return tuple(row[0] for row in hot.tuples(self._driver, _REMEMBERED, (user_id,)))

    def neighbours(self, gate: Gate, keys: Collection[int]) -> Mapping[int, tuple[int, ...]]:
        """Give the keys of the turns before and after, inside the gate."""
        before: dict[int, list[int]] = {}
        after: dict[int, list[int]] = {}
        asked = r.dump(sorted(keys))
        for part in gate.slices:
            given = {"keys": asked, "space": part.space, "holder": part.holder, "upto": part.upto}
            for key, earlier, later in hot.tuples(self._driver, _BESIDE, given):
                if earlier is not None:
                    before.setdefault(key, []).append(earlier)
                if later is not None:
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

    def _order(self, keys: Collection[int]) -> Mapping[int, tuple[int, int, str]]:
        """Give what turns of a session are sorted by."""
        if not keys:
            return {}
        rows = hot.tuples(self._driver, _ORDER, (r.dump(sorted(keys)),))
        return {key: (position, place, fact_id) for key, position, place, fact_id in rows}

    def speakers(self, gate: Gate) -> tuple[str, ...]:
        """Give who says an admitted turn."""
        found: set[str] = set()
        for part in gate.slices:
            given = {"space": part.space, "holder": part.holder, "upto": part.upto}
            found.update(row[0] for row in hot.tuples(self._driver, _SPEAKERS, given))
        return tuple(sorted(found))

    def user_traces(self, user_id: str, *, last: int) -> tuple[Trace, ...]:
        """Give the last traces, newest first."""
        return tuple(r.trace_in(row) for row in hot.ask(self._driver, _TRACES, (user_id, last)))

    def uses(self, space: str, viewer: str, fact_ids: Collection[str], *, upto: int) -> Mapping[str, Use]:
        """Give how often and when last a viewer used these."""
        owner, name = _owner_of(space)
        given = (name, viewer, upto, r.dump(sorted(fact_ids)))
        rows = hot.ask(self._driver, _USES.format(owner=owner), given)
        return {row.fact_id: Use(times=row.times, last=row.last) for row in rows}

    def embeddings(self, embedder_id: str, text_hashes: Collection[str]) -> Mapping[str, bytes]:
        """Give the vectors made ahead."""
        return dict(hot.tuples(self._driver, _EMBEDDINGS, (embedder_id, r.dump(sorted(text_hashes)))))


class SqlTalkWriting:
    """What is written of conversations."""

    def put_user(self: _Open, user: User) -> None:
        """Add a user, or replace what is recorded of it."""
        once = {"created_at": self._now()}
        hot.put(self._driver, users, {**r.user_out(user), "revision": self._new_revision()}, once)

    def rename_user(self: _Open, user_id: str, new_id: str) -> None:
        """Give a user another id; rows follow by foreign key."""
        run = self._driver.execute
        run("UPDATE users SET user_id = ? WHERE user_id = ?", (new_id, user_id))
        for table in ("memories", "segments"):
            run(f"UPDATE {table} SET space = ? WHERE user_id = ?", (user_space(new_id), new_id))
        for name in (user_id, new_id):
            run("DELETE FROM changes WHERE space = ?", (user_space(name),))
            self._changed(user_space(name), [""])

    def delete_user(self: _Open, user_id: str) -> None:
        """Remove a user and all that belongs to it."""
        self._driver.execute("DELETE FROM users WHERE user_id = ?", (user_id,))
        # Nobody knows whose words these are; they are made again where they are wanted.
        self._driver.execute("DELETE FROM embeddings")
        self._driver.execute("DELETE FROM changes WHERE space = ?", (user_space(user_id),))
        self._changed(user_space(user_id), [""])

    def put_turns(self: _Open, user_id: str, given: Sequence[Turn]) -> int:
        """Add turns or replace those of the same id."""
        asked = r.dump([turn.turn_id for turn in given])
        sql = f"{_TURNS} AND turn_id IN (SELECT value FROM json_each(?))"
        before = {row.turn_id: r.turn_in(row) for row in hot.ask(self._driver, sql, (user_id, asked))}
        fresh = {turn.turn_id: turn for turn in given if before.get(turn.turn_id) != turn}
        broken = {before[turn_id].page for turn_id in fresh if turn_id in before}
        if not fresh:
            return 0
        _forget(self, user_id, broken)
        for turn in fresh.values():
            hot.put(self._driver, turns, r.turn_out(user_id, turn), {"created_at": self._now()})
        pages = broken | {turn.page for turn in fresh.values()}
        self._driver.executemany(_LAG, [(user_id, page) for page in sorted(pages)])
        return len(fresh)

    def delete_turns(self: _Open, user_id: str, turn_ids: Collection[str]) -> int:
        """Remove turns."""
        asked = r.dump(sorted(turn_ids))
        named = "FROM turns WHERE user_id = ? AND turn_id IN (SELECT value FROM json_each(?))"
        pages = {row[0] for row in hot.tuples(self._driver, f"SELECT page {named}", (user_id, asked))}
        gone = self._driver.execute(f"DELETE {named}", (user_id, asked)).rowcount
        _forget(self, user_id, pages)
        self._driver.executemany(_LAG, [(user_id, page) for page in sorted(pages)])
        return gone

    def lag_pages(self: _Open, user_id: str, *, forget: bool) -> int:
        """Mark every page to be made again."""
        pages = [row[0] for row in hot.tuples(self._driver, _PAGES, (user_id, user_id))]
        if forget:
            _forget(self, user_id, pages)
        self._driver.executemany(_LAG, [(user_id, page) for page in pages])
        return len(pages)

    def replace_page(
        self: _Open,
        user_id: str,
        page: str,
        given: Sequence[Memory],
        *,
        terms: Mapping[str, Sequence[str]],
        vectors: Mapping[str, bytes],
        embedder_id: str,
    ) -> None:
        """Put these memories in the place of the page's."""
        for statement in _HIDE:
            self._driver.execute(statement, (user_id, page))
        hot.insert(self._driver, memories, [r.turn_memory_out(user_id, page, one) for one in given])
        keys = dict(hot.tuples(self._driver, _KEYS, (user_id, page)))
        for share in _by_holder(given):
            packed = pack(share, keys=keys, terms=[terms[one.fact_id] for one in share], vectors=vectors)
            owner = {"user_id": user_id, "unit": page, "positions": positions_of(share)}
            segment = hot.insert_one(self._driver, segments, {**packed, **owner, "live": True})
            hot.insert(
                self._driver,
                memory_vectors,
                [
                    {
                        "memory_key": keys[one.memory_id],
                        "vector_id": one.memory_id,
                        "version": one.version,
                        "scope": r.scope_of(one.holder),
                        "character_id": one.holder,
                        "fact_index": one.fact_index,
                        "embedder_id": embedder_id,
                        "text_hash": one.text_hash,
                        "segment_key": segment,
                        "slot": slot,
                    }
                    for slot, one in enumerate(share)
                ],
            )
        self._driver.execute("DELETE FROM lagging_pages WHERE user_id = ? AND page = ?", (user_id, page))
        self._changed(user_space(user_id), [page])

    def put_user_traces(self: _Open, given: Sequence[Trace], *, keep: int | None = None) -> None:
        """Append traces of users' spaces."""
        known = {row[0] for row in hot.tuples(self._driver, "SELECT user_id FROM users", ())}
        hot.insert(self._driver, traces, [r.trace_out(trace) for trace in given if trace.user in known])
        prune_traces(self._driver, "user_id", {trace.user for trace in given}, keep)

    def put_uses(
        self: _Open, space: str, viewer: str, fact_ids: Sequence[str], *, upto: int, at: str
    ) -> None:
        """Count one more use of each of these."""
        owner, name = _owner_of(space)
        rows = [(name, viewer, fact_id, upto, at) for fact_id in fact_ids]
        self._driver.executemany(_USE.format(owner=owner), rows)

    def put_embeddings(self: _Open, embedder_id: str, given: Mapping[str, bytes]) -> None:
        """Keep vectors made ahead."""
        rows = [
            {"embedder_id": embedder_id, "text_hash": hashed, "vector": vector}
            for hashed, vector in given.items()
        ]
        hot.insert(self._driver, embeddings, rows, replace=True)

    def clear_embeddings(self: _Open, embedder_id: str) -> None:
        """Forget the vectors made ahead for this embedder."""
        self._driver.execute("DELETE FROM embeddings WHERE embedder_id = ?", (embedder_id,))


def prune_traces(
    driver: sqlite3.Connection, owner: str, names: Collection[str | None], keep: int | None
) -> None:
    """Remove all but the last `keep` traces of each of these."""
    if keep is not None:
        driver.executemany(_PRUNE.format(owner=owner), [(name, name, keep) for name in names])


def _forget(open_: _Open, user_id: str, pages: Collection[str]) -> None:
    """Take what is remembered of pages out: they hold what is not so any more."""
    for page in sorted(pages):
        for statement in _HIDE:
            open_._driver.execute(statement, (user_id, page))
    open_._changed(user_space(user_id), sorted(pages))


def _by_holder(given: Iterable[Memory]) -> list[list[Memory]]:
    """Part memories by holder, each share in order of position and id."""
    shares: dict[str, list[Memory]] = {}
    for memory in given:
        shares.setdefault(memory.holder, []).append(memory)
    return [sorted(share, key=lambda m: (m.position, m.fact_id)) for _, share in sorted(shares.items())]


def _owner_of(space: str) -> tuple[str, str]:
    """Give the column that names a space's owner, and its name."""
    kind, _, name = space.partition(":")
    return ("user_id" if kind == "user" else "story_id"), name
