"""Verbs for the audit record, and for the key store."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from kataribe.domain.audit import STORE_CHAIN, Act, AuditCheck, AuditEvent, AuditNote
from kataribe.domain.keys import KeyStatus, WrappedBy
from kataribe.domain.space import Space, parse_space
from kataribe.engine.audit_check import look_over
from kataribe.engine.auditing import Auditor
from kataribe.engine.noting import Noting
from kataribe.errors import InputError, StoreError
from kataribe.ports import Keys, Transaction, View


class AuditVerbs(Noting):
    """What was done, and whether the record of it is whole."""

    async def audit_events(self, of: str | None = None, *, last: int = 50) -> tuple[AuditEvent, ...]:
        """Give the last events, newest first: of a space, of `store` as a whole, or of all (author).

        Raises `InputError` for what is no space.
        """
        if of not in (None, STORE_CHAIN):
            parse_space(str(of))
        await self.flush()
        return await self._read(lambda view: self._events(view, of, last))

    def _events(self, view: View, of: str | None, last: int) -> tuple[AuditEvent, ...]:
        if of is None:
            return view.last_audit_events(None, last=last)
        chain = of if of == STORE_CHAIN else self._chain_of(view, parse_space(of))
        return () if chain is None else view.last_audit_events([chain], last=last)

    def _chain_of(self, view: View, space: Space) -> str | None:
        """Name the chain of a space; None: there can be none."""
        if not space.is_personal:
            return space.name
        keys = self._keyring().keyring.reading(view)
        called = None if keys is None else keys.pseudonym(space.ids["user"])
        return None if called is None else space.under(called).name

    def _keyring(self) -> Auditor:
        if self._auditor is None:
            raise InputError("this store was opened without keys, and keeps no record; give `keys`")
        return self._auditor

    async def verify_audit(self) -> AuditCheck:
        """Tell whether any event was removed, changed, reordered or cut off; erased chains apart (author)."""
        await self.flush()
        undelivered: tuple[str, ...] = ()
        if self._outbox is not None:
            try:
                await asyncio.to_thread(self._outbox.deliver)
            except StoreError as error:
                undelivered = (str(error),)
        found = await self._read(look_over)
        return replace(found, problems=(*found.problems, *undelivered))

    async def init_keys(self, *, anew: bool = False) -> KeyStatus:
        """Make the key store where there is none; tells how it stands.

        `anew` makes another in the place of one that is lost: what was sealed with that stays sealed.
        Raises `KeyStoreError`, and `ConflictError` when `anew` is said and none is lost.
        """
        auditor = self._keyring()

        def act(tx: Transaction) -> None:
            if anew:
                auditor.keyring.give_up(tx)
                done = Act(at=self._services.clock.now().isoformat(), act="keys.anew")
                auditor.put(tx, [AuditNote(of=None, act=done)])
            auditor.keyring.writing(tx).ident()

        await self._write(act)
        return await self.key_status()

    async def rotate_keys(self, to: str | None = None) -> KeyStatus:
        """Wrap every user's key anew by another, of this sort: `file`, `environment`, `command`.

        Without `to` it is of the sort it was. Raises `KeyStoreError`, and `InputError`.
        """
        kind, auditor = _kind(to), self._keyring()
        keys = await self._write(auditor.keyring.writing)
        # A command is asked here, while no transaction is open.
        count = await asyncio.to_thread(keys.rotate, kind)
        done = Act(at=self._services.clock.now().isoformat(), act="keys.rotate", detail={"keys": count})
        await self._write(lambda tx: auditor.put(tx, [AuditNote(of=None, act=done)]))
        return await self.key_status()

    async def key_status(self) -> KeyStatus:
        """Tell where the keys are and what they are wrapped by (author). Raises `KeyStoreError`."""
        return await self._read(lambda view: _status(self._keyring().keyring.reading(view)))


def _kind(named: str | None) -> WrappedBy | None:
    if named is None:
        return None
    if named not in tuple(WrappedBy):
        raise InputError(f"keys are wrapped by {', '.join(WrappedBy)}, not by {named!r}")
    return WrappedBy(named)


def _status(keys: Keys | None) -> KeyStatus:
    return KeyStatus(place="", is_made=False) if keys is None else keys.status()
