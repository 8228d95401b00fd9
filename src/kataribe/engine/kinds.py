"""The kinds of spaces there are, in the order in which a gate lists them, and of owners, in that of work."""

from __future__ import annotations

from kataribe.conversation.kind import TalkKind, UserKind
from kataribe.conversation.owner import UserOwners
from kataribe.domain.space import Space
from kataribe.ports import View
from kataribe.ports.kinds import Kinds
from kataribe.story.kind import StoryKind
from kataribe.story.owner import StoryOwners
from kataribe.work.owner import Owner, OwnerKind

KINDS: Kinds = (StoryKind(), TalkKind(), UserKind())

OWNERS: tuple[OwnerKind, ...] = (StoryOwners(), UserOwners())


def owners_of(view: View, of: Space | None) -> tuple[Owner, ...]:
    """Give whom a space belongs to, or all: stories first, by id, then users. Raises `NotFoundError`."""
    return tuple(owner for kind in OWNERS for owner in kind.owners(view, of))


def owner_of(view: View, of: Space) -> Owner:
    """Give whom a space belongs to. Raises `NotFoundError`."""
    (owner,) = owners_of(view, of)
    return owner
