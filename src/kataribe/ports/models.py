"""What computes or asks elsewhere: embedders, models and what they are asked, and the machine itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias, runtime_checkable

from kataribe.domain.arrays import np, npt
from kataribe.domain.conversation.summaries import (
    NewerWords,
    OfferedContradictions,
    OfferedSummary,
    ThreadText,
)
from kataribe.domain.memory import Extraction, Usage
from kataribe.domain.recall.planning import Answered, Passage, SearchPlan
from kataribe.domain.story.inputs import Annotations, Character
from kataribe.domain.story.proof import PairVerdict, SentencePair
from kataribe.domain.terms import Language

Vector: TypeAlias = "npt.NDArray[np.float32]"
"""Shape (dimensions,), float32, unit length; all zeros for a text with nothing in it to embed."""

Matrix: TypeAlias = "npt.NDArray[np.float32]"
"""Shape (texts, dimensions), float32; each row as `Vector`."""


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Give the present moment, with a zone."""

    async def sleep(self, seconds: float) -> None:
        """Let this many seconds go by."""


class Processes(Protocol):
    """Which process this is, and whether another one has died."""

    def me(self) -> str:
        """Name this process: for people what stands before a slash, for `is_gone` what follows."""

    def is_gone(self, worker: str) -> bool:
        """Tell whether the process of this name has died; False whenever that cannot be told for sure."""


@runtime_checkable
class Embedder(Protocol):
    """Turns text into vectors.

    A text's vector depends on that text alone, never on its batch (P2), and the same text
    gives the same bytes on every call (P8). Query and document calls are apart (S4-98).
    """

    @property
    def embedder_id(self) -> str:
        """Name and version of everything that decides a vector, e.g. `chive-ja-ginza-5.3.0`."""

    @property
    def dimensions(self) -> int:
        """Length of every vector."""

    @property
    def is_lexical(self) -> bool:
        """True when it compares spelling, not meaning."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed what is to be found, in the order given; shape (len(texts), dimensions).

        Raises `EmbedderError` when a text cannot be embedded.
        """

    async def embed_query(self, text: str) -> Vector:
        """Embed a question; shape (dimensions,). Raises `EmbedderError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an extractor is given of one episode.

    `cast` is the cast as known by that episode: characters, and aliases whose `since` is
    not later. A model is told public aliases and public descriptions only.
    `paragraphs` are spans `text[start:end]` cut by the author's file or by rule.
    """

    text: str
    language: Language
    cast: tuple[Character, ...]
    annotations: Annotations
    paragraphs: tuple[tuple[int, int], ...]
    is_open: bool = False
    """True when the story up to here has neither declared cast nor annotations: all of it is the world's."""


@runtime_checkable
class Batched(Protocol):
    """An embedder that says how many texts it likes to be given at once; others get many."""

    @property
    def batch(self) -> int:
        """How many texts a call should hold, 1 or more (S4-102)."""


@runtime_checkable
class Worded(Protocol):
    """An embedder that knows words: which are in a text, and which mean about the same.

    What it gives are keywords beside those of the text's spelling. They depend on that text alone (P2),
    are the same on every call, and belong to its id as its vectors do.
    """

    def words_in(self, text: str) -> tuple[str, ...]:
        """Give the words by which a text is found, repeats kept. Raises `MissingExtraError`."""

    def words_like(self, text: str) -> tuple[str, ...]:
        """Give the words a question is looked up by: its own, and those like them. Raises as `words_in`."""


@runtime_checkable
class Remote(Protocol):
    """An embedder that may ask another machine; others compute in this process."""

    @property
    def is_remote(self) -> bool:
        """True when embedding may wait for another machine."""


