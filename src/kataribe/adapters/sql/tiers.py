"""Conversation memory in tiers in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql import tier_rows as t
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.domain.conversation.life.events import HandDecision, HandVerb, UsedAt
from kataribe.domain.conversation.life.policy import TierPolicy, policy_from, policy_to
from kataribe.domain.conversation.life.values import ENDED, NO_ROWS, Life, LifeCounts, MemoryValue, TurnFate
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD
from kataribe.errors import ConflictError
from kataribe.ports.tiers import RecordedNight, TurnPlace

_NIGHTS = "SELECT at, policy FROM nights WHERE user_id = ? ORDER BY at"
_DROP_NIGHT = "DELETE FROM nights WHERE user_id = ? AND at = ?"
_LAST_NIGHT = "SELECT max(at) FROM nights WHERE user_id = ?"
_DECISIONS = """
SELECT at, memory_id, what, text FROM hand_decisions WHERE space = ? AND holder = ?
ORDER BY at, memory_id, what
"""
_USES = "SELECT fact_id, upto, times FROM uses WHERE space = ? AND viewer = ? ORDER BY upto, fact_id"
_ROWS = "SELECT value FROM {} WHERE space = ? AND holder = ? AND number >= ? ORDER BY number"
_LAST_BEFORE = """
SELECT number FROM {} WHERE space = ? AND holder = ? AND position < ? ORDER BY number DESC LIMIT 1
"""
# SQLite gives the other columns of the row that has the largest number.
_FATES = """
SELECT turn_id, value, max(number) FROM turn_fates
WHERE space = ? AND holder = ? AND position <= ? GROUP BY turn_id
"""
_LAST_FATE = """
SELECT position FROM turn_fates WHERE space = ? AND holder = ? ORDER BY number DESC LIMIT 1
"""
# The states are those of `ENDED`; SQLite gives the other columns of the row that has the largest number.
_KEPT = """
SELECT value, state FROM (
    SELECT value, value ->> '$.state' AS state, max(number) FROM tier_values
    WHERE space = ? AND holder = ? AND position <= ? GROUP BY memory_id
) WHERE state NOT IN (SELECT value FROM json_each(?))
"""
_HAS_FATES = "SELECT 1 FROM turn_fates WHERE space = ? LIMIT 1"
_HOLDS = "SELECT 1 FROM memories WHERE space = ? AND holder = ? AND position <= ? AND live = 1 LIMIT 1"
_OF_TURNS = "(SELECT value FROM json_each(?))"
_REST_ON = f"""
DELETE FROM tier_values WHERE space = ?
  AND EXISTS (SELECT 1 FROM json_each(tier_values.value, '$.sources') s WHERE s.value IN {_OF_TURNS})
