"""A person's profile in the ledger."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.domain.privacy.profile import ConsentEvent, ConsentEvidence, ConsentStep, SealedValue

_VALUES = """
SELECT key, number, version, at, is_personal, evidence, evidence_space, expires, value FROM user_profile
WHERE space = ?1 AND (?2 IS NULL OR key = ?2) ORDER BY key, number
"""
_STEPS = """
SELECT key, number, at, step, evidence, evidence_space, days, spares FROM consent_log
WHERE space = ?1 AND (?2 IS NULL OR key = ?2) ORDER BY key, number
"""
_DROP = "DELETE FROM user_profile WHERE space = ? AND key IN (SELECT value FROM json_each(?))"
_DROP_STEP = "DELETE FROM consent_log WHERE space = ? AND key = ? AND number = ?"
_DROP_EVIDENCE = """
DELETE FROM {} WHERE space = ? AND evidence_space = ? AND evidence IN (SELECT value FROM json_each(?))
"""


class SqlProfilesView(SqlPart):
    """What is read of it."""

    def profile(self, space: str, key: str | None = None) -> tuple[SealedValue, ...]:
        """Give every value that is kept, as read since anybody wrote last (S3-39)."""

        def read() -> tuple[SealedValue, ...]:
            return tuple(_value(row) for row in queries.tuples(self._driver, _VALUES, (space, key)))

        return self.once(("profile", space, key), read)

    def consent_steps(self, space: str, key: str | None = None) -> tuple[ConsentEvent, ...]:
        """Give the steps of consents, likewise."""

        def read() -> tuple[ConsentEvent, ...]:
            return tuple(_step(row) for row in queries.tuples(self._driver, _STEPS, (space, key)))

        return self.once(("consents", space, key), read)


class SqlProfilesTransaction(SqlWritingPart, SqlProfilesView):
    """What is written of it."""

    def put_profile_value(self, space: str, value: SealedValue) -> None:
        """Add a value of a key."""
        row = {
            "space": space,
            "key": value.key,
            "number": value.number,
            "version": value.version,
            "at": value.at,
            "is_personal": int(value.is_personal),
            "evidence": value.evidence.turn_id,
            "evidence_space": value.evidence.space,
            "expires": value.expires,
            "value": value.sealed,
        }
        queries.insert(self._driver, "user_profile", [row])

    def put_consent(self, space: str, step: ConsentEvent) -> None:
        """Add a step of a consent."""
        row = {
            "space": space,
            "key": step.key,
            "number": step.number,
            "at": step.at,
            "step": step.step.value,
            "evidence": step.evidence.turn_id,
            "evidence_space": step.evidence.space,
            "days": step.days,
            "spares": int(step.spares),
        }
        queries.insert(self._driver, "consent_log", [row])

    def drop_consents(self, space: str, steps: Collection[ConsentEvent]) -> None:
        """Remove these steps."""
        self._driver.executemany(_DROP_STEP, [(space, one.key, one.number) for one in steps])

    def drop_profile(self, space: str, keys: Collection[str]) -> None:
        """Remove all values of these keys."""
        self._driver.execute(_DROP, (space, r.dump(sorted(keys))))

    def drop_evidence(self, space: str, said_in: str, turn_ids: Collection[str]) -> None:
        """Remove what rests on one of these turns."""
        named = r.dump(sorted(turn_ids))
        for table in ("user_profile", "consent_log"):
            self._driver.execute(_DROP_EVIDENCE.format(table), (space, said_in, named))


def _value(row: Sequence[Any]) -> SealedValue:
    key, number, version, at, personal, turn_id, said_in, expires, sealed = row
    return SealedValue(
        key=key,
        number=number,
        version=version,
        at=at,
        is_personal=bool(personal),
        evidence=ConsentEvidence(turn_id, said_in),
        expires=expires,
        sealed=sealed,
    )


def _step(row: Sequence[Any]) -> ConsentEvent:
    key, number, at, step, turn_id, said_in, days, spares = row
    return ConsentEvent(
        key=key,
        number=number,
        at=at,
        step=ConsentStep(step),
        evidence=ConsentEvidence(turn_id, said_in),
        days=days,
        spares=bool(spares),
    )
