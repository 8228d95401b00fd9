"""Which memories a reply takes up, told by its words: of a model that is not asked what it used."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.recall.context import ContextItem
from kataribe.domain.terms import Language

_LEAST = 2
"""So many words of a memory stand in a reply that takes it up, or all there are."""
_SHARE = 0.25
"""And so great a share of its words."""


def taken_up(reply: str, items: Sequence[ContextItem], language: Language) -> tuple[ContextItem, ...]:
    """Give the items of a context whose words a reply takes up, in their order."""
    said = set(content_words(reply, language))
    return tuple(item for item in items if _is_taken_up(set(content_words(item.text, language)), said))


def _is_taken_up(words: set[str], said: set[str]) -> bool:
    shared = len(words & said)
    return bool(words) and shared >= min(len(words), max(_LEAST, _SHARE * len(words)))
