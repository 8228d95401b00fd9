"""How a recall is asked for: a caller's words become values, or are refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.domain.filters import Filter
from kataribe.domain.filters import parse as parse_filter
from kataribe.domain.recall.planning import Intent, SearchPlan
from kataribe.domain.recall.ranking import RecallPolicy
from kataribe.domain.recall.requests import RecallKeys
from kataribe.errors import InputError

NO_PLANNER = "none"
"""The name that asks for a plain search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What a caller asks of a search, checked.

    `planner` None is whoever there is; `plan` is one made before.
    """

    top_k: int
    where: Filter | None
    explain: bool
    intent: Intent | None
    planner: str | None
    reranker: str | None
    min_similarity: float | None
    min_relevance: float | None
    recent: tuple[str, ...]
    plan: SearchPlan | None = None
    archived: bool = False


def recall_request(question: str, asked: RecallKeys, policy: RecallPolicy) -> RecallRequest:
    """Check how a recall is asked for. Raises `InputError` and `FilterError`."""
    if not question.strip():
        raise InputError("the question must not be empty")
    where = asked.get("where")
    return RecallRequest(
        top_k=_top_k(asked.get("top_k", 10), policy.max_top_k),
        where=None if where is None else parse_filter(where),
        explain=asked.get("explain", False),
        intent=_intent(asked.get("intent")),
        planner=asked.get("planner"),
        reranker=asked.get("reranker"),
        min_similarity=_cosine(asked.get("min_similarity")),
        min_relevance=_share(asked.get("min_relevance")),
        recent=_messages(asked.get("recent", ())),
        plan=asked.get("plan"),
        archived=asked.get("archived", False),
    )


def _top_k(given: object, most: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= most:
        raise InputError(f"top_k must be a whole number from 1 to {most}, not {given!r}")
    return given


def _intent(given: str | None) -> Intent | None:
    if given is None:
        return None
    try:
        return Intent(given)
    except ValueError:
        raise InputError(f"intent must be one of {', '.join(Intent)}, not {given!r}") from None


def _cosine(given: float | None) -> float | None:
    if given is None:
        return None
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not math.isfinite(given) or not -1 <= given <= 1:
        raise InputError(f"min_similarity is a cosine from -1 to 1, not {given!r}")
    return float(given)


def _share(given: float | None) -> float | None:
    if given is None:
        return None
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not math.isfinite(given) or not 0 <= given <= 1:
        raise InputError(f"min_relevance is a number from 0 to 1, not {given!r}")
    return float(given)


def _messages(given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str) or not all(isinstance(text, str) for text in given):
        raise InputError("recent must be a list of messages, the oldest first")
    return tuple(given)
