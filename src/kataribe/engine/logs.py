"""The viewer's verb for past logs: exact words, behind the gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from kataribe.domain.asking import SearchKeys
from kataribe.domain.gate import UserViewer
from kataribe.domain.logsearch import SEARCH_TOOL, LogSearch
from kataribe.engine.base import Base
from kataribe.engine.viewers import trace_of_search, viewer_of
from kataribe.errors import InputError
from kataribe.read.search import search_log


class LogVerbs(Base):
    """Searching what was said, word for word."""

    async def search_log(self, keywords: Sequence[str], **asked: Unpack[SearchKeys]) -> LogSearch:
        """Find turns in which one of 0 to 3 distinctive keywords stands exactly, newest first.

        A viewer is `persona` in a user's space as of a moment; turns outside its gate are
        neither found nor counted. What is not said of slots and lengths is as in `policy`
        (`SEARCH_TOOL`). Nothing is written to the log. Raises `NotFoundError`, `InputError`.
        """
        viewer = viewer_of(asked, now=self._engines.clock.now())
        if not isinstance(viewer, UserViewer):
            raise InputError("past logs are searched for a user; name the user instead of a story")
        policy, seed = asked.get("policy") or SEARCH_TOOL, asked.get("seed", 0)
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise InputError(f"seed must be a whole number, not {seed!r}")
        found = await self._read(lambda ledger: search_log(ledger, viewer, keywords, policy, seed=seed))
        self._traces.append(trace_of_search(found, at=self._engines.clock.now().isoformat()))
        return found
