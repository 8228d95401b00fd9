"""What a person may ask of all that is kept of a user: to be given it, or that it is erased."""

from __future__ import annotations

from pathlib import Path

from kataribe.domain.privacy.records import ExportedBundle, UserOverview
from kataribe.engine import Engine
from kataribe.face.marks import author_read, write


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

    @author_read
    async def export(self, path: str | Path, *, token: str) -> ExportedBundle:
        """Write all that is kept of the user into a new zip, in the words that were said.

        `token` is one that `request("export")` gave; it is spent when the file is there. Raises
        `NotFoundError`, `NotPermittedError`; `KeyStoreError` without the user's key, `ConflictError` where a
        file is there, `InputError`, `StoreFullError`. No file is there then, and the token is not spent.
        """
        return await self._engine.export_user(self.user_id, path, token=token)

    @author_read
    async def show(self) -> UserOverview:
        """Tell on one page what is kept of the user, and where it stands. Raises `NotFoundError`."""
        return await self._engine.user_overview(self.user_id)
