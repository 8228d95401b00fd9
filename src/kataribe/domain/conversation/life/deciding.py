"""What a person decides by hand about a memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from kataribe.domain.conversation.life.events import HandDecision, HandVerb
from kataribe.domain.conversation.life.held import HeldMemory, ItemLife
from kataribe.domain.conversation.life.policy import DAY, PolicyTimes
from kataribe.domain.conversation.life.state import LifeState
from kataribe.domain.conversation.life.talking import memories_of
from kataribe.domain.conversation.life.values import Cause, Tier


def decide(state: LifeState, one: HandDecision) -> None:
    """Do what was decided, as far as there is such a memory at that moment."""
    if one.what is HandVerb.RESTORE:
        _restore(state, one)
        return
    held = state.held.get(one.memory_id)
    done = _BY_HAND.get(one.what)
    if held is not None and held.end is None and done is not None:
        done(state, held, one)


def _pin(state: LifeState, held: HeldMemory, one: HandDecision) -> None:
    held.pinned = True
    state.write(held, one.at, Cause("pinned"))


def _unpin(state: LifeState, held: HeldMemory, one: HandDecision) -> None:
    held.pinned = False
    if held.tier is Tier.LONG:
        state.schedule_memory(held)
    else:
        state.await_expiry(held)
    state.write(held, one.at, Cause("unpinned"))


def _edit(state: LifeState, held: HeldMemory, one: HandDecision) -> None:
    held.hand = (one.text, frozenset(each.item.number for each in held.live))
    state.write(held, one.at, Cause("edited"))


_BY_HAND: dict[HandVerb, Callable[[LifeState, HeldMemory, HandDecision], None]] = {
    HandVerb.PIN: _pin,
    HandVerb.UNPIN: _unpin,
    HandVerb.EDIT: _edit,
}


def _restore(state: LifeState, one: HandDecision) -> None:
    """Show again what was hidden in time: by the id of a memory, or of a turn."""
    days = state.policy.forgetting.restore_days
    found = [each for each in _resting_on(state, one.memory_id) if _is_in_time(each.hidden_at, one.at, days)]
    named = state.turns.get(one.memory_id)
    under = [] if one.memory_id not in state.held else state.held[one.memory_id].items
    named_turns = ([] if named is None else [named]) + [said for each in under for said in each.rests_on]
    turns = [said for said in named_turns if _is_in_time(said.hidden_at, one.at, days)]
    commands = {each.hidden_by for each in found} | {each.hidden_by for each in turns}
    for each in found:
        _show_item(state, each)
    sessions = {each.turn.session for each in (*turns, *(item.said for item in found))}
    for said in (said for session in sorted(sessions) for said in state.sessions[session]):
        if said.hidden_by in commands and all(each.hidden_at is None for each in said.items):
            said.hidden_by = said.hidden_at = None
            state.show(said, one.at, one.memory_id, Cause("restored"))
    for held in memories_of(found):
        state.remake(held, one.at, Cause("restored"))


def _is_in_time(hidden_at: int | None, at: int, days: int) -> bool:
    return hidden_at is not None and at <= hidden_at + days * DAY


def _show_item(state: LifeState, each: ItemLife) -> None:
    each.hidden_at, each.hidden_by = None, ""
    if each.is_counted:
        state.mentions.add(each.item.subject, each.said)
        state.stir(each.item.subject)


def _resting_on(state: LifeState, memory_id: str) -> list[ItemLife]:
    """Give the items of a memory and that which it was first made of, or those of a turn, by their order."""
    held, first = state.held.get(memory_id), state.of_item.get(memory_id)
    found = [] if held is None else list(held.items)
    if memory_id in state.turns:
        found += [one for one in state.turns[memory_id].items if one.said.is_said]
    if first is not None and first.said.is_said and first not in found:
        found.append(first)
    # What a model made goes with all that its turns say, and comes back with it.
    found += [item for one in found for said in one.rests_on for item in said.items if item.said.is_said]
    found = list({one.item.number: one for one in found}.values())
    return sorted(found, key=lambda each: each.item.number)


def taken_by_forgetting(state: LifeState, memory_id: str) -> list[ItemLife]:
    """Give what goes when a memory is forgotten by hand now: its items, and who said the same words."""
    found = _resting_on(state, memory_id)
    words = {one.item.same for one in found}
    # The words themselves would come back from another turn.
    same = [one for one in state.items if one.said.is_said and one.item.same in words]
    return list({one.item.number: one for one in (*found, *same)}.values())


def effective_forgets(decisions: Iterable[HandDecision], times: PolicyTimes) -> list[HandDecision]:
    """Give the decisions to forget that no later decision took back in time, by their moment."""
    standing: defaultdict[str, list[HandDecision]] = defaultdict(list)
    for one in decisions:
        before = standing[one.memory_id]
        if one.what is HandVerb.FORGET:
            before.append(one)
        elif one.what is HandVerb.RESTORE:
            days = times.before(one.at).forgetting.restore_days
            before[:] = [each for each in before if one.at > each.at + days * DAY]
    found = [one for each in standing.values() for one in each]
    return sorted(found, key=lambda one: (one.at, one.memory_id))
