"""Memories: what can be recalled, and what a viewer is shown of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from kataribe.domain.around import SentencePlace, StorySentence, joined
from kataribe.domain.evidence import EvidenceKind, Holding, is_guess
from kataribe.domain.gate import Viewer
from kataribe.domain.markup import same_words
from kataribe.domain.space import MemoryAddress
from kataribe.domain.terms import DEFAULT_IMPORTANCE, Audience, Extra, FactOrigin


class Kind(StrEnum):
    """What sort of memory it is."""

    FACT = "fact"
    """A sentence told in an episode."""
    TURN = "turn"
    """Something that was said in a conversation."""
    PASSAGE = "passage"
    """A piece of a document."""


class Reason(StrEnum):
    """Why a draft has the audience it has."""

    SUPPLIED = "supplied"
    """The author's row says so."""
    ANNOTATION = "annotation"
    """The author's annotation or inline mark says so."""
    NO_CAST = "no_cast"
    """The story has neither declared cast nor annotations: everything is the world's."""
    SPEAKER = "speaker"
    """Somebody says it, to those present in the scene."""
    INNER = "inner"
    """Inner speech: its thinker's alone."""
    SCENE = "scene"
    """Told of a scene: those present in it."""
    CHANGED = "changed"
    """A paragraph written after the annotations: the narrowest audience of its neighbours."""
    MODEL = "model"
    """A language model says so, where the author said nothing."""
    UNRECOGNISED = "unrecognised"
    """Nobody of the cast is recognised: it waits in review."""
    SAID = "said"
    """A turn of a conversation: who holds it is named when it is brought in."""
    WRITTEN = "written"
    """A document says so: it is the world's."""
    LOST_QUOTE = "lost_quote"
    """Its quote does not stand in the episode's text: it waits in review."""
    EMPTY_GROUP = "empty_group"
    """The group it is for has no member at its episode: it waits in review."""
    NEWCOMER = "newcomer"
    """Somebody joins a group here and is told what it holds."""


