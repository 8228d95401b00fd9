"""What is asked of all that is kept of a user: first a token, and with it the zip or the erasure."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from starlette.responses import StreamingResponse

from kataribe.domain.privacy.requests import VALID_SECONDS, PrivacyAction
from kataribe.errors import InputError
from kataribe.face.aio.user import AsyncUserHandle
from kataribe.formats.wire.privacy import PrivacyConfirmJson, erasure_json
from kataribe.surfaces.http.routes import HttpRequest, Reply

ZIP = "application/zip"
_PIECE = 1 << 18


async def privacy(asked: HttpRequest) -> Reply:
    """Say how to confirm; with a token that is good, do it."""
    given, user = asked.arguments, asked.memory.user(asked.ids["user"])
    action, token = _action(given["action"]), given.get("token")
    if token is None:
        return await _to_confirm(user, action)
    if action is PrivacyAction.DELETE:
        return Reply(erasure_json(await user.delete(token)))
    return Reply(await _zip_of(user, token))


async def export(asked: HttpRequest) -> Reply:
    """Send all that is kept of a user."""
    return Reply(await _zip_of(asked.memory.user(asked.ids["user"]), asked.arguments["token"]))


def _action(named: str) -> PrivacyAction:
    if named not in tuple(PrivacyAction):
        raise InputError(f"action is {' or '.join(PrivacyAction)}, not {named[:40]!r}")
    return PrivacyAction(named)


async def _to_confirm(user: AsyncUserHandle, action: PrivacyAction) -> Reply:
    token = await user.privacy.request(action.value)
    zip_at = f"/users/{quote(user.user_id, safe='')}/export?token={token}"
    uri = zip_at if action is PrivacyAction.EXPORT else None
    told: PrivacyConfirmJson = {
        "user": user.user_id,
        "action": action.value,
        "token": token,
        "valid_seconds": VALID_SECONDS,
        "uri": uri,
    }
    return Reply(dict(told), 202, {} if uri is None else {"location": uri})


async def _zip_of(user: AsyncUserHandle, token: str) -> StreamingResponse:
    """Write the zip where nobody else looks, and send it; it is gone before its last byte is there.

    An export is noted with its place before it has one: what a kill leaves there goes with its user.
    """
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="kataribe-"))
    try:
        done = await user.privacy.export(folder / "export.zip", token=token)
        file = done.path.open("rb")
    finally:
        # A file that is open can still be read; where a system keeps it for that, it goes at the end.
        shutil.rmtree(folder, ignore_errors=True)
    return StreamingResponse(
        _pieces(file, folder),
        media_type=ZIP,
        headers={
            "cache-control": "no-store",
            "content-length": str(done.size),
            "content-disposition": 'attachment; filename="export.zip"',
        },
    )


async def _pieces(file: BinaryIO, folder: Path) -> AsyncIterator[bytes]:
    try:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
    finally:
        file.close()
        shutil.rmtree(folder, ignore_errors=True)
