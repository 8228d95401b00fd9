"""The viewer's verb for past logs: exact words, behind the gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from kataribe.conversation.search import around, search_log, with_user
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.log_search import SEARCH_TOOL, LogSearch
from kataribe.domain.recall.requests import AroundKeys, SearchKeys
from kataribe.engine.kinds import KINDS
from kataribe.engine.noting import Noting
from kataribe.engine.viewers import trace_of, trace_of_search, viewer_of
from kataribe.errors import InputError
from kataribe.story.now import settled

MAX_AROUND = 100
"""Turns on either side of one that is read, at most."""


class LogVerbs(Noting):
    """Searching what was said, word for word."""

    async def search_log(self, keywords: Sequence[str], **asked: Unpack[SearchKeys]) -> LogSearch:
        """Find turns in which one of 0 to 3 distinctive keywords stands exactly, newest first.

        A viewer is `persona` in a user's space as of a moment; turns outside its gate are
        neither found nor counted. What is not said of slots and lengths is as in `policy`
        (`SEARCH_TOOL`). Nothing is written to the log. Raises `NotFoundError`, `InputError`.
        """
        found = await self.search_log_in_tokens(keywords, **asked)
        return await self._given_back(found, found.viewer)

    async def search_log_in_tokens(self, keywords: Sequence[str], **asked: Unpack[SearchKeys]) -> LogSearch:
        """Find the same for a model: tokens stand in it for personal data."""
        asking = viewer_of(asked, now=self._services.clock.now())
        viewer = with_user(asking, "past logs are searched for a user; name the user instead of a story")
        policy, seed = asked.get("policy") or SEARCH_TOOL, asked.get("seed", 0)
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise InputError(f"seed must be a whole number, not {seed!r}")
        words = await self._as_kept(viewer.whose, tuple(keywords) if isinstance(keywords, list) else keywords)
        found = await self._read(
            lambda view: search_log(KINDS, view, settled(view, viewer), words, policy, seed=seed)
        )
        self._note(trace_of_search(found, at=self._services.clock.now().isoformat()))
        return found

    async def read_turn(self, turn_id: str, **asked: Unpack[AroundKeys]) -> Recollection:
        """Give a turn in full with the `around` said before and after it in its session (S4-105).

        A viewer is `persona` in a user's space as of a moment; what it does not know is not
        there. Raises `NotFoundError`, `InputError`.
        """
        found = await self.read_turn_in_tokens(turn_id, **asked)
        return await self._given_back(found, found.viewer)

    async def read_turn_in_tokens(self, turn_id: str, **asked: Unpack[AroundKeys]) -> Recollection:
        """Give the same for a model: tokens stand in it for personal data."""
        asking = viewer_of(asked, now=self._services.clock.now())
        viewer = with_user(asking, "turns are read of a user; name the user instead of a story")
        count = asked.get("around", 2)
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_AROUND:
            raise InputError(f"around must be a whole number from 0 to {MAX_AROUND}, not {count!r}")
        found = await self._read(
            lambda view: around(KINDS, view, settled(view, viewer), turn_id, count=count)
        )
        self._note(trace_of(found, verb="read_turn", where=None, at=self._services.clock.now().isoformat()))
        return found
