"""What programs are shown of what an author gave: stories, episodes, casts, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict

from kataribe.domain.records import EpisodeState
from kataribe.domain.story.inputs import Address, Character, Episode, Story
from kataribe.domain.terms import Audience


class StoryJson(TypedDict):
    """A line of `story list --json`, and the one object of `story add --json` and `story model --json`."""

    id: str
    title: str | None
    language: str
    language_told: bool
    embedder: str
    embedder_id: str
    model: str
    extractor_id: str
    parent: str | None
    fork_episode_id: str | None


class StoryStateJson(TypedDict):
    """The one object of `story show --json`; episodes are told by their numbers."""

    story: StoryJson
    cast: list[str]
    episodes: list[int]
    deleted: list[int]
    pending: list[int]


class StoryImportJson(TypedDict):
    """The one object of `story import --json`: episodes by their ids."""

    story: str
    language: str
    new: list[str]
    edited: list[str]
    unchanged: list[str]
    facts: int
    cast_changed: int
    joined: list[str]
    is_open: bool
    to_sync: int


class EpisodeStateJson(TypedDict):
    """A line of `episode list --json`; `state` is `in memory`, `pending` or `deleted`."""

    story: str
    no: int
    episode_id: str
    version: int
    title: str | None
    facts: str
    characters: int
    state: str
    deleted_at: str | None


class EpisodeJson(TypedDict):
    """The one object of `episode show --json`."""

    story: str
    no: int
    episode_id: str
    version: int
    title: str | None
    facts: str
    text: str


class EpisodePutJson(TypedDict):
    """The one object of `episode put --json`, `episode insert --json` and `tell --json`.

    `change` is `new`, `edited` or `unchanged`; `pending` says that a sync is needed.
    """

    story: str
    no: int
    episode_id: str
    version: int
    change: str
    pending: bool


class KnownNameJson(TypedDict):
    """A name or a description, the number of the episode it is known from (0: the start) and who knows it."""

    kind: str
    text: str
    since: int
    known_by: list[str]


class CharacterJson(TypedDict):
    """A line of `cast list --json`, and the one object of `cast show --json`."""

    id: str
    name: str
    declared: bool
    since: int
    names: list[KnownNameJson]


class FactIdJson(TypedDict):
    """The one object of `fact add --json`."""

    story: str
    fact_id: str
    in_review: bool


def story_json(story: Story) -> StoryJson:
    """Give what was chosen for a story."""
    return {
        "id": story.story_id,
        "title": story.title,
        "language": story.language,
        "language_told": story.language_told,
        "embedder": story.embedder,
        "embedder_id": story.embedder_id,
        "model": story.extractor,
        "extractor_id": story.extractor_id,
        "parent": story.parent,
        "fork_episode_id": story.fork_episode_id,
    }


def story_state_json(
    story: Story, cast: Iterable[Character], episodes: Sequence[EpisodeState]
) -> StoryStateJson:
    """Give a story with how far its memory is."""
    return {
        "story": story_json(story),
        "cast": [one.character_id for one in cast],
        "episodes": [one.no for one in episodes if one.is_live],
        "deleted": [one.no for one in episodes if not one.is_live],
        "pending": [one.no for one in episodes if one.is_pending],
    }


def episode_state_json(episode: EpisodeState) -> EpisodeStateJson:
    """Give an episode without its text."""
    return {
        "story": episode.story_id,
        "no": episode.no,
        "episode_id": episode.episode_id,
        "version": episode.version,
        "title": episode.title,
        "facts": episode.fact_source.value,
        "characters": episode.characters,
        "state": state_of(episode),
        "deleted_at": episode.deleted_at,
    }


def state_of(episode: EpisodeState) -> str:
    """Say in a word how an episode stands."""
    return "deleted" if not episode.is_live else "pending" if episode.is_pending else "in memory"


def episode_json(episode: Episode, story_id: str) -> EpisodeJson:
    """Give an episode with its text."""
    return {
        "story": story_id,
        "no": episode.no,
        "episode_id": episode.episode_id,
        "version": episode.version,
        "title": episode.title,
        "facts": episode.fact_source.value,
        "text": episode.text,
    }


def episode_put_json(episode: EpisodeState, *, change: str) -> EpisodePutJson:
    """Give what became of an episode that was put."""
    return {
        "story": episode.story_id,
        "no": episode.no,
        "episode_id": episode.episode_id,
        "version": episode.version,
        "change": change,
        "pending": episode.is_pending,
    }


def character_json(one: Character) -> CharacterJson:
    """Give a character with every name, and who knows it from when on."""
    names = [_name(alias.kind.value, alias.text, alias.address) for alias in one.aliases]
    names += [_name("description", said.text, said.address) for said in one.descriptions]
    return {
        "id": one.character_id,
        "name": one.name,
        "declared": one.declared,
        "since": one.since,
        "names": names,
    }


def _name(kind: str, text: str, address: Address) -> KnownNameJson:
    return {"kind": kind, "text": text, "since": address.since, "known_by": _holders(address.audience)}


def _holders(audience: Audience) -> list[str]:
    return list(audience.holders())
