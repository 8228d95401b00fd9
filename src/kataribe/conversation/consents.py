"""The steps of consents, and what of them is read from turns: leave to remember, and for how long (S2-41)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kataribe.conversation.homes import user_of
from kataribe.domain.conversation.turns import Role, Turn, User, role_of
from kataribe.domain.gate import Viewer
from kataribe.domain.ids import WORLD, normalise
from kataribe.domain.privacy.keeping import KEEP, Keeping, keeping_of, keeps_in
from kataribe.domain.privacy.leave_words import LeaveReply, asks_leave, leave_in, reply_in
from kataribe.domain.privacy.profile import BY_HAND, ConsentEvent, ConsentEvidence, ConsentStep
from kataribe.domain.privacy.remembering import MayRemember, is_of_remembering, remember_key
from kataribe.domain.space import parse_space, user_space
from kataribe.ports import Transaction, View

_STEP_OF = {LeaveReply.YES: ConsentStep.GIVEN, LeaveReply.NO: ConsentStep.REFUSED}


def step(
    tx: Transaction,
    space: str,
    key: str,
    what: ConsentStep,
    *,
    at: int,
    evidence: ConsentEvidence = BY_HAND,
    keeping: Keeping | None = None,
) -> ConsentEvent:
    """Add a step of a consent."""
    before = tx.consent_steps(space, key)
    event = ConsentEvent(
        key=key,
        number=before[-1].number + 1 if before else 1,
        at=at,
        step=what,
        evidence=evidence,
        days=None if keeping is None else keeping.days,
        spares=keeping is not None and keeping.spares,
    )
    tx.put_consent(space, event)
    return event


def may_remember(view: View, space: str) -> MayRemember:
    """Say who may remember what of the user of a space."""
    user_id = parse_space(space).ids.get("user")
    return MayRemember.of(() if user_id is None else view.consent_steps(user_space(user_id)))


def is_to_ask(view: View, viewer: Viewer) -> bool:
    """Whether a viewer's user is to be asked for leave, and was not yet."""
    if viewer.user is None:
        return False
    return may_remember(view, user_space(viewer.user)).leave(viewer.persona or WORLD).is_to_ask


def gives_leave(view: View, space: str, turn_ids: Collection[str]) -> bool:
    """Whether one of these turns of a space gives leave to remember."""
    steps = view.consent_steps(user_space(parse_space(space).ids["user"]))
    return any(
        is_of_remembering(one.key)
        and one.step is ConsentStep.GIVEN
        and one.evidence.space == space
        and one.evidence.turn_id in turn_ids
        for one in steps
    )


def keeping(view: View, user_id: str) -> Keeping:
    """Say for how long what a user says is kept."""
    return keeping_of(view.consent_steps(user_space(user_id), KEEP))


@dataclass(frozen=True, slots=True)
class SaidStep:
    """A step of a consent as a turn says it."""

    key: str
    at: int
    what: ConsentStep
    turn_id: str


def read_keeping(tx: Transaction, space: str, turns: Iterable[Turn]) -> None:
    """Write down for how long turns that are new, or say something else now, want it all to be kept.

    What they said before went with their words.
    """
    user = user_of(tx, parse_space(space).ids["user"])
    for turn in turns:
        found = keeps_in(turn.text, user.language) if role_of(turn, user.user_id) is Role.USER else None
        if found is not None:
            own, evidence = user_space(user.user_id), ConsentEvidence(turn.turn_id, space)
            step(tx, own, KEEP, ConsentStep.GIVEN, at=turn.at, evidence=evidence, keeping=found)


def read_leave(tx: Transaction, space: str, sessions: Collection[str]) -> None:
    """Write down what the turns of these sessions say of being remembered; what they say no more goes.

    What a turn said whose text has expired stays as it was read. Nothing is read as long as nobody
    wants the user to be asked first.
    """
    own = user_space(parse_space(space).ids["user"])
    steps = [one for one in tx.consent_steps(own) if is_of_remembering(one.key)]
    if not any(one.evidence.is_by_hand and one.step is not ConsentStep.GIVEN for one in steps):
        return
    user, stubs = user_of(tx, parse_space(space).ids["user"]), tx.stubs(space)
    for session in sorted(sessions):
        turns = [one for one in tx.turns(space, session=session) if one.turn_id not in stubs]
        said = set(_leave_said(turns, user))
        named = {one.turn_id: one.at for one in turns}
        there = {_said(one): one for one in steps if one.evidence.space == space and _is_ours(one, named)}
        tx.drop_consents(own, [one for told, one in there.items() if told not in said])
        for one in sorted(said - there.keys(), key=lambda one: (one.at, one.key, one.what, one.turn_id)):
            step(tx, own, one.key, one.what, at=one.at, evidence=ConsentEvidence(one.turn_id, space))


def _is_ours(event: ConsentEvent, named: Mapping[str, int]) -> bool:
    """Whether a step was read from one of these turns: what somebody wrote down is of a later moment."""
    return named.get(event.evidence.turn_id or "") == event.at


def _said(event: ConsentEvent) -> SaidStep:
    return SaidStep(event.key, event.at, event.step, event.evidence.turn_id or "")


def _leave_said(turns: Sequence[Turn], user: User) -> Iterator[SaidStep]:
    """Read who asked for leave, the reply that came next, and what was said of it unasked."""
    asked: Mapping[str, None] = {}
    for turn in turns:
        role = role_of(turn, user.user_id)
        if role is Role.SYSTEM:
            continue
        if role is Role.USER:
            yield from _answers(turn, user, asked)
        asked = {}
        if role is Role.PERSONA and asks_leave(turn.text, user.language):
            asked = dict.fromkeys(_askers(turn))
            for holder in asked:
                yield SaidStep(remember_key(holder), turn.at, ConsentStep.ASKED, turn.turn_id)


def _answers(turn: Turn, user: User, asked: Mapping[str, None]) -> Iterator[SaidStep]:
    holders = turn.audience.holders()
    clear = leave_in(turn.text, user.language)
    reply = clear or reply_in(turn.text, user.language)
    if reply is not None:
        for holder in holders if clear is not None else [one for one in holders if one in asked]:
            yield SaidStep(remember_key(holder), turn.at, _STEP_OF[reply], turn.turn_id)


def _askers(turn: Turn) -> Iterator[str]:
    """Name for whom a persona asks: for itself, or where it goes by another name for all who are there."""
    holders = turn.audience.holders()
    name = normalise(normalise(turn.speaker).casefold())
    own = [one for one in holders if one != WORLD and normalise(normalise(one).casefold()) == name]
    yield from own or holders
