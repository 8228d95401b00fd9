"""The writer's views: author reads over all viewers, at once or between two of them."""

from __future__ import annotations

from collections.abc import Collection

from kataribe.domain.gate import Viewer
from kataribe.domain.story.views import Difference, Inspection, Matrix, StoryDifference, Timeline, Why
from kataribe.engine.base import Base
from kataribe.engine.kinds import KINDS, WHYS
from kataribe.errors import InputError, NotFoundError
from kataribe.ports import View
from kataribe.read.gate import open_gate
from kataribe.story.now import settled
from kataribe.story.views.check import check as check_story
from kataribe.story.views.diff import diff as diff_viewers
from kataribe.story.views.diff import diff_stories
from kataribe.story.views.fact_history import best_matches
from kataribe.story.views.matrix import matrix as matrix_of
from kataribe.story.views.story_view import see
from kataribe.story.views.timeline import timeline as timeline_of
from kataribe.story.views.why import whys_of_text


class ViewVerbs(Base):
    """Looking at a story as its author, across all who remember it."""

    async def matrix(
        self,
        story_id: str,
        *,
        characters: Collection[str] | None = None,
        first: int | None = None,
        last: int | None = None,
        lines: bool = True,
    ) -> Matrix:
        """Give what each character gains in each episode from `first` to `last` (author).

        It is memory from the next episode on. Without `lines` only counts are read, which is
        quick for a story of any length. Raises `NotFoundError`.
        """
        return await self._read(
            lambda view: matrix_of(view, story_id, characters=characters, first=first, last=last, lines=lines)
        )

    async def diff(self, left: Viewer, right: Viewer) -> Difference:
        """Give what one viewer of a story knows that another does not, both ways (author).

        The same character at two episodes gives what it gains, and what it learns to be
        replaced. Raises `NotFoundError`, `InputError`.
        """
        return await self._read(lambda view: diff_viewers(view, settled(view, left), settled(view, right)))

    async def diff_stories(
        self, story_id: str, other_id: str, *, before: int | None = None, character: str | None = None
    ) -> StoryDifference:
        """Give where two stories differ, canon and branch say: episodes, and facts by holder (author).

        `before` compares only what is told before that episode number; `character` only what
        that one may know. Raises `NotFoundError`.
        """
        return await self._read(
            lambda view: diff_stories(view, story_id, other_id, at=before, character=character)
        )

    async def why(
        self, viewer: Viewer, *, fact_id: str | None = None, text: str | None = None, top_k: int = 3
    ) -> tuple[Why, ...]:
        """Tell why a viewer does or does not know a fact, or the `top_k` that match `text` best (author).

        With a viewer of a user `fact_id` may be a turn's, and each place it was said at is told of.
        `text` finds facts of a story. Raises `NotFoundError`, and `InputError` unless one of the two
        is given.
        """
        _one_of(fact_id, text)
        return await self._read(lambda view: _whys(view, settled(view, viewer), fact_id, text, top_k))

    async def timeline(
        self, story_id: str, *, fact_id: str | None = None, text: str | None = None
    ) -> Timeline:
        """Tell who learns a fact when, and through which telling; `text` picks the best match (author).

        Raises `NotFoundError`, and `InputError` unless one of the two is given.
        """
        _one_of(fact_id, text)
        return await self._read(
            lambda view: timeline_of(view, story_id, _meant(view, story_id, fact_id, text, 1)[0])
        )

    async def check(self, story_id: str) -> Inspection:
        """Look a story over for what a writer would want to mend (author). Raises `NotFoundError`."""
        return await self._read(lambda view: check_story(view, story_id))


def _one_of(fact_id: str | None, text: str | None) -> None:
    if (fact_id is None) == (text is None):
        raise InputError("give either a fact's id or a text to find it by")


def _whys(view: View, viewer: Viewer, fact_id: str | None, text: str | None, top_k: int) -> tuple[Why, ...]:
    if fact_id is None:
        return whys_of_text(view, viewer, text or "", top_k=top_k)
    opened = open_gate(KINDS, view, viewer)
    found: list[Why] = []
    refused: list[NotFoundError] = []
    for whys in WHYS:
        try:
            found += whys(view, viewer, opened, fact_id)
        except NotFoundError as error:
            refused.append(error)
    if found:
        return tuple(found)
    if refused and len(opened.homes) == 1:
        raise refused[0]
    raise NotFoundError(f"nothing is called {fact_id!r} here; give a fact's id, or a turn's")


def _meant(view: View, story_id: str, fact_id: str | None, text: str | None, top_k: int) -> tuple[str, ...]:
    if fact_id is not None:
        return (fact_id,)
    return best_matches(view, see(view, story_id), text or "", top_k=top_k)
