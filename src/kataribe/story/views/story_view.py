"""A story as an author reads it: its episodes, its cast and what is remembered, from the root on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from kataribe.domain.ids import WORLD
from kataribe.domain.lineage import Part, Parts
from kataribe.domain.memory import Memory
from kataribe.domain.records import EpisodeState
from kataribe.domain.space import story_space
from kataribe.domain.story.inputs import Character, Story
from kataribe.domain.story.views import REVIEW, EpisodeMark, Share
from kataribe.ports import View
from kataribe.story.fingerprints import story_of
from kataribe.story.lineage import full_cast, lineage, seen_states


@dataclass(frozen=True, slots=True)
class StoryView:
    """A story with its live episodes by number, and its cast: declared, then those only named."""

    story: Story
    parts: Parts
    states: Mapping[tuple[str, int], EpisodeState]
    """Live episodes by story and position, in story order."""
    cast: tuple[Character, ...]

    @property
    def story_id(self) -> str:
        """The story's id."""
        return self.story.story_id

    def episodes(self, first: int | None = None, last: int | None = None) -> tuple[EpisodeMark, ...]:
        """Give the live episodes numbered from `first` to `last`, by number."""
        return tuple(
            mark_of(state)
            for state in self.states.values()
            if (first is None or state.no >= first) and (last is None or state.no <= last)
        )

    def name_of(self, holder: str) -> str:
        """Say a holder as the author calls it."""
        if holder == WORLD:
            return "everybody"
        if holder == REVIEW:
            return "in review"
        return next((c.name for c in self.cast if c.character_id == holder), holder)


def see(view: View, story_id: str) -> StoryView:
    """Read a story's frame. Raises `NotFoundError`."""
    story = story_of(view, story_id)
    parts = lineage(view, story)
    states = {(state.story_id, state.order_key): state for state in seen_states(view, parts) if state.is_live}
    return StoryView(story, parts, states, full_cast(view, parts))


def mark_of(state: EpisodeState) -> EpisodeMark:
    """Show an episode without its text."""
    return EpisodeMark(
        no=state.no,
        episode_id=state.episode_id,
        title=state.title,
        story_id=state.story_id,
        in_memory=not state.is_pending,
    )


def shares_of(
    view: View, seen: StoryView, *, holders: Collection[str] | None = None
) -> Iterator[tuple[int, Share]]:
    """Stream what is remembered of a story with each one's episode number, in story order.

    What waits in review is there under the empty holder, of episodes that are in memory only.
    """
    for part in seen.parts:
        for share in view.shares(story_space(part.story_id), upto=part.cap, holders=holders):
            state = seen.states.get((part.story_id, share.position))
            if state is not None and state.visible:
                yield state.no, share


def copies_of(view: View, seen: StoryView, fact_id: str) -> tuple[tuple[Part, Memory], ...]:
    """Give every copy of a fact in the story's parts, hidden ones and those after a fork too."""
    return tuple(
        (part, memory)
        for part in seen.parts
        for memory in view.memories(story_space(part.story_id), fact_id=fact_id)
    )
