"""Storing what was said: durable first, and marked to be remembered in the same transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from kataribe.conversation.consents import may_remember, read_keeping, read_leave
from kataribe.conversation.homes import user_of
from kataribe.conversation.profile import forget_evidence, forget_values
from kataribe.conversation.tiers_due import holders_of, lose_tiers, want_tiers
from kataribe.domain.conversation.life.stubs import TurnStub
from kataribe.domain.conversation.places import TalkEpisode
from kataribe.domain.conversation.turns import Turn, User, turn_fingerprint
from kataribe.domain.ids import digest
from kataribe.domain.privacy.remembering import MayRemember
from kataribe.domain.records import Outcome, SpaceState, TurnChanges, Wanted
from kataribe.domain.space import parse_space, place_after, place_at, talk_space, user_space
from kataribe.domain.story.groups import is_group
from kataribe.domain.work import WorkKind
from kataribe.errors import ConflictError, InputError, NotFoundError, option
from kataribe.ports import Transaction, View


def add_user(tx: Transaction, user: User) -> User:
    """Add a user. Raises `ConflictError` when there is one of this id."""
    if tx.user(user.user_id) is not None:
        raise ConflictError(f"there is a user {user.user_id!r} already")
    tx.put_user(user)
    return user


def place_of(view: View, story_id: str, at: int) -> str:
    """Name the place of a story at which talk at episode number `at` is held.

    That is the live episode of this number, or, for the number after the last, the place after
    that one. What a branch reads of its parent is the parent's. Raises `NotFoundError` for an
    unknown story and `InputError` for another number.
    """
    story = view.story(story_id)
    if story is None:
        raise NotFoundError(f"there is no story {story_id!r}; `kataribe story list` shows them")
    fork = None if story.parent is None else view.episode_state(story.parent, story.fork_episode_id or "")
    if fork is not None and at <= fork.no:
        raise InputError(
            f"episode {at} of the branch {story_id!r} is told in {story.parent!r}; talk at it is held there"
        )
    live = [state for state in view.episode_states(story_id) if state.is_live]
    for state in live:
        if state.no == at:
            return place_at(state.episode_id)
    last = live[-1] if live else fork
    after = 1 if last is None else last.no + 1
    if at == after:
        return place_after(None if last is None else last.episode_id)
    raise InputError(
        f"talk is held at a live episode of {story_id!r} or right after the last ({after}), not at {at}"
    )


def open_said(tx: Transaction, user_id: str, held: TalkEpisode | None) -> str:
    """Give the space of what is said with a user, outside stories or at an episode, made when missing.

    Raises `NotFoundError`, `InputError`.
    """
    user = user_of(tx, user_id)
    if held is None:
        return user_space(user_id)
    space = talk_space(held.story_id, user_id, place_of(tx, held.story_id, held.no))
    if tx.space(space) is None:
        tx.put_space(_like(user, space))
    return space


def find_said(view: View, user_id: str, held: TalkEpisode | None) -> str | None:
    """Give the same; None where no talk was held there. Raises `NotFoundError`, `InputError`."""
    user_of(view, user_id)
    if held is None:
        return user_space(user_id)
    space = talk_space(held.story_id, user_id, place_of(view, held.story_id, held.no))
    return space if view.space(space) is not None else None


def _like(user: User, space: str) -> SpaceState:
    return SpaceState(
        space=space, language=user.language, embedder=user.embedder, embedder_id=user.embedder_id
    )


def spaces_of(view: View, user_id: str) -> tuple[str, ...]:
    """Name a user's own space, and those of talk with it. Raises `NotFoundError`."""
    own = user_space(user_of(view, user_id).user_id)
    return (own, *(state.space for state in view.spaces(user=user_id) if state.space != own))


def want_all_tiers(tx: Transaction, user_id: str, because: str) -> None:
    """Note that what everybody keeps of a user is to be replayed. Raises `NotFoundError`."""
    for space in spaces_of(tx, user_id):
        want_tiers(tx, space, tuple(tx.work(space, WorkKind.TIERS)), because)


