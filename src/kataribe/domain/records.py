"""What the ledger keeps beside inputs and memories: states, versions, work and traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from kataribe.domain.space import Space, parse_space
from kataribe.domain.terms import FactSource, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceState:
    """A space as it is recorded: in which language and by which embedder it is remembered.

    It goes when a story or user goes that its name says.
    """

    space: str
    language: Language
    embedder: str
    embedder_id: str

    @property
    def parsed(self) -> Space:
        """What its name says."""
        return parse_space(self.space)


@dataclass(frozen=True, slots=True)
class UnitChange:
    """That what is remembered of a unit has changed, and at which revision last.

    `unit` is an episode's id (`EPISODE:HOLDER` for a share of one) or that of turns; empty:
    all of the space.
    """

    space: str
    unit: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLog:
    """What has changed since a cursor, each unit once, in the order of the last change.

    `cursor` is what to ask from the next time.
    """

    cursor: int
    changes: tuple[UnitChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkState:
    """A place of a story at which talk was held with a user.

    `no` is the lowest number of an episode whose viewers were there, and `order_key` that of
    the episode it was held at or after; None in a story that had no episodes yet.
    """

    space: str
    no: int
    order_key: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnChanges:
    """Which turns a write added, changed or removed, and the units they were or are in."""

    turns: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a unit should be made from: its fingerprint, and the position that says whose turn it is."""

    fingerprint: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeState:
    """An episode without its text: its place, and what its memory is and should be made from."""

    story_id: str
    """The story it belongs to; a branch reads episodes of its parents too."""
    episode_id: str
    no: int
    order_key: int
    title: str | None
    version: int
    fact_source: FactSource
    text_hash: str
    notes_hash: str
    rows_hash: str
    annotated: bool
    wanted: str
    visible: bool
    """What it tells everybody is in memory as it stands."""
    shares_due: bool
    """A share of it, made for one holder by itself, is not."""
    deleted_at: str | None
    characters: int
    """Length of the text in characters."""

    @property
    def is_live(self) -> bool:
        """Whether it has not been deleted."""
        return self.deleted_at is None

    @property
    def is_pending(self) -> bool:
        """Whether something of it is to be remembered anew."""
        return self.is_live and (not self.visible or self.shares_due)


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """An IF story: it reads its parent up to the fork, then its own episodes."""

    story_id: str
    title: str | None
    parent: str
    fork_episode_id: str
    after: int
    """The number the fork episode has now; the branch's own episodes have higher ones."""
    lineage: tuple[str, ...]
    """From the root story to the branch itself."""
    inherited: int
    """How many live episodes it reads of its parents."""
    own: tuple[int, ...]
    """The numbers of its own live episodes."""
    pending: tuple[int, ...]
    """The numbers of live episodes, its own or a parent's, that are not in memory yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeVersion:
    """A text an episode had, from `created_at` on."""

    version: int
    title: str | None
    text: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What one version of an episode put into one holder's memory (S0-8).

    `facts` are (fact id, text) pairs in order; `deleted_at` is set once it is replaced.
    """

    delta_id: str
    version: int
    scope: str
    character_id: str
    facts: tuple[tuple[str, str], ...]
    hash: str
    deleted_at: str | None


class Outcome(StrEnum):
    """How a piece of work ended."""

    DONE = "done"
    FAILED = "failed"
    """It will be tried again."""
    DEAD = "dead"
    """It was tried too often; a person must look."""
    DROPPED = "dropped"
    """A person said to leave it until its inputs change."""
    DUE = "due"
    """Nobody has finished it yet; there is a row because somebody has claimed it."""


SETTLED = (Outcome.DONE, Outcome.DROPPED)
"""What needs nobody any more, whoever embeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The last word on a piece of work: done is a row, not the presence of output.

    `lease` is the token of who works on it now, named `worker`, until `leased_until`;
    what failed is not tried again before `due_at` (seconds since 1970, UTC).
    """

    fingerprint: str
    outcome: Outcome
    wanted: str = ""
    """The fingerprint it should be done for; empty: nothing is wanted of it."""
    attempts: int = 0
    error: str | None = None
    lease: str | None = None
    worker: str | None = None
    leased_until: float | None = None
    due_at: float | None = None

    @property
    def lags(self) -> bool:
        """Whether something is wanted that is not what was done."""
        is_done = self.outcome is Outcome.DONE and self.fingerprint == self.wanted
        return bool(self.wanted) and not is_done


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One search: when, for whom, behind which slices, and which ids came back (S0-31).

    In a user's space `user` and `as_of` stand in the place of `story` and `episode_no`, and
    `character` is the persona, empty for nobody. A search in a library names that alone.
    """

    at: str
    story: str = ""
    character: str
    episode_no: int = 0
    verb: str
    filter: Mapping[str, object] | None
    slices: tuple[str, ...]
    ids: tuple[str, ...]
    user: str | None = None
    as_of: str | None = None
    library: str | None = None

    @property
    def is_reader(self) -> bool:
        """Whether a reader searched, who is nobody of the story and has read up to before `episode_no`."""
        return self.episode_no > 0 and not self.character


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How often a viewer used a memory, and when last (ISO 8601)."""

    times: int
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryState:
    """What is derived for one memory: whether it is shown, its keyword terms and its vector.

    `terms` are the hashes of its terms in order, repeats kept. `vector` is float32, little
    endian, made by `embedder_id`. One in review has neither terms nor vector.
    """

    live: bool
    terms: tuple[int, ...]
    embedder_id: str | None
    vector: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A fact that one holder gained or lost."""

    holder: str
    fact_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """A version of an episode and what memory gained and lost by it."""

    version: int
    title: str | None
    text: str
    created_at: str
    synced: bool
    """False when it was replaced before memory followed, or when it put nothing there."""
    gained: tuple[Change, ...]
    lost: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` looked at and what it found wrong; empty problems mean that all is well.

    `memories` are those of stories, users and libraries together.
    """

    stories: int
    episodes: int
    memories: int
    pending: int
    problems: tuple[str, ...]
    users: int = 0
    turns: int = 0
    pending_turns: int = 0
    """Turns of pages that are not in memory as they stand now."""
    libraries: int = 0
    documents: int = 0
    pending_documents: int = 0
    """Documents that are not found as they were stored last."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """What a change of embedder did.

    `stories` are the ids of the family that changed (none for a user or a library), `texts` how many were
    embedded by this call, `memories` how many have a vector of the new embedder.
    """

    embedder: str
    embedder_id: str
    before: str
    is_lexical: bool
    stories: tuple[str, ...] = ()
    user: str | None = None
    library: str | None = None
    texts: int = 0
    memories: int = 0
