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
from kataribe.engine.giving_back import PersonalVerbs
from kataribe.engine.kinds import KINDS
from kataribe.engine.viewers import viewer_of
from kataribe.errors import InputError, option
from kataribe.story.now import settled

_USER = "associations are of what was said; name the user"
_MOST, _MOST_EVER = 10, 100


class AssociationVerbs(PersonalVerbs):
    """What a text brings to mind of what was said."""

    async def associate(self, text: str, **asked: Unpack[AssociateKeys]) -> Associations:
        """Give what a text brings to a viewer's mind: what was talked about with it, and how it leads there.

        Raises `NotFoundError`, `InputError`.
        """
        viewer = with_user(viewer_of(asked, now=self._services.clock.now()), _USER)
        words = await self._as_kept(viewer.whose, text)
        wanted = _request(words, asked.get("hops", MAX_HOPS), asked.get("top_k", _MOST))
        found = await self._read(lambda view: viewer_associations(KINDS, view, settled(view, viewer), wanted))
        return await self._given_back(found, viewer)

    async def all_associations(
        self, user_id: str, text: str, *, hops: int = MAX_HOPS, top_k: int = _MOST
    ) -> Associations:
        """Give the same for everybody who holds anything of a user, each apart (author).

        Raises `NotFoundError`, `InputError`.
        """
        words, now = await self._as_kept(user_id, text), position_of(self._services.clock.now())
        wanted = _request(words, hops, top_k)
        found = await self._read(lambda view: author_associations(view, user_id, wanted, now=now))
        return await self._given_back_of(found, user_id)


def _request(text: str, hops: int, most: int) -> AssociationRequest:
    if not 1 <= hops <= MAX_HOPS:
        raise InputError(f"{option('hops')} must be from 1 to {MAX_HOPS}, not {hops!r}")
    if not 1 <= most <= _MOST_EVER:
        raise InputError(f"{option('top_k')} must be from 1 to {_MOST_EVER}, not {most!r}")
    if not text.strip():
        raise InputError("there is nothing to go on; give a text")
    return AssociationRequest(text=text, hops=hops, most=most, policy=DEFAULT_ASSOCIATIONS)
