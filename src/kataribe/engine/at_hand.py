"""What is at hand before anything is searched, for contexts; and what uses of it are uses of."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.domain.conversation.buffer import DEFAULT_BUFFER
from kataribe.domain.gate import Viewer
from kataribe.domain.recall.at_hand import AtHand, SaidLine
from kataribe.domain.recall.context import ContextItem
from kataribe.domain.recall.requests import ContextKeys
from kataribe.engine.kinds import KINDS
from kataribe.engine.profile import ProfileVerbs
from kataribe.engine.recall import RecallVerbs
from kataribe.errors import InputError
from kataribe.ports import TokenCounter
from kataribe.ports.kinds import AtHandRequest
from kataribe.read.at_hand import at_hand
from kataribe.read.kept import short_lines
from kataribe.read.pack_at_hand import ContextRequest


class AtHandVerbs(RecallVerbs, ProfileVerbs):
    """What a context of a user's viewer has beside what is recalled."""

    async def _what_is_at_hand(
        self, viewer: Viewer, counter: TokenCounter, asked: ContextKeys
    ) -> AtHand | None:
        """Give what the viewer has at hand of what was said; None without a user. Raises `NotFoundError`.

        A filter leaves it out: it is for what is searched.
        """
        if asked.get("where") is not None:
            return None
        session = asked.get("session")
        limits = self._services.tuning.tiers.buffer.limits()
        request = AtHandRequest(session=session, count=counter.count, policy=limits)
        found = await self._read(lambda view: at_hand(KINDS, view, viewer, request))
        if found is None and session is not None:
            raise InputError("a session is of what was said with a user; name the user too")
        return found

    async def _resting_on(self, viewer: Viewer, ids: Sequence[str]) -> tuple[str, ...]:
        """Put the turns that what is kept rests on in the place of its ids."""
        request = AtHandRequest(session=None, count=len, policy=DEFAULT_BUFFER)
        found = await self._read(lambda view: at_hand(KINDS, view, viewer, request))
        sources = {line.memory_id: line.sources for line in found.kept} if found else {}
        return tuple(dict.fromkeys(turn for name in ids for turn in sources.get(name, (name,))))


def said_of(wanted: ContextRequest) -> tuple[str, ...]:
    """Give all messages that were said just now: what is in them is not searched for again."""
    return (*wanted.recent, *(line.text for line in short_of(wanted)))


def short_of(wanted: ContextRequest) -> Sequence[SaidLine]:
    """Give the messages at hand that a context has room for, and the one that is the question."""
    count = wanted.counter.count
    found = short_lines(wanted.at_hand, wanted.question, wanted.recent, room=wanted.short_room, count=count)
    return found.standing


def used_ids(items: Sequence[ContextItem]) -> tuple[str, ...]:
    """Name the facts and turns that are used with these items: of what is kept, the turns it rests on."""
    return tuple(dict.fromkeys(name for item in items for name in item.sources or (item.fact_id,)))
