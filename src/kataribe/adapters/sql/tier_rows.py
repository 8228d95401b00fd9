"""Rows of conversation memory in tiers, written and read."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.archives import payload_key
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
from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.conversation.summaries import (
    ModelAsk,
    answer_in,
    answer_out,
    asked_in,
    asked_out,
    kind_of,
)
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import term_hash
from kataribe.ports.archive import Payload

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
        "sensitivity": one.sensitivity,
    }


def _fate(one: TurnFate) -> Row:
    row = {
        "turn_id": one.turn_id,
        "position": one.position,
        "state": one.state.value,
        "by": one.by,
        "reason": _cause(one.reason),
    }
    return {**row, "cut": [list(place) for place in one.cut]} if one.cut else row


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
    cut = tuple((start, end) for start, end in row.get("cut", ()))
    return TurnFate(
        **{**row, "state": TurnState(row["state"]), "reason": _cause_in(row["reason"]), "cut": cut}
    )


def question_in(row: Row) -> OpenQuestion:
    """Read what a turn asked for and was not done."""
    return OpenQuestion(**row)


def payload_of(row: Row) -> Payload:
    """Give what the archive takes of a row."""
    return Payload(payload_key(row["text"], row["topic"]), row["text"], row["topic"])


def without_payload(row: Row) -> Row:
    """Give what stays of a row whose payload is archived."""
    return {**row, "text": "", "topic": ""}


def with_payload(row: Row, payload: Payload) -> Row:
    """Give a row whole again."""
    return {**row, "text": payload.text, "topic": payload.topic}


def terms_of(row: Row, language: Language) -> set[int]:
    """Give the hashes of the content words of a row."""
    return {term_hash(word) for word in content_words(row["text"], language)}


def terms_out(row: Row, language: Language) -> str:
    """Write them."""
    return r.dump(sorted(terms_of(row, language)))


def _cause_in(row: Row) -> Cause:
    return Cause(row["word"], tuple((name, number) for name, number in row["numbers"]))


def ask_out(ask: ModelAsk) -> Row:
    """Write a question to a model, and its answer."""
    return {
        "holder": ask.holder,
        "fingerprint": ask.fingerprint,
        "unit": ask.unit,
        "kind": kind_of(ask.asked).value,
        "ready_at": ask.ready_at,
        "turn_ids": r.dump(ask.asked.turn_ids),
        "asked": r.dump(asked_out(ask.asked)),
        "answer": None if ask.answer is None else r.dump(answer_out(ask.answer)),
        "embedder_id": ask.embedder_id,
        "vectors": r.dump({name: b64encode(raw).decode("ascii") for name, raw in ask.vectors.items()}),
    }


def ask_in(row: Any) -> ModelAsk:
    """Read a question to a model, and its answer."""
    answer = r.load(row.answer)
    return ModelAsk(
        holder=row.holder,
        asked=asked_in(row.kind, r.load(row.asked)),
        fingerprint=row.fingerprint,
        ready_at=row.ready_at,
        answer=None if answer is None else answer_in(answer),
        embedder_id=row.embedder_id,
        vectors={name: b64decode(raw) for name, raw in r.load(row.vectors).items()},
    )
