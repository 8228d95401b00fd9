"""What programs are shown of what an author gave: stories, episodes, casts, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict

from kataribe.domain.records import EpisodeState
from kataribe.domain.story.cast_merge import CastMerge
from kataribe.domain.story.inputs import Address, Character, Episode, Narration, Story
from kataribe.domain.terms import Audience


class StoryJson(TypedDict):
    """A line of `story list --json`, and the one object of `story add|model|audience|branch detach --json`.

    `audience` is how sure a guess must be to be somebody's memory: `strict`, `evident` or `wide`.
    """

    id: str
    title: str | None
    language: str
    language_told: bool
    embedder: str
    embedder_id: str
    model: str
    extractor_id: str
    audience: str
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
    """A line of `episode list --json`, and the one object of `episode delete|restore|renumber --json`.

    `state` is `in memory`, `pending` or `deleted`.
    """

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


class NarrationJson(TypedDict):
    """Episodes that a character tells, `first` to `last`; to `told_to` where that is a telling."""

    first: int
    last: int
    told_to: list[str]


class CharacterJson(TypedDict):
    """A line of `cast list --json`, and the one object of `cast show|add|edit|rename --json`."""

    id: str
    name: str
    declared: bool
    since: int
    names: list[KnownNameJson]
    narrates: list[NarrationJson]


class CastClashJson(TypedDict):
    """What both a hand and the file changed of a character, or of a group `@ID`; the file's was taken."""

    id: str
    field: str


class CastImportJson(TypedDict):
    """The one object of `cast import --json`.

    `kept` are ids that stand otherwise than in the file, because only a hand changed them.
    """

    story: str
    characters: int
    groups: int
    changed: int
    kept: list[str]
    clashes: list[CastClashJson]


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
        "audience": story.audience.value,
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
        "narrates": [_narration(told) for told in one.narrates],
    }


def _narration(told: Narration) -> NarrationJson:
    return {"first": told.since, "last": told.until, "told_to": sorted(told.told_to)}


def cast_import_json(story_id: str, merged: CastMerge, *, characters: int, groups: int) -> CastImportJson:
    """Give what became of a cast that a file was brought into."""
    return {
        "story": story_id,
        "characters": characters,
        "groups": groups,
        "changed": merged.changed,
        "kept": list(merged.kept),
        "clashes": [{"id": one.character, "field": one.field} for one in merged.clashes],
    }


def _name(kind: str, text: str, address: Address) -> KnownNameJson:
    return {"kind": kind, "text": text, "since": address.since, "known_by": _holders(address.audience)}


def _holders(audience: Audience) -> list[str]:
    return list(audience.holders())
