"""What happened between one holder and one user: the inputs from which memory is replayed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from kataribe.domain.conversation.life.values import ItemKind
from kataribe.errors import InputError

if TYPE_CHECKING:
    from kataribe.domain.arrays import np, npt

    Vector = npt.NDArray[np.float32]

Place = tuple[int, int]
"""[start, end) in characters of a turn's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidStatement:
    """A span of a turn that is worth keeping; without a vector of its own it has the turn's."""

    start: int
    end: int
    kind: ItemKind
    topic: str = ""
    vector: Vector | None = field(default=None, compare=False, repr=False)


class TurnVerb(StrEnum):
    """What a turn of the user can ask of memory."""

    REMEMBER = "remember"
    FORGET = "forget"
    DO_NOT_REMEMBER = "do_not_remember"
    FROM_NOW_ON = "from_now_on"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAsk:
    """A command in a turn; the span is what it is about, empty when it points to what was said before."""

    verb: TurnVerb
    start: int = 0
    end: int = 0
    is_clear: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCorrection:
    """Where a turn names the value that holds no more, and the one that holds now."""

    old: Place | None = None
    new: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTurn:
    """A turn of a person. `at` is its position, `ordinal` orders turns of one moment in a session.

    Raises `InputError` for spans outside the text.
    """

    turn_id: str
    at: int
    session: str
    speaker: str
    is_users: bool
    text: str
    ordinal: int = 0
    vector: Vector | None = field(default=None, compare=False, repr=False)
    statements: tuple[SaidStatement, ...] = ()
    asks: tuple[TurnAsk, ...] = ()
    correction: TurnCorrection | None = None
    echoes: tuple[str, ...] = ()
    """Turns with a command to forget whose words it had, of which not all are in the text any more."""

    def __post_init__(self) -> None:
        spans = [(one.start, one.end) for one in self.statements]
        spans += [(one.start, one.end) for one in self.asks]
        if self.correction is not None:
            spans += [one for one in (self.correction.old, self.correction.new) if one is not None]
        for start, end in spans:
            if not 0 <= start <= end <= len(self.text):
                raise InputError(f"turn {self.turn_id!r} has no characters {start} to {end}")

    @property
    def order(self) -> tuple[int, str, int, str]:
        """By which turns are replayed."""
        return self.at, self.session, self.ordinal, self.turn_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush:
    """The turns of a thread left the buffer, and `why` (a word for the reader, of no effect)."""

    at: int
    thread_id: str
    turn_ids: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Night:
    """A nightly run, recorded with its moment."""

    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedAt:
    """An answer used what a turn said."""

    turn_id: str
    at: int


class HandVerb(StrEnum):
    """What a person can decide about a memory."""

    PIN = "pin"
    UNPIN = "unpin"
    FORGET = "forget"
    RESTORE = "restore"
    EDIT = "edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDecision:
    """What a person decided about a memory; `text` is what an edit makes it say."""

    at: int
    memory_id: str
    what: HandVerb
    text: str = ""

    def __post_init__(self) -> None:
        if (self.what is HandVerb.EDIT) is not bool(self.text.strip()):
            raise InputError("an edit of a memory needs its new text, and no other decision has one")
