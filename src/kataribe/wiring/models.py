"""What reads, plans, orders, chooses, answers and proofreads, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kataribe.adapters.making import PartChoice, Registry
from kataribe.adapters.pydantic_ai.names import PROVIDERS, Asking, ModelName, read_name
from kataribe.adapters.pydantic_ai.on_use import (
    AnswererOnUse,
    ExtractorOnUse,
    JudgeOnUse,
    PlannerOnUse,
    ProofreaderOnUse,
    RerankerOnUse,
    SummarizerOnUse,
)
from kataribe.domain.terms import RULES
from kataribe.ports import Answerer, Extractor, Judge, Planner, Proofreader, Reranker, Summarizer
from kataribe.settings import Settings
from kataribe.wiring.registries import (
    ANSWERERS,
    EXTRACTORS,
    JUDGES,
    PLANNERS,
    PROOFREADERS,
    RERANKERS,
    SUMMARIZERS,
    Part,
    choice,
)


def default_extractor() -> Extractor:
    """Make the extractor that needs no model."""
    made: Extractor = EXTRACTORS.make(PartChoice(family=RULES))
    return made


def default_planner() -> Planner:
    """Make the planner that needs no model."""
    made: Planner = PLANNERS.make(PartChoice(family=RULES))
    return made


def rerankers() -> dict[str, Any]:
    """Give the kinds of rerankers that come as packages, by name; none of them is used unless it is named."""
    points = RERANKERS.points()
    return {name: points[name].load() for name in sorted(points)}


class Models:
    """What reads, plans, orders, chooses and answers, by name; asking a model waits for its first use.

    A name is one of an entry point (`rules`, `cross-encoder:FOLDER`, a stranger's), or
    `provider:model`. Each raises `InputError` for a name that is none, and `MissingExtraError` with the
    line to type.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._asking = Asking(
            base_url=settings.base_url,
            seconds=settings.model_seconds,
            keys=settings.keys,
            temperature=settings.temperature,
        )

    def _part(self, registry: Registry, name: str, by_model: Callable[[ModelName], Part]) -> Part:
        """Make what an entry point names, or else what asks a model; no entry point hides a provider."""
        family, _, rest = name.partition(":")
        if family in registry.points() and family not in PROVIDERS:
            made: Part = registry.make(choice(self._settings, family, rest))
            return made
        return by_model(read_name(name, others=", ".join(registry.names())))

    def extractor(self, name: str) -> Extractor:
        """Make an extractor."""
        return self._part(EXTRACTORS, name, lambda model: ExtractorOnUse(model, self._asking))

    def planner(self, name: str) -> Planner:
        """Make a planner; a model's falls back on rules."""
        rules = default_planner()
        return self._part(PLANNERS, name, lambda model: PlannerOnUse(model, self._asking, fallback=rules))

    def reranker(self, name: str) -> Reranker:
        """Make a reranker."""
        return self._part(RERANKERS, name, lambda model: RerankerOnUse(model, self._asking))

    def judge(self, name: str) -> Judge:
        """Make a guard."""
        return self._part(JUDGES, name, lambda model: JudgeOnUse(model, self._asking))

    def answerer(self, name: str) -> Answerer:
        """Make an answerer."""
        return self._part(ANSWERERS, name, lambda model: AnswererOnUse(model, self._asking))

    def proofreader(self, name: str) -> Proofreader:
        """Make a proofreader."""
        return self._part(PROOFREADERS, name, lambda model: ProofreaderOnUse(model, self._asking))

    def summarizer(self, name: str) -> Summarizer:
        """Make who sums up what was said."""
        return self._part(SUMMARIZERS, name, lambda model: SummarizerOnUse(model, self._asking))
