"""What is kept between readings of one open store: all of it of a known revision, none of it the truth."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

from kataribe.adapters.sql.traits import TraitCache
from kataribe.arena.arena import Arena
from kataribe.arena.table import Tables
from kataribe.domain.conversation.life.values import Fates
from kataribe.domain.conversation.turns import User
from kataribe.domain.story.groups import Group
from kataribe.domain.story.inputs import Character, Story

K = TypeVar("K")
T = TypeVar("T")

_KEPT = 256
"""Stories and spaces of which something is kept."""
_ANSWERS = 4096
"""Answers kept by one connection."""
_FATES = 50_000
"""Turns of which it is kept how they stand."""
_EPISODES = 4096
"""Episodes of which it is kept where their paragraphs begin."""


class Answers:
    """What one connection has read of the store as it stands: forgotten as soon as anybody has written.

    A connection is used by one view at a time.
    """

    def __init__(self) -> None:
        self._version: tuple[int, int, int] | None = None
        self._kept: dict[Hashable, object] = {}

    def of(self, driver: sqlite3.Connection, generation: int) -> Answers:
        """Begin a view: what was read of an earlier version of the store is forgotten.

        `data_version` counts what other connections committed, `total_changes` what this one
        changed; asking for the first begins the view's snapshot.
        """
        seen = driver.execute("PRAGMA data_version").fetchone()[0]
        version = (seen, driver.total_changes, generation)
        if version != self._version or len(self._kept) > _ANSWERS:
            self._version, self._kept = version, {}
        return self

    def get(self, key: Hashable, read: Callable[[], T]) -> T:
        """Give an answer, read when it is asked for first; None is an answer too."""
        if key not in self._kept:
            self._kept[key] = read()
        return cast(T, self._kept[key])

    def of_each(
        self, name: str, keys: Collection[int], read: Callable[[Collection[int]], Mapping[int, T]]
    ) -> dict[int, T]:
        """Give an answer for each of these keys that has one; those not read yet are read together."""
        kept = self._kept
        if missing := [key for key in keys if (name, key) not in kept]:
            found = read(missing)
            kept.update(((name, key), found.get(key)) for key in missing)
        known = ((key, kept[name, key]) for key in keys)
        return {key: cast(T, value) for key, value in known if value is not None}


def answers_of(driver: sqlite3.Connection, info: dict[Any, Any], generation: int) -> Answers:
    """Give what a connection has read, out of what is kept beside it (`info`)."""
    kept: Answers = info.setdefault("answers", Answers())
    return kept.of(driver, generation)


class _ByRevision(Generic[K, T]):
    """The last value of each key and the revision, or whatever else it depends on, it was read at.

    `most` is how much is kept of them together, by what `size` says of each.
    """

    def __init__(self, most: int = _KEPT, size: Callable[[T], int] = lambda _: 1) -> None:
        self._most = most
        self._size = size
        self._held = 0
        self._kept: dict[K, tuple[Hashable, T]] = {}

    def get(self, key: K, revision: Hashable, read: Callable[[K], T]) -> T:
        kept = self._kept.get(key)
        if kept is not None and kept[0] == revision:
            return kept[1]
        value = read(key)
        self._held += self._size(value) - (0 if kept is None else self._size(kept[1]))
        if self._held > self._most:
            self.clear()
            self._held = self._size(value)
        self._kept[key] = (revision, value)
        return value

    def clear(self) -> None:
        self._kept.clear()
        self._held = 0


class Caches:
    """The arena, and stories, casts, users and speakers by revision.

    Shared by threads; any of it may be forgotten.

    A writing transaction has its own (`shared=False`), without what is kept of memories: all its
    changes have one revision, and none of them may be seen by others yet.
    """

    def __init__(self, arena: Arena | None, *, shared: bool = True) -> None:
        self.arena = arena
        self.shared = shared
        self.traits = TraitCache() if shared else None
        self.tables = Tables() if shared and arena is not None else None
        self.generation = 0
        """Counts how often everything was forgotten."""
        self._stories: _ByRevision[str, Story | None] = _ByRevision()
        self._casts: _ByRevision[str, tuple[Character, ...]] = _ByRevision()
        self._groups: _ByRevision[str, tuple[Group, ...]] = _ByRevision()
        self._mentioned: _ByRevision[str, Mapping[str, int]] = _ByRevision()
        self._users: _ByRevision[str, User | None] = _ByRevision()
        self._voices: _ByRevision[tuple[str, str], Mapping[str, int]] = _ByRevision()
        self._fates: _ByRevision[tuple[str, str], Fates] = _ByRevision(_FATES, lambda fates: len(fates.rows))
        self._starts: _ByRevision[tuple[str, str], Sequence[int]] = _ByRevision(_EPISODES)

    def forget_texts(self) -> None:
        """Forget what was said and told, and what connections have read."""
        self.generation += 1
        self._fates.clear()
        if self.traits is not None:
            self.traits.clear()
        if self.tables is not None:
            self.tables.clear()

    def clear(self) -> None:
        """Forget everything, so that what is asked next is read from the file."""
        self.forget_texts()
        if self.arena is not None:
            self.arena.clear()
        for kept in (self._stories, self._casts, self._groups, self._mentioned, self._users, self._voices):
            kept.clear()
        self._starts.clear()

    def story(self, story_id: str, revision: int, read: Callable[[str], Story | None]) -> Story | None:
        """Give a story."""
        return self._stories.get(story_id, revision, read)

    def cast(
        self, story_id: str, revision: int, read: Callable[[str], tuple[Character, ...]]
    ) -> tuple[Character, ...]:
        """Give a declared cast."""
        return self._casts.get(story_id, revision, read)

    def groups(
        self, story_id: str, revision: int, read: Callable[[str], tuple[Group, ...]]
    ) -> tuple[Group, ...]:
        """Give the groups of a cast."""
        return self._groups.get(story_id, revision, read)

    def mentioned(
        self, story_id: str, revision: int, read: Callable[[str], Mapping[str, int]]
    ) -> Mapping[str, int]:
        """Give who is named by rows of live episodes, and from which number on."""
        return self._mentioned.get(story_id, revision, read)

    def user(self, user_id: str, revision: int, read: Callable[[str], User | None]) -> User | None:
        """Give a user."""
        return self._users.get(user_id, revision, read)

    def voices(
        self, address: tuple[str, str], revision: int, read: Callable[[tuple[str, str]], Mapping[str, int]]
    ) -> Mapping[str, int]:
        """Give who speaks in one holder's memories of a space, and from which position on."""
        return self._voices.get(address, revision, read)

    def fates(self, home: tuple[str, str], revision: int, read: Callable[[tuple[str, str]], Fates]) -> Fates:
        """Give how the turns of a space stand for a holder at last."""
        return self._fates.get(home, revision, read)

    def starts(
        self, episode: tuple[str, str], text_print: str, read: Callable[[tuple[str, str]], Sequence[int]]
    ) -> Sequence[int]:
        """Give where the paragraphs of an episode's text begin; `text_print` changes with the text."""
        return self._starts.get(episode, text_print, read)
