"""Steps that can be taken back: which inputs a verb changed, and what they were before.

Inputs are told apart by keys, whose parts ids cannot hold a colon in:

- `fact:EPISODE:FACT`, `struck:EPISODE:HOLDER:HASH`, `pin:EPISODE:FACT`, `notes:EPISODE`
- `text:EPISODE` (with title and paragraph cuts), `no:EPISODE`, `gone:EPISODE` (when it was deleted)
- `source:EPISODE` (where its facts come from, with the author's own fields)
- `character:ID`, `group:ID`, and `said:ID`, `groupsaid:ID` (what the cast file said at its last import)
- `audience:mode` (how sure a guess must be, in the whole family of a story)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

STEPS_KEPT = 1000
"""How many steps of a story can be taken back; older ones are forgotten."""

AUDIENCE = "audience:mode"
"""The key of a story's audience mode."""

_OF_EPISODE = frozenset({"fact", "struck", "pin", "notes", "text", "source", "no", "gone"})
_PLACES = frozenset({"no", "gone"})
_OF_CAST = frozenset({"character", "said", "group", "groupsaid"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which inputs of a story a verb may change.

    `episodes` are those whose text, annotations, facts and decisions it may change (None: all);
    `places` adds every episode's number and deletion and whatever names a number; `cast` adds
    the declared cast, `settings` the audience mode.
    """

    episodes: frozenset[str] | None = frozenset()
    places: bool = False
    cast: bool = False
    settings: bool = False


EVERYTHING = Scope(episodes=None, places=True, cast=True, settings=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something an author did that can be taken back.

    `number` counts up within the story. `before` holds the changed inputs as they were by key,
    None for one that was not there; `after` a digest of what the step made of each, None for
    one it took out.
    """

    number: int
    at: str
    summary: str
    before: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    after: Mapping[str, str | None] = field(default_factory=dict, repr=False)


def kind_of(key: str) -> str:
    """Give what sort of input a key stands for."""
    return key.partition(":")[0]


def episode_of(key: str) -> str | None:
    """Give the episode an input belongs to; None for a character or a setting."""
    parts = key.split(":")
    return parts[1] if parts[0] in _OF_EPISODE else None


def episodes_of(keys: Iterable[str]) -> frozenset[str]:
    """Give the episodes these inputs belong to."""
    return frozenset(found for found in map(episode_of, keys) if found is not None)


def scope_of(keys: Iterable[str]) -> Scope:
    """Give a scope that covers these inputs."""
    listed = list(keys)
    kinds = {kind_of(key) for key in listed}
    within = episodes_of(key for key in listed if kind_of(key) not in _PLACES)
    return Scope(
        episodes=within,
        places=bool(kinds & _PLACES),
        cast=bool(kinds & _OF_CAST),
        settings=AUDIENCE in listed,
    )


def brief(text: str) -> str:
    """Give the beginning of a text on one line, for a summary."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"
