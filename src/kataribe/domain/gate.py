"""The gate: which memories a viewer may be given, as a value made before any search.

A `Viewer` becomes a `Gate`, a tuple of `Slice(space, holder, upto)`. Rows of one (space,
holder) lie together sorted by position, so a slice is a prefix: the future is not filtered
out, it is not read. `DENY_ALL` is a value of its own (U-3): it admits nothing and asks no
store anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from kataribe.domain.ids import WORLD, check_id, check_text
from kataribe.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who asks, and at which episode of which story (S0-21: nothing here has a default).

    `at` is 1 or more; what happened up to `at - 1` may be remembered (S0-23).
    """

    story: str
    character: str
    at: int

    def __post_init__(self) -> None:
        check_id(self.story, "story id")
        # Who is asked for need not exist, nor be an id at all: such a one is outside the cast.
        if not isinstance(self.character, str) or not self.character:
            raise InputError(f"a viewer's character must be an id, not {self.character!r}")
        check_text(self.character, "character id")
        if isinstance(self.at, bool) or not isinstance(self.at, int) or self.at < 1:
            raise InputError(f"at must be a whole number from 1 on, not {self.at!r}")

    @property
    def cutoff(self) -> int:
        """The last episode number whose events may be remembered; 0 at episode 1."""
        return self.at - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class UserViewer:
    """Who asks about what was said with a user, and as of when.

    `persona` remembers what was said to it and what was told to all; None remembers only the
    latter. `as_of` has a zone; what was said at that moment is remembered.
    """

    user: str
    persona: str | None
    as_of: datetime

    def __post_init__(self) -> None:
        check_id(self.user, "user id")
        if self.persona is not None:
            check_id(self.persona, "persona id")
        if self.as_of.tzinfo is None:
            raise InputError(f"as_of needs a zone: {self.as_of.isoformat()} has none")


AnyViewer = Viewer | UserViewer
"""Whoever a read is made for."""

Place = tuple[int, int]
"""Where a memory stands in the story a gate was made for: (part, position), see `Slice.part`."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The memories of one holder in one space at positions up to and including `upto`.

    `part` counts the spaces a story is told in: a branch's own memories (part 1) come after
    all that it reads of its parent (part 0), whatever their positions.
    """

    space: str
    holder: str
    upto: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class Gate:
    """What may be read: the union of its slices."""

    slices: tuple[Slice, ...]

    def admits(self, *, space: str, holder: str, position: int) -> bool:
        """Whether a memory at this address may be read."""
        return any(s.space == space and s.holder == holder and position <= s.upto for s in self.slices)

    @property
    def is_closed(self) -> bool:
        """Whether it admits nothing at all."""
        return not self.slices


DENY_ALL = Gate(())


def story_space(story_id: str) -> str:
    """Name the space of a story's facts."""
    return f"story:{story_id}"


def gate_for(viewer: Viewer, *, uptos: Sequence[tuple[str, int | None]], in_cast: bool) -> Gate:
    """Turn a viewer into a gate.

    `uptos` are the parts the story is told in, the root first: each story's id and the
    position of the last episode read of it that is numbered `viewer.cutoff` or lower, None
    when there is none. Someone outside the cast gets the world's slices only: an unknown id
    never widens anything.
    """
    if viewer.cutoff < 1:
        return DENY_ALL
    holders = (WORLD, viewer.character) if in_cast else (WORLD,)
    slices = tuple(
        Slice(story_space(story_id), holder, upto, part)
        for part, (story_id, upto) in enumerate(uptos)
        if upto is not None
        for holder in holders
    )
    return Gate(slices) if slices else DENY_ALL


def gate_for_user(viewer: UserViewer, *, space: str, upto: int) -> Gate:
    """Turn a viewer of a user's space into a gate, as of a position of that space."""
    holders = (WORLD,) if viewer.persona is None else (WORLD, viewer.persona)
    return Gate(tuple(Slice(space, holder, upto) for holder in holders))
