"""Conversations in the ledger: users, and turns by unit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql import stub_rows as s
from kataribe.adapters.sql.base import SqlPart, or_highest
from kataribe.adapters.sql.memory_writing import SqlMemoryTransaction
from kataribe.adapters.sql.spaces import SqlSpacesTransaction
from kataribe.adapters.sql.tables import LAGS
from kataribe.domain.conversation.life.stubs import TurnStub, said_hash
from kataribe.domain.conversation.turns import UNIT_TURNS, Role, SaidOrder, Turn, User, is_system
from kataribe.domain.ids import WORLD
from kataribe.domain.records import SpaceState, TalkState, TurnChanges
from kataribe.domain.space import parse_place, user_space

_TURNS = "SELECT * FROM turns WHERE space = ?"
# A unit is a few turns, and sorted soon: to meet them in order all that was ever said would be read.
_TURNS_OF_UNIT = "SELECT * FROM turns INDEXED BY ix_turns_unit WHERE space = ?"
_SAID_ORDER = "at, session, ordinal, turn_id"
_SAID_AFTER = f"""
SELECT * FROM turns INDEXED BY ix_turns_time
WHERE space = :space AND ({_SAID_ORDER}) > (:at, :after_session, :ordinal, :turn_id) AND at <= :upto
  AND (:session IS NULL OR session = :session)
ORDER BY {_SAID_ORDER} LIMIT :limit
"""
_THESE = f"{_TURNS} AND turn_id IN (SELECT value FROM json_each(?))"
_STUBS = "SELECT * FROM turn_stubs WHERE space = ?"
_SAID_HASHES = """
SELECT turn_id, value ->> '$.said_hash' FROM turn_stubs
WHERE space = ? AND turn_id IN (SELECT value FROM json_each(?))
"""
_DROP_STUBS = """
DELETE FROM turn_stubs WHERE space = ? AND turn_id IN (SELECT value FROM json_each(?))
"""
_UNITS = "SELECT DISTINCT unit FROM turns WHERE space = ? ORDER BY unit"
# A unit is called as its day, or as its day with a number behind a point; `/` comes right after that.
_UNITS_OF_DAY = """
SELECT unit, count(*) FROM turns INDEXED BY ix_turns_unit
WHERE space = :space AND unit >= :day AND unit < :day || '/' GROUP BY unit
"""
# A turn that is said now is nearly the last: what was said before it is not looked at.
_LAST_SAID = """
SELECT max(at) FROM turns INDEXED BY ix_turns_time WHERE space = ? AND at >= ? AND session = ?
"""
# Read from the newest on, as far as it is asked for.
_LAST_TURNS = """
SELECT * FROM turns INDEXED BY ix_turns_time
WHERE space = :space AND at <= :upto AND (:session IS NULL OR session = :session)
  AND (role IS NULL OR role != 'system')
  AND ((:world AND held_by IS NULL) OR EXISTS (SELECT 1 FROM json_each(held_by) h
                                    WHERE h.value IN (SELECT value FROM json_each(:holders))))
ORDER BY at DESC, session DESC, ordinal DESC, turn_id DESC LIMIT :limit OFFSET :skipped
"""
_LISTENERS = """
SELECT DISTINCT h.value FROM spaces s JOIN turns t ON t.space = s.space, json_each(t.held_by) h
WHERE s.type = 'user' AND (:user IS NULL OR s.user_id = :user)
"""
# From the little that lags to its turns: all that was ever said is not looked at.
_PENDING = f"""
SELECT t.speaker, t.role, count(*) FROM work INDEXED BY ix_work_lagging
CROSS JOIN turns t INDEXED BY ix_turns_unit ON t.space = work.space AND t.unit = work.unit
WHERE work.space = :space AND work.kind = 'turns' AND {LAGS} AND t.at <= :upto
  AND (t.held_by IS NULL OR EXISTS (SELECT 1 FROM json_each(t.held_by) h
                                    WHERE h.value IN (SELECT value FROM json_each(:holders))))
  AND NOT EXISTS (SELECT 1 FROM memories m INDEXED BY ix_memories_fact
                  WHERE m.space = t.space AND m.fact_id = t.turn_id AND m.live = 1)
