"""Half a year of talk, and small talk made by hand, as inputs of a replay."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kataribe.domain.conversation.life.events import (
    Flush,
    HandDecision,
    HandVerb,
    Night,
    SaidStatement,
    SaidTurn,
    TurnAsk,
    TurnCorrection,
    TurnVerb,
    UsedAt,
)
from kataribe.domain.conversation.life.items import memory_id_for
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, SECOND, TierPolicy
from kataribe.domain.conversation.life.replay import replay
from kataribe.domain.conversation.life.summed import NO_MODEL, ModelWord
from kataribe.domain.conversation.life.values import ItemKind, Life
from kataribe.domain.gate import position_of
from kataribe.domain.terms import Language

SPACE, HOLDER = "user:ann", "mio"
TABLES = Path(__file__).parent.parent / "domain" / "life"
IDLE = 600 * SECOND
WIDTH = 256

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """All inputs of a replay."""

    language: Language
    turns: tuple[SaidTurn, ...] = ()
    flushes: tuple[Flush, ...] = ()
    nights: tuple[Night, ...] = ()
    uses: tuple[UsedAt, ...] = ()
    decisions: tuple[HandDecision, ...] = ()
    policy: TierPolicy = DEFAULT_TIERS
    model: ModelWord = NO_MODEL

    def life(self) -> Life:
        return replay(
            self.turns,
            self.flushes,
            self.nights,
            self.uses,
            self.decisions,
            self.policy,
            space=SPACE,
            holder=HOLDER,
            language=self.language,
            model=self.model,
        )


def rows_of(name: str) -> list[Row]:
    return [json.loads(line) for line in (TABLES / name).read_text(encoding="utf-8").splitlines()]


def at(moment: str) -> int:
    return position_of(datetime.fromisoformat(moment))


def half_year(language: Language) -> Happening:
    """The table of a language: each session is a thread, left ten minutes after its last turn."""
    rows = rows_of(f"half_year_{language}.jsonl")
    turns = tuple(turn_of(row) for row in rows if "turn" in row)
    return Happening(
        language=language,
        turns=turns,
        flushes=flushes_of(turns),
        nights=nights_over(turns),
        uses=tuple(UsedAt(turn_id=row["use"], at=at(row["at"])) for row in rows if "use" in row),
        decisions=tuple(decision_of(row, turns) for row in rows if "decide" in row),
    )


def turn_of(row: Row) -> SaidTurn:
    text = row["text"]
    ask, correct = row.get("ask"), row.get("correct")
    return SaidTurn(
        turn_id=row["turn"],
        at=at(row["at"]),
        session=row["session"],
        speaker=row["who"],
        is_users=row["who"] not in ("Mio", "澪"),
        text=text,
        vector=pointing_to(row["like"], row["turn"]) if "like" in row else None,
        statements=tuple(statement_of(text, one) for one in row.get("says", ())),
        asks=() if ask is None else (ask_of(text, ask),),
        correction=None if correct is None else correction_of(text, correct),
    )


def statement_of(text: str, row: Row) -> SaidStatement:
    start = text.index(row["words"])
    kind = ItemKind(row["kind"])
    return SaidStatement(start=start, end=start + len(row["words"]), kind=kind, topic=row["topic"])


def ask_of(text: str, row: Row) -> TurnAsk:
    start, words = (text.index(row["words"]), row["words"]) if row["words"] else (0, "")
    return TurnAsk(
        verb=TurnVerb(row["verb"]), start=start, end=start + len(words), is_clear=row.get("clear", True)
    )


def correction_of(text: str, row: Row) -> TurnCorrection:
    def place(words: str) -> tuple[int, int] | None:
        return (text.index(words), text.index(words) + len(words)) if words else None

    return TurnCorrection(old=place(row["old"]), new=place(row["new"]))


def decision_of(row: Row, turns: Iterable[SaidTurn]) -> HandDecision:
    return HandDecision(
        at=at(row["at"]),
        memory_id=id_of(row["of"], turns),
        what=HandVerb(row["decide"]),
        text=row.get("text", ""),
    )


def id_of(words: str, turns: Iterable[SaidTurn]) -> str:
    """The id of the memory that is first made of these words."""
    for turn in turns:
        for one in turn.statements:
            if turn.text[one.start : one.end] == words:
                return memory_id_for(
                    space=SPACE, holder=HOLDER, kind=one.kind, turn_id=turn.turn_id, text=words
                )
    raise AssertionError(f"nobody says {words!r}")


def flushes_of(turns: Iterable[SaidTurn]) -> tuple[Flush, ...]:
    sessions: dict[str, list[SaidTurn]] = {}
    for turn in turns:
        sessions.setdefault(turn.session, []).append(turn)
    return tuple(
        Flush(
            at=max(one.at for one in said) + IDLE,
            thread_id=session,
            turn_ids=tuple(one.turn_id for one in said),
            why="idle",
        )
        for session, said in sessions.items()
    )


def nights_over(turns: Iterable[SaidTurn]) -> tuple[Night, ...]:
    """A night at three, UTC, after each day from the first turn to the last."""
    days = sorted(datetime.fromtimestamp(turn.at / SECOND, UTC) for turn in turns)
    first = days[0].replace(hour=3, minute=0, second=0, microsecond=0) + timedelta(days=1)
    count = (days[-1] - first).days + 2
    return tuple(Night(position_of(first + timedelta(days=day))) for day in range(count))


@cache
def pointing_to(concept: str, turn_id: str) -> npt.NDArray[np.float32]:
    """A vector .9 alike to all that are of one concept, and near 0 to the rest."""
    vector: npt.NDArray[np.float32] = noise(concept) + 0.3 * noise(turn_id)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def noise(word: str) -> npt.NDArray[np.float32]:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    vector = np.random.default_rng(seed).standard_normal(WIDTH)
    return (vector / np.linalg.norm(vector)).astype(np.float32)