def store(tx: Transaction, space: str, turns: Sequence[Turn]) -> TurnChanges:
    """Store turns as they were said, to be remembered; tells which are new or changed.

    Raises `InputError` for a turn under a story that is told to all, and for one told to a group:
    talk is held by personas.
    """
    check_held(tx, space, turns)
    return keep(tx, space, turns)


def keep(tx: Transaction, space: str, turns: Sequence[Turn]) -> TurnChanges:
    """Store turns that may be held there, to be remembered; tells which are new or changed."""
    before = [there for turn in turns if (there := tx.turn(space, turn.turn_id)) is not None]
    leave = may_remember(tx, space)
    changes = tx.put_turns(space, turns)
    _lose(tx, space, changes.units)
    _undo_tiers(tx, space, [turn for turn in before if turn.turn_id in changes.turns])
    fresh = {one.session for one in (*turns, *before) if one.turn_id in changes.turns}
    last = {one.turn_id: one for one in turns}
    read_keeping(tx, space, [last[turn_id] for turn_id in changes.turns])
    _read_consents(tx, space, fresh, leave)
    want(tx, space, changes.units)
    return changes


def check_held(view: View, space: str, turns: Sequence[Turn]) -> None:
    """Raise `InputError` for a turn under a story that is told to all, and for one told to a group."""
    is_talk = parse_space(space).story is not None
    for turn in turns:
        if is_talk and turn.audience.world:
            raise InputError(
                f"turn {turn.turn_id!r} under a story needs the personas who were there ({option('persona')})"
            )
    named = {one for turn in turns for one in turn.audience.members if is_group(one)}
    if not named:
        return
    # Personas called so from before there were groups stay.
    new = sorted(named.difference(*(turn.audience.members for turn in view.turns(space))))
    if new:
        raise InputError(
            f"{new[0]!r} names a group; what is said with a user is held by personas, named one by one"
        )


def delete(tx: Transaction, space: str, turn_ids: Collection[str]) -> TurnChanges:
    """Remove turns with what is remembered of them; the rest of their units stays in memory."""
    before = [there for one in turn_ids if (there := tx.turn(space, one)) is not None]
    leave = may_remember(tx, space)
    changes = tx.delete_turns(space, turn_ids)
    _lose(tx, space, changes.units)
    _undo_tiers(tx, space, before)
    _read_consents(tx, space, {one.session for one in before}, leave)
    want(tx, space, changes.units)
    return changes


def let_go(tx: Transaction, space: str, turn_ids: Collection[str]) -> int:
    """Remove turns whose time is over, with what rests on them; what they consented to stands."""
    own = user_space(parse_space(space).ids["user"])
    steps = tx.consent_steps(own)
    gone = delete(tx, space, turn_ids).turns
    there = tx.consent_steps(own)
    for one in steps:
        if one not in there and one.evidence.space == space and one.evidence.turn_id in gone:
            tx.put_consent(own, one)
    return len(gone)


def _undo_tiers(tx: Transaction, space: str, gone: Sequence[Turn]) -> None:
    """Take out at once what rests on turns that are gone or say something else now (P6)."""
    if gone:
        forget_evidence(tx, space, [turn.turn_id for turn in gone])
        _undo_derived(tx, space, gone)


def _undo_derived(tx: Transaction, space: str, gone: Sequence[Turn]) -> None:
    named = sorted(turn.turn_id for turn in gone)
    tx.forget_derived(space, named)
    lose_tiers(tx, space)
    tx.forget_marks(space, named)
    want_tiers(tx, space, holders_of(gone), digest("gone", *named))


def _read_consents(tx: Transaction, space: str, sessions: Collection[str], before: MayRemember) -> None:
    """Read what the turns of sessions say of being remembered, and remember so."""
    if sessions:
        read_leave(tx, space, sessions)
        remember_anew(tx, parse_space(space).ids["user"], before)