GROUP BY t.speaker, t.role
"""
_LAGS = f"""
SELECT 1 FROM work INDEXED BY ix_work_lagging WHERE space = ? AND kind = 'turns' AND {LAGS} LIMIT 1
"""
# A place where nothing was said to a holder is not named to it: that others talked there is not its to know.
_TALKS = """
SELECT space, place FROM spaces s WHERE story_id = :story AND user_id = :user AND type = 'talk'
  AND (:holder IS NULL OR EXISTS (
    SELECT 1 FROM turns t WHERE t.space = s.space AND t.at <= :upto
      AND EXISTS (SELECT 1 FROM json_each(t.held_by) WHERE value = :holder)))
ORDER BY space
"""
# A branch without episodes of its own goes on after one of its parent's.
_EPISODE = """
WITH RECURSIVE above (story_id) AS (
  VALUES (:story)
  UNION SELECT s.parent_id FROM stories s JOIN above ON s.story_id = above.story_id
  WHERE s.parent_id IS NOT NULL
)
SELECT no, CASE WHEN story_id = :story THEN order_key END FROM episodes
WHERE story_id IN (SELECT story_id FROM above) AND episode_id = :episode AND deleted_at IS NULL
"""


def _is_system(speaker: str, role: str | None) -> bool:
    return role == Role.SYSTEM or (role is None and is_system(speaker))


class SqlConversationsView(SqlPart):
    """What is read of conversations."""

    def users(self) -> tuple[User, ...]:
        """Give all users, by id."""
        rows = queries.ask(self._driver, f"{queries.USERS} ORDER BY u.user_id")
        return tuple(r.user_in(row) for row in rows)

    def user(self, user_id: str) -> User | None:
        """Give one user."""
        return self._caches.user(user_id, self._revision(user_space(user_id)), self._read_user)

    def _read_user(self, user_id: str) -> User | None:
        found = queries.ask(self._driver, f"{queries.USERS} WHERE u.user_id = ?", (user_id,))
        return r.user_in(found[0]) if found else None

    def turn(self, space: str, turn_id: str) -> Turn | None:
        """Give one turn."""
        found = queries.ask(self._driver, f"{_TURNS} AND turn_id = ?", (space, turn_id))
        return r.turn_in(found[0]) if found else None

    def turns(self, space: str, *, session: str | None = None, unit: str | None = None) -> tuple[Turn, ...]:
        """Give turns in the order they were said."""
        sql, given = _TURNS if unit is None else _TURNS_OF_UNIT, [space]
        for column, value in (("session", session), ("unit", unit)):
            if value is not None:
                sql, given = f"{sql} AND {column} = ?", [*given, value]
        rows = queries.ask(self._driver, f"{sql} ORDER BY {_SAID_ORDER}", given)
        return tuple(r.turn_in(row) for row in rows)

    def said_after(
        self,
        space: str,
        after: SaidOrder,
        *,
        limit: int,
        upto: int | None = None,
        session: str | None = None,
    ) -> tuple[Turn, ...]:
        """Give the first turns behind a place in the order."""
        at, after_session, ordinal, turn_id = after
        given = {
            "space": space,
            "at": at,
            "after_session": after_session,
            "ordinal": ordinal,
            "turn_id": turn_id,
            "upto": or_highest(upto),
            "session": session,
            "limit": limit,
        }
        return tuple(r.turn_in(row) for row in queries.ask(self._driver, _SAID_AFTER, given))

    def last_said(self, space: str, session: str, *, since: int) -> int | None:
        """Give the position of a session's last turn, where it is not earlier than `since`."""
        last: int | None = queries.tuples(self._driver, _LAST_SAID, (space, since, session))[0][0]
        return last

    def last_turns(
        self, space: str, *, holders: Collection[str], upto: int, limit: int, session: str | None = None
    ) -> tuple[Turn, ...]:
        """Give the last turns of people that one of these holds."""
        given = {
            "space": space,
            "upto": upto,
            "session": session,
            "world": WORLD in holders,
            "holders": r.dump(sorted(holders)),
            "limit": limit,
        }
        found: list[Turn] = []
        skipped = 0
        while len(found) < limit:
            rows = queries.ask(self._driver, _LAST_TURNS, {**given, "skipped": skipped})
            turns = (r.turn_in(row) for row in rows)
            # Some of the system's are known by their name alone, which takes more than SQL to fold.
            found += [turn for turn in turns if not turn.is_system]
            skipped += len(rows)
            if len(rows) < limit:
                break
        return tuple(reversed(found[:limit]))

    def listeners(self, user_id: str | None = None) -> frozenset[str]:
        """Name the personas that hold turns said outside every story."""
        return frozenset(row[0] for row in queries.tuples(self._driver, _LISTENERS, {"user": user_id}))

    def stubs(self, space: str) -> Mapping[str, TurnStub]:
        """Give by id what is kept of turns whose text has expired."""
        return self.once(("stubs", space), lambda: self._read_stubs(space))

    def _read_stubs(self, space: str) -> Mapping[str, TurnStub]:
        return {row.turn_id: s.stub_in(row) for row in queries.ask(self._driver, _STUBS, (space,))}

    def turn_units(self, space: str) -> tuple[str, ...]:
        """Give the units that turns are remembered in."""
        return tuple(row[0] for row in queries.tuples(self._driver, _UNITS, (space,)))

    def pending_turns(self, space: str, *, holders: Collection[str], upto: int) -> int:
        """Count the turns of people that are not in memory as they stand."""
        if not self.once(("lags", space), lambda: self._lags(space)):
            return 0
        given = {"space": space, "holders": r.dump(sorted(holders)), "upto": upto}
        found = queries.tuples(self._driver, _PENDING, given)
        return sum(count for speaker, role, count in found if not _is_system(speaker, role))

    def _lags(self, space: str) -> bool:
        """Whether any turns of a space are not in memory as they stand."""
        return bool(queries.tuples(self._driver, _LAGS, (space,)))

    def talks(
        self, story_id: str, user_id: str, *, holder: str | None = None, upto: int = 0
    ) -> tuple[TalkState, ...]:
        """Give where talk was held with a user under a story."""
        found: list[TalkState] = []
        asked = {"story": story_id, "user": user_id, "holder": holder, "upto": upto}
        for space, written in queries.tuples(self._driver, _TALKS, asked):
            place = parse_place(written)
            if place.episode_id is None:
                found.append(TalkState(space=space, no=1, order_key=None))
                continue
            given = {"story": story_id, "episode": place.episode_id}
            for no, key in queries.tuples(self._driver, _EPISODE, given):
                found.append(TalkState(space=space, no=no + place.is_after, order_key=key))
        return tuple(found)


