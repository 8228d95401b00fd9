"""A user's profile: what is kept by consent, sealed under the user's key, and what takes it away again."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from kataribe.conversation.consents import may_remember, step
from kataribe.conversation.fading import fading
from kataribe.conversation.homes import user_of
from kataribe.domain.conversation.turns import Role, Turn, User, role_of
from kataribe.domain.gate import EPOCH, Gate, Viewer, user_gate
from kataribe.domain.keys import SecretKey
from kataribe.domain.privacy.asked_to_keep import asked_to_keep
from kataribe.domain.privacy.interests import Interests, interests_of
from kataribe.domain.privacy.keeping import KEEP
from kataribe.domain.privacy.profile import (
    BY_HAND,
    EFFECTS,
    PERSONALISE,
    ConsentEvent,
    ConsentEvidence,
    ConsentStep,
    ProfileItem,
    SealedValue,
    check_key,
    consents,
    is_expired,
    is_given,
    is_personal,
    newest,
    next_version,
    sealed_row,
    written,
)
from kataribe.domain.privacy.remembering import (
    REMEMBER,
    MayRemember,
    check_consent_key,
    is_of_remembering,
)
from kataribe.domain.privacy.spoken_settings import SpokenSetting, settings_in
from kataribe.domain.space import parse_space, user_space
from kataribe.errors import InputError, KeyStoreError, NotFoundError, option
from kataribe.ports import Seal, Transaction, View


@dataclass(frozen=True, slots=True)
class UserSeal:
    """Seals and opens the values of one user's profile."""

    seal: Seal
    key: SecretKey
    space: str

    def close(self, row: str, value: str) -> bytes:
        """Seal a value written as JSON, for its row."""
        return self.seal.seal(self.key, self.space, row, value.encode())

    def open(self, value: SealedValue) -> object:
        """Give a value. Raises `KeyStoreError`."""
        return json.loads(self.seal.open(self.key, self.space, value.row, value.sealed))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewValue:
    """A value that is to be kept, with the evidence of its consent, from a position on."""

    key: str
    value: object
    evidence: ConsentEvidence
    at: int
    expires: int | None = None


def evidence_of(view: View, user_id: str, turn_id: str | None, *, by_hand: bool) -> ConsentEvidence:
    """Give what a consent rests on: a turn in which the user speaks, or a person's hand when that is said.

    Raises `InputError` when it is neither or both, or when somebody else said it, and `NotFoundError`.
    """
    if (turn_id is None) is not by_hand:
        raise InputError(
            f"a consent rests on words: name the turn ({option('evidence')}), "
            f"or say that it was written down by hand ({option('by_hand')})"
        )
    if turn_id is None:
        return BY_HAND
    for space in _spaces(view, user_id):
        turn = view.turn(space, turn_id)
        if turn is None:
            continue
        if role_of(turn, user_id) is not Role.USER:
            raise InputError(
                f"turn {turn_id!r} was said by somebody else; a consent rests on the user's own words"
            )
        return ConsentEvidence(turn_id, space)
    raise NotFoundError(f"{user_id!r} said no turn {turn_id!r}; `kataribe log show` tells the ids")


def _spaces(view: View, user_id: str) -> list[str]:
    own = user_space(user_of(view, user_id).user_id)
    return [own, *(state.space for state in view.spaces(user=user_id) if state.space != own)]


def set_value(tx: Transaction, user_id: str, new: NewValue, seal: UserSeal) -> ProfileItem:
    """Keep a value under its consent; tells it as it is kept now. Raises `InputError`, `NotFoundError`."""
    user, text = user_of(tx, user_id), written(new.value)
    if new.key in (REMEMBER, KEEP):
        raise InputError(f"{new.key!r} is a consent and has no value; see `kataribe profile consent`")
    if new.expires is not None and new.expires <= new.at:
        raise InputError("the value would have ended before it began; name a later time, or none")
    space = user_space(user_id)
    drop_expired(tx, space, at=new.at)
    rows = tx.profile(space, check_key(new.key))
    last = rows[-1] if rows else None
    number = 1 if last is None else last.number + 1
    row = SealedValue(
        key=new.key,
        number=number,
        version=next_version(None if last is None else last.version),
        at=new.at,
        is_personal=is_personal(new.key, new.value, user.language),
        evidence=new.evidence,
        expires=new.expires,
        sealed=seal.close(sealed_row(new.key, number), text),
    )
    tx.put_profile_value(space, row)
    step(tx, space, new.key, ConsentStep.GIVEN, at=new.at, evidence=new.evidence)
    return item(row, seal)


