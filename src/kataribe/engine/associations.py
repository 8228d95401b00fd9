"""Verbs for what goes with what in conversations."""

from __future__ import annotations

from typing import Unpack

from kataribe.conversation.associations import (
    AssociationRequest,
    Associations,
    author_associations,
    viewer_associations,
)
from kataribe.conversation.search import with_user
from kataribe.domain.conversation.associations.policy import DEFAULT_ASSOCIATIONS, MAX_HOPS
from kataribe.domain.gate import position_of
from kataribe.domain.recall.requests import AssociateKeys
from kataribe.engine.base import Base
from kataribe.engine.kinds import KINDS
from kataribe.engine.viewers import viewer_of
from kataribe.errors import InputError, option
from kataribe.story.now import settled

_USER = "associations are of what was said; name the user"
_MOST, _MOST_EVER = 10, 100


class AssociationVerbs(Base):
    """What a text brings to mind of what was said."""

    async def associate(self, text: str, **asked: Unpack[AssociateKeys]) -> Associations:
        """Give what a text brings to a viewer's mind: what was talked about with it, and how it leads there.

        Raises `NotFoundError`, `InputError`.
        """
        wanted = _request(text, asked.get("hops", MAX_HOPS), asked.get("top_k", _MOST))
        viewer = with_user(viewer_of(asked, now=self._services.clock.now()), _USER)
        return await self._read(lambda view: viewer_associations(KINDS, view, settled(view, viewer), wanted))

    async def all_associations(
        self, user_id: str, text: str, *, hops: int = MAX_HOPS, top_k: int = _MOST
    ) -> Associations:
        """Give the same for everybody who holds anything of a user, each apart (author).

        Raises `NotFoundError`, `InputError`.
        """
        wanted, now = _request(text, hops, top_k), position_of(self._services.clock.now())
        return await self._read(lambda view: author_associations(view, user_id, wanted, now=now))


def _request(text: str, hops: int, most: int) -> AssociationRequest:
    if not 1 <= hops <= MAX_HOPS:
        raise InputError(f"{option('hops')} must be from 1 to {MAX_HOPS}, not {hops!r}")
    if not 1 <= most <= _MOST_EVER:
        raise InputError(f"{option('top_k')} must be from 1 to {_MOST_EVER}, not {most!r}")
    if not text.strip():
        raise InputError("there is nothing to go on; give a text")
    return AssociationRequest(text=text, hops=hops, most=most, policy=DEFAULT_ASSOCIATIONS)
