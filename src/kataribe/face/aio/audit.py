"""The audit record of a store, and the key store of its users."""

from __future__ import annotations

from kataribe.domain.audit import AuditCheck, AuditEvent
from kataribe.domain.keys import KeyStatus
from kataribe.engine import Engine
from kataribe.face.marks import author_read, write


class AsyncAuditHandle:
    """What was done, by whom and when, in chains that show what is taken out of them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @author_read
    async def list(self, space: str | None = None, *, last: int = 50) -> tuple[AuditEvent, ...]:
        """Give the last events, newest first: of a space such as `user:U`, of `store`, or of all.

        Raises `InputError` for what is no space.
        """
        return await self._engine.audit_events(space, last=last)

    @author_read
    async def verify(self) -> AuditCheck:
        """Tell whether any event was removed, changed, reordered or cut off, and which chains were erased."""
        return await self._engine.verify_audit()


class AsyncKeysHandle:
    """The key store: each user's key, wrapped, and the tombstones of users who were erased."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @write
    async def init(self, *, anew: bool = False) -> KeyStatus:
        """Make the key store where there is none; tells how it stands.

        `anew` makes another in the place of one that is lost: what was sealed with that stays sealed.
        Raises `KeyStoreError`, and `ConflictError` when `anew` is said and none is lost.
        """
        return await self._engine.init_keys(anew=anew)

    @write
    async def rotate(self, to: str | None = None) -> KeyStatus:
        """Wrap every user's key by another one, of all or of none; no turn is read for it.

        `to` is `file`, `environment` or `command`; without it the sort stays. Raises `KeyStoreError`,
        `InputError`.
        """
        return await self._engine.rotate_keys(to)

    @author_read
    async def status(self) -> KeyStatus:
        """Tell where the keys are and what they are wrapped by. Raises `KeyStoreError`."""
        return await self._engine.key_status()
