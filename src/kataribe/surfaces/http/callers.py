"""Who calls: the owner of a store on its own machine, or the holder of an access key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.access import BODY_USER, AccessKey, AccessScope, key_id_in
from kataribe.domain.ids import check_id
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.surfaces.http.problems import NO_KEY, NO_NAME, NOT_YOURS, RefusedError, bad_request

OWNER = "owner"
_BEARER = "bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls, and what it may name. `user` is whom it speaks for, where it is bound to one."""

    scope: AccessScope
    key: AccessKey | None = None
    user: str | None = None

    @property
    def name(self) -> str:
        """What logs and limits call it: the id of its key."""
        return OWNER if self.key is None else self.key.key_id

    @property
    def is_bound(self) -> bool:
        """Whether it sees by one viewer or user alone."""
        return self.scope not in (AccessScope.ADMIN, AccessScope.AUTHOR)

    def viewer(self, asked: ViewerKeys) -> ViewerKeys:
        """Give the viewer that is asked for, as far as it may be asked for by this caller.

        Raises `RefusedError`, the same for what is another's and for what is not there.
        """
        if self.scope is AccessScope.ADMIN:
            return asked
        if self.scope is AccessScope.AUTHOR:
            return _without(asked, "user", "as_of")
        if self.scope is AccessScope.VIEWER:
            return self._in_a_story(_without(asked, "user", "as_of", "reader", "read"))
        if self.scope is AccessScope.READER:
            return self._as_a_reader(_without(asked, "user", "as_of", "persona", "at"))
        return self._with_a_user(_without(asked, "story", "at", "reader", "read"))

    def _in_a_story(self, asked: ViewerKeys) -> ViewerKeys:
        key = self._bound_key()
        story = None if key.of is None else key.of.story
        highest = key.upto or 0
        at = highest if asked.get("at") is None else asked.get("at")
        if asked.get("story") not in (None, story) or not isinstance(at, int) or at > highest:
            raise RefusedError(NOT_YOURS)
        return {"story": story, "persona": self.persona(asked.get("persona")), "at": at}

    def _as_a_reader(self, asked: ViewerKeys) -> ViewerKeys:
        key = self._bound_key()
        story = None if key.of is None else key.of.story
        highest = key.read or 0
        read = highest if asked.get("read") is None else asked.get("read")
        is_its_own = asked.get("story") in (None, story) and asked.get("reader") in (None, True)
        if not is_its_own or not isinstance(read, int) or read > highest:
            raise RefusedError(NOT_YOURS)
        return {"story": story, "reader": True, "read": read}

    def _with_a_user(self, asked: ViewerKeys) -> ViewerKeys:
        user = self.named_user(asked.get("user"))
        bound: ViewerKeys = {"user": user, "persona": self.persona(asked.get("persona"))}
        if asked.get("as_of") is not None:
            bound["as_of"] = asked.get("as_of")
        return bound

    def named_user(self, named: str | None) -> str:
        """Give the id of the user that is named, or of the one that need not be."""
        if not self.is_bound:
            if named is None:
                raise bad_request("user_id is missing")
            return named
        if self.user is not None and named in (None, self.user):
            return self.user
        raise RefusedError(NOT_YOURS)

    def persona(self, named: str | Sequence[str] | None) -> str | None:
        """Give the persona that is bound, whether or not it is named; one that is not bound is as named."""
        bound = self._bound_key().persona
        is_free = bound is None and self.scope is AccessScope.FRONT
        one = named if named is None or isinstance(named, str) else named[0] if len(named) == 1 else ""
        if is_free and one != "":
            return one
        if named is None or one == bound:
            return bound
        raise RefusedError(NOT_YOURS)

    def _bound_key(self) -> AccessKey:
        assert self.key is not None
        return self.key

    def speaking_for(self, headers: Mapping[str, str], named: str | None) -> Caller:
        """Bind a key to its user: the one it was made for, or the one that this request names.

        Raises `RefusedError` without a name where one is needed.
        """
        key = self.key
        if key is None or key.users_from is None:
            return self if key is None or key.of is None else _for(key, key.of.user)
        name = named if key.users_from == BODY_USER else headers.get(key.header or "")
        if not name:
            raise RefusedError(NO_NAME)
        if named not in (None, name):
            raise RefusedError(NOT_YOURS)
        return _for(key, check_id(f"{key.prefix}{name}", "user id"))


def _for(key: AccessKey, user: str | None) -> Caller:
    return Caller(scope=key.scope, key=key, user=user)


def _without(asked: ViewerKeys, *names: str) -> ViewerKeys:
    """Refuse what a caller of this scope names none of."""
    if any(asked.get(name) is not None for name in names):
        raise RefusedError(NOT_YOURS)
    return asked


class Door:
    """Lets callers in. Without keys everything is the owner's, as long as the store has none."""

    def __init__(self, memory: AsyncKataribe, *, keys_required: bool) -> None:
        self._access = memory.admin.access
        self._keys_required = keys_required

    async def caller(self, headers: Mapping[str, str], *, takes_any: bool = False) -> Caller:
        """Tell who calls by what stands in the head of a request. Raises `RefusedError`.

        A client that must send some key may send any that is none of ours where none is needed, if the
        route `takes_any`.
        """
        given = headers.get("authorization", "")
        if not given:
            return await self._owner()
        if given[: len(_BEARER)].lower() != _BEARER:
            raise RefusedError(NO_KEY)
        secret = given[len(_BEARER) :].strip()
        if takes_any and key_id_in(secret) is None:
            return await self._owner()
        key = await self._access.check(secret)
        if key is None:
            raise RefusedError(NO_KEY)
        return Caller(scope=key.scope, key=key)

    async def _owner(self) -> Caller:
        # Once somebody has made a key, who comes without one is a stranger, also when all are revoked.
        if not self._keys_required:
            self._keys_required = bool(await self._access.list())
        if self._keys_required:
            raise RefusedError(NO_KEY)
        return Caller(scope=AccessScope.ADMIN)
