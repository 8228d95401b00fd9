"""Verbs for what was just said, and for what goes together in a conversation."""

from __future__ import annotations

from typing import Unpack

from kataribe.conversation.pairs import Pair, voice_pairs
from kataribe.conversation.search import with_user
from kataribe.conversation.threads import HeldThreads, author_threads, viewer_buffer, viewer_threads
from kataribe.domain.conversation.buffer import Buffer
from kataribe.domain.gate import position_of
from kataribe.domain.recall.context import ESTIMATE
from kataribe.domain.recall.requests import BufferKeys, ViewerKeys
from kataribe.engine.giving_back import PersonalVerbs
from kataribe.engine.kinds import KINDS
from kataribe.engine.viewers import viewer_of
from kataribe.story.now import settled

_USER = "a buffer and threads are of what was said; name the user"


class ThreadVerbs(PersonalVerbs):
    """Threads of a conversation, and the buffer of what was just said."""

    async def threads(self, **asked: Unpack[ViewerKeys]) -> HeldThreads:
        """Give the threads a viewer may remember (S3-12, S3-13): by space, as they were begun.

        Raises `NotFoundError`, `InputError`.
        """
        viewer = with_user(viewer_of(asked, now=self._services.clock.now()), _USER)
        found = await self._read(lambda view: viewer_threads(KINDS, view, settled(view, viewer)))
        return await self._given_back(found, viewer)

    async def all_threads(self, user_id: str) -> HeldThreads:
        """Give the threads of everybody who holds anything of a user (author). Raises `NotFoundError`."""
        now = position_of(self._services.clock.now())
        found = await self._read(lambda view: author_threads(view, user_id, now=now))
        return await self._given_back_of(found, user_id)

    async def voice_pairs(self, user_id: str, persona: str) -> tuple[tuple[Pair, ...], ...]:
        """Give what a persona was told and replied, thread by thread (author). Raises `NotFoundError`."""
        now = position_of(self._services.clock.now())
        return await self._read(lambda view: voice_pairs(view, user_id, persona, now=now))

    async def buffer(self, **asked: Unpack[BufferKeys]) -> Buffer:
        """Give what a viewer has at hand of what was just said (U-9).

        At most 12 messages and 6,000 tokens of one `session` (else the last the viewer took part
        in); nothing once it was idle for 10 minutes, no message of more than two hours ago. Raises
        `NotFoundError`, `InputError`.
        """
        viewer = with_user(viewer_of(asked, now=self._services.clock.now()), _USER)
        session = asked.get("session")
        policy = asked.get("policy") or self._services.tuning.tiers.buffer.limits()
        count = self._services.counter(asked.get("counter") or ESTIMATE).count
        found = await self._read(
            lambda view: viewer_buffer(
                KINDS, view, settled(view, viewer), session=session, count=count, policy=policy
            )
        )
        return await self._given_back(found, viewer)
