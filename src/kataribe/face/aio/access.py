"""The access keys of a store: who may connect to a server of it."""

from __future__ import annotations

from kataribe.domain.access import AccessKey, NewAccessKey
from kataribe.engine import Engine
from kataribe.errors import InputError
from kataribe.face.marks import author_read, upkeep, write
from kataribe.face.spaces import spaces_named


class AsyncAccessHandle:
    """Who may connect, and to how much."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @write
    async def add(
        self,
        scope: str,
        *,
        story: str | None = None,
        persona: str | None = None,
        upto: int | None = None,
        read: int | None = None,
        user: str | None = None,
        users_from: str | None = None,
        prefix: str | None = None,
    ) -> NewAccessKey:
        """Make a key. What it gives holds the secret, which is shown this once.

        `scope` is `author` or `admin`; `viewer`, with `story`, `persona` and the highest episode `upto`;
        `reader`, with `story` and the last episode `read`; `user`, with `user` and the `persona` who was
        told; or `front`, with `users_from`, which is `header:NAME` or `body:user`, and the `prefix` that is
        put before every name. Raises `InputError`, `NotFoundError`.
        """
        named = spaces_named(story=story, user=user)
        if len(named) > 1:
            raise InputError("a key is bound to a story or to a user; name one of them")
        of = next(iter(named), None)
        return await self._engine.add_access(
            scope, of=of, persona=persona, upto=upto, read=read, users_from=users_from, prefix=prefix
        )

    @author_read
    async def list(self) -> tuple[AccessKey, ...]:
        """Give all keys without their secrets, oldest first."""
        return await self._engine.access_keys()

    @author_read
    async def personas(self, *, user: str | None = None) -> tuple[str, ...]:
        """Name the personas that a key can be bound to: all that a user, or any, told something."""
        return await self._engine.personas(user)

    @write
    async def revoke(self, key_id: str) -> AccessKey:
        """Take a key back: from now on it opens nothing. Raises `NotFoundError`."""
        return await self._engine.revoke_access(key_id)

    @upkeep
    async def check(self, secret: str) -> AccessKey | None:
        """Give the key whose secret this is; None where it is none of this store, or was revoked."""
        return await self._engine.check_access(secret)
