"""Branches (IF stories): forking one off a story, and letting it stand by itself."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.lineage import Parts
from kataribe.domain.story.inputs import Story
from kataribe.domain.story.numbering import GAP
from kataribe.errors import ConflictError
from kataribe.ports import Transaction
from kataribe.story.desk.episodes import read_state
from kataribe.story.desk.stories import add_story
from kataribe.story.fingerprints import story_of
from kataribe.story.lineage import lineage, part_of, seen_cast, seen_facts, seen_groups, seen_states
from kataribe.story.staleness import note_inputs, refresh


def add_branch(tx: Transaction, story_id: str, *, of: str, after: int, title: str | None = None) -> Story:
    """Fork a new story off another, which is read up to and including its episode `after`.

    The parent is the story that owns that episode: forking a branch after an episode it
    reads of its own parent makes another branch of that parent. Language, embedder and
    extractor are the parent's. Raises `NotFoundError`, `ConflictError`.
    """
    forked = story_of(tx, of)
    fork = read_state(tx, lineage(tx, forked), after)
    parent = story_of(tx, fork.story_id)
    branch = replace(
        parent,
        story_id=story_id,
        title=title,
        parent=parent.story_id,
        fork_episode_id=fork.episode_id,
        extra={},
    )
    return add_story(tx, branch)


def detach_branch(tx: Transaction, story_id: str) -> tuple[str, ...]:
    """Give a branch copies of all it reads, and no parent any more.

    Returns the ids of the episodes copied, whose memory is to be made. Raises
    `ConflictError` for a story that is no branch.
    """
    story = story_of(tx, story_id)
    if story.parent is None:
        raise ConflictError(f"story {story_id!r} is no branch; `kataribe story branch list` shows them")
    parts = lineage(tx, story)
    cast, groups = seen_cast(tx, parts), seen_groups(tx, parts)
    copied = _copy_episodes(tx, parts)
    for own in tx.characters(story_id):
        tx.delete_character(story_id, own.character_id)
    for character in cast:
        tx.put_character(story_id, character)
    for group in groups.values():
        tx.put_group(story_id, group)
    tx.put_story(replace(story, parent=None, fork_episode_id=None))
    for episode_id in copied:
        note_inputs(tx, story_id, episode_id)
    refresh(tx, story_id)
    return copied


def _copy_episodes(tx: Transaction, parts: Parts) -> tuple[str, ...]:
    """Put what is read of the parents before the branch's own episodes; what was deleted stays behind."""
    *above, own = parts
    inherited = [state for state in seen_states(tx, tuple(above)) if state.is_live]
    places = {state.episode_id: (at + 1) * GAP for at, state in enumerate(inherited)}
    behind = len(inherited) + 1
    states = tx.episode_states(own.story_id)
    keys = {state.episode_id: (behind + at) * GAP for at, state in enumerate(states)}
    tx.set_numbers(own.story_id, {}, keys)
    for state in inherited:
        owner, episode_id = part_of(parts, state), state.episode_id
        tx.copy_episode(owner.story_id, episode_id, own.story_id, order_key=places[episode_id])
        tx.put_facts(own.story_id, episode_id, seen_facts(tx, owner, episode_id))
    return tuple(places)