def give(tx: Transaction, user_id: str, key: str, *, at: int, evidence: ConsentEvidence) -> ConsentEvent:
    """Note that a user consents. Raises `NotFoundError`, `InputError`."""
    user_of(tx, user_id)
    return step(tx, user_space(user_id), check_consent_key(key), ConsentStep.GIVEN, at=at, evidence=evidence)


def withdraw(tx: Transaction, user_id: str, key: str, *, at: int) -> ConsentEvent:
    """Take a consent back, and all values of its key with it. Raises `NotFoundError` where none stands."""
    user_of(tx, user_id)
    space = user_space(user_id)
    if not is_of_remembering(key) and not is_given(tx.consent_steps(space, key), key):
        raise NotFoundError(f"{user_id!r} gave no consent {key!r}; see `kataribe profile consent list`")
    tx.drop_profile(space, [key])
    return step(tx, space, check_consent_key(key), ConsentStep.WITHDRAWN, at=at)


def delete_value(tx: Transaction, user_id: str, key: str) -> int:
    """Remove all values of a key; gives how many. Its consent stands. Raises `NotFoundError`."""
    user_of(tx, user_id)
    rows = tx.profile(user_space(user_id), key)
    if not rows:
        raise no_value(user_id, key)
    tx.drop_profile(user_space(user_id), [key])
    return len(rows)


def no_value(user_id: str, key: str) -> NotFoundError:
    """Say that a key has no value."""
    return NotFoundError(f"the profile of {user_id!r} has no {key!r}; see `kataribe profile show`")


def drop_expired(tx: Transaction, space: str, *, at: int) -> None:
    """Remove the values of keys whose newest one has ended."""
    last = {row.key: row for row in tx.profile(space)}
    over = [key for key, row in last.items() if is_expired(row, at=at)]
    if over:
        tx.drop_profile(space, over)


def forget_evidence(tx: Transaction, said_in: str, turn_ids: Collection[str]) -> None:
    """Take out the values and consents that rest on turns that are gone or say something else now (P6)."""
    space = user_space(parse_space(said_in).ids["user"])
    gone = {(said_in, turn_id) for turn_id in turn_ids}
    if any((one.evidence.space, one.evidence.turn_id) in gone for one in tx.consent_steps(space)):
        tx.drop_evidence(space, said_in, turn_ids)


def forget_values(tx: Transaction, said_in: str, turn_ids: Collection[str]) -> None:
    """Take out the values that rest on turns that may be remembered no more; the consents stand."""
    space = user_space(parse_space(said_in).ids["user"])
    gone = {(said_in, turn_id) for turn_id in turn_ids}
    if not any((one.evidence.space, one.evidence.turn_id) in gone for one in tx.profile(space)):
        return
    steps = tx.consent_steps(space)
    tx.drop_evidence(space, said_in, turn_ids)
    there = tx.consent_steps(space)
    for one in steps:
        if one not in there:
            tx.put_consent(space, one)


def item(row: SealedValue, seal: UserSeal | None) -> ProfileItem:
    """Give a value as it is shown; without its key all but the value itself."""
    value, is_locked = _opened(row, seal)
    return ProfileItem(
        key=row.key,
        value=value,
        version=row.version,
        updated_at=EPOCH + timedelta(milliseconds=row.at),
        is_personal=row.is_personal,
        evidence=row.evidence,
        expires=None if row.expires is None else EPOCH + timedelta(milliseconds=row.expires),
        is_locked=is_locked,
    )


def _opened(row: SealedValue, seal: UserSeal | None) -> tuple[object, bool]:
    if seal is None:
        return None, True
    try:
        return seal.open(row), False
    except KeyStoreError:
        return None, True


