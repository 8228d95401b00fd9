"""The writer's views: what an author is shown across all viewers. Never given to a character."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from kataribe.domain.evidence import EvidenceKind, Holding
from kataribe.domain.gate import Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.memory import Reason, Said
from kataribe.domain.terms import FactOrigin

REVIEW = ""
"""The holder of what waits in review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One holder's copy of a fact, as far as the views need it; `holder` is empty in review.

    `position` is that of its episode in its own story.
    """

    holder: str
    position: int
    episode_id: str
    fact_id: str
    text: str
    origin: FactOrigin
    reason: Reason
    flagged: bool = False
    quote: str | None = None
    quote_no: int | None = None
    supersedes: str | None = None
    told_from: str | None = None
    evidence: EvidenceKind | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeMark:
    """A live episode of a story as it is read: `story_id` is the parent's for one that is inherited.

    One that is not `in_memory` waits to be synced, whole or in part: what is due of it is in no view.
    """

    no: int
    episode_id: str
    title: str | None
    story_id: str
    in_memory: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A fact on a line: who holds it, and since which episode.

    `superseded_by` names the fact that takes its place for whom the line is about. `evidence` and
    `confidence` are of a line of the matrix: what speaks for its holder.
    """

    fact_id: str
    holder: str
    episode_no: int
    text: str
    superseded_by: str | None = None
    evidence: EvidenceKind | None = None
    confidence: float | None = None


