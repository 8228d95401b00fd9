"""Traits and neighbours of memories kept between views: what ranking looks at, read once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from kataribe.adapters.sql.segments import SqlFeed
from kataribe.domain.memory import Trait

_KEPT = 1 << 17
"""Traits kept of one space; more of them are forgotten together."""
_SPACES = 64
"""Spaces of which traits are kept."""

Beside = tuple[int | None, int | None, int]
"""The keys of what stands before and after a memory at one holder, and the position of the latter."""
_At = tuple[str, int]


@dataclass(slots=True)
class _Kept:
    """What is kept of one space as of a revision of its memories."""

    revision: int
    traits: dict[int, Trait] = field(default_factory=dict)
    by_unit: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    beside: dict[_At, Beside] = field(default_factory=dict)


class TraitCache:
    """Traits by space, each space as of one revision; what is kept of a unit goes when the unit changes.

    Shared by threads. A view older than what is kept is given nothing, and nothing is kept of it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._spaces: dict[str, _Kept] = {}

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._spaces.clear()

    def traits(self, feed: SqlFeed, space: str, keys: Collection[int]) -> dict[int, Trait]:
        """Give the traits that are known of these memories."""
        with self._lock:
            kept = self._at(feed, space)
            if kept is None or not kept.traits:
                return {}
            return {key: kept.traits[key] for key in keys if key in kept.traits}

    def keep_traits(self, feed: SqlFeed, space: str, found: Iterable[tuple[str, Trait]]) -> None:
        """Keep traits with the units of their memories."""
        with self._lock:
            kept = self._at(feed, space)
            if kept is None:
                return
            if len(kept.traits) > _KEPT:
                kept.traits.clear()
                kept.by_unit.clear()
            for unit, trait in found:
                kept.traits[trait.key] = trait
                kept.by_unit[unit].append(trait.key)

    def beside(self, feed: SqlFeed, space: str, holder: str, keys: Collection[int]) -> dict[int, Beside]:
        """Give what is known to stand beside these memories at a holder."""
        with self._lock:
            kept = self._at(feed, space)
            if kept is None or not kept.beside:
                return {}
            known = kept.beside
            return {key: known[holder, key] for key in keys if (holder, key) in known}

    def keep_beside(self, feed: SqlFeed, space: str, holder: str, found: Mapping[int, Beside]) -> None:
        """Keep what stands beside memories at a holder."""
        with self._lock:
            kept = self._at(feed, space)
            if kept is None:
                return
            if len(kept.beside) > 2 * _KEPT:
                kept.beside.clear()
            kept.beside.update(((holder, key), beside) for key, beside in found.items())

    def _at(self, feed: SqlFeed, space: str) -> _Kept | None:
        """Bring what is kept of a space up to the view; None for a view that is older than that."""
        revision, kept = feed.revision(space), self._spaces.get(space)
        if kept is not None and kept.revision == revision:
            return kept
        if kept is None or (units := self._changed(feed, space, kept, revision)) is None:
            if kept is not None and kept.revision > revision:
                return None
            if len(self._spaces) >= _SPACES:
                self._spaces.clear()
            self._spaces[space] = _Kept(revision)
            return self._spaces[space]
        for unit in units:
            for key in kept.by_unit.pop(unit, ()):
                kept.traits.pop(key, None)
        # A neighbour may be of another unit than what it stands beside.
        kept.beside.clear()
        kept.revision = revision
        return kept

    @staticmethod
    def _changed(feed: SqlFeed, space: str, kept: _Kept, revision: int) -> Collection[str] | None:
        return None if kept.revision > revision else feed.changed(space, kept.revision)
