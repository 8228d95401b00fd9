"""What programs are shown of contexts and answers, as plain JSON values."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from kataribe.domain.memory import Usage
from kataribe.domain.recall.context import Answer, Context, ContextItem, ContextPart, Dropped
from kataribe.domain.recall.planning import SearchPlan
from kataribe.formats.wire.recall import ViewerJson, viewer_json


class ItemJson(TypedDict):
    """A memory of a context; what is kept of conversations has the turns it rests on as `sources`."""

    handle: str
    id: str
    fact_id: str
    where: str
    text: str
    quote: str | None
    tokens: int
    score: float | None
    reason: str
    marks: list[str]
    is_cut: bool
    sources: NotRequired[list[str]]


class PartJson(TypedDict):
    """A part of a context."""

    name: str
    text: str
    tokens: int
    budget: int | None
    reason: str | None
    items: list[ItemJson]


class DroppedJson(TypedDict):
    """What found no place in a context."""

    part: str
    handle: str | None
    id: str | None
    fact_id: str | None
    why: str
    detail: str | None


class PlanJson(TypedDict):
    """What was looked for."""

    needed: bool
    intent: str
    terms: list[str]
    keywords: list[str]
    made_by: str
    note: str | None


class JudgedBackendJson(TypedDict):
    """Who embedded, read, ranked and judged."""

    embedder: str
    model: str
    reranker: str | None
    judge: str | None


class UsageJson(TypedDict):
    """What models were asked; the cost as a decimal number in words."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost: str | None


class ContextJson(TypedDict):
    """The one object of `context --json`."""

    viewer: ViewerJson
    question: str
    text: str
    tokens: int
    budget: int
    counter: str
    parts: list[PartJson]
    dropped: list[DroppedJson]
    hits: int
    notes: list[str]
    plan: PlanJson | None
    backend: JudgedBackendJson
    usage: UsageJson


class AnswerJson(TypedDict):
    """The one object of `answer --json`."""

    kind: str
    text: str
    used: list[ItemJson]
    backend: str
    notes: list[str]
    usage: UsageJson
    context: ContextJson


def item_json(item: ContextItem) -> ItemJson:
    """Give a memory of a context."""
    made: ItemJson = {
        "handle": item.handle,
        "id": item.id,
        "fact_id": item.fact_id,
        "where": item.where,
        "text": item.text,
        "quote": item.quote,
        "tokens": item.tokens,
        "score": item.score,
        "reason": item.reason,
        "marks": [mark.value for mark in item.marks],
        "is_cut": item.is_cut,
    }
    if item.sources:
        made["sources"] = list(item.sources)
    return made


def context_json(context: Context) -> ContextJson:
    """Give a context as the one object of `context --json`."""
    return {
        "viewer": viewer_json(context.viewer, in_cast=context.in_cast),
        "question": context.question,
        "text": context.text,
        "tokens": context.tokens,
        "budget": context.budget,
        "counter": context.counter,
        "parts": [_part(part) for part in context.parts],
        "dropped": [_dropped(one) for one in context.dropped],
        "hits": context.hits,
        "notes": list(context.notes),
        "plan": None if context.plan is None else _plan(context.plan),
        "backend": {
            "embedder": context.backend.embedder,
            "model": context.backend.model,
            "reranker": context.backend.reranker,
            "judge": context.judge,
        },
        "usage": usage_json(context.usage),
    }


def answer_json(answer: Answer) -> AnswerJson:
    """Give an answer as the one object of `answer --json`."""
    return {
        "kind": answer.kind,
        "text": answer.text,
        "used": [item_json(item) for item in answer.used],
        "backend": answer.backend,
        "notes": list(answer.notes),
        "usage": usage_json(answer.usage),
        "context": context_json(answer.context),
    }


def _part(part: ContextPart) -> PartJson:
    return {
        "name": part.name,
        "text": part.text,
        "tokens": part.tokens,
        "budget": part.budget,
        "reason": part.reason,
        "items": [item_json(item) for item in part.items],
    }


def _dropped(one: Dropped) -> DroppedJson:
    return {
        "part": one.part,
        "handle": one.handle,
        "id": one.id,
        "fact_id": one.fact_id,
        "why": one.why,
        "detail": one.detail,
    }


def _plan(plan: SearchPlan) -> PlanJson:
    return {
        "needed": plan.needed,
        "intent": plan.intent,
        "terms": list(plan.terms),
        "keywords": list(plan.keywords),
        "made_by": plan.made_by,
        "note": plan.note,
    }


def usage_json(usage: Usage) -> UsageJson:
    """Give what models were asked."""
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": None if usage.cost is None else str(usage.cost),
    }
