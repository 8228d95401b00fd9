"""Conversation memory in tiers in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from kataribe.adapters.sql import archives, queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql import tier_rows as t
from kataribe.adapters.sql.base import BATCH, SqlPart, SqlWritingPart
from kataribe.domain.conversation.life.events import HandDecision, HandVerb, UsedAt
from kataribe.domain.conversation.life.policy import TierPolicy, policy_from, policy_to
from kataribe.domain.conversation.life.values import (
    ENDED,
    NO_ROWS,
    Fates,
    Life,
    LifeCounts,
    MemoryValue,
    TierState,
)
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import term_hash
from kataribe.errors import ConflictError
from kataribe.ports.tiers import RecordedNight, TierStanding

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
SELECT value, payload FROM (
    SELECT value, payload, value ->> '$.state' AS state, max(number) FROM tier_values
    WHERE space = ? AND holder = ? AND position <= ? GROUP BY memory_id
) WHERE state NOT IN (SELECT value FROM json_each(?))
"""
# SQLite gives the other columns of the row that has the largest number.
_STATES = """
SELECT memory_id, value ->> '$.state', position, value ->> '$.superseded_by', max(number)
FROM tier_values WHERE space = ? AND holder = ? GROUP BY memory_id ORDER BY memory_id
"""
_LIFE_REVISION = "SELECT life_revision FROM spaces WHERE space = ?"
_LIVED = "UPDATE spaces SET life_revision = ? WHERE space = ?"
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
_ASKS = "SELECT * FROM model_asks WHERE space = ? AND holder = ? ORDER BY ready_at, unit"
_ASKS_OF_UNIT = "SELECT * FROM model_asks WHERE space = ? AND unit = ?"
_ASKS_ON = f"""
DELETE FROM model_asks WHERE space = ?
  AND EXISTS (SELECT 1 FROM json_each(model_asks.turn_ids) s WHERE s.value IN {_OF_TURNS})
"""
_SHOWN_BESIDE = f"""
SELECT DISTINCT b.value FROM model_asks a, json_each(a.turn_ids) b
WHERE a.space = ? AND a.kind = 'thread' AND a.answer IS NOT NULL
  AND EXISTS (SELECT 1 FROM json_each(a.turn_ids) s WHERE s.value IN {_OF_TURNS})
"""
_DROP_ASK = "DELETE FROM model_asks WHERE space = ? AND holder = ? AND fingerprint = ?"
_ASKED_BY = f"DELETE FROM open_questions WHERE space = ? AND turn_id IN {_OF_TURNS}"
_TABLES = ("tier_values", "turn_fates", "open_questions")
_VALUES = """
SELECT value, payload FROM tier_values WHERE space = ? AND holder = ? AND number >= ? ORDER BY number
"""
_BY_MEMORY = """
SELECT json_group_array(number) FROM tier_values WHERE space = ? AND holder = ?
GROUP BY memory_id ORDER BY min(number)
"""
_THESE_VALUES = """
SELECT value, payload FROM tier_values
WHERE space = ? AND holder = ? AND number IN (SELECT value FROM json_each(?)) ORDER BY number
"""
_NEXT_ROWS = """
SELECT number, value FROM {} WHERE space = ? AND holder = ? AND number > ? ORDER BY number LIMIT ?
"""
_COUNT_ARCHIVED = """
SELECT count(*) FROM tier_values INDEXED BY ix_tier_values_payload WHERE space = ? AND payload IS NOT NULL
"""
_WORDS = "SELECT memory_id, position, value, terms FROM tier_values WHERE space = ? AND holder = ?"
_ARCHIVED = """
SELECT memory_id, position, payload, terms FROM tier_values
WHERE space = ? AND holder = ? AND number >= ? AND payload IS NOT NULL
"""
_TO_ARCHIVE = """
SELECT holder, number, value FROM tier_values
WHERE space = ? AND payload IS NULL AND value ->> '$.tier' = 'mid' AND value ->> '$.created_at' <= ?
ORDER BY holder, number LIMIT ?
"""
_MOVED = """
UPDATE tier_values SET value = ?, payload = ?, terms = ? WHERE space = ? AND holder = ? AND number = ?
"""
_LANGUAGE = "SELECT language FROM spaces WHERE space = ?"
_TOGETHER = 200
"""Memories that are read at once."""
_OF_SPACE = ("archive_files", "archive_payloads", "archive_folders")


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
        first = [self._first(table, space, holder, since) for table in _TABLES]
        values = queries.tuples(self._driver, _VALUES, (space, holder, first[0]))
        fates, asked = (
            queries.tuples(self._driver, _ROWS.format(table), (space, holder, number))
            for table, number in zip(_TABLES[1:], first[1:], strict=True)
        )
        return Life(
            values=tuple(t.value_in(row) for row in self._with_payloads(space, values)),
            fates=tuple(t.fate_in(r.load(value)) for (value,) in fates),
            asked=tuple(t.question_in(r.load(value)) for (value,) in asked),
        )

    def life_parts(self, space: str, holder: str) -> Iterator[Life]:
        """Stream the rows of a holder; a memory's rows are never parted."""
        home = (space, holder)
        numbers = [r.load(made) for (made,) in queries.tuples(self._driver, _BY_MEMORY, home)]
        for start in range(0, len(numbers), _TOGETHER):
            wanted = r.dump([one for made in numbers[start : start + _TOGETHER] for one in made])
            rows = queries.tuples(self._driver, _THESE_VALUES, (*home, wanted))
            yield Life(values=tuple(t.value_in(row) for row in self._with_payloads(space, rows)))
        for part in self._parts("turn_fates", home):
            yield Life(fates=tuple(t.fate_in(value) for value in part))
        for part in self._parts("open_questions", home):
            yield Life(asked=tuple(t.question_in(value) for value in part))

    def _parts(self, table: str, home: tuple[str, str]) -> Iterator[list[dict[str, object]]]:
        last = -1
        while rows := queries.tuples(self._driver, _NEXT_ROWS.format(table), (*home, last, BATCH)):
            last = rows[-1][0]
            yield [r.load(value) for _, value in rows]

    def archived(self, space: str) -> int:
        """Count the rows whose payload lies in the archive."""
        count: int = queries.tuples(self._driver, _COUNT_ARCHIVED, (space,))[0][0]
        return count

    def _first(self, table: str, space: str, holder: str, since: int | None) -> int:
        """Give the number of the first row: they are numbered by position, those before are not read."""
        if since is None:
            return 0
        before = queries.tuples(self._driver, _LAST_BEFORE.format(table), (space, holder, since))
        return before[0][0] + 1 if before else 0

    def kept(self, space: str, holder: str, *, upto: int) -> tuple[MemoryValue, ...]:
        """Give what a holder's memories are at a position, without those that have ended."""
        ended = r.dump(sorted(state.value for state in ENDED))
        rows = queries.tuples(self._driver, _KEPT, (space, holder, upto, ended))
        found = (t.value_in(row) for row in self._with_payloads(space, rows))
        return tuple(sorted(found, key=lambda one: one.memory_id))

    def _with_payloads(
        self, space: str, rows: Sequence[tuple[str, str | None]]
    ) -> Iterator[Mapping[str, object]]:
        """Give rows whole; one whose payload was deleted since this view began is left out."""
        keys = {payload for _, payload in rows if payload is not None}
        there = archives.named(self._archives).payloads(self._driver, space, keys) if keys else {}
        for value, key in rows:
            if key is None:
                yield r.load(value)
            elif key in there:
                yield t.with_payload(r.load(value), there[key])

    def naming(self, space: str, holder: str, words: Collection[str]) -> frozenset[tuple[str, int]]:
        """Find rows by their words: those of the archive by the hashes that stayed here."""
        language = self._language_of(space)
        wanted = {term_hash(word) for word in words}
        return frozenset(
            (memory_id, position)
            for memory_id, position, value, terms in queries.tuples(self._driver, _WORDS, (space, holder))
            if wanted <= (set(r.load(terms)) if terms else t.terms_of(r.load(value), language))
        )

    def _language_of(self, space: str) -> Language:
        found = queries.tuples(self._driver, _LANGUAGE, (space,))
        language: Language = found[0][0] if found else "en"
        return language

    def model_asks(self, space: str, holder: str) -> tuple[ModelAsk, ...]:
        """Give what models are or were asked of what a holder was told."""
        return tuple(t.ask_in(row) for row in queries.ask(self._driver, _ASKS, (space, holder)))

    def model_ask(self, space: str, unit: str) -> ModelAsk | None:
        """Give the question of a unit of work."""
        found = queries.ask(self._driver, _ASKS_OF_UNIT, (space, unit))
        return t.ask_in(found[0]) if found else None

    def tier_states(self, space: str, holder: str) -> Mapping[str, TierStanding]:
        """Give how each memory of a holder stands at last; what is archived of it is not looked at."""
        return {
            memory_id: TierStanding(state=TierState(state), position=position, superseded_by=by)
            for memory_id, state, position, by, _ in queries.tuples(self._driver, _STATES, (space, holder))
        }

    def fates(self, gate: Gate) -> Sequence[Fates]:
        """Give the last row inside the gate of each turn that has one."""
        return [self._fates_of(part) for part in self._lived(gate)]

    def _fates_of(self, part: Slice) -> Fates:
        """Read them at once for all who ask later than the last row, which is nearly everybody."""
        home = (part.space, part.holder)
        last = self.once(("last fate", *home), lambda: self._last_fate(*home))
        if part.upto < last:
            return self._read_fates(part)
        revision = self.once(("life", part.space), lambda: self._life_revision(part.space))
        return self._caches.fates(home, revision, lambda _: self._read_fates(replace(part, upto=last)))

    def _life_revision(self, space: str) -> int:
        found = queries.tuples(self._driver, _LIFE_REVISION, (space,))
        return int(found[0][0]) if found else 0

    def _last_fate(self, space: str, holder: str) -> int:
        found = queries.tuples(self._driver, _LAST_FATE, (space, holder))
        return found[0][0] if found else -1

    def _read_fates(self, part: Slice) -> Fates:
        rows = queries.tuples(self._driver, _FATES, (part.space, part.holder, part.upto))
        return Fates(part.space, {turn_id: t.fate_in(r.load(value)) for turn_id, value, _ in rows})

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
        asked_for = (space, holder, since.values)
        there = {row[:3]: row[3] for row in queries.tuples(self._driver, _ARCHIVED, asked_for)}
        values, fates, asked = t.life_out(life, since)
        found = [_kept_apart(there, row, one) for row, one in zip(values, life.values, strict=True)]
        kept = (since.values, since.fates, since.asked)
        for table, rows, first in zip(_TABLES, (found, fates, asked), kept, strict=True):
            self._driver.execute(
                f"DELETE FROM {table} WHERE space = ? AND holder = ? AND number >= ?", (space, holder, first)
            )
            placed = [{"space": space, "holder": holder, **row} for row in rows]
            queries.insert(self._driver, table, placed)
        self._lived_on(space)
        if {key for *_, key in there} - {row["payload"] for row in found}:
            self._settle(space)

    def drop_lives(self, space: str) -> None:
        """Remove all rows, and what of them is archived."""
        for table in (*_TABLES, *_OF_SPACE):
            self._driver.execute(f"DELETE FROM {table} WHERE space = ?", (space,))
        self._lived_on(space)

    def _lived_on(self, space: str) -> None:
        """Note that what was read of how its turns stand is no longer so."""
        self._driver.execute(_LIVED, (self._new_revision(), space))

    def _life_revision(self, space: str) -> int:
        return self._revision(space)

    def open_archive(self, space: str) -> bool:
        """Name the space's folder, and remove what a kill has left."""
        if self._archives is None or self._archives.archive.missing() is not None:
            return False
        archives.remove_gone(self._archives.archive, self._driver)
        archives.remove_orphans(self._archives.archive, self._driver)
        archives.make_folder(self._driver, space)
        return True

    def archive(self, space: str, *, before: int, most: int = 100) -> int:
        """Move payloads into one file."""
        rows = queries.tuples(self._driver, _TO_ARCHIVE, (space, before, most))
        if not rows:
            return 0
        language = self._language_of(space)
        values = [r.load(value) for *_, value in rows]
        payloads = [t.payload_of(value) for value in values]
        archives.named(self._archives).add(self._driver, space, {one.key: one for one in payloads}.values())
        self._driver.executemany(
            _MOVED,
            [
                (
                    r.dump(t.without_payload(value)),
                    one.key,
                    t.terms_out(value, language),
                    space,
                    holder,
                    number,
                )
                for (holder, number, _), value, one in zip(rows, values, payloads, strict=True)
            ],
        )
        return len(rows)

    def _settle(self, space: str) -> None:
        """Take from the archive what no row needs any more."""
        if archives.is_stale(self._driver, space):
            archives.named(self._archives).settle(self._driver, space)

    def put_model_ask(self, space: str, ask: ModelAsk) -> None:
        """Record a question, or its answer."""
        queries.insert(self._driver, "model_asks", [{"space": space, **t.ask_out(ask)}], replace=True)

    def drop_model_ask(self, space: str, ask: ModelAsk) -> None:
        """Remove a question with its answer."""
        self._driver.execute(_DROP_ASK, (space, ask.holder, ask.fingerprint))

    def forget_derived(self, space: str, turn_ids: Collection[str]) -> None:
        """Remove every row that rests on one of these turns."""
        named = r.dump(sorted(turn_ids))
        # A model that was shown a turn may have said of it what it says of those beside it.
        beside = queries.tuples(self._driver, _SHOWN_BESIDE, (space, named))
        self._driver.execute(_REST_ON, (space, r.dump(sorted({*turn_ids, *(one for (one,) in beside)}))))
        self._driver.execute(_FATES_OF, (space, named, named))
        self._driver.execute(_ASKED_BY, (space, named))
        self._driver.execute(_ASKS_ON, (space, named))
        self._lived_on(space)
        self._settle(space)


def _kept_apart(there: Mapping[tuple[str, int, str], str], row: t.Row, one: MemoryValue) -> t.Row:
    """Leave out what a row says where that lies in the archive already."""
    key = archives.payload_key(one.text, one.topic) if there else ""
    terms = there.get((one.memory_id, one.position, key))
    if terms is None:
        return {**row, "payload": None, "terms": None}
    return {**row, "value": r.dump(t.without_payload(r.load(row["value"]))), "payload": key, "terms": terms}
