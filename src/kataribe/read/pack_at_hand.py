"""What is at hand becomes parts of a context, beside what was recalled: each thing is said once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kataribe.domain.around import joined
from kataribe.domain.memory import FactHit
from kataribe.domain.recall.at_hand import AtHand
from kataribe.domain.recall.context import (
    DEFAULT_CONTEXT,
    Component,
    ContextItem,
    ContextOrder,
    ContextPart,
    ContextPolicy,
    Dropped,
    DropReason,
    choose,
    newest,
)
from kataribe.domain.recall.context_words import told, where, words
from kataribe.domain.terms import Language
from kataribe.domain.text import fence
from kataribe.ports import TokenCounter
from kataribe.read.kept import (
    FENCES,
    KEPT,
    NamedKept,
    kept_lines,
    once,
    short_lines,
    short_overhead,
    unsaid,
    written,
)
from kataribe.read.select import Screened

GAP = "\n\n"
"""Stands between the parts of a context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """How a context is to be put together. `budgets` are those the caller named."""

    question: str
    language: Language
    budget: int
    counter: TokenCounter
    parts: tuple[Component, ...] = tuple(Component)
    budgets: Mapping[Component, int] = field(default_factory=dict)
    order: ContextOrder = ContextOrder.SCORE
    speaks_as: str | None = None
    persona: str = ""
    style: str = ""
    style_reason: str = "the caller's words"
    recent: tuple[str, ...] = ()
    policy: ContextPolicy = DEFAULT_CONTEXT
    at_hand: AtHand | None = None
    """What is at hand before anything is searched (None: nothing ever is)."""

    def share(self, name: Component, share: float) -> int:
        """Give the tokens a part may take, of the whole budget unless it was named."""
        return self.budgets.get(name, int(self.budget * share))

    @property
    def short_room(self) -> int:
        """The tokens there are for the messages that were just said."""
        if Component.SHORT not in self.parts:
            return 0
        overhead = short_overhead(self.language, self.counter.count)
        return self.share(Component.SHORT, self.policy.short) - overhead


