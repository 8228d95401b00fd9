"""Creating, renaming and deleting stories."""

from __future__ import annotations

from kataribe.domain.ids import check_id, check_text
from kataribe.domain.story import Story
from kataribe.errors import ConflictError
from kataribe.ports import Writing
from kataribe.write.refresh import refresh, story_of


def add_story(ledger: Writing, story: Story) -> Story:
    """Add a story; raise `ConflictError` when the id is taken."""
    if ledger.story(story.story_id) is not None:
        raise ConflictError(f"there is a story {story.story_id!r} already; choose another id")
    if story.title is not None:
        check_text(story.title, "title")
    ledger.put_story(story)
    return story


def rename_story(ledger: Writing, story_id: str, new_id: str) -> None:
    """Give a story another id; memory stays as it is."""
    story_of(ledger, story_id)
    check_id(new_id, "story id")
    if new_id == story_id:
        return
    if ledger.story(new_id) is not None:
        raise ConflictError(f"there is a story {new_id!r} already; choose another id")
    ledger.rename_story(story_id, new_id)


def delete_story(ledger: Writing, story_id: str) -> None:
    """Remove a story with its cast, episodes, facts and memories."""
    story_of(ledger, story_id)
    ledger.delete_story(story_id)


def set_engines(ledger: Writing, story: Story) -> None:
    """Record another embedder or extractor for a story; what they made is stale from now on."""
    ledger.put_story(story)
    refresh(ledger, story.story_id)
