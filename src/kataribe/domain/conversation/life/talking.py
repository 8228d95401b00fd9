"""What a turn changes when it is said: its mentions, its commands, and what it corrects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kataribe.domain.conversation.life import pointing
from kataribe.domain.conversation.life.events import Place, TurnAsk, TurnVerb
from kataribe.domain.conversation.life.held import HeldMemory, ItemLife, TurnLife
from kataribe.domain.conversation.life.items import commands
from kataribe.domain.conversation.life.state import LifeState
from kataribe.domain.conversation.life.values import Cause, Tier, TierState
from kataribe.domain.conversation.masking import MASKS
from kataribe.domain.text.without import without


def say(state: LifeState, said: TurnLife) -> None:
    """Take in a turn at its position."""
    said.is_said, said.last_used = True, said.turn.at
    state.schedule_turn(said)
    for one in said.items:
        if one.is_counted:
            _mention(state, one)
    if said.turn.is_users:
        _obey(state, said)
    if not said.log_only_by:
        _correct(state, said)


def _mention(state: LifeState, one: ItemLife) -> None:
    state.mentions.add(one.item.subject, one.said)
    state.stir(one.item.subject)


def _obey(state: LifeState, said: TurnLife) -> None:
    for ask in sorted(said.turn.asks, key=lambda one: (one.start, one.end, one.verb, one.is_clear)):
        if not ask.is_clear:
            state.ask(said, ask.verb, pointing.UNCLEAR)
    for ask in sorted(commands(said.turn), key=lambda one: (one.start, one.end, one.verb)):
        _OBEYED[ask.verb](state, said, ask)


def _remember(state: LifeState, said: TurnLife, ask: TurnAsk) -> None:
    if ask.end > ask.start:
        return
    found = pointing.just_before(state, said)
    if found.why is not None:
        state.ask(said, ask.verb, found.why)
    for one in found.items:
        for each in (one, *(made for made in one.said.summed if not made.is_pending)):
            _make_explicit(state, each, said)


def _make_explicit(state: LifeState, one: ItemLife, said: TurnLife) -> None:
    one.explicit = True
    held = one.held
    if held is not None and held.end is None and not held.explicit:
        held.explicit = True
        state.stir(held.subject)
        state.write(held, said.turn.at, Cause("asked_to_remember"))


def _do_not_remember(state: LifeState, said: TurnLife, ask: TurnAsk) -> None:
    is_of_this = ask.end > ask.start or bool(said.items)
    before = None if is_of_this else pointing.last_turn(state, said)
    for other in [said] if before is None else [said, before]:
        _silence(state, other, said, "asked_not_to_remember")


def _silence(state: LifeState, other: TurnLife, said: TurnLife, word: str) -> None:
    if other.log_only_by is None:
        other.log_only_by = said.turn.turn_id
    for one in other.items:
        uncount(state, one)
        one.is_silenced = True
    cause = Cause(word)
    for held in memories_of(other.items):
        state.remake(held, said.turn.at, cause)
    state.show(other, said.turn.at, said.turn.turn_id, cause)


def _forget(state: LifeState, said: TurnLife, ask: TurnAsk) -> None:
    if ask.end > ask.start:
        _forget_named(state, said, ask)
        return
    before = pointing.last_turn(state, said)
    if before is None:
        state.ask(said, ask.verb, pointing.NOTHING_BEFORE)
        return
    _hide_all(state, said, [one for one in before.items if one.is_in_force], [before])


def _forget_named(state: LifeState, said: TurnLife, ask: TurnAsk) -> None:
    place = (ask.start, ask.end)
    found = pointing.spoken_of(state, said, place)
    if found.why is not None:
        state.ask(said, ask.verb, found.why)
        return
    _hide_all(state, said, found.items, pointing.echoes(state, said, place, found.items))


def _hide_all(state: LifeState, said: TurnLife, items: Sequence[ItemLife], turns: Iterable[TurnLife]) -> None:
    for other in turns:
        _hide_turn(state, other, said)
    for one in items:
        hide(state, one, said)
    # It says again what is to be forgotten.
    _silence(state, said, said, "asked_to_forget")
    for held in memories_of(items):
        state.remake(held, said.turn.at, Cause("asked_to_forget"))


def hide(state: LifeState, one: ItemLife, said: TurnLife) -> None:
    """Hide an item and its turn from a turn's position on; its memory is to be made again.

    What a model made goes with the turns it rests on.
    """
    if one.rests_on:
        for source in one.rests_on:
            _hide_turn(state, source, said)
        return
    uncount(state, one)
    one.hidden_at, one.hidden_by = said.turn.at, said.turn.turn_id
    if one.held is None and not one.said.is_summed:
        # So that it can be listed and restored, though its thread has not left the buffer.
        state.make(one, said.turn.at)
    _hide_turn(state, one.said, said)


def _hide_turn(state: LifeState, other: TurnLife, said: TurnLife) -> None:
    if other.hidden_by is None:
        other.hidden_by, other.hidden_at = said.turn.turn_id, said.turn.at
    state.show(other, said.turn.at, said.turn.turn_id, Cause("asked_to_forget"))


def uncount(state: LifeState, one: ItemLife) -> None:
    """Take back that an item's turn mentions its topic, unless another of its items does."""
    if one.is_counted and not any(
        other is not one and other.is_counted and other.item.subject == one.item.subject
        for other in one.said.items
    ):
        state.mentions.remove(one.item.subject, one.said)


