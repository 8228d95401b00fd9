"""Save slots: the inputs of a story as they stood once, kept under a name."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.domain.ids import check_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A story's inputs under a name: what `rewind` makes the story again.

    `at` is when it was made (ISO 8601). `episodes` counts the live episodes and `facts` the
    supplied and hand-made facts in it. Of a branch `fork_episode_id` is the parent's last
    episode that it read and `fork_no` its number then; None and 0 of any other story.
    """

    name: str
    at: str
    episodes: int
    facts: int
    fork_episode_id: str | None = None
    fork_no: int = 0

    def __post_init__(self) -> None:
        check_id(self.name, "checkpoint name")
