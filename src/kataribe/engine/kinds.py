"""The kinds of spaces there are, in the order in which a gate lists them."""

from __future__ import annotations

from kataribe.conversation.kind import TalkKind, UserKind
from kataribe.ports.kinds import Kinds
from kataribe.story.kind import StoryKind

KINDS: Kinds = (StoryKind(), TalkKind(), UserKind())