# -- matrix --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the matrix: the world's, a character's, or (an empty holder) that of what is in review.

    `counts` are by episode number, episodes without any left out.
    """

    holder: str
    name: str
    counts: Mapping[int, int]

    @property
    def total(self) -> int:
        """How many facts it gains in the episodes shown."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Who gains what in which episode; it is memory from the next episode on.

    `lines` are in story order, empty when only counts were asked for.
    """

    story_id: str
    title: str | None
    episodes: tuple[EpisodeMark, ...]
    rows: tuple[Row, ...]
    lines: tuple[Line, ...] = ()

    @property
    def pending(self) -> tuple[int, ...]:
        """The numbers of the episodes shown that are not in memory yet."""
        return pending_of(self.episodes)


def pending_of(episodes: tuple[EpisodeMark, ...]) -> tuple[int, ...]:
    """Give the numbers of those that are not in memory yet."""
    return tuple(episode.no for episode in episodes if not episode.in_memory)


# -- diff ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What two viewers know: what only one of them does, and what the second knows better.

    `superseded` are facts that the first holds for true and the second knows to be replaced.
    `missing` are the viewers' characters that are not in the cast by then.
    """

    left: Viewer
    right: Viewer
    only_left: tuple[Line, ...]
    only_right: tuple[Line, ...]
    superseded: tuple[Line, ...]
    pending: tuple[int, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodePair:
    """A number at which two stories differ; None where one of them has no such episode."""

    no: int
    left: EpisodeMark | None
    right: EpisodeMark | None
    changed: tuple[str, ...] = ()
    """What differs when both are there: `text`, `title`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDifference:
    """Where two stories part: episodes that differ, and facts that one has and the other has not.

    A fact is the same when the same holder holds the same words, wherever they are told.
    `shared` counts the episodes that both read, being of one line.
    """

    left: str
    right: str
    at: int | None
    shared: int
    episodes: tuple[EpisodePair, ...]
    only_left: tuple[Line, ...]
    only_right: tuple[Line, ...]
    pending_left: tuple[int, ...] = ()
    pending_right: tuple[int, ...] = ()


# -- why -----------------------------------------------------------------------------------


class WhyStep(StrEnum):
    """What is asked of a fact or of a turn, in the order of the gate."""

    LIVE = "live"
    """Its episode is not deleted, and the story as it is read holds it."""
    SOURCE = "source"
    """It is still made from what the episode says now: not struck out, not gone from the text."""
    IN_MEMORY = "in_memory"
    """Its episode, or the turns it was said with, are synced."""
    BEFORE = "before"
    """Its episode lies before the one the viewer stands at; talk was held at that one or before."""
    SAID_BY = "said_by"
    """Of a turn: it was said by the viewer's moment."""
    SETTLED = "settled"
    """It does not wait in review."""
    HELD = "held"
    """It is public, or the viewer's character holds it."""
    CAST = "cast"
    """The character is in the cast by then."""
    CURRENT = "current"
    """Nothing inside the gate supersedes it. What is superseded is known, but not recalled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One question asked of a fact, the answer, and why."""

    step: WhyStep
    ok: bool
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where a fact's audience comes from."""

    reason: Reason
    origin: FactOrigin
    flagged: bool
    quote: str | None
    quote_no: int | None
    told_from: str | None
    told_text: str | None
    """What the fact of `told_from` says, None when it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Whether a viewer knows a fact, and each reason.

    `known_from` is the first episode number at which it is known as things stand; None when
    it never is, and for a turn. `holders` are all who hold it. Of a
    turn `fact_id` is the turn's id, `space` where it was said, `said` by whom and when, and
    `episode_no` the number of the episode it was held at.
    """

    viewer: Viewer
    fact_id: str
    text: str
    episode_no: int | None
    knows: bool
    known_from: int | None
    holders: tuple[str, ...]
    checks: tuple[Check, ...]
    superseded_by: str | None = None
    evidence: Evidence | None = None
    holdings: tuple[Holding, ...] = ()
    """What speaks for each of the holders, as far as somebody or something does; of a turn nothing."""
    space: str | None = None
    said: Said | None = None

    @property
    def failed(self) -> Check | None:
        """The first check that stands in the way; None when it is known."""
        return next((c for c in self.checks if not c.ok and c.step is not WhyStep.CURRENT), None)


# -- timeline ------------------------------------------------------------------------------


class Way(StrEnum):
    """How a fact belongs to a timeline."""

    FACT = "fact"
    """It is the one asked about, or what that one was told from."""
    TELLING = "telling"
    """It is told here to somebody else."""
    REPLACES = "replaces"
    """It supersedes one of the others: whoever learns it learns something newer."""
    REPLACED = "replaced"
    """One of the others supersedes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact of a timeline, in an episode, and who has it from there."""

    episode_no: int
    episode_id: str
    fact_id: str
    text: str
    way: Way
    linked: str | None
    """The fact that it is told from, supersedes, or is superseded by."""
    holders: tuple[str, ...]
    in_review: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """When a character learns it: in `episode_no`, through `fact_id`; None when never."""

    character_id: str
    name: str
    episode_no: int | None
    fact_id: str | None
    through: str | None
    """`world` when everybody learns it there, else the character's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Who learns a fact when: remembered from the episode after."""

    story_id: str
    fact_id: str
    text: str
    events: tuple[Event, ...]
    learned: tuple[Learned, ...]
    pending: tuple[int, ...]


# -- check ---------------------------------------------------------------------------------


class Severity(StrEnum):
    """How sure and how bad a finding is."""

    PROBLEM = "problem"
    """Something contradicts itself or leads nowhere: certain, and to be mended."""
    WARNING = "warning"
    """Something looks wrong; a person should look."""
    NOTE = "note"
    """Good to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedSentence:
    """A fact that a finding quotes, and where it stands.

    `paragraph` counts from 1 and `start` in characters from 0, both in its episode's text; None
    where its words do not stand there as they are.
    """

    fact_id: str
    episode_no: int
    text: str
    paragraph: int | None = None
    start: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a check found: where, what, and what to do.

    `is_guess`: it was told by how sentences read, and may be wrong. `quotes` are the sentences
    it is about, where it is about two of them.
    """

    code: str
    severity: Severity
    says: str
    advice: str
    episode_no: int | None = None
    fact_ids: tuple[str, ...] = ()
    characters: tuple[str, ...] = ()
    is_guess: bool = False
    quotes: tuple[QuotedSentence, ...] = ()
    guessed_facts: tuple[str, ...] = ()
    """Those of the facts whose holders were guessed, one at least: the finding may be about a guess."""

    def order(self) -> tuple[int, str, int, tuple[str, ...], tuple[str, ...]]:
        """Sort the worst first, then by code and place."""
        rank = list(Severity).index(self.severity)
        return (rank, self.code, self.episode_no or 0, self.fact_ids, self.characters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What `check` looked at and what it found, the worst first."""

    story_id: str
    episodes: int
    facts: int
    findings: tuple[Finding, ...]
    pending: tuple[int, ...] = ()
    guessed: int = 0
    """How many of the facts are held by somebody by guess."""
    counts: Mapping[Severity, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether it found no problem; warnings and notes may be there."""
        return all(finding.severity is not Severity.PROBLEM for finding in self.findings)

    @property
    def guesses(self) -> tuple[Finding, ...]:
        """The findings that are guesses and more than notes."""
        return tuple(one for one in self.findings if one.is_guess and one.severity is not Severity.NOTE)


def holder_name(holder: str) -> str:
    """Say a holder as people are shown it."""
    return "everybody" if holder == WORLD else holder or "in review"
