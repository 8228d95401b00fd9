"""Work that goes on behind a reply: what was put is brought into memory, and how far it is can be asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

from kataribe.errors import KataribeError, NotFoundError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.formats.wire.server import JobJson, job_json

ENDED = frozenset({"done", "dead", "outdated", "deleted"})
_LOOK, _LOOK_AT_MOST = 0.02, 0.5
_AGAIN = 30.0
"""Seconds after which a story whose work failed is looked at again."""

log = logging.getLogger("kataribe.server")


def job_of(story_id: str, episode_id: str, version: int) -> str:
    """Name the job of a version of an episode: a question to the store, which no restart loses."""
    return "/".join(quote(part, safe="") for part in (story_id, episode_id, str(version)))


async def look(memory: AsyncKataribe, story_id: str, episode_id: str, version: int) -> JobJson:
    """Tell how far a job is. Raises `NotFoundError`."""
    episodes = await memory.story(story_id).episodes.list()
    episode = next((one for one in episodes if one.episode_id == episode_id), None)
    if episode is None or version < 1 or version > episode.version:
        raise NotFoundError(f"story {story_id!r} has no version {version} of an episode {episode_id!r}")
    work = await memory.admin.work(story=story_id) if episode.is_pending else ()
    item = next((one for one in work if one.episode_id == episode_id), None)
    return job_json(job_of(story_id, episode_id, version), version, episode, item)


async def follow(
    memory: AsyncKataribe, story_id: str, episode_id: str, version: int, *, seconds: float
) -> AsyncIterator[JobJson]:
    """Give how far a job is, each time that is something else, until it has ended or the time is over."""
    loop = asyncio.get_running_loop()
    end, pause, before = loop.time() + seconds, _LOOK, None
    while True:
        found = await look(memory, story_id, episode_id, version)
        if found != before:
            yield found
            before = found
        if found["state"] in ENDED or loop.time() >= end:
            return
        await asyncio.sleep(min(pause, max(end - loop.time(), 0)))
        pause = min(pause * 2, _LOOK_AT_MOST)


class BackgroundSync:
    """Syncs stories as they are woken; several processes on one store share the work by its leases."""

    def __init__(self, memory: AsyncKataribe) -> None:
        self._memory = memory
        self._running: dict[str | None, asyncio.Task[None]] = {}
        self._again: set[str | None] = set()
        self._is_closed = False

    def wake(self, story_id: str | None) -> None:
        """Let a story be synced soon; None: everything."""
        if self._is_closed:
            return
        if story_id in self._running:
            self._again.add(story_id)
            return
        task = asyncio.create_task(self._sync(story_id))
        self._running[story_id] = task
        task.add_done_callback(lambda _: self._ended(story_id))

    async def _sync(self, story_id: str | None) -> None:
        try:
            if story_id is None:
                await self._memory.sync()
            else:
                await self._memory.story(story_id).sync()
        except NotFoundError:
            return
        except KataribeError as error:
            log.warning("sync failed: %s", type(error).__name__)
            loop = asyncio.get_running_loop()
            loop.call_later(_AGAIN, self.wake, story_id)

    def _ended(self, story_id: str | None) -> None:
        del self._running[story_id]
        if story_id in self._again:
            self._again.discard(story_id)
            self.wake(story_id)

    async def close(self) -> None:
        """Stop; what was begun is claimed by somebody else, or by the next start."""
        self._is_closed = True
        running: list[asyncio.Task[Any]] = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
