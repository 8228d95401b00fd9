"""The audit record in the ledger, and what ties a store to its key store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import HIGHEST, SqlPart, SqlWritingPart
from kataribe.domain.audit import ANCHOR, AuditEvent, Head
from kataribe.domain.keys import Tombstone

_EVENTS = "SELECT chain, n, at, act, outcome, reason, detail, hash FROM audit"
_AFTER = f"{_EVENTS} WHERE chain = ? AND n > ? ORDER BY n LIMIT ?"
_NEWEST = "ORDER BY at DESC, chain = 'store', chain, n DESC LIMIT ?"
_LAST = f"{_EVENTS} WHERE act != '{ANCHOR}' {_NEWEST}"
_LAST_OF = f"{_EVENTS} WHERE chain IN (SELECT value FROM json_each(?)) {_NEWEST}"
_APPEND = (
    "INSERT INTO audit (chain, n, at, act, outcome, reason, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_HEAD = "INSERT OR REPLACE INTO audit_heads (chain, length, head) VALUES (?, ?, ?)"
_SHRED = "INSERT OR IGNORE INTO shreds (key_id, salt, digest, at, counts) VALUES (?, ?, ?, ?, ?)"


class SqlAuditView(SqlPart):
    """What is read of it."""

    def mark(self, name: str) -> str | None:
        """Give a mark of the store."""
        found = queries.tuples(self._driver, "SELECT value FROM marks WHERE name = ?", (name,))
        return str(found[0][0]) if found else None

    def audit_heads(self) -> Mapping[str, Head]:
        """Give how far each chain has grown."""
        rows = queries.tuples(self._driver, "SELECT chain, length, head FROM audit_heads ORDER BY chain", ())
        return {chain: Head(length, head) for chain, length, head in rows}

    def audit_head(self, chain: str) -> Head:
        """Give how far one chain has grown."""
        sql = "SELECT length, head FROM audit_heads WHERE chain = ?"
        found = queries.tuples(self._driver, sql, (chain,))
        return Head(*found[0]) if found else Head()

    def audit_chains(self) -> tuple[str, ...]:
        """Name the chains that have events."""
        rows = queries.tuples(self._driver, "SELECT DISTINCT chain FROM audit ORDER BY chain", ())
        return tuple(row[0] for row in rows)

    def audit_events(self, chain: str, *, after: int = 0, limit: int | None = None) -> tuple[AuditEvent, ...]:
        """Give the events of a chain behind a number, in order."""
        rows = queries.tuples(self._driver, _AFTER, (chain, after, HIGHEST if limit is None else limit))
        return tuple(_event(row) for row in rows)

    def last_audit_events(self, chains: Collection[str] | None, *, last: int) -> tuple[AuditEvent, ...]:
        """Give the last events of these chains, newest first; anchors only where their chain is named."""
        if chains is None:
            rows = queries.tuples(self._driver, _LAST, (last,))
        else:
            rows = queries.tuples(self._driver, _LAST_OF, (r.dump(sorted(chains)), last))
        return tuple(_event(row) for row in rows)

    def shreds(self) -> Mapping[str, Tombstone]:
        """Give the keys that are to be destroyed."""
        rows = queries.tuples(self._driver, "SELECT key_id, salt, digest, at, counts FROM shreds", ())
        return {
            key_id: Tombstone(salt=salt, digest=digest, at=at, counts=r.load(counts))
            for key_id, salt, digest, at, counts in rows
        }


class SqlAuditTransaction(SqlWritingPart, SqlAuditView):
    """What is written of it."""

    def put_mark(self, name: str, value: str) -> None:
        """Set a mark of the store."""
        self._driver.execute("INSERT OR REPLACE INTO marks (name, value) VALUES (?, ?)", (name, value))

    def append_audit(self, events: Sequence[AuditEvent]) -> None:
        """Append events, each behind the last of its chain."""
        self._driver.executemany(_APPEND, [_row(event) for event in events])
        heads = {event.chain: event for event in events}
        self._driver.executemany(_HEAD, [(one.chain, one.n, one.hash) for one in heads.values()])

    def erase_audit(self, chains: Collection[str]) -> None:
        """Remove whole chains."""
        named = [(chain,) for chain in chains]
        for table in ("audit", "audit_heads"):
            self._driver.executemany(f"DELETE FROM {table} WHERE chain = ?", named)

    def put_shred(self, key_id: str, tombstone: Tombstone) -> None:
        """Note that a key is to be destroyed."""
        counts = r.dump(dict(tombstone.counts))
        self._driver.execute(_SHRED, (key_id, tombstone.salt, tombstone.digest, tombstone.at, counts))

    def delete_shred(self, key_id: str) -> None:
        """Forget that."""
        self._driver.execute("DELETE FROM shreds WHERE key_id = ?", (key_id,))


def _row(event: AuditEvent) -> tuple[object, ...]:
    return (
        event.chain,
        event.n,
        event.at,
        event.act,
        event.outcome,
        event.reason,
        event.told,
        event.hash,
    )


def _event(row: Sequence[object]) -> AuditEvent:
    """Read an event as it stands, whatever somebody may have made of it."""
    chain, n, at, act, outcome, reason, told, digest = row
    return AuditEvent(
        chain=str(chain),
        n=n if isinstance(n, int) else 0,
        at=str(at),
        act=str(act),
        outcome=str(outcome),
        reason=None if reason is None else str(reason),
        told=str(told),
        hash=str(digest),
    )
