"""Characters by episodes: what each of them gains in each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from kataribe.domain.ids import WORLD
from kataribe.domain.space import story_space
from kataribe.domain.story.views import REVIEW, Line, Matrix, Row
from kataribe.errors import NotFoundError
from kataribe.ports import View
from kataribe.story.views.story_view import StoryView, see, shares_of


def matrix(
    view: View,
    story_id: str,
    *,
    characters: Collection[str] | None = None,
    first: int | None = None,
    last: int | None = None,
    lines: bool = True,
) -> Matrix:
    """Give who gains what in the episodes from `first` to `last`: the world's row, then the cast's.

    `characters` asks for theirs alone (the world's row stays); what waits in review is a row
    of its own when there is any. Raises `NotFoundError`.
    """
    seen = see(view, story_id)
    wanted = _wanted(seen, characters)
    episodes = seen.episodes(first, last)
    shown = {episode.no for episode in episodes}
    counts = _counts(view, seen)
    rows = tuple(
        Row(
            holder=holder,
            name=seen.name_of(holder),
            counts={no: count for no, count in sorted(counts[holder].items()) if no in shown},
        )
        for holder in (WORLD, *wanted, REVIEW)
    )
    return Matrix(
        story_id=story_id,
        title=seen.story.title,
        episodes=episodes,
        rows=tuple(row for row in rows if row.holder != REVIEW or row.counts),
        lines=_lines(view, seen, (WORLD, *wanted, REVIEW), shown) if lines else (),
    )


def _wanted(seen: StoryView, characters: Collection[str] | None) -> list[str]:
    cast = [character.character_id for character in seen.cast]
    if characters is None:
        return cast
    for asked in characters:
        if asked not in cast:
            raise NotFoundError(
                f"{asked!r} is not in the cast of {seen.story_id}; "
                f"`kataribe cast list --story {seen.story_id}` shows it"
            )
    return [character_id for character_id in cast if character_id in characters]


def _counts(view: View, seen: StoryView) -> dict[str, dict[int, int]]:
    found: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for part in seen.parts:
        for holder, position, count in view.gains(story_space(part.story_id)):
            state = seen.states.get((part.story_id, position))
            if state is not None and state.visible:
                found[holder][state.no] = count
    return found


def _lines(view: View, seen: StoryView, holders: Collection[str], shown: set[int]) -> tuple[Line, ...]:
    return tuple(
        Line(
            fact_id=share.fact_id,
            holder=share.holder,
            episode_no=no,
            text=share.text,
            evidence=share.evidence,
            confidence=share.confidence,
        )
        for no, share in shares_of(view, seen, holders=holders)
        if no in shown
    )
