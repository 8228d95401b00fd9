"""The kinds of spaces there are, in the order in which a gate lists them, and of owners, in that of work."""

from __future__ import annotations

from collections.abc import Callable

from kataribe.conversation.kind import TalkKind, UserKind
from kataribe.conversation.owner import UserOwners
from kataribe.conversation.why import whys_said
from kataribe.domain.gate import Viewer
from kataribe.domain.space import Space
from kataribe.domain.story.views import Why
from kataribe.ports import View
from kataribe.ports.kinds import Kinds
from kataribe.read.values import Opened
from kataribe.story.kind import StoryKind
from kataribe.story.owner import StoryOwners
from kataribe.story.views.why import whys_told
from kataribe.work.owner import Owner, OwnerKind

KINDS: Kinds = (StoryKind(), TalkKind(), UserKind())

WHYS: tuple[Callable[[View, Viewer, Opened, str], tuple[Why, ...]], ...] = (whys_told, whys_said)
"""Who tells why a viewer does or does not know what has an id."""

OWNERS: tuple[OwnerKind, ...] = (StoryOwners(), UserOwners())


def owners_of(view: View, of: Space | None) -> tuple[Owner, ...]:
    """Give whom a space belongs to, or all: stories first, by id, then users. Raises `NotFoundError`."""
    return tuple(owner for kind in OWNERS for owner in kind.owners(view, of))


def owner_of(view: View, of: Space) -> Owner:
    """Give whom a space belongs to. Raises `NotFoundError`."""
    (owner,) = owners_of(view, of)
    return owner
