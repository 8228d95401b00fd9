"""Who may remember what a user says, where the user is to be asked first (S2-3, S2-40).

Each step of the consent counts from its own moment, in whatever order steps are written down. A refusal
holds until the user says otherwise, and what was said before it is never remembered again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kataribe.domain.conversation.turns import Turn
from kataribe.domain.ids import WORLD, check_id
from kataribe.domain.privacy.profile import ConsentEvent, ConsentStep, check_key
from kataribe.domain.terms import known_by

REMEMBER = "remember"
"""The consent to remember what a user says; with `:PERSONA` behind it, that of one persona."""
_LEAST = -(1 << 62)
_BLOCKED = frozenset({ConsentStep.REQUIRED, ConsentStep.ASKED, ConsentStep.REFUSED, ConsentStep.WITHDRAWN})
_ENDS = frozenset({ConsentStep.REFUSED, ConsentStep.WITHDRAWN})


def remember_key(holder: str) -> str:
    """Name the consent to be remembered by one holder; what is told to all has that of all."""
    return REMEMBER if holder == WORLD else f"{REMEMBER}:{holder}"


def is_of_remembering(key: str) -> bool:
    """Whether a consent is to be remembered."""
    return key == REMEMBER or key.startswith(f"{REMEMBER}:")


def check_consent_key(key: str) -> str:
    """Give the key of a consent back. Raises `InputError`."""
    name, colon, persona = key.partition(":")
    if colon and name == REMEMBER:
        check_id(persona, "the persona")
        return key
    return check_key(key)


@dataclass(frozen=True, slots=True)
class Leave:
    """How one holder stands: what was decided last, and up to where nothing is remembered.

    `since` is from when on the user was to be asked.
    """

    last: ConsentStep | None = None
    floor: int = _LEAST
    was_asked: bool = False
    since: int = _LEAST

    def may(self, at: int) -> bool:
        """Whether what was said at a position may be remembered."""
        return self.last not in _BLOCKED and at > self.floor

    @property
    def is_to_ask(self) -> bool:
        """Whether the user is to be asked, and was not yet."""
        return self.last is ConsentStep.REQUIRED and not self.was_asked

    def is_refused(self, at: int) -> bool:
        """Whether what was said at a position was refused."""
        return self.last in _ENDS or at <= self.floor

    def is_over(self, at: int) -> bool:
        """Whether nothing of what was said at a position is to stay: it was refused, or said unanswered."""
        return self.is_refused(at) or (self.last in _BLOCKED and at >= self.since)

    def after(self, event: ConsentEvent, *, is_own: bool) -> Leave:
        """Give how it stands after one more step, of this holder or of all."""
        step = event.step
        if step in _ENDS:
            return replace(self, last=step, floor=max(self.floor, event.at))
        if step is ConsentStep.ASKED:
            return replace(self, was_asked=True)
        if step is ConsentStep.REQUIRED:
            return replace(self, last=step, since=event.at) if self.last is None else self
        if step is ConsentStep.GIVEN and (is_own or self.last not in _ENDS):
            return replace(self, last=step)
        if step is ConsentStep.WAIVED and self.last not in _ENDS:
            return replace(self, last=None)
        return self


_FREE = Leave()


@dataclass(frozen=True, slots=True)
class MayRemember:
    """Who may remember what of a user. Without any step everybody may remember everything."""

    leaves: Mapping[str, Leave] = field(default_factory=dict)
    """By holder, as far as there are steps of its own; `world` stands for all others."""

    @classmethod
    def of(cls, events: Iterable[ConsentEvent]) -> MayRemember:
        """Read the steps of a user's consents, in whatever order."""
        of_it = (one for one in events if is_of_remembering(one.key))
        steps = sorted(of_it, key=lambda one: (one.order, one.key))
        named = {one.key.partition(":")[2] for one in steps if one.key != REMEMBER}
        if not steps:
            return EVERYTHING
        return cls({holder: _leave(steps, holder) for holder in (WORLD, *sorted(named))})

    @property
    def is_everything(self) -> bool:
        """Whether nothing was ever said of it."""
        return not self.leaves

    def leave(self, holder: str) -> Leave:
        """Give how a holder stands."""
        found = self.leaves.get(holder)
        return self.leaves.get(WORLD, _FREE) if found is None else found

    def may(self, holder: str, at: int) -> bool:
        """Whether a holder may remember what was said at a position."""
        return self.leave(holder).may(at)

    def left(self, turn: Turn) -> Turn | None:
        """Give a turn as held by those who may remember it; None where that is nobody."""
        if self.is_everything:
            return turn
        holders = [one for one in turn.audience.holders() if self.may(one, turn.at)]
        if len(holders) == len(turn.audience.holders()):
            return turn
        return replace(turn, audience=known_by(*holders)) if holders else None

    def is_over(self, turn: Turn) -> bool:
        """Whether nothing of a turn is to stay once it is at hand no more: for nobody who holds it."""
        holders = [self.leave(one) for one in turn.audience.holders()]
        return not any(one.may(turn.at) or not one.is_over(turn.at) for one in holders)

    def is_refused(self, turn: Turn) -> bool:
        """Whether everybody who holds a turn was refused it."""
        holders = [self.leave(one) for one in turn.audience.holders()]
        return all(not one.may(turn.at) and one.is_refused(turn.at) for one in holders)

    def turns(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Give the turns that anybody may remember, as held by those who may."""
        if self.is_everything:
            return tuple(turns)
        return tuple(one for turn in turns if (one := self.left(turn)) is not None)


EVERYTHING = MayRemember()


def _leave(steps: Iterable[ConsentEvent], holder: str) -> Leave:
    own, found = remember_key(holder), _FREE
    for event in steps:
        if event.key in (REMEMBER, own):
            found = found.after(event, is_own=event.key == own)
    return found
