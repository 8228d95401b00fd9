"""Where something is said with a user: outside every story, or as talk held at an episode of one."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.errors import InputError


@dataclass(frozen=True, slots=True)
class TalkEpisode:
    """The episode at which talk under a story is held: the number of a live one, or that after the last."""

    story_id: str
    no: int


def talk_episode(story_id: str | None, at: int | None) -> TalkEpisode | None:
    """Give the episode at which talk is held; None: what is said is outside every story.

    Raises `InputError` for a story without an episode, and the other way round.
    """
    if story_id is None and at is None:
        return None
    if story_id is None or at is None:
        raise InputError("talk under a story is held at an episode: give both the story and at")
    return TalkEpisode(story_id, at)
