"""What goes from step to step of a read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kataribe.domain.conversation import User
from kataribe.domain.gate import AnyViewer, Gate, Viewer
from kataribe.domain.memory import Candidate
from kataribe.domain.story import Character, Story
from kataribe.read.lineage import Parts


@dataclass(frozen=True, slots=True)
class Opened:
    """A gate, and what the viewer may know of the cast behind it.

    `home` is the story or the user whose space is read. For a user there are no cast, no
    pending episodes and no parts.
    """

    viewer: AnyViewer
    home: Story | User
    gate: Gate
    in_cast: bool
    cast: tuple[Character, ...] = ()
    pending: tuple[int, ...] = ()
    pending_turns: int = 0
    parts: Parts = ()

    @property
    def who(self) -> str | None:
        """Whose secrets are read: a character of the cast or a persona; None: nobody's."""
        if isinstance(self.viewer, Viewer):
            return self.viewer.character if self.in_cast else None
        return self.viewer.persona

    @property
    def cutoff(self) -> int:
        """The last episode number that may be remembered; 0 for a user, who has none."""
        return self.viewer.cutoff if isinstance(self.viewer, Viewer) else 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The terms to look for, and the names that were added to the question's own."""

    terms: tuple[str, ...]
    expansions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the searches found, and each one's scores by key; all three have the same keys."""

    found: Mapping[int, Candidate]
    similarity: Mapping[int, float]
    keyword: Mapping[int, float]


class Scored(NamedTuple):
    """A candidate and its score; `used` is what the viewer's own uses added to it."""

    candidate: Candidate
    score: float
    used: float = 0.0

    def order(self) -> tuple[float, int, int, str, str]:
        """Sort best first, ties in story order, then by fact id, then holder (P2)."""
        return (-self.score, *self.candidate.order()[1:])
