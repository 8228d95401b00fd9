"""An item, a turn and a memory as a replay holds them, and in which turns topics were mentioned."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from dataclasses import dataclass, field

from kataribe.domain.conversation.life.events import Place, SaidTurn
from kataribe.domain.conversation.life.items import LifeItem
from kataribe.domain.conversation.life.values import (
    ItemKind,
    Tier,
    TierState,
    TurnState,
)

_TURN_STATES = {
    TierState.HOT: TurnState.HOT,
    TierState.WARM: TurnState.WARM,
    TierState.COOL: TurnState.COOL,
    TierState.ARCHIVED: TurnState.ARCHIVED,
    TierState.EXPIRED: TurnState.DELETED,
}


@dataclass(slots=True, eq=False)
class ItemLife:
    """An item, and what has become of it."""

    item: LifeItem
    said: TurnLife
    explicit: bool = False
    succeeds: bool = False
    """Whether it took the place of a long-term memory."""
    hidden_at: int | None = None
    hidden_by: str = ""
    superseded_by: str | None = None
    is_silenced: bool = False
    is_forgotten: bool = False
    held: HeldMemory | None = None
    rests_on: tuple[TurnLife, ...] = ()
    """The turns that a model made it of; none of a span, which rests on its own turn."""
    is_pending: bool = False
    """Whether the thread that it sums up is still at hand."""
    was_counted: bool = False
    was_in_force: bool = False
    """What was so of a model's item when that was last looked at."""
    is_left_over: bool = False
    """Whether it is kept since what a model made of its turn is gone."""

    @property
    def is_counted(self) -> bool:
        """Whether its turn mentions its topic."""
        if self.hidden_at is not None or self.is_silenced or self.is_forgotten or self.is_pending:
            return False
        return not any(one.hidden_by or one.log_only_by for one in self.rests_on)

    @property
    def is_in_force(self) -> bool:
        """Whether a memory may rest on it."""
        return self.is_counted and self.taken_by is None

    @property
    def taken_by(self) -> str | None:
        """What took its place, or that of a turn it rests on."""
        taken = (one.superseded_by for one in self.rests_on)
        return self.superseded_by or next((one for one in taken if one is not None), None)


@dataclass(slots=True, eq=False)
class TurnLife:
    """A turn, and what has become of its memory."""

    turn: SaidTurn
    number: int
    items: list[ItemLife] = field(default_factory=list)
    summed: list[ItemLife] = field(default_factory=list)
    """What a model made of it, and perhaps of other turns beside it."""
    is_summed: bool = False
    """Whether a model's items stand in the place of its own statements."""
    is_said: bool = False
    is_flushed: bool = False
    last_used: int = 0
    uses: list[int] = field(default_factory=list)
    life: TierState = TierState.HOT
    shown: TurnState = TurnState.HOT
    due: int | None = None
    hidden_by: str | None = None
    hidden_at: int | None = None
    log_only_by: str | None = None
    superseded_by: str | None = None
    cut: tuple[Place, ...] = ()
    """What of its text is superseded while the rest is in force; empty: all or nothing is."""
    shown_cut: tuple[Place, ...] = ()

    @property
    def is_superseded(self) -> bool:
        """Whether nothing of it is in force any more."""
        return self.superseded_by is not None and not self.cut

    @property
    def is_open(self) -> bool:
        """Whether its memory is given to anybody at all."""
        return not (self.hidden_by or self.log_only_by or self.is_superseded)

    @property
    def state(self) -> TurnState:
        """How it stands: what was decided goes before what time brings."""
        if self.hidden_by:
            return TurnState.HIDDEN
        if self.log_only_by:
            return TurnState.LOG_ONLY
        return TurnState.SUPERSEDED if self.is_superseded else _TURN_STATES[self.life]


@dataclass(slots=True, eq=False)
class HeldMemory:
    """A memory as it stands; `items` are all that it was made of, in the order they were said."""

    memory_id: str
    kind: ItemKind
    topic: str
    subject: str
    """What is counted as a mention of it."""
    items: list[ItemLife]
    created_at: int
    recent_until: int
    refreshed_at: int
    last_used: int
    tier: Tier = Tier.MID
    life: TierState = TierState.HOT
    end: TierState | None = None
    importance: float | None = None
    explicit: bool = False
    pinned: bool = False
    superseded_by: str | None = None
    slot: int | None = None
    anchor: ItemLife | None = None
    due: int | None = None
    hand: tuple[str, frozenset[int]] | None = None
    """A text by hand, and the numbers of the items it was written over."""
    text: str = ""
    sources: tuple[str, ...] = ()
    sensitivity: str | None = None

    @property
    def live(self) -> list[ItemLife]:
        """The items that are in force and rest in this memory."""
        return [one for one in self.items if one.held is self and one.is_in_force]

    def hand_text(self) -> str | None:
        """Give the text by hand while all that it was written over is in force."""
        if self.hand is None:
            return None
        text, numbers = self.hand
        return text if numbers <= {one.item.number for one in self.live} else None


class Mentions:
    """In which turns each topic was mentioned."""

    def __init__(self) -> None:
        self._of: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)

    def add(self, subject: str, said: TurnLife) -> None:
        """Note that a turn mentions a topic; once, however often."""
        found, mark = self._of[subject], (said.turn.at, said.number)
        at = bisect_left(found, mark)
        if at == len(found) or found[at] != mark:
            insort(found, mark)

    def remove(self, subject: str, said: TurnLife) -> None:
        """Take the mention by a turn back."""
        found, mark = self._of[subject], (said.turn.at, said.number)
        at = bisect_left(found, mark)
        if at < len(found) and found[at] == mark:
            del found[at]

    def count(self, subject: str, *, since: int, upto: int) -> int:
        """Count the turns later than `since`, up to and including `upto`."""
        found = self._of.get(subject, [])
        return bisect_right(found, (upto, 1 << 62)) - bisect_right(found, (since, 1 << 62))
