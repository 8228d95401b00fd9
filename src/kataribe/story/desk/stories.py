"""Creating, renaming and deleting stories."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.ids import check_id, check_text
from kataribe.domain.story.inputs import Story
from kataribe.errors import ConflictError
from kataribe.ports import Transaction
from kataribe.story.fingerprints import story_of
from kataribe.story.lineage import family, root_of
from kataribe.story.staleness import refresh


def add_story(tx: Transaction, story: Story) -> Story:
    """Add a story; raise `ConflictError` when the id is taken."""
    if tx.story(story.story_id) is not None:
        raise ConflictError(f"there is a story {story.story_id!r} already; choose another id")
    if story.title is not None:
        check_text(story.title, "title")
    tx.put_story(story)
    return story


def rename_story(tx: Transaction, story_id: str, new_id: str) -> None:
    """Give a story another id; memory stays as it is."""
    story_of(tx, story_id)
    check_id(new_id, "story id")
    if new_id == story_id:
        return
    if tx.story(new_id) is not None:
        raise ConflictError(f"there is a story {new_id!r} already; choose another id")
    tx.rename_story(story_id, new_id)


def delete_story(tx: Transaction, story_id: str) -> None:
    """Remove a story with its cast, episodes, facts and memories.

    Raises `ConflictError` when there are branches of it: they read its episodes.
    """
    story_of(tx, story_id)
    if branches := tx.branches(story_id):
        named = ", ".join(branch.story_id for branch in branches)
        raise ConflictError(
            f"story {story_id!r} has branches that read it: {named}; "
            f"delete them, or `kataribe story branch detach` them, first"
        )
    tx.delete_story(story_id)


def set_audience(tx: Transaction, story_id: str, mode: AudienceMode) -> Story:
    """Say how sure a guess must be; memory is derived anew from what was found, no text is read again.

    Its family goes along: a branch reads what its parents hold.
    """
    story = story_of(tx, story_id)
    for member in family(tx, story):
        tx.put_story(replace(member, audience=mode))
    refresh(tx, root_of(tx, story).story_id)
    return replace(story, audience=mode)


def set_engines(tx: Transaction, story: Story) -> None:
    """Record another embedder or extractor for a story; what they made is stale from now on.

    Its family goes along: what a branch and its parents hold is searched together.
    """
    for member in family(tx, story_of(tx, story.story_id)):
        tx.put_story(
            replace(
                member,
                embedder=story.embedder,
                embedder_id=story.embedder_id,
                extractor=story.extractor,
                extractor_id=story.extractor_id,
            )
        )
    refresh(tx, root_of(tx, story).story_id)
