"""What programs are shown of contexts and answers, as plain JSON values."""

from __future__ import annotations

from kataribe.domain.memory import Usage
from kataribe.domain.recall.context import Answer, Context, ContextItem, ContextPart, Dropped
from kataribe.domain.recall.planning import SearchPlan
from kataribe.formats.wire.recall import viewer_json


def item_json(item: ContextItem) -> dict[str, object]:
    """Give a memory of a context."""
    return {
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


def context_json(context: Context) -> dict[str, object]:
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
        "usage": _usage(context.usage),
    }


def answer_json(answer: Answer) -> dict[str, object]:
    """Give an answer as the one object of `answer --json`."""
    return {
        "kind": answer.kind,
        "text": answer.text,
        "used": [item_json(item) for item in answer.used],
        "backend": answer.backend,
        "notes": list(answer.notes),
        "usage": _usage(answer.usage),
        "context": context_json(answer.context),
    }


def _part(part: ContextPart) -> dict[str, object]:
    return {
        "name": part.name,
        "text": part.text,
        "tokens": part.tokens,
        "budget": part.budget,
        "reason": part.reason,
        "items": [item_json(item) for item in part.items],
    }


def _dropped(one: Dropped) -> dict[str, object]:
    return {
        "part": one.part,
        "handle": one.handle,
        "id": one.id,
        "fact_id": one.fact_id,
        "why": one.why,
        "detail": one.detail,
    }


def _plan(plan: SearchPlan) -> dict[str, object]:
    return {
        "needed": plan.needed,
        "intent": plan.intent,
        "terms": list(plan.terms),
        "keywords": list(plan.keywords),
        "made_by": plan.made_by,
        "note": plan.note,
    }


def _usage(usage: Usage) -> dict[str, object]:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": None if usage.cost is None else str(usage.cost),
    }
