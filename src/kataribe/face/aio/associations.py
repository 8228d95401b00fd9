"""What goes with what in what was said with a user."""

from __future__ import annotations

from kataribe.conversation.associations import Associations
from kataribe.engine import Engine
from kataribe.face.marks import author_read


class AsyncAssociationsHandle:
    """Associations of one user's conversations.

    The read here is the author's: it sees across personas. A viewer's is `viewer.associate`.
    """

    def __init__(self, engine: Engine, user_id: str) -> None:
        self._engine = engine
        self.user_id = user_id

    @author_read
    async def of(self, text: str, *, hops: int = 3, top_k: int = 10) -> Associations:
        """Give what a text brings to mind for everybody who holds anything, each apart.

        `hops` is 1 to 3, `top_k` 1 to 100. Raises `NotFoundError`, `InputError`.
        """
        return await self._engine.all_associations(self.user_id, text, hops=hops, top_k=top_k)
