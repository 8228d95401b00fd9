"""What programs are shown of conversation memory in tiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypedDict

from kataribe.domain.conversation.life.policy import TierPolicy, other_numbers
from kataribe.domain.conversation.life.values import MemoryValue
from kataribe.domain.memory import NO_USAGE, Usage
from kataribe.formats.wire.context import UsageJson, usage_json
from kataribe.formats.wire.threads import moment_text

_NOTHING: Mapping[str, str] = MappingProxyType({})


class KeptMemoryJson(TypedDict):
    """A line of `memory list --json`; `sensitivity` is null where nobody looked for personal data."""

    id: str
    space: str
    holder: str
    kind: str
    tier: str
    state: str
    text: str
    topic: str
    importance: float | None
    salience: float
    confidence: float
    sensitivity: str | None
    explicit: bool
    created_at: str
    last_used_at: str
    sources: list[str]
    superseded_by: str | None


class MemoryReasonJson(TypedDict):
    """One thing that became of a memory: from when on it holds, and why."""

    at: str
    tier: str
    state: str
    text: str
    importance: float | None
    sources: list[str]
    reason: str
    numbers: dict[str, float]
    policy: dict[str, int | float | str]
    """Which numbers of the policy were other than the usual ones when it came about."""


class MemoryHistoryJson(TypedDict):
    """The one object of `memory why-kept --json`."""

    id: str
    space: str
    holder: str
    rows: list[MemoryReasonJson]


class NightJson(TypedDict):
    """The one object of `nightly --json`, one for each user; with `--undo` the night taken back.

    `usage` is what models were asked, or in a dry run what asking about `to_ask` threads and statements
    would take; `unanswered` says by unit of work why a model gave no answer.
    """

    user: str
    at: str
    dry_run: bool
    usage: UsageJson
    to_ask: int
    unanswered: dict[str, str]
    counts: dict[str, int]
    let_go: int
    """How many turns went because the user wants them to be kept no longer."""
    policy: dict[str, int | float | str]
    """Which of the numbers it was held by were other than the usual ones."""
    changed: list[KeptMemoryJson]


def kept_memory_json(space: str, holder: str, value: MemoryValue) -> KeptMemoryJson:
    """Give a memory as it stands."""
    return {
        "id": value.memory_id,
        "space": space,
        "holder": holder,
        "kind": value.kind.value,
        "tier": value.tier.value,
        "state": value.state.value,
        "text": value.text,
        "topic": value.topic,
        "importance": value.importance,
        "salience": value.salience,
        "confidence": value.confidence,
        "sensitivity": value.sensitivity,
        "explicit": value.explicit,
        "created_at": moment_text(value.created_at),
        "last_used_at": moment_text(value.last_used_at),
        "sources": list(value.sources),
        "superseded_by": value.superseded_by,
    }


def memory_history_json(
    space: str, holder: str, rows: Sequence[MemoryValue], policies: Sequence[TierPolicy]
) -> MemoryHistoryJson:
    """Give all that became of a memory; `policies` are those its rows were written by."""
    return {
        "id": rows[0].memory_id,
        "space": space,
        "holder": holder,
        "rows": [
            {
                "at": moment_text(row.position),
                "tier": row.tier.value,
                "state": row.state.value,
                "text": row.text,
                "importance": row.importance,
                "sources": list(row.sources),
                "reason": row.reason.word,
                "numbers": dict(row.reason.numbers),
                "policy": other_numbers(policy),
            }
            for row, policy in zip(rows, policies, strict=True)
        ],
    }


def night_json(
    user: str,
    at: int,
    counts: dict[str, int],
    changed: Sequence[KeptMemoryJson],
    *,
    is_dry: bool,
    policy: TierPolicy,
    usage: Usage = NO_USAGE,
    to_ask: int = 0,
    unanswered: Mapping[str, str] = _NOTHING,
    let_go: int = 0,
) -> NightJson:
    """Give what came of a night."""
    return {
        "user": user,
        "at": moment_text(at),
        "dry_run": is_dry,
        "usage": usage_json(usage),
        "to_ask": to_ask,
        "unanswered": dict(unanswered),
        "counts": dict(counts),
        "let_go": let_go,
        "policy": other_numbers(policy),
        "changed": list(changed),
    }