def memories_of(items: Iterable[ItemLife]) -> list[HeldMemory]:
    """Give the memories that rest on any of these items, each once, in their order."""
    held = [one.held for one in items if one.held is not None]
    return list({one.memory_id: one for one in held}.values())


def _correct(state: LifeState, said: TurnLife) -> None:
    found = pointing.contradicted(state, said)
    if found.why is not None:
        state.ask(said, "correct", found.why)
    supersede(state, said, found.items)


def supersede(state: LifeState, said: TurnLife, older: Sequence[ItemLife]) -> None:
    """Let what a turn says take the place of older items, from its position on."""
    if not older:
        return
    newer = _newer(said)
    for one in older:
        _supersede(state, one, said, newer)
    echoing = list(pointing.echoes_of_old(state, said, older))
    for other, items in echoing:
        for one in items:
            one.superseded_by = said.turn.turn_id
        _show_superseded(state, other, said)
    for held in memories_of([*older, *(one for _, items in echoing for one in items)]):
        state.remake(held, said.turn.at, Cause("corrected"))


def _newer(said: TurnLife) -> list[ItemLife]:
    """Give the items that say what holds now: those that touch the new value, or else all."""
    new = None if said.turn.correction is None else said.turn.correction.new
    touching = [
        one for one in said.items if new and one.item.place[0] < new[1] and new[0] < one.item.place[1]
    ]
    return touching or said.items


def _supersede(state: LifeState, one: ItemLife, said: TurnLife, newer: list[ItemLife]) -> None:
    held = one.held
    is_long = held is not None and held.end is None and held.tier is Tier.LONG
    one.superseded_by = newer[0].item.item_id if newer else said.turn.turn_id
    for other in newer:
        other.succeeds |= is_long or one.succeeds
        other.explicit |= one.explicit
    _show_superseded(state, one.said, said)


def _show_superseded(state: LifeState, other: TurnLife, said: TurnLife) -> None:
    if other.superseded_by is None:
        other.superseded_by = said.turn.turn_id
    other.cut = _cut(state, other, said)
    state.show(other, said.turn.at, said.turn.turn_id, Cause("corrected"))


def _cut(state: LifeState, other: TurnLife, said: TurnLife) -> tuple[Place, ...]:
    """Give the places of what is superseded of a turn where the rest is in force; else nothing is left."""
    taken = [one.item.place for one in other.items if one.superseded_by is not None]
    left = [one.item.place for one in other.items if one.is_in_force]
    if not taken or not left or any(a < d and c < b for a, b in taken for c, d in left):
        return ()
    if any(mask in other.turn.text for mask in MASKS.values()):
        # Places are those of a text with masks, which the turn itself has not.
        return ()
    cut = tuple(sorted(taken))
    return () if pointing.says_the_old(state, said, without(other.turn.text, cut)) else cut


_OBEYED = {
    TurnVerb.REMEMBER: _remember,
    TurnVerb.FROM_NOW_ON: _remember,
    TurnVerb.DO_NOT_REMEMBER: _do_not_remember,
    TurnVerb.FORGET: _forget,
}


def use(state: LifeState, said: TurnLife, at: int) -> None:
    """Note that an answer used a turn: it and what rests on it are hot again."""
    if not said.is_open or said.life is TierState.EXPIRED:
        return
    said.uses.append(at)
    said.last_used, said.life = max(at, said.last_used), TierState.HOT
    state.schedule_turn(said)
    state.show(said, at, "", Cause("used"))
    for held in memories_of(one for one in (*said.items, *said.summed) if one.is_in_force):
        if held.end is None:
            touch(state, held, at)
            state.write(held, at, Cause("used"))


def touch(state: LifeState, held: HeldMemory, at: int) -> None:
    """Move the last use of a memory, and make it hot again."""
    held.last_used = max(at, held.last_used)
    if held.tier is Tier.LONG:
        held.life = TierState.HOT
        state.schedule_memory(held)
    else:
        state.stirred.add(held.subject)
