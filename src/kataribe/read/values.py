"""What goes from step to step of a read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kataribe.domain.conversation import User
from kataribe.domain.gate import AnyViewer, Gate, Viewer
from kataribe.domain.memory import Candidate, Trait
from kataribe.domain.planning import SearchPlan
from kataribe.domain.ranking import Floats
from kataribe.domain.story import Character, Story
from kataribe.read.lineage import Parts

UNPLANNED = SearchPlan(made_by="none")
"""The plan of nobody: the question's own words."""


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

    @property
    def is_talk(self) -> bool:
        """Whether it is what was said with a user that is read, and not a story."""
        return isinstance(self.home, User)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to look for.

    `terms` are keywords, `expansions` the names that were added to the question's own, and
    `phrases` are to be found word by word (normalised, in folded case). `named` are the speakers
    in the question, `only` those when they are some but not all. `searched` is the planner's.
    """

    terms: tuple[str, ...]
    expansions: tuple[str, ...]
    phrases: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    only: frozenset[str] = frozenset()
    searched: SearchPlan = UNPLANNED


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the searches found, each one's scores by key, and what ranking looks at beside them.

    All but `beside` have the same keys; `beside` gives the keys (before, after) of a turn's
    neighbours. `near` and `wordy` count what each search found, `is_all` tells that a wider
    search would find nothing more that could count.
    """

    found: Mapping[int, Candidate]
    similarity: Mapping[int, float]
    keyword: Mapping[int, float]
    traits: Mapping[int, Trait]
    beside: Mapping[int, tuple[int | None, int | None]]
    near: int
    wordy: int
    is_all: bool


class Scored(NamedTuple):
    """A candidate, its score, its relevance (what the score is without intent), and its row."""

    candidate: Candidate
    score: float
    relevance: float
    row: int

    def order(self) -> tuple[float, float, int, int, str, str]:
        """Sort best first, ties by relevance, then in story order, then by fact id, then holder (P2)."""
        return (-self.score, -self.relevance, *self.candidate.order()[1:])


@dataclass(frozen=True, slots=True)
class Ranked:
    """All candidates, the best first, and what their scores are made of: a column for each part."""

    scored: tuple[Scored, ...]
    columns: Mapping[str, Floats]