class SqlConversationsTransaction(SqlMemoryTransaction, SqlSpacesTransaction, SqlConversationsView):
    """What is written of conversations."""

    def put_user(self, user: User) -> None:
        """Add a user and its space, or replace what is recorded of it."""
        queries.put(self._driver, "users", r.user_out(user), {"created_at": self._now()})
        self.put_space(
            SpaceState(
                space=user_space(user.user_id),
                language=user.language,
                embedder=user.embedder,
                embedder_id=user.embedder_id,
            )
        )

    def rename_user(self, user_id: str, new_id: str) -> None:
        """Give a user another id; rows follow by foreign key."""
        self._driver.execute("UPDATE users SET user_id = ? WHERE user_id = ?", (new_id, user_id))
        self._rename_spaces()

    def delete_user(self, user_id: str) -> None:
        """Remove a user and all that belongs to it."""
        self._driver.execute("DELETE FROM users WHERE user_id = ?", (user_id,))

    def put_turns(self, space: str, given: Sequence[Turn]) -> TurnChanges:
        """Add turns or replace those of the same id."""
        before = self._rows(space, [turn.turn_id for turn in given])
        given = self._as_left(space, given, before)
        fresh = {
            turn.turn_id: turn
            for turn in given
            if turn.turn_id not in before or r.turn_in(before[turn.turn_id]) != turn
        }
        changed = before.keys() & fresh.keys()
        if changed:
            self.take_out(space, changed)
            said_anew = sorted(one for one in changed if fresh[one].text != before[one].text)
            self._driver.execute(_DROP_STUBS, (space, r.dump(said_anew)))
        units = {before[turn_id].unit for turn_id in changed}
        rooms = _Rooms(self, space)
        for turn_id, turn in fresh.items():
            kept = (
                before[turn_id].unit
                if turn_id in before and rooms.is_of(before[turn_id].unit, turn)
                else None
            )
            unit = kept or rooms.take(turn)
            units.add(unit)
            queries.put(
                self._driver,
                "turns",
                {**r.turn_out(space, turn), "unit": unit, "sealed": None},
                {"created_at": self._now()},
            )
        return TurnChanges(turns=tuple(fresh), units=tuple(sorted(units)))

    def _as_left(self, space: str, given: Sequence[Turn], before: Mapping[str, r.Row]) -> list[Turn]:
        """Let turns whose text has expired, and that are said again word for word, stay what is left."""
        asked = (space, r.dump(sorted(before)))
        stubs = dict(queries.tuples(self._driver, _SAID_HASHES, asked)) if before else {}
        return [
            replace(turn, text=before[turn.turn_id].text, caption=None)
            if turn.turn_id in stubs and stubs[turn.turn_id] == said_hash(turn)
            else turn
            for turn in given
        ]

    def put_stubs(self, space: str, left: Sequence[tuple[Turn, TurnStub]]) -> TurnChanges:
        """Put what is left of turns in their place."""
        changes = self.put_turns(space, [turn for turn, _ in left])
        rows = [{"space": space, **s.stub_out(stub)} for _, stub in left]
        queries.insert(self._driver, "turn_stubs", rows, replace=True)
        return changes

    def delete_turns(self, space: str, turn_ids: Collection[str]) -> TurnChanges:
        """Remove turns and what is remembered of them."""
        gone = self._rows(space, turn_ids)
        self._driver.executemany(
            "DELETE FROM turns WHERE space = ? AND turn_id = ?", [(space, turn_id) for turn_id in gone]
        )
        if gone:
            self.take_out(space, gone.keys())
        return TurnChanges(turns=tuple(gone), units=tuple(sorted({row.unit for row in gone.values()})))

    def _rows(self, space: str, turn_ids: Iterable[str]) -> Mapping[str, r.Row]:
        asked = r.dump(sorted(turn_ids))
        return {row.turn_id: row for row in queries.ask(self._driver, _THESE, (space, asked))}


class _Rooms:
    """Which unit of its day a new turn is given: the last one as long as it has room."""

    def __init__(self, part: SqlConversationsTransaction, space: str) -> None:
        self._driver = part._driver
        self._space = space
        self._days: dict[str, tuple[int, int]] = {}
        """By day: the number of its last unit, and how many turns that holds."""

    @staticmethod
    def is_of(unit: str, turn: Turn) -> bool:
        """Whether a unit is one of a turn's day."""
        return unit.partition(".")[0] == turn.day

    def take(self, turn: Turn) -> str:
        """Give the unit of a new turn."""
        if turn.day not in self._days:
            self._days[turn.day] = self._last(turn.day)
        number, count = self._days[turn.day]
        if count >= UNIT_TURNS:
            number, count = number + 1, 0
        self._days[turn.day] = (number, count + 1)
        return f"{turn.day}.{number}" if number else turn.day

    def _last(self, day: str) -> tuple[int, int]:
        given = {"space": self._space, "day": day}
        sizes = {
            int(unit.partition(".")[2] or 0): count
            for unit, count in queries.tuples(self._driver, _UNITS_OF_DAY, given)
        }
        number = max(sizes, default=0)
        return number, sizes.get(number, 0)
