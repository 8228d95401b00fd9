"""The verb that moves memory from one embedder to another."""

from __future__ import annotations

from kataribe.conversation.homes import user_of
from kataribe.domain.conversation.turns import User
from kataribe.domain.records import Reembedded
from kataribe.domain.story.inputs import Story
from kataribe.engine.base import Base
from kataribe.engine.generations import ReembedProgress
from kataribe.engine.generations import reembed as move
from kataribe.errors import InputError


class ReembedVerbs(Base):
    """Changing the embedder of what is there."""

    async def reembed(
        self,
        *,
        embedder: str,
        story_id: str | None = None,
        user: str | None = None,
        progress: ReembedProgress | None = None,
    ) -> Reembedded:
        """Give a story with its branches and parents, or a user, another embedder (M-7).

        The old vectors answer until the new ones are all there; then they change places at once.
        May be stopped and called again: what is embedded is kept. Work under way with the old
        embedder is refused or done again. Raises `NotFoundError`, `InputError`,
        `MissingExtraError`, `EmbedderError`, `ConflictError`.
        """
        if (story_id is None) == (user is None):
            raise InputError("name either a story or a user whose embedder is to change")
        made = self._engines.embedder(embedder)
        home: Story | User
        home = await self.story(story_id) if story_id is not None else await self._user_home(user or "")
        try:
            return await move(self._ledger, home, embedder, made, progress=progress)
        finally:
            self._hints.clear()

    async def _user_home(self, user_id: str) -> User:
        return await self._read(lambda ledger: user_of(ledger, user_id))
