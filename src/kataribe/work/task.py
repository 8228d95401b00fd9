"""What a task is: one thing that is derived, made unit by unit from what the ledger holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from kataribe.domain.memory import NO_USAGE, Memory, Usage
from kataribe.domain.space import Unit
from kataribe.domain.work import WorkKind
from kataribe.errors import KataribeError
from kataribe.ports import Embedder, Transaction, View, Worded

WordsIn = Callable[[str], tuple[str, ...]]
"""Gives the words by which a text is found beside its spelling; may raise `MissingExtraError`."""


def no_words(_text: str) -> tuple[str, ...]:
    """Give none, as embedders do that know no words."""
    return ()


def words_of(embedder: Embedder) -> WordsIn:
    """Say how an embedder finds the words of a text."""
    return embedder.words_in if isinstance(embedder, Worded) else no_words


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors by text hash (float32, little endian), and the texts that failed with the reason."""

    vectors: Mapping[str, bytes]
    failures: Mapping[str, str]
    embedder_id: str
    """Who made them: they are of no use to a space that was given another embedder since."""
    words: WordsIn = no_words
    """How the same embedder finds the words of a text."""


class Job(Protocol):
    """One unit to bring into memory, and the fingerprint it is done for."""

    @property
    def unit(self) -> Unit:
        """What is made."""

    @property
    def fingerprint(self) -> str:
        """What was wanted when its inputs were read."""

    @property
    def attempts(self) -> int:
        """How often it has failed with this fingerprint."""

    @property
    def embedder_id(self) -> str:
        """By whom its space is embedded."""

    @property
    def memories(self) -> tuple[Memory, ...]:
        """What was made; empty before."""

    @property
    def texts(self) -> Mapping[str, str]:
        """What needs a vector, by text hash."""

    @property
    def vector_spaces(self) -> tuple[str, ...]:
        """The spaces whose vectors may be taken over, its own first."""


JobT = TypeVar("JobT", bound=Job)


class Task(Protocol[JobT]):
    """One thing that is derived. What is due is a question to the ledger, no queue."""

    @property
    def kind(self) -> WorkKind:
        """What kind of work it is."""

    @property
    def embedder(self) -> Embedder:
        """Who embeds what is made."""

    def whole(self, unit: str) -> str:
        """Name what people count: the episode of which a unit is a share, else the unit itself."""

    def gather(self, view: View, space: str, units: Sequence[str]) -> tuple[JobT, ...]:
        """Read the inputs of these units; those that are gone are left out."""

    async def make(self, job: JobT) -> JobT:
        """Make the job's memories; models may be asked, no transaction is open. Raises `KataribeError`."""

    def let_go(self, tx: Transaction, space: str, units: Collection[str]) -> None:
        """Want nothing any more of units that were due and have no inputs: nobody could ever do them."""

    def check(self, view: View, job: JobT) -> JobT:
        """Look at what was made before it is embedded; raises `ExtractionError` to refuse it."""

    def commit(self, tx: Transaction, job: JobT, embedded: Embedded, *, reuse: bool) -> bool:
        """Put what was made in place; False when its inputs have changed since or a vector is missing.

        `reuse` takes vectors that are there already for texts that were not embedded again.
        """

    def keep(self, tx: Transaction, job: JobT) -> None:
        """Keep what may have cost money although the job is not committed."""

    def note_done(self, report: SyncReport, job: JobT) -> None:
        """Count a job that was committed."""

    def note_failed(self, report: SyncReport, job: JobT, reason: str, *, dead: bool) -> None:
        """Count a job that failed, for good if `dead`."""

    def spent(self, found: JobT | KataribeError) -> Usage:
        """Give what models were asked for a job that was made, or that failed."""


@dataclass(slots=True)
class SyncReport:
    """What a sync did: units brought up, what models were asked, and what failed with the reason."""

    done: int = 0
    """Episodes brought up."""
    brought_up: set[tuple[str, str]] = field(default_factory=set)
    """The same, by story and id: an episode counts once, however many shares were made of it."""
    embedded: int = 0
    open_stories: set[str] = field(default_factory=set)
    """Stories without declared cast or annotations: everything extracted there is the world's."""
    in_review: int = 0
    refused: int = 0
    """Facts that a model offered and that were not taken."""
    spared: dict[tuple[str, int], str] = field(default_factory=dict)
    """Episodes whose unchanged text was read again and nothing found: what was found before stays."""
    usage: Usage = NO_USAGE
    """What models were asked, failed extractions counted in."""
    failed: dict[tuple[str, int], str] = field(default_factory=dict)
    """By story and episode. Only when it was stopped before they were tried again."""
    dead: dict[tuple[str, int], str] = field(default_factory=dict)
    outdated: int = 0
    """Work that came too late: its inputs had changed, or its lease was another's by then."""
    left: int = 0
    """Episodes and units of turns still to be done when its time was over."""
    pages: int = 0
    """Groups of turns brought up."""
    failed_turns: dict[tuple[str, str], str] = field(default_factory=dict)
    """By space and unit: turns that are stored and could not be remembered yet."""
    dead_turns: dict[tuple[str, str], str] = field(default_factory=dict)
    failed_asks: dict[tuple[str, str], str] = field(default_factory=dict)
    """By space and unit: what a model was asked about what was said, and did not answer."""
    refused_items: list[str] = field(default_factory=list)
    """What a model offered of what was said and was not taken, and why."""
    documents: int = 0
    """Documents brought up."""
    failed_documents: dict[tuple[str, str], str] = field(default_factory=dict)
    """By space and name: documents that are stored and could not be remembered yet."""
    dead_documents: dict[tuple[str, str], str] = field(default_factory=dict)
    fed: int = 0
    """Units that an index outside the store was fed."""
    unfed: str | None = None
    """Why it could not be fed; what it lacks is searched in the store, and fed the next time."""

    @property
    def has_failures(self) -> bool:
        """Whether anything failed that is tried again later."""
        return bool(self.failed or self.failed_turns or self.failed_asks or self.failed_documents)
