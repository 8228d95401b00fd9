"""What a person may ask of all that is kept of a user: to be given it, or that it is erased."""

from __future__ import annotations

from kataribe.engine import Engine
from kataribe.face.marks import write


class AsyncPrivacyHandle:
    """What concerns all that is kept of one user at once."""

    def __init__(self, engine: Engine, user_id: str) -> None:
        self._engine = engine
        self.user_id = user_id

    @write
    async def request(self, action: str) -> str:
        """Give a token that permits `export` or `delete` of this user, once within 15 minutes.

        Raises `NotFoundError`, and `InputError` for another act.
        """
        return await self._engine.privacy_request(self.user_id, action)