def standing(view: View, user_id: str) -> tuple[ConsentEvent, ...]:
    """Give the last step of each consent, by key (author). Raises `NotFoundError`."""
    user_of(view, user_id)
    steps = view.consent_steps(user_space(user_id))
    return tuple(consents(steps, by_time=lambda key: key == KEEP or is_of_remembering(key)).values())


def effects(view: View, viewer: Viewer, gate_of: Callable[[], Gate], *, now: int) -> tuple[SealedValue, ...]:
    """Give the values that say how to speak to a viewer's user, as behind its gate at its moment.

    What tells who the user is gives none; what rests on a turn counts for those who were given the turn.
    """
    if viewer.user is None:
        return ()
    rows = [row for row in view.profile(user_space(viewer.user)) if row.key in EFFECTS]
    if not rows:
        return ()
    gate = gate_of()
    gone = fading(view, viewer.user, gate).gone
    leave = may_remember(view, user_space(viewer.user))
    seen = [row for row in rows if _is_given(view, gate, gone, row.evidence, leave)]
    return tuple(
        row for row in newest(seen, at=viewer.moment) if not row.is_personal and not is_expired(row, at=now)
    )


def _is_given(
    view: View,
    gate: Gate,
    gone: Mapping[tuple[str, str], str],
    evidence: ConsentEvidence,
    leave: MayRemember,
) -> bool:
    if evidence.turn_id is None or evidence.space is None:
        return True
    said = view.turn(evidence.space, evidence.turn_id)
    turn = None if said is None else leave.left(said)
    if turn is None or (evidence.space, evidence.turn_id) in gone:
        return False
    holders = turn.audience.holders()
    return any(
        part.space == evidence.space and part.holder in holders and turn.at <= part.upto
        for part in gate.slices
    )


def asking_turns(view: View, space: str, turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Give those turns that may be remembered and in which the user of a space asks for something."""
    user = user_of(view, parse_space(space).ids["user"])
    leave = may_remember(view, space)
    return tuple(turn for turn in turns if asked_for(turn, user) and leave.left(turn) is not None)


def keep_settings(tx: Transaction, space: str, turns: Iterable[Turn], seal: UserSeal) -> None:
    """Keep what a user asks for in turns of its own, with the turn as the evidence (S2-32).

    It holds from when it was said; what was withdrawn later than that is not kept again.
    """
    user = user_of(tx, parse_space(space).ids["user"])
    own = user_space(user.user_id)
    for turn in sorted(turns, key=lambda one: (one.at, one.ordinal, one.turn_id)):
        evidence = ConsentEvidence(turn.turn_id, space)
        for asked in asked_for(turn, user):
            before = tx.consent_steps(own, asked.key)
            if not any(one.step is ConsentStep.WITHDRAWN and one.at >= turn.at for one in before):
                new = NewValue(key=asked.key, value=asked.value, evidence=evidence, at=turn.at)
                set_value(tx, user.user_id, new, seal)


def asked_for(turn: Turn, user: User) -> tuple[SpokenSetting, ...]:
    """Read what a turn asks for, the last of each key; nothing where somebody else speaks."""
    if role_of(turn, user.user_id) is not Role.USER:
        return ()
    asked = (*settings_in(turn.text, user.language), *asked_to_keep(turn.text, user.language))
    return tuple({one.key: one for one in asked}.values())


def interests(view: View, viewer: Viewer) -> Interests:
    """Count what a viewer was given of its user's own turns, by the consent `personalise`; else nothing.

    It is counted each time, so that it falls with its turns and with the consent. Raises `NotFoundError`.
    """
    user = user_of(view, viewer.user or "")
    space = user_space(user.user_id)
    if not is_given(view.consent_steps(space, PERSONALISE), PERSONALISE):
        return Interests()
    gate = user_gate(viewer, space=space, part=0)
    gone, holders = fading(view, user.user_id, gate).gone, {part.holder for part in gate.slices}
    given = (
        turn
        for turn in may_remember(view, space).turns(view.turns(space))
        if turn.at <= viewer.moment
        and not holders.isdisjoint(turn.audience.holders())
        and (space, turn.turn_id) not in gone
    )
    return interests_of(given, user.user_id, user.language)
