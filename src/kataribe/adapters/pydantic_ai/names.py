"""Names of models, and what a model is asked with; known without loading anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from kataribe.domain.ids import check_id
from kataribe.domain.terms import RULES
from kataribe.errors import InputError

PROMPT_VERSION = "facts-2"
"""Version of the instructions, schema and checks: a new one makes what models found stale."""
PLAN_VERSION = "plan-1"
JUDGE_VERSION = "judge-1"
ANSWER_VERSION = "answer-1"
RERANK_VERSION = "rerank-1"
PROOF_VERSION = "proof-1"
SUMMARY_VERSION = "summary-1"
"""Versions of what a model is told of its other tasks."""

Provider = Literal["openai", "anthropic", "google", "ollama"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model as `provider:model`; the model's own name may hold colons."""

    provider: Provider
    model: str

    @property
    def full(self) -> str:
        """The name as it is given."""
        return f"{self.provider}:{self.model}"

    @property
    def extractor_id(self) -> str:
        """The name, fit for an id, and the version of what the model is told."""
        return self.told(PROMPT_VERSION)

    def told(self, version: str) -> str:
        """Give the name, fit for an id, and the version of what the model is told."""
        return f"{self.full.replace(':', '/').replace(',', '/')}+{version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Where and how models are asked: see `Settings`."""

    base_url: str | None = None
    seconds: float = 60.0
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    temperature: float | None = None


def read_name(name: str, *, others: str = RULES) -> ModelName:
    """Read `provider:model`; raise `InputError` for anything else.

    `others` names what may stand in its place, for the refusal.
    """
    provider, colon, model = name.partition(":")
    found = next((one for one in PROVIDERS if one == provider), None)
    if found is None or not colon or not model.strip() or model != model.strip():
        choices = ", ".join(f"{one}:NAME" for one in PROVIDERS)
        raise InputError(f"{name!r} is no model; choose {others and f'{others}, or '}a model as {choices}")
    made = ModelName(found, model)
    check_id(made.extractor_id, "model name")
    return made