"""
_FATES_OF = f"""
DELETE FROM turn_fates WHERE space = ? AND (turn_id IN {_OF_TURNS} OR value ->> '$.by' IN {_OF_TURNS})
"""
_ASKED_BY = f"DELETE FROM open_questions WHERE space = ? AND turn_id IN {_OF_TURNS}"
_TABLES = ("tier_values", "turn_fates", "open_questions")


@lru_cache(maxsize=64)
def _policy_in(text: str) -> TierPolicy:
    return policy_from(r.load(text))


class SqlTiersView(SqlPart):
    """What is read of it."""

    def nights(self, user_id: str) -> tuple[RecordedNight, ...]:
        """Give the nights of a user, in their order."""
        rows = queries.tuples(self._driver, _NIGHTS, (user_id,))
        return tuple(RecordedNight(at=at, policy=_policy_in(policy)) for at, policy in rows)

    def hand_decisions(self, space: str, holder: str) -> tuple[HandDecision, ...]:
        """Give what people decided about a holder's memories."""
        rows = queries.tuples(self._driver, _DECISIONS, (space, holder))
        return tuple(
            HandDecision(at=at, memory_id=memory_id, what=HandVerb(what), text=text)
            for at, memory_id, what, text in rows
        )

    def turn_uses(self, space: str, viewer: str) -> tuple[UsedAt, ...]:
        """Give each use a viewer made of a turn of a space."""
        rows = queries.tuples(self._driver, _USES, (space, viewer))
        return tuple(UsedAt(turn_id=turn_id, at=upto) for turn_id, upto, times in rows for _ in range(times))

    def life(self, space: str, holder: str, *, since: int | None = None) -> Life:
        """Give the rows of a holder in a space: all, or those that hold from a position on or later."""
        values, fates, asked = (self._values(table, space, holder, since) for table in _TABLES)
        return Life(
            values=tuple(map(t.value_in, values)),
            fates=tuple(map(t.fate_in, fates)),
            asked=tuple(map(t.question_in, asked)),
        )

    def kept(self, space: str, holder: str, *, upto: int) -> tuple[MemoryValue, ...]:
        """Give what a holder's memories are at a position, without those that have ended."""
        ended = r.dump(sorted(state.value for state in ENDED))
        rows = queries.tuples(self._driver, _KEPT, (space, holder, upto, ended))
        found = (t.value_in(r.load(value)) for value, _ in rows)
        return tuple(sorted(found, key=lambda one: one.memory_id))

    def _values(
        self, table: str, space: str, holder: str, since: int | None
    ) -> Iterator[Mapping[str, object]]:
        first = -1
        if since is not None:
            # Rows are numbered by their position: those before are not read.
            before = queries.tuples(self._driver, _LAST_BEFORE.format(table), (space, holder, since))
            first = before[0][0] + 1 if before else 0
        for (value,) in queries.tuples(self._driver, _ROWS.format(table), (space, holder, first)):
            yield r.load(value)

    def fates(self, gate: Gate) -> Mapping[TurnPlace, TurnFate]:
        """Give the last row inside the gate of each turn that has one."""
        found: dict[TurnPlace, TurnFate] = {}
        for part in self._lived(gate):
            found.update(self._fates_of(part))
        return found

    def _fates_of(self, part: Slice) -> Mapping[TurnPlace, TurnFate]:
        """Read them at once for all who ask later than the last row, which is nearly everybody."""
        home = (part.space, part.holder)
        last = self.once(("last fate", *home), lambda: self._last_fate(*home))
        if part.upto < last:
            return self._read_fates(part)
        whole = replace(part, upto=last)
        return self.once(("fates of", *home), lambda: self._read_fates(whole))

    def _last_fate(self, space: str, holder: str) -> int:
        found = queries.tuples(self._driver, _LAST_FATE, (space, holder))
        return found[0][0] if found else -1

    def _read_fates(self, part: Slice) -> Mapping[TurnPlace, TurnFate]:
        rows = queries.tuples(self._driver, _FATES, (part.space, part.holder, part.upto))
        return {(part.space, turn_id): t.fate_in(r.load(value)) for turn_id, value, _ in rows}

    def _lived(self, gate: Gate) -> list[Slice]:
        """Choose for each space whose rows count, of those spaces where anybody has any."""
        chosen: dict[str, Slice] = {}
        for part in gate.slices:
            if not self.once(("fates", part.space), partial(self._has, _HAS_FATES, part.space)):
                continue
            if part.holder == WORLD:
                chosen.setdefault(part.space, part)
            elif self._has(_HOLDS, part.space, part.holder, part.upto):
                chosen[part.space] = part
        return list(chosen.values())

    def _has(self, sql: str, *given: object) -> bool:
        return bool(queries.tuples(self._driver, sql, given))


class SqlTiersTransaction(SqlWritingPart, SqlTiersView):
    """What is written of it."""

    def put_night(self, user_id: str, night: RecordedNight) -> None:
        """Record a night that is later than all before it."""
        last = queries.tuples(self._driver, _LAST_NIGHT, (user_id,))[0][0]
        if last is not None and night.at <= last:
            raise ConflictError("a night is later than the one before it; this one is not, and was not run")
        row = {"user_id": user_id, "at": night.at, "policy": r.dump(policy_to(night.policy))}
        queries.insert(self._driver, "nights", [row])

    def drop_night(self, user_id: str, at: int) -> None:
        """Remove the record of a night."""
        self._driver.execute(_DROP_NIGHT, (user_id, at))

    def put_hand_decision(self, space: str, holder: str, decision: HandDecision) -> None:
        """Record what a person decided."""
        row = {
            "space": space,
            "holder": holder,
            "memory_id": decision.memory_id,
            "at": decision.at,
            "what": decision.what.value,
            "text": decision.text,
        }
        queries.insert(self._driver, "hand_decisions", [row], replace=True)

    def put_life(self, space: str, holder: str, life: Life, *, since: LifeCounts = NO_ROWS) -> None:
        """Put these rows in the place of those behind the first `since` of each sort."""
        kept = (since.values, since.fates, since.asked)
        for table, rows, first in zip(_TABLES, t.life_out(life, since), kept, strict=True):
            self._driver.execute(
                f"DELETE FROM {table} WHERE space = ? AND holder = ? AND number >= ?", (space, holder, first)
            )
            placed = [{"space": space, "holder": holder, **row} for row in rows]
            queries.insert(self._driver, table, placed)

    def forget_derived(self, space: str, turn_ids: Collection[str]) -> None:
        """Remove every row that rests on one of these turns."""
        named = r.dump(sorted(turn_ids))
        self._driver.execute(_REST_ON, (space, named))
        self._driver.execute(_FATES_OF, (space, named, named))
        self._driver.execute(_ASKED_BY, (space, named))
