"""Conversation memory in tiers in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from kataribe.adapters.sql import archives, queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql import tier_rows as t
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.domain.conversation.life.events import HandDecision, HandVerb, UsedAt
from kataribe.domain.conversation.life.policy import policy_from, policy_to
from kataribe.domain.conversation.life.values import ENDED, Life, MemoryValue, TurnFate
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import term_hash
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
_ROWS = "SELECT value FROM {} WHERE space = ? AND holder = ? ORDER BY number"
# SQLite gives the other columns of the row that has the largest number.
_FATES = """
SELECT turn_id, value, max(number) FROM turn_fates
WHERE space = ? AND holder = ? AND position <= ? GROUP BY turn_id
"""
# The states are those of `ENDED`; SQLite gives the other columns of the row that has the largest number.
_KEPT = """
SELECT value, payload FROM (
    SELECT value, payload, value ->> '$.state' AS state, max(number) FROM tier_values
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
_VALUES = "SELECT value, payload FROM tier_values WHERE space = ? AND holder = ? ORDER BY number"
_WORDS = "SELECT memory_id, position, value, terms FROM tier_values WHERE space = ? AND holder = ?"
_ARCHIVED = """
SELECT memory_id, position, payload, terms FROM tier_values
WHERE space = ? AND holder = ? AND payload IS NOT NULL
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
_OF_SPACE = ("archive_files", "archive_payloads", "archive_folders")


class SqlTiersView(SqlPart):
    """What is read of it."""

    def nights(self, user_id: str) -> tuple[RecordedNight, ...]:
        """Give the nights of a user, in their order."""
        rows = queries.tuples(self._driver, _NIGHTS, (user_id,))
        return tuple(RecordedNight(at=at, policy=policy_from(r.load(policy))) for at, policy in rows)

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

    def life(self, space: str, holder: str) -> Life:
        """Give all rows of a holder in a space."""
        return Life(
            values=tuple(t.value_in(row) for row in self._rows_of_tiers(space, holder)),
            fates=tuple(t.fate_in(row) for row in self._values("turn_fates", space, holder)),
            asked=tuple(t.question_in(row) for row in self._values("open_questions", space, holder)),
        )

    def kept(self, space: str, holder: str, *, upto: int) -> tuple[MemoryValue, ...]:
        """Give what a holder's memories are at a position, without those that have ended."""
        ended = r.dump(sorted(state.value for state in ENDED))
        rows = queries.tuples(self._driver, _KEPT, (space, holder, upto, ended))
        found = (t.value_in(row) for row in self._with_payloads(space, rows))
        return tuple(sorted(found, key=lambda one: one.memory_id))

    def _rows_of_tiers(self, space: str, holder: str) -> Iterator[Mapping[str, object]]:
        return self._with_payloads(space, queries.tuples(self._driver, _VALUES, (space, holder)))

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

    def _values(self, table: str, space: str, holder: str) -> Iterator[Mapping[str, object]]:
        for (value,) in queries.tuples(self._driver, _ROWS.format(table), (space, holder)):
            yield r.load(value)

    def model_asks(self, space: str, holder: str) -> tuple[ModelAsk, ...]:
        """Give what models are or were asked of what a holder was told."""
        return tuple(t.ask_in(row) for row in queries.ask(self._driver, _ASKS, (space, holder)))

    def model_ask(self, space: str, unit: str) -> ModelAsk | None:
        """Give the question of a unit of work."""
        found = queries.ask(self._driver, _ASKS_OF_UNIT, (space, unit))
        return t.ask_in(found[0]) if found else None

    def fates(self, gate: Gate) -> Mapping[TurnPlace, TurnFate]:
        """Give the last row inside the gate of each turn that has one."""
        found: dict[TurnPlace, TurnFate] = {}
        for part in self._lived(gate):
            rows = queries.tuples(self._driver, _FATES, (part.space, part.holder, part.upto))
            found.update(((part.space, turn_id), t.fate_in(r.load(value))) for turn_id, value, _ in rows)
        return found

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

    def put_life(self, space: str, holder: str, life: Life) -> None:
        """Put these rows in the place of all of a holder in a space."""
        there = {row[:3]: row[3] for row in queries.tuples(self._driver, _ARCHIVED, (space, holder))}
        values, fates, asked = t.life_out(life)
        found = [_kept_apart(there, row, one) for row, one in zip(values, life.values, strict=True)]
        for table, rows in zip(_TABLES, (found, fates, asked), strict=True):
            self._driver.execute(f"DELETE FROM {table} WHERE space = ? AND holder = ?", (space, holder))
            placed = [{"space": space, "holder": holder, **row} for row in rows]
            queries.insert(self._driver, table, placed)
        if {key for *_, key in there} - {row["payload"] for row in found}:
            self._settle(space)

    def drop_lives(self, space: str) -> None:
        """Remove all rows, and what of them is archived."""
        for table in (*_TABLES, *_OF_SPACE):
            self._driver.execute(f"DELETE FROM {table} WHERE space = ?", (space,))

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
        self._settle(space)


def _kept_apart(there: Mapping[tuple[str, int, str], str], row: t.Row, one: MemoryValue) -> t.Row:
    """Leave out what a row says where that lies in the archive already."""
    key = archives.payload_key(one.text, one.topic) if there else ""
    terms = there.get((one.memory_id, one.position, key))
    if terms is None:
        return {**row, "payload": None, "terms": None}
    return {**row, "value": r.dump(t.without_payload(r.load(row["value"]))), "payload": key, "terms": terms}
