"""An author's look at branches: what each is forked from, and how far it is."""

from __future__ import annotations

from collections.abc import Iterable

from kataribe.domain.records import Branch
from kataribe.domain.story.inputs import Story
from kataribe.ports import View
from kataribe.story.lineage import fork_no, lineage, seen_states


def branch_of(view: View, story: Story) -> Branch | None:
    """Tell of a branch where it is forked and what it reads; None for a story of its own."""
    if story.parent is None or story.fork_episode_id is None:
        return None
    parts = lineage(view, story)
    live = [state for state in seen_states(view, parts) if state.is_live]
    own = [state for state in live if state.story_id == story.story_id]
    return Branch(
        story_id=story.story_id,
        title=story.title,
        parent=story.parent,
        fork_episode_id=story.fork_episode_id,
        after=fork_no(parts),
        lineage=tuple(part.story_id for part in parts),
        inherited=len(live) - len(own),
        own=tuple(state.no for state in own),
        pending=tuple(state.no for state in live if state.is_pending),
    )


def branches(view: View, stories: Iterable[Story]) -> tuple[Branch, ...]:
    """Tell of those of these stories that are branches, in the same order."""
    found = (branch_of(view, story) for story in stories)
    return tuple(branch for branch in found if branch is not None)