class PackingAtHand(ABC):
    """What fills a budget part by part, and the parts of what is at hand."""

    def __init__(self, screened: Screened, wanted: ContextRequest, room: int) -> None:
        self._screened = screened
        self._wanted = wanted
        self._room = room
        self._made: dict[Component, ContextPart] = {}
        self._words = words(wanted.language)
        self.dropped: list[Dropped] = []
        shown = [told(one.hit, wanted.language) for one in screened.chosen]
        shown += [joined(one.hit.sentences) for one in screened.chosen if isinstance(one.hit, FactHit)]
        places = [where(one.hit, wanted.language) for one in screened.chosen]
        self._short = short_lines(
            wanted.at_hand, wanted.question, wanted.recent, room=wanted.short_room, count=self._count
        )
        self._lines: tuple[NamedKept, ...] = ()
        if wanted.at_hand is not None:
            self._lines = kept_lines(wanted.at_hand, wanted.question, wanted.language, screened, wanted.parts)
        at_hand = [*(line.line for line in self._short.shown), *(one.line.text for one in self._lines)]
        self._mark = fence.mark_for(
            (wanted.question, wanted.persona, wanted.style, *wanted.recent, *shown, *places, *at_hand)
        )

    @abstractmethod
    def _memories(self, share: int) -> None:
        """Fill the part of what was recalled."""

    def _count(self, text: str) -> int:
        return self._wanted.counter.count(text)

    def _cost(self, text: str) -> int:
        return self._count(f"{text}\n")

    def _whole(self, text: str) -> int:
        return self._count(f"{text}{GAP}")

    def _budget(self, name: Component, share: int) -> int:
        return max(min(self._wanted.budgets.get(name, share), self._room), 0)

    def _put(
        self, name: Component, text: str, budget: int, reason: str, items: tuple[ContextItem, ...] = ()
    ) -> None:
        self._room -= self._whole(text) if text else 0
        self._made[name] = ContextPart(
            name=name, text=text, tokens=self._count(text), budget=budget, reason=reason, items=items
        )

    @property
    def _is_at_hand(self) -> bool:
        """Whether something is told that was not searched for."""
        return bool(self._short.shown) or any(one.why is None for one in self._lines)

    def _with_what_is_at_hand(self, found: AtHand, reserved: int) -> None:
        """Keep room for what was just said and what is kept; what the memories say is not said twice."""
        hits = [one.hit for one in self._screened.chosen]
        before = self._said_once([(hit.space, hit.fact_id, told(hit, self._wanted.language)) for hit in hits])
        shares = {name: self._wanted.share(name, getattr(self._wanted.policy, name)) for name in KEPT}
        reserved += sum(min(self._needed(name, before), share) for name, share in shares.items())
        said = [written(line) for line in self._short.shown]
        needed = (
            sum(map(self._cost, said)) + self._whole(self._at_hand_text(Component.SHORT, [])) if said else 0
        )
        self._memories(self._room - reserved - needed)
        placed = {item.handle: item for part in self._made.values() for item in part.items}
        stand = [
            (one.hit.space, one.hit.fact_id, placed[one.handle].text)
            for one in self._screened.chosen
            if one.handle in placed
        ]
        after = self._said_once(stand)
        for name, share in shares.items():
            self._kept_part(name, [one for one in after if one.line.part is name], share)
        self._short_part(found)

    def _said_once(self, stand: Sequence[tuple[str, str, str]]) -> tuple[NamedKept, ...]:
        turns = frozenset((space, fact_id) for space, fact_id, _ in stand) | self._short.turns
        texts = [*(text for *_, text in stand), *(one.text for one in self._short.standing)]
        texts += self._wanted.recent
        return once(self._lines, turns, texts, self._wanted.language, self._wanted.policy)

    def _needed(self, name: Component, kept: Sequence[NamedKept]) -> int:
        lines = [one for one in kept if one.line.part is name and one.why is None]
        costs = sum(one.item(self._wanted.language, self._fenced_cost).tokens for one in lines)
        return costs + self._whole(self._at_hand_text(name, [])) if lines else 0

    def _fenced_cost(self, made: fence.Fenced) -> int:
        return self._cost(fence.line_of(made))

    def _at_hand_text(self, name: Component, lines: Sequence[str]) -> str:
        return f"{getattr(self._words, name)}\n{fence.fenced(FENCES[name], self._mark, lines)}"

    def _kept_part(self, name: Component, kept: Sequence[NamedKept], share: int) -> None:
        if name not in self._wanted.parts:
            return
        budget = self._budget(name, share)
        room = budget - self._whole(self._at_hand_text(name, []))
        left = [one for one in kept if one.why is None]
        items = [one.item(self._wanted.language, self._fenced_cost) for one in left]
        places = choose([item.tokens for item in items], room)
        self.dropped += [one.dropped(one.why, one.detail) for one in kept if one.why is not None]
        for at, one in enumerate(left):
            if at not in places:
                detail = f"{items[at].tokens} tokens, and no room for them among {max(room, 0)}"
                self.dropped.append(one.dropped(DropReason.BUDGET, detail))
        shown = tuple(items[at] for at in places)
        text = self._at_hand_text(name, [fence.line_of(fenced_item(item)) for item in shown]) if shown else ""
        reason = (
            f"{len(shown)} of {len(kept)} worth telling" if kept else "nothing kept is worth telling here"
        )
        self._put(name, text, budget, reason, shown)

    def _short_part(self, found: AtHand) -> None:
        if Component.SHORT not in self._wanted.parts:
            return
        self.dropped += self._short.dropped
        lines = self._short.shown
        budget = self._budget(Component.SHORT, self._wanted.share(Component.SHORT, self._wanted.policy.short))
        room = budget - self._whole(self._at_hand_text(Component.SHORT, []))
        first = newest([self._cost(written(line)) for line in lines], room)
        self.dropped += [unsaid(line, DropReason.BUDGET, "no room was left") for line in lines[:first]]
        shown = [written(line) for line in lines[first:]]
        ended = f"; nothing before them: {found.ended_by}" if found.ended_by else ""
        reason = (
            f"{len(shown)} of {len(found.said)} messages at hand{ended}"
            if found.said
            else (f"nothing is at hand: {found.ended_by or 'nothing was said'}")
        )
        text = self._at_hand_text(Component.SHORT, shown) if shown else ""
        self._put(Component.SHORT, text, budget, reason)


def fenced_item(item: ContextItem) -> fence.Fenced:
    """Give an item as it stands behind a fence."""
    return fence.Fenced(handle=item.handle, where=item.where, text=item.text, marks=item.marks)
