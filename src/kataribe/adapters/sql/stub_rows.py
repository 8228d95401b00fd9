"""Rows of turns whose text has expired, written and read."""

from __future__ import annotations

from typing import Any

from kataribe.adapters.sql import rows as r
from kataribe.domain.arrays import np
from kataribe.domain.conversation.life.events import TurnAsk, TurnCorrection, TurnVerb
from kataribe.domain.conversation.life.stubs import TurnStub
from kataribe.domain.conversation.life.values import ItemKind


def stub_out(stub: TurnStub) -> dict[str, object]:
    """Write a stub."""
    correction = stub.correction
    value = {
        "said_hash": stub.said_hash,
        "statements": [list(one) for one in stub.statements],
        "asks": [[one.verb.value, one.start, one.end, one.is_clear] for one in stub.asks],
        "correction": None if correction is None else [correction.old, correction.new],
        "echoes": list(stub.echoes),
    }
    return {
        "turn_id": stub.turn_id,
        "embedder_id": stub.embedder_id,
        "vector": None if stub.vector is None else stub.vector.astype("<f4").tobytes(),
        "value": r.dump(value),
    }


def stub_in(row: Any) -> TurnStub:
    """Read a stub."""
    value = r.load(row.value)
    old, new = value["correction"] or (None, None)
    correction = TurnCorrection(old=_place(old), new=_place(new))
    return TurnStub(
        turn_id=row.turn_id,
        said_hash=value["said_hash"],
        embedder_id=row.embedder_id,
        vector=None if row.vector is None else np.frombuffer(row.vector, dtype="<f4"),
        statements=tuple((start, end, ItemKind(kind)) for start, end, kind in value["statements"]),
        asks=tuple(
            TurnAsk(verb=TurnVerb(verb), start=start, end=end, is_clear=is_clear)
            for verb, start, end, is_clear in value["asks"]
        ),
        correction=None if value["correction"] is None else correction,
        echoes=tuple(value["echoes"]),
    )


def _place(given: list[int] | None) -> tuple[int, int] | None:
    return None if given is None else (given[0], given[1])
