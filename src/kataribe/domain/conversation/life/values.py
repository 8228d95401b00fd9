"""What a replay gives: rows of memories and of turns, each with the position from which it holds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Tier(StrEnum):
    """Where a memory is kept."""

    MID = "mid"
    LONG = "long"


class ItemKind(StrEnum):
    """What sort of statement a memory is made of (S2-27)."""

    DECISION = "decision"
    REQUEST = "request"
    FACT = "fact"
    POLICY = "policy"


class TierState(StrEnum):
    """How a memory stands: the first two of the mid term, the next four of the long term, and its ends."""

    RECENT = "recent"
    KEPT = "kept"
    HOT = "hot"
    WARM = "warm"
    COOL = "cool"
    ARCHIVED = "archived"
    HIDDEN = "hidden"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


ENDED = frozenset({TierState.HIDDEN, TierState.SUPERSEDED, TierState.EXPIRED})
"""States in which a memory is given to nobody."""


class TurnState(StrEnum):
    """How the memory of a turn stands; its text stays in the log in every state."""

    HOT = "hot"
    WARM = "warm"
    COOL = "cool"
    ARCHIVED = "archived"
    DELETED = "deleted"
    HIDDEN = "hidden"
    SUPERSEDED = "superseded"
    LOG_ONLY = "log_only"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a row is there: a word, and the numbers it was decided by."""

    word: str
    numbers: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        return " ".join([self.word, *(f"{name}={value:g}" for name, value in self.numbers)])


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryValue:
    """What a memory is from `position` on, until its next row.

    `importance` is None until a night has weighed the memory. `sources` are the ids of the turns it
    rests on, in the order they were said. `superseded_by` is the id of the memory that took its place,
    or of the turn that did. `sensitivity` is `pii_summary` where a model wrote it without the personal
    data it rests on, `none` where there was none, and None where nobody looked.
    """

    memory_id: str
    position: int
    tier: Tier
    state: TierState
    kind: ItemKind
    text: str
    topic: str
    importance: float | None
    salience: float
    confidence: float
    explicit: bool
    pinned: bool
    created_at: int
    last_used_at: int
    sources: tuple[str, ...]
    superseded_by: str | None
    reason: Cause
    sensitivity: str | None = None

    @property
    def is_live(self) -> bool:
        """Whether it is given to anybody."""
        return self.state not in ENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFate:
    """How the memory of a turn stands from `position` on; a turn without a row is hot.

    `by` is the id of the turn or memory that brought it about, empty when time did. `cut` are the
    places in its text, in characters, of what was corrected while the rest is in force.
    """

    turn_id: str
    position: int
    state: TurnState
    by: str
    reason: Cause
    cut: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Fates:
    """How the turns of one space stand for one holder, by their ids; a turn that is not there is hot."""

    space: str
    rows: Mapping[str, TurnFate]
    _worked_out: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, work_out: Callable[[], T]) -> T:
        """Give what is worked out of them alone; it is kept as long as they are."""
        if key not in self._worked_out:
            self._worked_out[key] = work_out()
        found: T = self._worked_out[key]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """What a turn asked for and was not done; `why` is a word: the persona should ask back."""

    turn_id: str
    position: int
    verb: str
    why: str


@dataclass(frozen=True, slots=True)
class LifeCounts:
    """How many rows there are of memories, of turns, and of what was asked."""

    values: int = 0
    fates: int = 0
    asked: int = 0

    def plus(self, life: Life) -> LifeCounts:
        """Count further rows."""
        return LifeCounts(
            self.values + len(life.values), self.fates + len(life.fates), self.asked + len(life.asked)
        )


NO_ROWS = LifeCounts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """All rows of one holder in one space, sorted by position, then id."""

    values: tuple[MemoryValue, ...] = ()
    fates: tuple[TurnFate, ...] = ()
    asked: tuple[OpenQuestion, ...] = ()

    def then(self, later: Life) -> Life:
        """Put later rows behind these."""
        return Life(
            values=self.values + later.values, fates=self.fates + later.fates, asked=self.asked + later.asked
        )

    def memories_at(self, moment: int) -> dict[str, MemoryValue]:
        """Give by id the last row of each memory at a moment; ended ones too."""
        return _last(((one.memory_id, one) for one in self.values), moment)

    def turns_at(self, moment: int) -> dict[str, TurnFate]:
        """Give by id the last row of each turn at a moment; one that is missing is hot."""
        return _last(((one.turn_id, one) for one in self.fates), moment)


class _Placed(Protocol):
    @property
    def position(self) -> int: ...


_R = TypeVar("_R", bound=_Placed)


def _last(rows: Iterable[tuple[str, _R]], moment: int) -> dict[str, _R]:
    return {key: row for key, row in rows if row.position <= moment}
