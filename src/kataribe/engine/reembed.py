"""The verb that moves memory from one embedder to another."""

from __future__ import annotations

from kataribe.domain.records import Reembedded
from kataribe.domain.space import Space
from kataribe.engine.base import Base
from kataribe.engine.generations import ReembedProgress
from kataribe.engine.generations import reembed as move


class ReembedVerbs(Base):
    """Changing the embedder of what is there."""

    async def reembed(
        self, of: Space, *, embedder: str, progress: ReembedProgress | None = None
    ) -> Reembedded:
        """Give a story with its branches and parents, or a user, another embedder (M-7).

        The old vectors answer until the new ones are all there; then they change places at once.
        May be stopped and called again: what is embedded is kept. Work under way with the old
        embedder is refused or done again. Raises `NotFoundError`, `InputError`,
        `MissingExtraError`, `EmbedderError`, `ConflictError`.
        """
        made = self._services.embedder(embedder)
        owner = await self._owner(of)
        try:
            return await move(self._ledger, owner, embedder, made, progress=progress)
        finally:
            self._hints.clear()
