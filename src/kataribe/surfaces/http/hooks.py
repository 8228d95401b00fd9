"""Telling the webhook's receiver, as long as a server runs."""

from __future__ import annotations

import asyncio
import logging
from itertools import count

from kataribe.errors import KataribeError
from kataribe.face.aio.kataribe import AsyncKataribe

_LOOK = 1.0
"""Seconds between two looks at the change log."""
_THOROUGH = 15
"""So many looks later one is at deleted spaces, and at what nights keep."""

log = logging.getLogger("kataribe.server")


class BackgroundHooks:
    """Looks again and again what the receiver lacks; of several servers one at a time tells it."""

    def __init__(self, memory: AsyncKataribe) -> None:
        self._memory = memory
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, where there is a webhook."""
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        if await self._memory.admin.hooks.lag() is None:
            return
        said: str | None = None
        for at in count():
            try:
                run = await self._memory.admin.hooks.deliver(thorough=at % _THOROUGH == 0)
            except KataribeError as error:
                log.warning("the webhook was not told: %s", type(error).__name__)
            else:
                if run.stopped_by is not None and run.stopped_by != said:
                    log.warning("the webhook waits: %s", run.stopped_by)
                said = run.stopped_by
            await asyncio.sleep(_LOOK)

    async def close(self) -> None:
        """Stop; what was not told is told by the next that starts."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
