"""What a model made of threads, in a replay: it comes when its thread leaves the buffer, and goes with its
sources; what remains of these is then kept in their own words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from kataribe.domain.conversation.life.held import HeldMemory, ItemLife, TurnLife
from kataribe.domain.conversation.life.state import LifeState
from kataribe.domain.conversation.life.summed import ModelWord, ToldOtherwise
from kataribe.domain.conversation.life.talking import supersede, touch
from kataribe.domain.conversation.life.values import Cause, Tier, TierState

LEFT_OVER = "left_over"


def keep(state: LifeState, one: ItemLife, at: int, word: str = "said") -> None:
    """Make an item that leaves the buffer a memory, or a mention of the memory that says the same words."""
    item = one.item
    before = state.same.get((item.turn.speaker, item.kind, item.same))
    held = None if before is None or not before.is_in_force else before.held
    if held is None or held.end is not None:
        held = state.make(one, at)
        state.write(held, at, Cause(word))
        return
    one.held = held
    held.items = sorted([*held.items, one], key=lambda each: each.item.number)
    held.refreshed_at = at
    held.explicit |= one.explicit
    touch(state, held, item.turn.at)
    state.await_expiry(held)
    state.write(held, at, Cause("said_again", (("turns", len({each.said.number for each in held.live})),)))


def keep_summed(state: LifeState, leaving: Iterable[TurnLife], at: int) -> None:
    """Make memories of what a model made of the turns of a thread, as far as they are in force."""
    for said in leaving:
        said.is_summed = True
        for one in said.summed:
            if one.said is said:
                one.is_pending = False
                _take_over(one)
                _settle(state, one, at, Cause("summed_up"))
        state.unsettled.append((said, Cause(LEFT_OVER)))
    settle(state, at)


def _take_over(one: ItemLife) -> None:
    """Let it be explicit when the user asked to remember anything that it rests on."""
    one.explicit |= any(item.explicit for source in one.rests_on for item in source.items)


def settle(state: LifeState, at: int) -> None:
    """Make again what rests on turns whose standing has changed."""
    turns, state.unsettled = state.unsettled, []
    for said, cause in turns:
        for one in said.summed:
            _settle(state, one, at, cause)
    for said, _ in turns:
        if said.is_summed:
            _keep_left_over(state, said, at)


def _settle(state: LifeState, one: ItemLife, at: int, cause: Cause) -> None:
    if one.is_pending:
        return
    _count(state, one)
    is_in_force = one.is_in_force
    if is_in_force is one.was_in_force:
        return
    one.was_in_force = is_in_force
    if one.held is not None:
        if not is_in_force and one.held.tier is Tier.LONG and one.held.end is None:
            _pass_on(one)
        state.remake(one.held, at, cause)
    elif is_in_force and not any(item.held for source in one.rests_on for item in source.items):
        keep(state, one, at, cause.word)
    if is_in_force and one.held is not None:
        _end_left_over(state, one, one.held, at)


def _count(state: LifeState, one: ItemLife) -> None:
    """Let its turns mention its topic as long as it counts."""
    if one.is_counted is one.was_counted:
        return
    one.was_counted = one.is_counted
    subject = one.item.subject
    for source in one.rests_on:
        if one.is_counted:
            state.mentions.add(subject, source)
        elif not any(
            other.is_counted and other.item.subject == subject for other in (*source.items, *source.summed)
        ):
            state.mentions.remove(subject, source)
    if one.is_counted:
        state.stir(subject)


def _pass_on(one: ItemLife) -> None:
    """Let what remains of its sources be promoted as it was."""
    for source in one.rests_on:
        for item in source.items:
            item.succeeds = True


def _keep_left_over(state: LifeState, said: TurnLife, at: int) -> None:
    """Keep the statements of a turn in its own words where nothing that a model made of it is left."""
    if not said.summed or any(one.is_in_force for one in said.summed):
        return
    for item in said.items:
        if item.is_in_force and item.held is None:
            item.is_left_over = True
            keep(state, item, at, LEFT_OVER)


def _end_left_over(state: LifeState, one: ItemLife, held: HeldMemory, at: int) -> None:
    for source in one.rests_on:
        for item in source.items:
            old = item.held
            if item.is_left_over and old is not None and old.end is None and old.items == [item]:
                item.is_left_over, item.held = False, None
                old.superseded_by = held.memory_id
                state.finish(old, TierState.SUPERSEDED, at, Cause("summed_up"))


def otherwise_of(model: ModelWord) -> Mapping[str, Sequence[ToldOtherwise]]:
    """Give what a model found to contradict older statements, by the turn that does."""
    found: defaultdict[str, list[ToldOtherwise]] = defaultdict(list)
    for one in model.otherwise:
        found[one.turn_id].append(one)
    return found


def tell_otherwise(state: LifeState, said: TurnLife, found: Iterable[ToldOtherwise]) -> None:
    """Let a turn supersede the older statements of its speaker that a model named."""
    if not said.is_open:
        return
    named = {older for one in found for older in one.older}
    turns = [
        state.turns[turn_id] for turn_id in sorted({turn_id for turn_id, _ in named} & state.turns.keys())
    ]
    older = [
        item
        for other in turns
        if other.number < said.number and other.turn.speaker == said.turn.speaker
        for item in other.items
        if item.is_in_force and (other.turn.turn_id, item.item.place) in named
    ]
    supersede(state, said, older)