class Extractor(Protocol):
    """Turns an episode's text into facts with an audience."""

    @property
    def extractor_id(self) -> str:
        """Name and version; a new one makes extracted episodes stale."""

    async def extract(self, source: Source) -> Extraction:
        """Find the facts, in the order of the text; each span is not empty and within the text.

        Raises `ExtractionError` when this text could not be read, `ModelError` when no text
        can be, as long as nobody mends the settings.
        """

    def estimate(self, source: Source) -> Usage:
        """Guess what extracting this would use, without asking anybody."""


class Planner(Protocol):
    """Decides whether and for what memory is searched (S4-67)."""

    @property
    def planner_id(self) -> str:
        """Name and version of who decides: `rules-1`, or a model's."""

    async def plan(self, question: str, *, language: Language, recent: Sequence[str] = ()) -> SearchPlan:
        """Plan the search for a user's latest words; `recent` are those said before, oldest first.

        Never fails for want of a model: who cannot answer within its limit is replaced by rules,
        and the plan says so.
        """


class Reranker(Protocol):
    """Puts memories in a better order, reading question and memory together (S0-42)."""

    @property
    def reranker_id(self) -> str:
        """Name and version."""

    async def rerank(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Give a score for each text, higher is better, in the order given. Raises `ModelError`."""


class Judge(Protocol):
    """Leaves out of what was found what is irrelevant, outdated or contradictory (S2-13, S2-29)."""

    @property
    def judge_id(self) -> str:
        """Name and version."""

    async def keep(self, question: str, passages: Sequence[Passage]) -> frozenset[str]:
        """Give the ids of what may be used; none of them when nothing suffices. Raises `ModelError`."""


class Summarizer(Protocol):
    """Sums up what was said, and says which older statements a newer one does away with."""

    @property
    def summarizer_id(self) -> str:
        """Name and version of everything that decides an answer; a new one asks everything again."""

    async def sum_up(self, thread: ThreadText) -> OfferedSummary:
        """Give the items of a thread and its keywords.

        Raises `ExtractionError` when this thread could not be read, `ModelError` when none can be.
        """

    async def contradicted(self, newer: NewerWords) -> OfferedContradictions:
        """Say which of the older statements cannot be true any more. Raises as `sum_up`."""

    def estimate(self, asked: ThreadText | NewerWords) -> Usage:
        """Guess what asking this would use, without asking anybody."""


class Proofreader(Protocol):
    """Reads two sentences of a story together and says whether they contradict each other."""

    @property
    def proofreader_id(self) -> str:
        """Name and version."""

    async def judge(self, pairs: Sequence[SentencePair], *, language: Language) -> tuple[PairVerdict, ...]:
        """Say of each pair what it is, in the order given. Raises `ModelError`."""


class Answerer(Protocol):
    """Answers out of a given context and nothing else (S2-38)."""

    @property
    def answerer_id(self) -> str:
        """Name and version."""

    async def answer(
        self,
        question: str,
        *,
        context: str,
        passages: Sequence[Passage],
        speaks_as: str | None,
        language: Language,
    ) -> Answered:
        """Answer as `speaks_as` (None: as an assistant), and say what is missing.

        `context` is the assembled prompt part that holds the passages, fenced. Raises `ModelError`.
        """


Heard = Callable[[str], None]
"""Is told the words of a reply piece by piece, as they come."""


@runtime_checkable
class Speaking(Protocol):
    """An answerer that can be heard while it speaks, and that replies within a conversation."""

    async def reply(
        self,
        text: str,
        *,
        context: str,
        passages: Sequence[Passage],
        speaks_as: str | None,
        language: Language,
        heard: Heard,
    ) -> Answered:
        """Reply as `speaks_as` to what was just said; of the past only what the context says.

        All that `heard` was told makes up the answer's text. Raises `ModelError`.
        """


class TokenCounter(Protocol):
    """Counts the tokens of a text as the target model does."""

    @property
    def counter_id(self) -> str:
        """Name of the count: a model's, or `estimate`."""

    def count(self, text: str) -> int:
        """Count; never less than 0."""
