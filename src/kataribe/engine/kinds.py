"""The kinds of spaces there are, in the order in which a gate lists them, and of owners, in that of work."""

from __future__ import annotations

from collections.abc import Callable

from kataribe.conversation.kind import TalkKind, UserKind
from kataribe.conversation.owner import UserOwners
from kataribe.conversation.telling import TURNS_TOLD
from kataribe.conversation.why import whys_said
from kataribe.domain.gate import Viewer
from kataribe.domain.space import Space
from kataribe.domain.story.views import Why
from kataribe.knowledge.kind import LibraryKind
from kataribe.knowledge.owner import LibraryOwners
from kataribe.ports import View
from kataribe.ports.kinds import Kinds
from kataribe.read.values import Opened
from kataribe.story.kind import StoryKind
from kataribe.story.owner import StoryOwners
from kataribe.story.telling import FACTS_TOLD
from kataribe.story.views.why import whys_told
from kataribe.work.owner import Owner, OwnerKind

KINDS: Kinds = (StoryKind(), TalkKind(), UserKind())
"""What a viewer's gate is made of."""
LIBRARIES: Kinds = (LibraryKind(),)
"""What the gate of a search in a library is made of: no viewer's gate has any of it (S4-66)."""

WHYS: tuple[Callable[[View, Viewer, Opened, str], tuple[Why, ...]], ...] = (whys_told, whys_said)
"""Who tells why a viewer does or does not know what has an id."""

TELLINGS = (FACTS_TOLD, *TURNS_TOLD)
"""How a webhook is told of each sort of space; what libraries hold is nobody's memory."""

OWNERS: tuple[OwnerKind, ...] = (StoryOwners(), UserOwners(), LibraryOwners())


def owners_of(view: View, of: Space | None) -> tuple[Owner, ...]:
    """Give whom a space belongs to, or all: stories first, by id, then users, then libraries.

    Raises `NotFoundError`.
    """
    return tuple(owner for kind in OWNERS for owner in kind.owners(view, of))


def owner_of(view: View, of: Space) -> Owner:
    """Give whom a space belongs to. Raises `NotFoundError`."""
    (owner,) = owners_of(view, of)
    return owner
