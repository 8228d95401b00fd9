"""Spaces, units and addresses: where a memory lives. The only module that writes or reads a space's name.

A name is written as the kind and the ids it stands for, separated by colons, which no id may
hold: `story:s`, `user:u`, `talk:s:u:e`. Stores, gates and traces know the name alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from kataribe.errors import InputError

_SEPARATOR = ":"
_AFTER = "after"
_AT = "at"
_START = "start"
PSEUDONYM = "~"
"""What stands before the pseudonym of a user."""


class SpaceType(StrEnum):
    """What a space holds."""

    STORY = "story"
    """The facts of a story's episodes; positions are order keys of episodes."""
    TALK = "talk"
    """What was said with a user at one episode of a story; positions are milliseconds since 1970, UTC."""
    USER = "user"
    """What was said with a user outside every story; positions are milliseconds since 1970, UTC."""
    LIBRARY = "kb"
    """The passages of a library's documents; positions are versions of documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """A container of memories: its type, and the ids of what it belongs to.

    `place` is a talk's: the id of the episode it was held at, or what `place_after` gives.
    """

    type: SpaceType
    story: str | None = None
    user: str | None = None
    place: str | None = None
    library: str | None = None

    @property
    def name(self) -> str:
        """The name under which stores keep it."""
        named = (self.story, self.user, self.place, self.library)
        ids = (part for part in named if part is not None)
        return _SEPARATOR.join((self.type.value, *ids))

    @property
    def ids(self) -> dict[str, str]:
        """The ids of the story, the user and the library it belongs to, of those that there are."""
        named = {"story": self.story, "user": self.user, "library": self.library}
        return {what: one for what, one in named.items() if one is not None}

    @property
    def whose(self) -> str | None:
        """The user whose words stand in it; None: nobody's."""
        return self.user

    @property
    def is_personal(self) -> bool:
        """Whether it belongs to a user."""
        return self.user is not None

    def under(self, pseudonym: str) -> Space:
        """Give it with its user called otherwise; as it is where it belongs to none."""
        return replace(self, user=f"{PSEUDONYM}{pseudonym}") if self.is_personal else self

    def is_under(self, pseudonym: str) -> bool:
        """Whether its user is called so."""
        return self.user == f"{PSEUDONYM}{pseudonym}"


def space_asked(*, story: str | None, user: str | None, library: str | None = None) -> Space | None:
    """Give the space of the user, else of the story, else of the library; None where none is named."""
    if user:
        return Space(type=SpaceType.USER, user=user)
    if story:
        return Space(type=SpaceType.STORY, story=story)
    return Space(type=SpaceType.LIBRARY, library=library) if library else None


def parse_space(name: str) -> Space:
    """Read a space's name. Raises `InputError` for what is none."""
    kind, _, rest = name.partition(_SEPARATOR)
    if kind == SpaceType.STORY and rest:
        return Space(type=SpaceType.STORY, story=rest)
    if kind == SpaceType.USER and rest:
        return Space(type=SpaceType.USER, user=rest)
    if kind == SpaceType.LIBRARY and rest:
        return Space(type=SpaceType.LIBRARY, library=rest)
    parts = rest.split(_SEPARATOR, 2)
    if kind == SpaceType.TALK and len(parts) == 3 and all(parts):
        return Space(type=SpaceType.TALK, story=parts[0], user=parts[1], place=parts[2])
    raise InputError(
        f"{name[:80]!r} is no space; a space is story:ID, user:ID, kb:ID or talk:STORY:USER:PLACE"
    )


def names_between(kind: SpaceType) -> tuple[str, str]:
    """Give the bounds of the names of a type of spaces: each is the first or later, and before the second."""
    return f"{kind.value}{_SEPARATOR}", f"{kind.value}{chr(ord(_SEPARATOR) + 1)}"


def ids_of(spaces: Iterable[Space]) -> tuple[str | None, str | None]:
    """Give the story and the user that these spaces name; None where none does."""
    named = tuple(spaces)
    story = next((one.story for one in named if one.story is not None), None)
    return story, next((one.user for one in named if one.user is not None), None)


@lru_cache(maxsize=1024)
def story_space(story_id: str) -> str:
    """Name the space of a story's facts."""
    return Space(type=SpaceType.STORY, story=story_id).name


def user_space(user_id: str) -> str:
    """Name the space of what was said with a user outside every story."""
    return Space(type=SpaceType.USER, user=user_id).name


def library_space(library_id: str) -> str:
    """Name the space of a library's documents."""
    return Space(type=SpaceType.LIBRARY, library=library_id).name


def talk_space(story_id: str, user_id: str, place: str) -> str:
    """Name the space of what was said with a user at a place of a story."""
    return Space(type=SpaceType.TALK, story=story_id, user=user_id, place=place).name


def place_after(episode_id: str | None) -> str:
    """Name the place after a story's last episode; None: in a story without episodes."""
    return _START if episode_id is None else f"{_AFTER}{_SEPARATOR}{episode_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkPlace:
    """Where a talk is held: at an episode, after one, or (`episode_id` None) before there is any."""

    episode_id: str | None
    is_after: bool = False


def parse_place(place: str) -> TalkPlace:
    """Read a place of a story."""
    if place == _START:
        return TalkPlace(episode_id=None, is_after=True)
    before, separator, episode_id = place.partition(_SEPARATOR)
    if not separator:
        return TalkPlace(episode_id=place)
    return TalkPlace(episode_id=episode_id, is_after=before == _AFTER)


def place_at(episode_id: str) -> str:
    """Name the place at an episode."""
    # An episode whose id is `start` must not be taken for a story without episodes.
    return f"{_AT}{_SEPARATOR}{episode_id}" if episode_id == _START else episode_id


@dataclass(frozen=True, slots=True)
class Unit:
    """What is made together in one space: an episode, one holder's share of it, or some turns of a day."""

    space: str
    name: str


def episode_unit(episode_id: str, holder: str | None = None) -> str:
    """Name the unit of an episode, or of the share of a holder who is given names that others are not."""
    return episode_id if holder is None else f"{episode_id}{_SEPARATOR}{holder}"


def episode_of(unit: str) -> str:
    """Give the episode a unit of a story is of."""
    return unit.partition(_SEPARATOR)[0]


def holder_of(unit: str) -> str | None:
    """Give the holder whose share of an episode a unit is; None: everybody else's."""
    return unit.partition(_SEPARATOR)[2] or None


@dataclass(frozen=True, slots=True)
class MemoryAddress:
    """Where a memory lives: its space, who may remember it, and from which position on."""

    space: str
    holder: str
    position: int
