"""What a writer asks of a whole story: who knows what of whom, and what a new text would move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectKnowledge:
    """What one holder knows of one subject.

    `own` are the ids of the facts that it holds itself and everybody does not, in story order;
    `total` counts what everybody knows too, and `last_no` is the episode the newest is told in.
    """

    holder: str
    name: str
    own: tuple[str, ...]
    total: int
    last_no: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Somebody or something that facts name, and who knows what of it.

    `subject` is a character's id, a name outside the cast, or empty for facts that name nobody.
    """

    subject: str
    name: str
    in_cast: bool
    fact_ids: tuple[str, ...]
    everybody: tuple[str, ...]
    holders: tuple[SubjectKnowledge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeSummary:
    """Who knows what, by subject, as of the beginning of episode `at` (None: after the last)."""

    story_id: str
    title: str | None
    at: int | None
    texts: Mapping[str, str]
    """Every fact that is counted, by id, in story order."""
    subjects: tuple[Subject, ...]
    pending: tuple[int, ...]


class MovedFact(StrEnum):
    """What becomes of a fact."""

    NEW = "new"
    GONE = "gone"
    HOLDERS = "holders"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactImpact:
    """A fact that a new text moves: its words, and who holds it before and after (empty: in review)."""

    fact_id: str
    episode_no: int
    change: MovedFact
    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderImpact:
    """How many facts a holder gains and loses."""

    holder: str
    name: str
    gains: int
    loses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeImpact:
    """A labelled question of which the hits change, or whether it finds its evidence.

    `lost` and `gained` are ids of facts among the first ten hits.
    """

    question: str
    character: str
    at: int
    met_before: bool
    met_after: bool
    lost: tuple[str, ...]
    gained: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What a new text of an episode would move; nothing of it is stored.

    `change` is what putting the text would be: `new`, `edited` or `unchanged`. `probes` are
    those that move, of `asked`. `pending` are the numbers of other episodes that would have to be
    synced too: what is made of them is not in here.
    """

    story_id: str
    episode_no: int
    change: str
    kept: int
    facts: tuple[FactImpact, ...]
    holders: tuple[HolderImpact, ...]
    asked: int
    probes: tuple[ProbeImpact, ...]
    pending: tuple[int, ...]
