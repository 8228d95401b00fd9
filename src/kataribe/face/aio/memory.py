"""What is made of what was said with a user: threads, and what comes of them."""

from __future__ import annotations

from kataribe.conversation.threads import HeldThreads
from kataribe.engine import Engine
from kataribe.face.marks import author_read


class AsyncMemoryHandle:
    """What is derived of one user's conversations.

    All reads here are the author's: they see across personas.
    """

    def __init__(self, engine: Engine, user_id: str) -> None:
        self._engine = engine
        self.user_id = user_id

    @author_read
    async def threads(self) -> HeldThreads:
        """Give the threads of everybody who holds anything, by space and holder, as they were begun.

        Raises `NotFoundError`.
        """
        return await self._engine.all_threads(self.user_id)
