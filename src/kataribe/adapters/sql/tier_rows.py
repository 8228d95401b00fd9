"""Rows of conversation memory in tiers, written and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kataribe.adapters.sql import rows as r
from kataribe.domain.conversation.life.values import (
    Cause,
    ItemKind,
    Life,
    LifeCounts,
    MemoryValue,
    OpenQuestion,
    Tier,
    TierState,
    TurnFate,
    TurnState,
)

Row = Mapping[str, Any]


def life_out(life: Life, since: LifeCounts) -> tuple[list[Row], list[Row], list[Row]]:
    """Write the rows of memories, of turns and of what was asked, numbered from `since` on."""
    values = [("memory_id", one.memory_id, one.position, _value(one)) for one in life.values]
    fates = [("turn_id", one.turn_id, one.position, _fate(one)) for one in life.fates]
    asked = [("turn_id", one.turn_id, one.position, _question(one)) for one in life.asked]
    return _numbered(values, since.values), _numbered(fates, since.fates), _numbered(asked, since.asked)


def _numbered(rows: Sequence[tuple[str, str, int, Row]], first: int) -> list[Row]:
    return [
        {"number": number, key: name, "position": position, "value": r.dump(value)}
        for number, (key, name, position, value) in enumerate(rows, first)
    ]


def _value(one: MemoryValue) -> Row:
    return {
        "memory_id": one.memory_id,
        "position": one.position,
        "tier": one.tier.value,
        "state": one.state.value,
        "kind": one.kind.value,
        "text": one.text,
        "topic": one.topic,
        "importance": one.importance,
        "salience": one.salience,
        "confidence": one.confidence,
        "explicit": one.explicit,
        "pinned": one.pinned,
        "created_at": one.created_at,
        "last_used_at": one.last_used_at,
        "sources": list(one.sources),
        "superseded_by": one.superseded_by,
        "reason": _cause(one.reason),
    }


def _fate(one: TurnFate) -> Row:
    return {
        "turn_id": one.turn_id,
        "position": one.position,
        "state": one.state.value,
        "by": one.by,
        "reason": _cause(one.reason),
    }


def _question(one: OpenQuestion) -> Row:
    return {"turn_id": one.turn_id, "position": one.position, "verb": one.verb, "why": one.why}


def _cause(one: Cause) -> Row:
    return {"word": one.word, "numbers": [list(pair) for pair in one.numbers]}


def value_in(row: Row) -> MemoryValue:
    """Read a row of a memory."""
    return MemoryValue(
        **{
            **row,
            "tier": Tier(row["tier"]),
            "state": TierState(row["state"]),
            "kind": ItemKind(row["kind"]),
            "sources": tuple(row["sources"]),
            "reason": _cause_in(row["reason"]),
        }
    )


def fate_in(row: Row) -> TurnFate:
    """Read a row of a turn."""
    return TurnFate(**{**row, "state": TurnState(row["state"]), "reason": _cause_in(row["reason"])})


def question_in(row: Row) -> OpenQuestion:
    """Read what a turn asked for and was not done."""
    return OpenQuestion(**row)


def _cause_in(row: Row) -> Cause:
    return Cause(row["word"], tuple((name, number) for name, number in row["numbers"]))
