"""A night: what is over goes, what is worth it is promoted, and what nobody used fades."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from kataribe.domain.conversation.life.formulas import (
    graded_novelty,
    importance,
    is_novel,
    kept_count,
    relatedness,
    state_after,
    usefulness,
)
from kataribe.domain.conversation.life.held import HeldMemory, ItemLife
from kataribe.domain.conversation.life.neighbours import NeighbourLikeness
from kataribe.domain.conversation.life.policy import DAY
from kataribe.domain.conversation.life.state import LifeState
from kataribe.domain.conversation.life.values import Cause, Tier, TierState
from kataribe.domain.conversation.life.words import is_denied
from kataribe.domain.terms import Language
from kataribe.domain.text.wording import skeleton


@dataclass(frozen=True, slots=True)
class _Approved:
    """A candidate with why it is approved, and the numbers that were looked at."""

    held: HeldMemory
    word: str
    likeness: NeighbourLikeness
    mentions: int
    usefulness: float
    importance: float

    @property
    def is_spared(self) -> bool:
        """Whether a consolidation lets it be."""
        return self.word in ("explicit", "succeeds") or self.held.pinned

    def cause(self, word: str) -> Cause:
        """Give a word with the numbers of the decision."""
        best = self.likeness.best
        return Cause(
            word,
            (
                ("mentions", self.mentions),
                ("likeness", 0.0 if best is None else best),
                ("usefulness", self.usefulness),
                ("importance", self.importance),
            ),
        )


def pass_night(state: LifeState, at: int) -> None:
    """Do what a night does, in this order: approve, consolidate, promote or merge, expire, decay.

    What is over is weighed once more before it goes: where nights were missed it had no other chance. It
    goes by the numbers that the state goes by.
    """
    approved = _approve(state, at)
    kept = {one.held.memory_id for one in _consolidated(approved, state.policy.consolidation.keep)}
    known = len(state.neighbours)
    for one in approved:
        if one.held.memory_id in kept:
            _promote(state, one, at, known)
        else:
            _leave_out(state, one, at)
    _expire(state, at)
    _decay(state, at)


def _expire(state: LifeState, at: int) -> None:
    days = state.policy.mid.kept_days
    while state.mid_since and state.mid_since[0][0] + days * DAY <= at:
        held = state.held.get(heapq.heappop(state.mid_since)[1])
        is_mid = held is not None and held.end is None and held.tier is Tier.MID and not held.pinned
        if held is not None and is_mid and held.refreshed_at + days * DAY <= at:
            state.finish(held, TierState.EXPIRED, at, Cause("mid_term_over", (("days", days),)))


def _approve(state: LifeState, at: int) -> list[_Approved]:
    stirred, state.stirred = state.stirred, set()
    candidates = [held for subject in stirred for held in state.undecided[subject].values()]
    candidates.sort(key=lambda one: one.items[0].item.number)
    worthy = [one for one in (_worthy(state, held, at) for held in candidates) if one is not None]
    state.neighbours.prepare(one.held.live[0].item for one in worthy)
    found = (_judged(state, one) for one in worthy)
    return [one for one in found if one is not None]


@dataclass(frozen=True, slots=True)
class _Worthy:
    """A candidate that is approved (`word`), or would be if it is novel (no word)."""

    held: HeldMemory
    word: str | None
    mentions: int
    usefulness: float


def _worthy(state: LifeState, held: HeldMemory, at: int) -> _Worthy | None:
    live = held.live
    mentions = _mentions(state, held, at)
    useful = usefulness(_uses(state, live, at), state.policy.promotion)
    word = _merit(state, live, held, mentions)
    if word is None and useful < state.policy.promotion.usefulness:
        return None
    return _Worthy(held, word, mentions, useful)


def _judged(state: LifeState, one: _Worthy) -> _Approved | None:
    likeness = state.neighbours.look(one.held.live[0].item)
    if one.word is None and not is_novel(likeness.best, state.policy.promotion):
        # It may become new again when what is like it goes.
        state.stirred.add(one.held.subject)
        return None
    weighed = _importance(state, one.held, likeness, one.mentions)
    return _Approved(one.held, one.word or "useful", likeness, one.mentions, one.usefulness, weighed)


def _merit(state: LifeState, live: list[ItemLife], held: HeldMemory, mentions: int) -> str | None:
    if held.explicit or any(one.explicit for one in live):
        return "explicit"
    if any(one.succeeds for one in live):
        return "succeeds"
    return "mentions" if mentions >= state.policy.promotion.mentions else None


def _mentions(state: LifeState, held: HeldMemory, at: int) -> int:
    since = at - state.policy.promotion.mentions_days * DAY
    return state.mentions.count(held.subject, since=since, upto=at)


def _uses(state: LifeState, live: Iterable[ItemLife], at: int) -> int:
    since = at - state.policy.promotion.usefulness_days * DAY
    return len({use for one in live for use in one.said.uses if since < use <= at})


def _importance(state: LifeState, held: HeldMemory, likeness: NeighbourLikeness, mentions: int) -> float:
    weights = state.policy.importance
    return importance(
        valence=max((one.item.valence for one in held.live), key=abs, default=0.0),
        novelty=graded_novelty(likeness.likenesses, weights),
        relatedness=relatedness(likeness.likenesses, weights),
        mention_count=max(1, mentions),
        weights=weights,
    )


def _consolidated(approved: list[_Approved], keep: float) -> list[_Approved]:
    """Keep the most important share, of equals the newest; what is spared counts among neither."""
    spared = [one for one in approved if one.is_spared]
    others = [one for one in approved if not one.is_spared]
    others.sort(key=lambda one: (-one.importance, -one.held.items[0].item.number))
    return [*spared, *others[: kept_count(len(others), keep)]]


def _leave_out(state: LifeState, one: _Approved, at: int) -> None:
    held = one.held
    held.importance = one.importance
    state.close(held)
    state.left_out[held.subject][held.memory_id] = held
    state.write(held, at, one.cause("left_out"))


def _promote(state: LifeState, one: _Approved, at: int, known: int) -> None:
    held = one.held
    state.close(held)
    held.importance = one.importance
    target = _neighbour(state, one, known)
    if target is not None:
        _merge(state, one, target, at)
        return
    held.tier, held.life, held.last_used = Tier.LONG, TierState.HOT, max(at, held.last_used)
    state.anchor(held)
    state.schedule_memory(held)
    state.write(held, at, one.cause(f"promoted_{one.word}"))


def _neighbour(state: LifeState, one: _Approved, known: int) -> HeldMemory | None:
    """Give the nearest long-term memory that says the same, those of this night among them."""
    if one.held.hand_text() is not None:
        return None
    item = one.held.live[0].item
    near = list(one.likeness.near)
    if len(state.neighbours) > known:
        near += state.neighbours.look(item, since=known).near
    for likeness, slot in sorted(near, key=lambda pair: (-pair[0], pair[1])):
        if likeness < state.policy.promotion.novelty:
            return None
        target = state.in_slot(slot)
        if target is not None and not any(_clash(item.text, text, state.language) for text in _texts(target)):
            return target
    return None


def _texts(held: HeldMemory) -> list[str]:
    return [one.item.text for one in held.live]


@lru_cache(maxsize=4096)
def _numbers(text: str, language: Language) -> tuple[str, ...]:
    return skeleton(text, language).numbers


def _clash(one: str, other: str, language: Language) -> bool:
    """Whether one denies what the other says, or names other numbers."""
    left, right = _numbers(one, language), _numbers(other, language)
    differ = bool(left and right) and left != right
    return differ or is_denied(one, language) is not is_denied(other, language)


def _merge(state: LifeState, one: _Approved, target: HeldMemory, at: int) -> None:
    held = one.held
    for item in held.items:
        if item.held is held:
            item.held = target
    target.items = sorted({*target.items, *held.items}, key=lambda each: each.item.number)
    target.explicit |= held.explicit
    target.pinned |= held.pinned
    target.last_used, target.life = max(at, target.last_used), TierState.HOT
    state.schedule_memory(target)
    held.superseded_by = target.memory_id
    state.finish(held, TierState.SUPERSEDED, at, one.cause("merged"))
    state.anchor(target)
    target.importance = _importance(
        state,
        target,
        state.neighbours.look(target.live[0].item, without=target.slot),
        _mentions(state, target, at),
    )
    state.write(target, at, one.cause("merged_with"))


def _decay(state: LifeState, at: int) -> None:
    while state.life_due and state.life_due[0][0] <= at:
        due, is_turn, name = heapq.heappop(state.life_due)
        if is_turn:
            _fade_turn(state, name, due, at)
        else:
            _fade_memory(state, name, due, at)


def _fade_turn(state: LifeState, turn_id: str, due: int, at: int) -> None:
    said = state.turns[turn_id]
    if said.due != due:
        return
    unused = at - said.last_used
    said.life = state_after(unused, state.policy.decay, state.policy.delete_days("turn"))
    state.schedule_turn(said)
    state.show(said, at, "", Cause("unused", (("days", unused // DAY),)))


def _fade_memory(state: LifeState, memory_id: str, due: int, at: int) -> None:
    held = state.held[memory_id]
    if held.due != due or held.end is not None or held.pinned:
        return
    unused = at - held.last_used
    cause = Cause("unused", (("days", unused // DAY),))
    life = state_after(unused, state.policy.decay, state.policy.delete_days(held.kind))
    if life is TierState.EXPIRED:
        state.finish(held, life, at, cause)
        return
    is_other, held.life = life is not held.life, life
    state.schedule_memory(held)
    if is_other:
        state.write(held, at, cause)
