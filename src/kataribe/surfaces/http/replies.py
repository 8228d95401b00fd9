"""Replies to writes that named an idempotency key: the same request again is given the same reply."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.responses import Response

from kataribe.surfaces.http.problems import Problem, RefusedError, bad_request

KEPT = 4096
LONGEST = 255
_OTHER = Problem(
    422, "idempotency-key-reused", "this idempotency key was sent with another request; give each its own"
)


@dataclass(frozen=True, slots=True)
class _Replied:
    fingerprint: str
    reply: asyncio.Future[Response]


class Replies:
    """Keeps the last replies in this process."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], _Replied] = OrderedDict()

    async def once(
        self, caller: str, key: str, fingerprint: str, run: Callable[[], Awaitable[Response]]
    ) -> Response:
        """Run a write, or give the reply it was given before; who asks meanwhile waits for it.

        Raises `RefusedError` when the key was sent with another request.
        """
        if not 0 < len(key) <= LONGEST or not key.isprintable():
            raise bad_request(f"an idempotency key has 1 to {LONGEST} characters that can be printed")
        before = self._kept.get((caller, key))
        if before is not None:
            if before.fingerprint != fingerprint:
                raise RefusedError(_OTHER)
            return await asyncio.shield(before.reply)
        reply: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._kept[caller, key] = _Replied(fingerprint, reply)
        try:
            found = await run()
        except BaseException:
            # What failed may be tried again under the same key.
            self._drop(caller, key)
            reply.cancel()
            raise
        reply.set_result(found)
        if found.status_code >= 500:
            self._drop(caller, key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    def _drop(self, caller: str, key: str) -> None:
        self._kept.pop((caller, key), None)

    def clear(self) -> None:
        """Forget all replies: what was deleted stands in none."""
        self._kept.clear()