STATED = frozenset({Reason.SUPPLIED, Reason.ANNOTATION, Reason.NEWCOMER})
"""Reasons that are the author's own word."""
GUESSED = frozenset({Reason.SPEAKER, Reason.INNER, Reason.SCENE, Reason.CHANGED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A fact found in an episode's text: its words, and the span they are from.

    The span, `text[start:end]` of the episode, is the fact's quote; its own words may differ
    from it. An empty audience means that it waits in review.
    """

    text: str
    start: int
    end: int
    audience: Audience
    reason: Reason
    flagged: bool = False
    """True when a person should look at the guess."""
    importance: int = DEFAULT_IMPORTANCE
    holdings: tuple[Holding, ...] = ()
    """What speaks for each of a guessed audience, sorted by holder; empty where nothing was guessed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A fact that an extractor was offered and did not take, with the reason in words."""

    text: str
    quote: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What language models were asked: answered calls, tokens, and their price in USD.

    `cost` is None when nobody knows the price of a call; `seconds` is the time waited.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = Decimal(0)
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Sum up; a cost that is unknown makes the sum unknown."""
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=None if self.cost is None or other.cost is None else self.cost + other.cost,
            seconds=self.seconds + other.seconds,
        )


NO_USAGE = Usage()
"""What something costs that asks no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an extractor made of one episode's text.

    `drafts` are in the order of the text; `refused` is what it was offered and did not take.
    `unnamed` are the parts, [start, end) in the text, that a first person tells whom nobody names.
    """

    drafts: tuple[Draft, ...] = ()
    refused: tuple[Refusal, ...] = ()
    usage: Usage = NO_USAGE
    unnamed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Where a turn was said and by whom; `time` is ISO 8601 with its zone."""

    session: str
    speaker: str
    time: str
    caption: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Where a passage stands: in which document, under which headings, on which page (None: it has none)."""

    document: str
    headings: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One holder's copy of one fact, turn or passage, as kept in the ledger.

    It lives at its `address`; `holder` is `world`, a character or persona
    id, or empty while it waits in review. `place` orders facts of one episode, and turns of one
    session and moment, as they were told. For a turn `fact_id` is its id, `said` is there, and
    `episode_id` and `episode_no` are empty and 0; so they are for a passage, whose `excerpt` is there.
    `arousal` is 0 to 1, None when nobody said.
    """

    memory_id: str
    space: str
    holder: str
    position: int
    episode_id: str
    episode_no: int
    fact_id: str
    version: int
    fact_index: int
    text: str
    text_hash: str
    origin: FactOrigin
    place: int
    reason: Reason
    kind: Kind = Kind.FACT
    flagged: bool = False
    quote: str | None = None
    quote_no: int | None = None
    quote_span: tuple[int, int] | None = None
    importance: int = DEFAULT_IMPORTANCE
    pinned: bool = False
    supersedes: str | None = None
    told_from: str | None = None
    arousal: float | None = None
    evidence: EvidenceKind | None = None
    """What speaks for its holder; None for what is everybody's unsaid, a model's, a turn, or in review."""
    confidence: float | None = None
    """How sure that is, 0 to 1; 1 for the author's own word, None where there is no evidence."""
    said: Said | None = None
    excerpt: Excerpt | None = None
    extra: Extra = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    """Ids of the memories of its space it is derived from (P6); what was told or said has none."""
    key: int = 0
    """The store's handle, filled on reading; never shown."""

    @property
    def address(self) -> MemoryAddress:
        """Where it lives, which is all that a gate asks about."""
        return MemoryAddress(self.space, self.holder, self.position)

    @property
    def words(self) -> str:
        """What is embedded of it, where that is made of the memory alone: a turn's words are its own."""
        if self.excerpt is None:
            return self.text
        return passage_words(self.excerpt.headings, self.text)

    @property
    def is_sentence(self) -> bool:
        """Whether it is a piece of its episode's text, readings and emphasis aside, in no other words."""
        if self.origin is not FactOrigin.EXTRACTED or self.quote is None:
            return False
        return same_words(self.text, self.quote)

    @property
    def in_text(self) -> StorySentence | None:
        """The sentence it is of its own episode's text, whoever made it; None for what is in other words."""
        if self.quote_span is None or self.quote is None or not same_words(self.text, self.quote):
            return None
        return StorySentence(
            self.space,
            self.holder,
            self.position,
            self.episode_id,
            self.fact_id,
            *self.quote_span,
            self.text,
        )

    @property
    def is_guessed(self) -> bool:
        """Whether its holder was guessed, by the evidence it names."""
        return is_guess(self.evidence)

    @property
    def in_review(self) -> bool:
        """Whether it waits for a person and belongs to nobody yet."""
        return not self.holder


def passage_words(headings: Sequence[str], text: str) -> str:
    """Give what is embedded of a passage: the headings it stands under, and what it says."""
    return "\n".join((" > ".join(headings), text)) if headings else text


class Candidate(NamedTuple):
    """A memory found by one search, with that search's score (higher is better).

    A tuple, because a recall makes hundreds of them.
    """

    key: int
    position: int
    fact_id: str
    holder: str
    score: float
    pinned: bool = False
    part: int = 0
    """Which of the gate's spaces it lies in, see `Slice.part`."""

    def order(self) -> tuple[float, int, int, str, str]:
        """Sort best first, ties in story order (part, position), then by fact id, then holder (P2)."""
        return (-self.score, self.part, self.position, self.fact_id, self.holder)


class Trait(NamedTuple):
    """What ranking looks at of a memory beside its scores; `session` and `speaker` are a turn's;
    the `session` of a sentence of a text is its episode.

    `place` orders turns of one session and moment; `arousal` is 0 to 1, None when nobody said.
    """

    key: int
    fact_id: str
    holder: str
    position: int
    place: int
    part: int
    pinned: bool
    text: str
    arousal: float | None
    session: str | None
    speaker: str | None
    space: str = ""

    @property
    def order(self) -> tuple[int, int, str]:
        """Sort the turns of a session as they were said."""
        return (self.position, self.place, self.fact_id)


class Mark(StrEnum):
    """What a hit is marked with (S4-88); how stirring and how fresh that is, its profile says."""

    STAR = "star"
    """It is stirring."""
    NEW = "new"
    """It is fresh."""

    @property
    def sign(self) -> str:
        """The sign it is written as."""
        return "★" if self is Mark.STAR else "🆕"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMemory:
    """What every memory has that is shown; `FactHit`, `TurnHit` and `PassageHit` say where it is from.

    `score` and `parts` are higher-is-better; in `known`, which ranks and marks nothing, they are
    None and empty. `score` orders the hits of one question; `relevance`, 0 to 1, is how likely this
    memory is to answer it, None where nobody measured its embedder. `superseded_by` and
    `told_from` name facts or turns only when the viewer's gate holds them.
    """

    id: str
    fact_id: str
    text: str
    scope: str
    character_id: str
    importance: int
    space: str = ""
    arousal: float | None = None
    score: float | None = None
    relevance: float | None = None
    pinned: bool = False
    superseded_by: str | None = None
    told_from: str | None = None
    evidence: EvidenceKind | None = None
    confidence: float | None = None
    """What speaks for its holder, and how sure that is, 0 to 1; None as in `Memory`."""
    parts: Mapping[str, float] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()

    @property
    def is_guessed(self) -> bool:
        """Whether its holder was guessed."""
        return is_guess(self.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactHit(ShownMemory):
    """A fact of a story as a viewer is shown it.

    `offsets` are character positions [start, end) in the text of the episode the quote stands in.
    """

    episode_no: int
    episode_id: str
    quote: str | None = None
    quote_episode_no: int | None = None
    offsets: tuple[int, int] | None = None
    sentences: tuple[StorySentence, ...] = ()
    """Of a sentence of a text: it, those of its paragraph that the same gate admits, and its answer."""

    @property
    def kind(self) -> Kind:
        """What sort of memory it is."""
        return Kind.FACT

    @property
    def place(self) -> SentencePlace | None:
        """Where it stands, as `StorySentence.place`; None where it has no `sentences`."""
        return (self.space, self.episode_id, *self.offsets) if self.sentences and self.offsets else None

    @property
    def around(self) -> str | None:
        """Its `sentences` as a text; None where it is no sentence of a text, and in `known`."""
        return joined(self.sentences) if self.sentences else None

    @property
    def words(self) -> str:
        """All that is shown of it: its text, and its quote on a line of its own."""
        return f"{self.text}\n{self.quote or ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHit(ShownMemory):
    """What was said, as a viewer is shown it; its id is `fact_id`, `time` has a zone."""

    session: str
    speaker: str
    time: datetime
    caption: str | None = None

    @property
    def kind(self) -> Kind:
        """What sort of memory it is."""
        return Kind.TURN

    @property
    def words(self) -> str:
        """All that is shown of it as text: what was said."""
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageHit(ShownMemory):
    """A piece of a document as a search in its library shows it.

    `headings` lead from the highest to the one it stands under; `page` counts from 1, None where
    the format has no pages. `version` counts how often the document was given another content.
    """

    document: str
    version: int
    headings: tuple[str, ...] = ()
    page: int | None = None

    @property
    def kind(self) -> Kind:
        """What sort of memory it is."""
        return Kind.PASSAGE

    @property
    def words(self) -> str:
        """All that is shown of it as text: what the document says."""
        return self.text


Hit = FactHit | TurnHit | PassageHit
"""A memory as it is shown; no viewer's read gives a `PassageHit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """What did the work, by name."""

    embedder: str
    model: str
    reranker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """The answer to `recall` and `known`: hits, and what they were drawn from.

    `pending_episodes` are the numbers within the cutoff that are not in memory yet;
    `pending_turns` is how many turns up to the moment asked about are not. `note` says why
    nothing was searched for, or that the viewer is an `unknown_persona` (None: neither).
    """

    viewer: Viewer
    in_cast: bool
    hits: tuple[Hit, ...]
    pending_episodes: tuple[int, ...]
    backend: Backend
    pending_turns: int = 0
    explanation: Explanation | None = None
    slices: tuple[str, ...] = ()
    """What was read, in words, as traces keep it."""
    warnings: tuple[str, ...] = ()
    """What is wrong with the store, as far as it concerns this answer."""
    note: str | None = None
    embedded_by: Mapping[str, str] = field(default_factory=dict)
    """The ids of the embedders by which what was read is remembered, by space."""
    unknown_persona: bool = False
    """Whether a user's viewer names a persona that holds nothing by then, misspelt perhaps."""

    @property
    def cutoff(self) -> int | None:
        """The last episode number whose events may be remembered; None without a story."""
        return None if self.viewer.at is None else self.viewer.cutoff

    @property
    def persona_note(self) -> str | None:
        """What is said of an unknown persona; None of any other viewer."""
        if not self.unknown_persona:
            return None
        return (
            f"{self.viewer.persona!r} holds nothing of what was said with {self.viewer.user} by then: "
            f"only what was told to all is given"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How a recall came about, told inside the viewer's gate only.

    `terms` are what was looked for by words, `expansions` the names added to the question's own.
    `dropped` are pairs of fact id and the reason why it was left out. `candidates` counts what
    each source found. `intent` was found in the question or told when `detected`, else it is
    what is taken in doubt; `made_by` names who planned. `keywords` and quoted phrases are
    looked for word by word; `planned` are the planner's own terms, `stripped` the names taken
    out of what was embedded.
    """

    slices: tuple[str, ...]
    admissible: int
    terms: tuple[str, ...]
    expansions: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]
    candidates: Mapping[str, int] = field(default_factory=dict)
    intent: str = "factual"
    detected: bool = False
    made_by: str = "none"
    note: str | None = None
    profile: str = ""
    keywords: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()
