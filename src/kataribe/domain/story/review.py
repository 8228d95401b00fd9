"""Review: what needs a person's eye, and what a person may decide."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kataribe.domain.evidence import Holding
from kataribe.domain.memory import Reason
from kataribe.domain.terms import Audience, FactOrigin
from kataribe.errors import InputError

LIKELY = 0.5
"""The confidence from which on somebody was there rather than not."""


class ReviewKind(StrEnum):
    """Why something is to be looked at."""

    GUESSED = "guessed"
    """Who may remember it was guessed."""
    UNRECOGNISED = "unrecognised"
    """Nobody of the cast was recognised in it: nobody holds it."""
    LOST_QUOTE = "lost_quote"
    """Its quote does not stand in the episode any more: nobody holds it."""
    REFUSED = "refused"
    """A model offered it and it was not taken: it is no fact yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CastMember:
    """Somebody who may be given a fact: a character known by its episode, with a name to show."""

    character_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """A fact to be looked at, with all that is needed to decide on it.

    `holders` are those who remember it now (`("world",)` for everybody, empty while it waits);
    `audience` is who would be given it by `keep`: the guess, or the audience of a fact whose
    quote is lost; empty when somebody must say. `before` and `after` are the lines around
    `passage` in the episode's text; all three are empty when the quote does not stand there.
    """

    kind: ReviewKind
    episode_no: int
    episode_id: str
    fact_id: str
    text: str
    quote: str | None
    holders: tuple[str, ...]
    audience: Audience
    candidates: tuple[CastMember, ...]
    reason: Reason
    origin: FactOrigin
    flagged: bool
    importance: int
    pinned: bool
    supersedes: str | None = None
    told_from: str | None = None
    before: str = ""
    passage: str = ""
    after: str = ""
    refusal: str | None = None
    """Why a model's offer was not taken, in words."""

    @property
    def in_review(self) -> bool:
        """Whether nobody holds it yet."""
        return not self.holders


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneItem:
    """A scene in which something is held by nobody yet, with all that is needed to say who was there.

    `scene` numbers those of its episode, from 1 on. `found` is who was found in it, the surest
    first, by the strongest evidence of each, those who are not sure enough for the story's
    audience mode too. `waiting` are the sentences that wait, `places` the paragraphs they stand
    in, each by the hash of its text and by how many equal ones stand before it.
    """

    episode_no: int
    episode_id: str
    scene: int
    begins: str
    ends: str
    found: tuple[Holding, ...]
    candidates: tuple[CastMember, ...]
    waiting: tuple[str, ...]
    places: tuple[tuple[str, int], ...]

    @property
    def likely(self) -> tuple[str, ...]:
        """Those who were there rather than not, by what was found."""
        return tuple(sorted(held.holder for held in self.found if held.confidence >= LIKELY))


@dataclass(frozen=True, slots=True, kw_only=True)
class NarratorItem:
    """Episodes beside each other, or parts of one, that a first person tells whom nobody names.

    `begins` is the first line of the first such part; `parts` counts them.
    """

    first: int
    last: int
    parts: int
    begins: str
    candidates: tuple[CastMember, ...]


class Verb(StrEnum):
    """What a person may do with a fact."""

    KEEP = "keep"
    EDIT = "edit"
    NARROW = "narrow"
    WIDEN = "widen"
    DROP = "drop"

    @property
    def done(self) -> str:
        """The verb as something that has been done."""
        return {"keep": "kept", "drop": "dropped", "edit": "edited"}.get(self.value, f"{self.value}ed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is decided on a fact.

    `keep` confirms it with the audience it has; what nobody was recognised in needs one named.
    `edit` takes `text`, `quote`, or both, and an audience where there was none. `narrow` and
    `widen` take the whole new `audience`, which must lie within the present one, or hold it. A
    fact whose quote is lost is kept, narrowed and widened without its quote. Where `widen` would
    show a quote that says more than the fact, it needs `keep_quote` or `without_quote`. `drop` strikes what
    was extracted out for good and deletes what was supplied or made by hand. What a model
    offered in vain is made a fact by `keep` or `edit` with an audience, and dismissed by `drop`.
    """

    verb: Verb
    audience: Audience | None = None
    text: str | None = None
    quote: str | None = None
    keep_quote: bool = False
    without_quote: bool = False

    def __post_init__(self) -> None:
        if self.keep_quote and self.without_quote:
            raise InputError("a fact cannot keep its quote and lose it; choose one")
        if (self.keep_quote or self.without_quote) and self.verb is not Verb.WIDEN:
            raise InputError("widen, and only widen, is told whether the quote stays")
        wants = self.verb in (Verb.NARROW, Verb.WIDEN)
        if self.audience is not None and self.audience.is_empty:
            raise InputError("a secret needs at least one character who knows it; to leave nobody, drop it")
        if wants and self.audience is None:
            raise InputError(f"{self.verb} needs to be told who knows it; name them")
        if self.audience is not None and self.verb is Verb.DROP:
            raise InputError("drop takes no audience; nobody is to know it")
        words = self.text is not None or self.quote is not None
        if words != (self.verb is Verb.EDIT):
            raise InputError("edit, and only edit, takes a text or a quote")