def remember_anew(tx: Transaction, user_id: str, before: MayRemember) -> None:
    """Remember what was said with a user by the leave there is now, as far as it is another than before.

    What may be remembered no more is forgotten at once, with all that rests on it.
    """
    after = may_remember(tx, user_space(user_id))
    if after == before:
        return
    for space in spaces_of(tx, user_id):
        for unit in tx.turn_units(space):
            turns = tx.turns(space, unit=unit)
            moved = [one for one in turns if before.left(one) != after.left(one)]
            if moved:
                for holder in sorted(_losing(moved, before, after)):
                    tx.forget_share(space, unit, holder)
                _remember_unit_anew(tx, space, unit, moved, after)


def _losing(turns: Sequence[Turn], before: MayRemember, after: MayRemember) -> set[str]:
    """Name who may remember no more what it could."""
    return {
        holder
        for turn in turns
        for holder in turn.audience.holders()
        if before.may(holder, turn.at) and not after.may(holder, turn.at)
    }


def _remember_unit_anew(
    tx: Transaction, space: str, unit: str, moved: Sequence[Turn], leave: MayRemember
) -> None:
    _undo_derived(tx, space, moved)
    forget_values(tx, space, [one.turn_id for one in moved if leave.left(one) is None])
    _lose(tx, space, [unit])
    want(tx, space, [unit])


def _lose(tx: Transaction, space: str, units: Iterable[str]) -> None:
    """Record that the memory of these units is not whole any more.

    A turn that is changed and changed back is wanted as it was done once, but its memory is gone.
    """
    for unit in units:
        work = tx.work(space, WorkKind.TURNS, unit).get(unit)
        if work is not None and work.outcome is Outcome.DONE:
            tx.put_work(space, WorkKind.TURNS, unit, replace(work, fingerprint="", outcome=Outcome.DUE))


def want(tx: Transaction, space: str, units: Iterable[str]) -> None:
    """Record what these units should be made from now."""
    state = tx.space(space)
    assert state is not None
    wanted: dict[str, Wanted | None] = {}
    leave = may_remember(tx, space)
    for unit in units:
        turns = leave.turns(tx.turns(space, unit=unit))
        fingerprint = turn_fingerprint(turns, language=state.language, embedder_id=state.embedder_id)
        wanted[unit] = Wanted(fingerprint=fingerprint, position=turns[0].at) if turns else None
    tx.want(space, WorkKind.TURNS, wanted)


def leave_stubs(tx: Transaction, space: str, left: Sequence[tuple[Turn, TurnStub]]) -> None:
    """Put what is left of turns in their place; what rests on them stays, as the replay does.

    It touches the past, so that nobody goes on with what was read of these turns before.
    """
    changes = tx.put_stubs(space, left)
    lose_tiers(tx, space)
    want_tiers(tx, space, holders_of(turn for turn, _ in left), digest("left", *sorted(changes.turns)))
    _lose(tx, space, changes.units)
    want(tx, space, changes.units)


def set_embedder(tx: Transaction, user: User, *, forget: bool) -> None:
    """Record by which embedder what was said with a user is remembered, under stories too.

    `forget` takes out at once what is remembered: for when it cannot be read with what is made
    from now on.
    """
    for space in spaces_of(tx, user.user_id):
        if forget:
            _lose(tx, space, tx.turn_units(space))
            tx.forget_units(space)
        if space == user_space(user.user_id):
            tx.put_user(user)
        else:
            tx.put_space(_like(user, space))
        want(tx, space, tx.turn_units(space))


def rebuild(tx: Transaction, user: User) -> None:
    """Mark all that was said with a user to be remembered again by what `user` names.

    What another embedder made is forgotten at once: its vectors cannot be compared with new
    ones. Raises `NotFoundError`.
    """
    before = user_of(tx, user.user_id)
    tx.sweep()
    current = replace(before, embedder=user.embedder, embedder_id=user.embedder_id, model_id=user.model_id)
    set_embedder(tx, current, forget=before.embedder_id != user.embedder_id)
    for space in spaces_of(tx, user.user_id):
        # What lies in the archive comes back with them, wherever that has got to.
        tx.drop_lives(space)
        lose_tiers(tx, space)
        want_tiers(tx, space, tx.work(space, WorkKind.TIERS), digest("rebuild"))
