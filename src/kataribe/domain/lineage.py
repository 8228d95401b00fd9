"""Of what a story is told: its own episodes, and of a branch also those of its parents up to the forks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """The episodes of one story that are read, from its first on.

    `cap` is the order key and `cap_no` the number of the last of them: the episode the next
    part is forked after, deleted or not. Both are None for the story itself, which is read
    to its end.
    """

    story_id: str
    cap: int | None = None
    cap_no: int | None = None

    def holds_no(self, no: int) -> bool:
        """Whether this number is not after the part."""
        return self.cap_no is None or no <= self.cap_no

    def holds_key(self, order_key: int) -> bool:
        """Whether an episode of the story, or a memory, at this place is in the part."""
        return self.cap is None or order_key <= self.cap


Parts = tuple[Part, ...]
"""From the root story to the story that is read; never empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryScope:
    """What a viewer's story is told in, and whether the viewer is in its cast."""

    parts: Parts
    in_cast: bool
