"""The extractor that asks a language model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from kataribe.adapters.pydantic_ai.agents import Opened, UnansweredError, UnsoundError, in_words, open_model
from kataribe.adapters.pydantic_ai.checks import DraftChecker, Offered
from kataribe.adapters.pydantic_ai.names import Asking, ModelName
from kataribe.adapters.pydantic_ai.parts import Part, parts, pieces, tokens_of
from kataribe.adapters.pydantic_ai.prompt import INSTRUCTIONS, repair_prompt, user_prompt
from kataribe.adapters.pydantic_ai.providers import price
from kataribe.adapters.pydantic_ai.transport import PatientModel, Sleep, Turnstile
from kataribe.adapters.written import read_written
from kataribe.domain.ids import text_hash
from kataribe.domain.memory import NO_USAGE, Draft, Extraction, Refusal, Usage
from kataribe.domain.story.audience import decide, is_marked
from kataribe.errors import ExtractionError, InputError
from kataribe.ports import Source

MAX_OUTPUT_TOKENS = 16_000
"""Tokens of one answer, thinking included; a longer one is cut off and counts as failed."""
MAX_FACTS = 300
"""Facts of one answer; what comes after is refused."""

_SCHEMA_TOKENS = 300
_KEPT = 1000
"""Characters kept of what is refused."""


class FoundFact(BaseModel):
    """One fact of the passage."""

    text: str = Field(description="the fact as one sentence, in the story's language")
    quote: str = Field(description="words of one paragraph that show it, copied exactly")
    importance: int = Field(description="1 (a passing detail) to 5 (it changes the story)")
    known_by: list[str] = Field(description='ids of the cast who know it, or ["world"] alone')


class Found(BaseModel):
    """The facts of the passage, in its order."""

    facts: list[FoundFact]


@dataclass(slots=True)
class _Round:
    """What came of one part: facts taken, and those refused with the reason."""

    judge: DraftChecker
    part: Part
    taken: list[Draft] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    answers: int = 0

    def take(self, found: Found) -> list[Refusal]:
        """Sort an answer; give what might be mended."""
        self.answers += 1
        fresh: list[Draft] = []
        wrong: list[Refusal] = []
        for place, fact in enumerate(found.facts):
            try:
                if place >= MAX_FACTS:
                    raise InputError(f"there are more than {MAX_FACTS} facts in one answer")
                fresh.append(self.judge.draft(_offered(fact), self.part))
            except InputError as error:
                wrong.append(_refusal(fact, str(error)))
        mended = {one.text for one in fresh}
        self.refused = [one for one in self.refused if not _is_told(one, mended, wrong)]
        # A second answer may repeat what was taken: that is no news.
        held = {(one.text, one.audience) for one in self.taken}
        self.taken += [one for one in fresh if (one.text, one.audience) not in held]
        self.refused += wrong
        return wrong


def _refusal(fact: FoundFact, reason: str) -> Refusal:
    """Record a refusal; what is endless is cut."""
    return Refusal(text=fact.text[:_KEPT], quote=fact.quote[:_KEPT], reason=reason[:_KEPT])


def _is_told(old: Refusal, mended: set[str], wrong: Iterable[Refusal]) -> bool:
    """Whether a second answer put an older refusal right, or repeated it."""
    return old.text.strip() in mended or any(old.text == one.text for one in wrong)


def _offered(fact: FoundFact) -> Offered:
    return Offered(
        text=fact.text, quote=fact.quote, importance=fact.importance, known_by=tuple(fact.known_by)
    )


def _agent() -> Agent[_Round, Found]:
    agent: Agent[_Round, Found] = Agent(
        output_type=Found,
        instructions=INSTRUCTIONS,
        deps_type=_Round,
        # One answer, and one more when something in it is to be put right.
        retries={"output": 1, "tools": 0},
        model_settings=ModelSettings(max_tokens=MAX_OUTPUT_TOKENS, max_retries=0),
    )

    @agent.output_validator
    def judge(context: RunContext[_Round], found: Found) -> Found:
        wrong = context.deps.take(found)
        if wrong and context.retry == 0 and context.deps.answers == 1:
            raise ModelRetry(repair_prompt(wrong))
        return found

    return agent


class ModelExtractor:
    """Asks a model for the facts of a text, and takes those that hold against text, cast and author."""

    def __init__(
        self,
        name: ModelName,
        asking: Asking,
        *,
        opened: Opened | None = None,
        sleep: Sleep | None = None,
    ) -> None:
        self._name = name
        self._asking = asking
        self._opened = opened or partial(open_model, name, asking)
        self._sleep = sleep or asyncio.sleep
        self._turnstile = Turnstile()
        self._agent = _agent()

    @property
    def extractor_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.extractor_id

    def estimate(self, source: Source) -> Usage:
        """Guess the tokens: what is sent, and as much again for facts with their quotes."""
        into = out = calls = 0
        written = read_written(source, decide(_paragraphs(source), source.annotations))
        source = written.source
        for part in parts(pieces(source, written.verdicts)):
            calls += 1
            into += tokens_of(INSTRUCTIONS) + _SCHEMA_TOKENS + tokens_of(user_prompt(source, part))
            out += min(MAX_OUTPUT_TOKENS, sum(_size(source, part)))
        if not calls:
            return NO_USAGE
        cost = price(self._name, self._asking, input_tokens=into, output_tokens=out)
        return Usage(calls=calls, input_tokens=into, output_tokens=out, cost=cost)

    async def extract(self, source: Source) -> Extraction:
        """Ask for the facts, part by part.

        Raises `ExtractionError` when the model cannot be reached or gives no facts in the shape
        asked for, `ModelError` when it will not be asked like this at all.
        """
        try:
            written = read_written(source, decide(_paragraphs(source), source.annotations))
            given = pieces(written.source, written.verdicts)
            is_open = source.is_open and not (
                source.cast or source.annotations.rows or is_marked(source.text)
            )
        except InputError as error:
            raise ExtractionError(str(error)) from error
        if not given:
            return Extraction()
        source = written.source
        judge = DraftChecker(source, given, is_open=is_open)
        async with self._opened() as opened:
            model = PatientModel(
                opened, seconds=self._asking.seconds, turnstile=self._turnstile, sleep=self._sleep
            )
            rounds = [await self._ask(model, source, part, judge) for part in parts(given)]
        return written.found(_merged(rounds, model.usage))

    async def _ask(self, model: PatientModel, source: Source, part: Part, judge: DraftChecker) -> _Round:
        told = _Round(judge, part)
        try:
            with in_words(self._name, model, "facts"):
                await self._agent.run(
                    user_prompt(source, part),
                    model=model,
                    deps=told,
                    usage_limits=UsageLimits(request_limit=2),
                )
        except UnansweredError as error:
            # A first answer that was sound stands; only what it was to mend did not come.
            if not (isinstance(error, UnsoundError) and told.answers):
                raise ExtractionError(str(error), usage=error.usage) from error
        return told


def _paragraphs(source: Source) -> list[str]:
    return [source.text[start:end] for start, end in source.paragraphs]


def _size(source: Source, part: Part) -> Iterable[int]:
    return (tokens_of(source.text[piece.start : piece.end]) for piece in part)


def _merged(rounds: Iterable[_Round], usage: Usage) -> Extraction:
    """Put the parts together, each fact once for each audience."""
    drafts: list[Draft] = []
    refused: list[Refusal] = []
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for one in rounds:
        refused += one.refused
        for draft in one.taken:
            key = (text_hash(draft.text), draft.audience.holders())
            if key in seen:
                quote = one.judge.words(draft)
                refused.append(Refusal(text=draft.text, quote=quote, reason="it is the same as another fact"))
            else:
                seen.add(key)
                drafts.append(draft)
    drafts.sort(key=lambda draft: (draft.start, draft.end, draft.text))
    return Extraction(drafts=tuple(drafts), refused=tuple(refused), usage=usage)
