"""An author's look at whom the texts name and the cast has not."""

from __future__ import annotations

from kataribe.domain.story.suggestion import CastSuggestion, suggest
from kataribe.errors import InputError
from kataribe.ports import View
from kataribe.story.views.story_view import see


def cast_suggestions(view: View, story_id: str, *, at_least: int = 2) -> tuple[CastSuggestion, ...]:
    """Propose characters out of the live texts a story reads, most often named first.

    Raises `NotFoundError`, and `InputError` for an `at_least` below 1.
    """
    if at_least < 1:
        raise InputError(f"at_least must be 1 or more, not {at_least}")
    seen = see(view, story_id)
    texts: dict[int, str] = {}
    for (owner, _), state in seen.states.items():
        episode = view.episode(owner, state.episode_id)
        if episode is not None:
            texts[state.no] = episode.text
    return suggest(texts, seen.story.language, seen.cast, at_least=at_least)
