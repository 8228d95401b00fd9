"""Tags of episodes: by one an editor says which text it has read."""

from __future__ import annotations

from kataribe.domain.ids import digest
from kataribe.domain.story.inputs import Episode

ANY_EPISODE, NO_EPISODE = "*", ""
"""In the place of a tag: there must be an episode, whatever it says; there must be none."""


def episode_tag(episode: Episode) -> str:
    """Give the tag of an episode: another as soon as its text, its title or its number is another."""
    told = (episode.episode_id, str(episode.no), str(episode.version), episode.title or "", episode.text)
    return digest("episode", *told)
