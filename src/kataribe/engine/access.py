"""Verbs for access keys."""

from __future__ import annotations

import secrets

from kataribe.domain.access import (
    AccessKey,
    AccessScope,
    NewAccessKey,
    digest_of,
    key_id_in,
    secret_of,
)
from kataribe.domain.audit import Act, AuditNote
from kataribe.domain.space import Space
from kataribe.engine.base import Base
from kataribe.errors import InputError, NotFoundError
from kataribe.ports import Transaction

_ID_BYTES = 6
_SECRET_BYTES = 32


class AccessVerbs(Base):
    """Who may connect to a server of this store."""

    async def add_access(
        self,
        scope: str,
        *,
        of: Space | None = None,
        persona: str | None = None,
        upto: int | None = None,
        read: int | None = None,
        users_from: str | None = None,
        prefix: str | None = None,
    ) -> NewAccessKey:
        """Make a key; its secret is given this once, and the store keeps a hash of it.

        `of` is the story or the user it is bound to. Raises `InputError`, and `NotFoundError` where there is
        none of it.
        """
        if scope not in tuple(AccessScope):
            raise InputError(f"a key's scope is {', '.join(AccessScope)}, not {scope!r}")
        key_id = secrets.token_hex(_ID_BYTES)
        secret = secret_of(key_id, secrets.token_urlsafe(_SECRET_BYTES))
        key = AccessKey(
            key_id=key_id,
            scope=AccessScope(scope),
            digest=digest_of(secret),
            made_at=self._services.clock.now().isoformat(),
            of=of,
            persona=persona,
            upto=upto,
            read=read,
            users_from=users_from,
            prefix=prefix,
        )

        def act(tx: Transaction) -> None:
            if of is not None and tx.space(of.name) is None:
                raise NotFoundError(f"there is no {of.name!r} that a key could be bound to; make it first")
            tx.put_access_key(key)
            self._tell_of(tx, "access.add", key)

        await self._write(act)
        return NewAccessKey(key=key, secret=secret)

    async def access_keys(self) -> tuple[AccessKey, ...]:
        """Give all keys, oldest first (author)."""
        return await self._look(lambda view: view.access_keys())

    async def personas(self, user_id: str | None = None) -> tuple[str, ...]:
        """Name the personas that were told something by a user, or by any (author)."""
        return tuple(sorted(await self._read(lambda view: view.listeners(user_id))))

    async def revoke_access(self, key_id: str) -> AccessKey:
        """Take a key back, at once and for good; gives it. Raises `NotFoundError`."""

        def act(tx: Transaction) -> AccessKey:
            key = tx.access_key(key_id)
            if key is None:
                raise NotFoundError(f"there is no access key {key_id!r}; `kataribe access list` shows them")
            tx.delete_access_key(key_id)
            self._tell_of(tx, "access.revoke", key)
            return key

        return await self._write(act)

    async def check_access(self, secret: str) -> AccessKey | None:
        """Give the key whose secret this is, as it stands now; None where it is none, or revoked."""
        key_id = key_id_in(secret)
        if key_id is None:
            return None
        key = await self._look(lambda view: view.access_key(key_id))
        return key if key is not None and key.fits(secret) else None

    def _tell_of(self, tx: Transaction, verb: str, key: AccessKey) -> None:
        if self._auditor is not None:
            now = self._services.clock.now().isoformat()
            told = Act(at=now, act=verb, detail={"key": key.key_id, "scope": key.scope.value})
            self._auditor.put(tx, [AuditNote(of=None, act=told)])
