"""Parts that ask a model and load what it takes to ask when they are first asked themselves.

Their ids are known before: opening a store needs neither the package nor a key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Generic, Protocol, TypeVar

from kataribe.adapters.pydantic_ai.names import (
    ANSWER_VERSION,
    JUDGE_VERSION,
    PLAN_VERSION,
    PROOF_VERSION,
    RERANK_VERSION,
    SUMMARY_VERSION,
    Asking,
    ModelName,
)
from kataribe.domain.conversation.summaries import (
    NewerWords,
    OfferedContradictions,
    OfferedSummary,
    ThreadText,
)
from kataribe.domain.memory import Extraction, Usage
from kataribe.domain.recall.planning import Answered, Passage, SearchPlan
from kataribe.domain.story.proof import PairVerdict, SentencePair
from kataribe.domain.terms import Language
from kataribe.errors import MissingExtraError
from kataribe.ports import (
    Answerer,
    Extractor,
    Heard,
    Judge,
    Planner,
    Proofreader,
    Reranker,
    Source,
    Speaking,
    Summarizer,
)

Part = TypeVar("Part")

_PACKAGE = "kataribe.adapters.pydantic_ai"


class _OnUse(Generic[Part]):
    """One part of this adapter, made when it is needed."""

    def __init__(self, module: str, maker: str, name: ModelName, asking: Asking, **more: object) -> None:
        self._make: Callable[[], Part] = lambda: getattr(import_module(f"{_PACKAGE}.{module}"), maker)(
            name, asking, **more
        )
        self._name = name
        self._made: Part | None = None
        self._lock = Lock()

    def get(self) -> Part:
        """Give the part; raise `MissingExtraError` with the line to type."""
        with self._lock:
            if self._made is None:
                if find_spec("pydantic_ai") is None:
                    raise MissingExtraError(
                        f"the model {self._name.full!r} needs a package that is not installed; "
                        f"type: pip install 'kataribe[model]' (or choose --model rules)"
                    )
                self._made = self._make()
            return self._made


class ExtractorOnUse:
    """An extractor that asks a model."""

    def __init__(self, name: ModelName, asking: Asking) -> None:
        self._name = name
        self._model: _OnUse[Extractor] = _OnUse("extractor", "ModelExtractor", name, asking)

    @property
    def extractor_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.extractor_id

    async def extract(self, source: Source) -> Extraction:
        """Ask the model. Raises `MissingExtraError`, `ModelError`, `ExtractionError`."""
        return await self._model.get().extract(source)

    def estimate(self, source: Source) -> Usage:
        """Guess what that would use. Raises `MissingExtraError`."""
        return self._model.get().estimate(source)


class PlannerOnUse:
    """A planner that asks a model, with another to fall back on."""

    def __init__(self, name: ModelName, asking: Asking, *, fallback: Planner) -> None:
        self._name = name
        self._model: _OnUse[Planner] = _OnUse("planner", "ModelPlanner", name, asking, fallback=fallback)

    @property
    def planner_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.told(PLAN_VERSION)

    async def plan(self, question: str, *, language: Language, recent: Sequence[str] = ()) -> SearchPlan:
        """Ask the model. Raises `MissingExtraError`, and nothing else."""
        return await self._model.get().plan(question, language=language, recent=recent)


class RerankerOnUse:
    """A reranker that asks a model."""

    def __init__(self, name: ModelName, asking: Asking) -> None:
        self._name = name
        self._model: _OnUse[Reranker] = _OnUse("reranker", "ModelReranker", name, asking)

    @property
    def reranker_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.told(RERANK_VERSION)

    async def rerank(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Ask the model. Raises `MissingExtraError`, `ModelError`."""
        return await self._model.get().rerank(question, texts)


class JudgeOnUse:
    """A guard that asks a model."""

    def __init__(self, name: ModelName, asking: Asking) -> None:
        self._name = name
        self._model: _OnUse[Judge] = _OnUse("judge", "ModelJudge", name, asking)

    @property
    def judge_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.told(JUDGE_VERSION)

    async def keep(self, question: str, passages: Sequence[Passage]) -> frozenset[str]:
        """Ask the model. Raises `MissingExtraError`, `ModelError`."""
        return await self._model.get().keep(question, passages)


class ProofreaderOnUse:
    """A proofreader that asks a model."""

    def __init__(self, name: ModelName, asking: Asking) -> None:
        self._name = name
        self._model: _OnUse[Proofreader] = _OnUse("proofreader", "ModelProofreader", name, asking)

    @property
    def proofreader_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.told(PROOF_VERSION)

    async def judge(self, pairs: Sequence[SentencePair], *, language: Language) -> tuple[PairVerdict, ...]:
        """Ask the model. Raises `MissingExtraError`, `ModelError`."""
        return await self._model.get().judge(pairs, language=language)


class SummarizerOnUse:
    """Sums up what was said by asking a model."""

    def __init__(self, name: ModelName, asking: Asking) -> None:
        self._name = name
        self._model: _OnUse[Summarizer] = _OnUse("summarizer", "ModelSummarizer", name, asking)

    @property
    def summarizer_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.told(SUMMARY_VERSION)

    async def sum_up(self, thread: ThreadText) -> OfferedSummary:
        """Ask the model. Raises `MissingExtraError`, `ModelError`, `ExtractionError`."""
        return await self._model.get().sum_up(thread)

    async def contradicted(self, newer: NewerWords) -> OfferedContradictions:
        """Ask the model. Raises `MissingExtraError`, `ModelError`, `ExtractionError`."""
        return await self._model.get().contradicted(newer)

    def estimate(self, asked: ThreadText | NewerWords) -> Usage:
        """Guess what that would use. Raises `MissingExtraError`."""
        return self._model.get().estimate(asked)


class _SpeakingAnswerer(Answerer, Speaking, Protocol):
    """Answers, and replies."""


class AnswererOnUse:
    """An answerer that asks a model."""

    def __init__(self, name: ModelName, asking: Asking) -> None:
        self._name = name
        self._model: _OnUse[_SpeakingAnswerer] = _OnUse("answerer", "ModelAnswerer", name, asking)

    @property
    def answerer_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.told(ANSWER_VERSION)

    async def answer(
        self,
        question: str,
        *,
        context: str,
        passages: Sequence[Passage],
        speaks_as: str | None,
        language: Language,
    ) -> Answered:
        """Ask the model. Raises `MissingExtraError`, `ModelError`."""
        return await self._model.get().answer(
            question, context=context, passages=passages, speaks_as=speaks_as, language=language
        )

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
        """Ask the model. Raises `MissingExtraError`, `ModelError`."""
        return await self._model.get().reply(
            text, context=context, passages=passages, speaks_as=speaks_as, language=language, heard=heard
        )
