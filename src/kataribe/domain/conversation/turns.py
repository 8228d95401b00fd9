"""Conversations: users, and the turns of what was said with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from kataribe.domain.gate import position_of
from kataribe.domain.ids import MAX_ID_LENGTH, WORLD, check_id, check_text, digest, normalise, text_hash
from kataribe.domain.memory import NO_USAGE, Kind, Memory, Reason, Said, Usage
from kataribe.domain.terms import (
    PUBLIC,
    RULES,
    Audience,
    Extra,
    FactOrigin,
    Language,
    check_arousal,
    check_language,
)
from kataribe.errors import InputError

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

SaidOrder = tuple[int, str, int, str]
"""Position, session, ordinal and id of a turn: turns of a space stand in this order."""

SYSTEM_SPEAKERS = frozenset({"system", "tool", "function"})
"""Whose turns are no part of a conversation (S4-76): stored as they came, and never remembered."""


class Role(StrEnum):
    """In which part somebody speaks."""

    USER = "user"
    """The one the conversation is with: what it asks of memory is done."""
    PERSONA = "persona"
    """A character or an assistant."""
    SYSTEM = "system"
    """Instructions and tools: never remembered."""
    OTHER = "other"
    """Somebody else who is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user's space: in which language and by which embedder what was said there is remembered.

    `model` sums up what was said, `rules` or the name of a model; `model_id` is what that was called
    exactly when it was chosen.
    """

    user_id: str
    language: Language
    embedder: str
    embedder_id: str
    model: str = RULES
    model_id: str = RULES
    extra: Extra = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_id(self.user_id, "user id")
        check_language(self.language)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserState:
    """How a user's space stands: how much was said, who holds it, and what is not in memory yet."""

    user: User
    turns: int
    sessions: int
    personas: tuple[str, ...]
    """Who holds any of it, `world` left out; sorted."""
    pending_turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that was said, as it was said.

    `time` is a moment with its zone. `audience` are the personas who were there, or everybody
    (told to all on purpose). `ordinal` orders turns of one session that were said at one
    moment. `caption` describes a picture that came with it. `arousal` is 0 to 1, None when
    nobody said. `role` is None where nobody said it: `role_of` tells it by the names then.
    """

    turn_id: str
    session: str
    speaker: str
    text: str
    time: datetime
    ordinal: int = 0
    caption: str | None = None
    audience: Audience = PUBLIC
    arousal: float | None = None
    role: Role | None = None
    extra: Extra = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_turn_id(self.turn_id)
        for value, what in ((self.session, "session"), (self.speaker, "speaker"), (self.text, "text")):
            check_text(value, what)
            if not value.strip():
                raise InputError(f"a turn's {what} must not be empty")
        if self.caption is not None:
            check_text(self.caption, "caption")
        if self.time.tzinfo is None:
            raise InputError(f"the time of turn {self.turn_id!r} has no zone; name one")
        if self.audience.is_empty:
            raise InputError(f"turn {self.turn_id!r} is held by nobody; name a persona or tell it to all")
        check_arousal(self.arousal)

    @property
    def at(self) -> int:
        """Its position: milliseconds since 1970, UTC."""
        return position_of(self.time)

    @property
    def order(self) -> SaidOrder:
        """By which turns of a space are ordered."""
        return self.at, self.session, self.ordinal, self.turn_id

    @property
    def day(self) -> str:
        """The day it was said on, in UTC: only turns of one day are remembered together."""
        return self.time.astimezone(UTC).date().isoformat()

    @property
    def is_system(self) -> bool:
        """Whether it is no person's: the system's, or a tool's."""
        return self.role is Role.SYSTEM or (self.role is None and is_system(self.speaker))

    @property
    def words(self) -> str:
        """What is embedded of it: what was said, and what a picture showed."""
        return self.text if self.caption is None else f"{self.text} [{self.caption}]"

    def told(self, language: Language) -> str:
        """What keywords are taken from: who said it, on which day of the speaker's own zone, and the words.

        `Ann: 8 May, 2023 I saw it.`, and in Japanese `澪 2023年5月8日 見たよ。`
        """
        day = self.time
        if language == "ja":
            return f"{self.speaker} {day.year}年{day.month}月{day.day}日 {self.words}"
        return f"{self.speaker}: {day.day} {_MONTHS[day.month - 1]}, {day.year} {self.words}"


TalkProgress = Callable[[int, int], None]
"""Called with how many of the units that lag are done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkReport:
    """What was remembered: units of turns brought up, texts embedded, and what failed."""

    pages: int = 0
    embedded: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """By unit: why its turns could not be embedded; they are stored, and tried again by a later sync."""
    outdated: int = 0
    """Units that changed while they were worked on; they are done as they stand now."""
    usage: Usage = NO_USAGE
    """What models were asked."""
    unanswered: dict[str, str] = field(default_factory=dict)
    """By unit: why a model gave no answer. Rules sum up what it was asked about until it does."""
    refused: tuple[str, ...] = ()
    """What a model offered and was not taken, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurns:
    """What came of storing turns.

    `changed` is how many are new or others than before. `ahead` are the ids of those dated
    later than the clock: they are stored, and remembered as of their time and later only.
    """

    changed: int
    ahead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReceipt:
    """A turn that is stored: where it stands, and who holds it.

    `made` says that the user was made for it. `time` is the turn's own: later than that of every
    turn before it in its session. It is `ahead` when that is later than the clock, and then
    remembered as of its time and later only. `pending` says why it is found by words only, or not yet at
    all; None: it is in memory.
    """

    user: User
    made: bool
    turn_id: str
    session: str
    time: datetime
    holders: tuple[str, ...]
    ahead: bool = False
    pending: str | None = None

    @property
    def is_public(self) -> bool:
        """Whether it was told to all: `world` holds it, since no persona was named."""
        return self.holders == (WORLD,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a list, before it is known what of it is new; `number` counts from 1.

    What is None was not said: session, time and id are made then, and `audience` is that of the list.
    """

    number: int
    speaker: str
    text: str
    session: str | None = None
    time: datetime | None = None
    turn_id: str | None = None
    caption: str | None = None
    arousal: float | None = None
    audience: Audience | None = None
    role: Role | None = None
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberReport:
    """What came of a list of messages: its turns are stored.

    `left_out` counts, by reason, the messages and parts of messages that are no words of a
    person: `system`, `tool`, `not text`. `ahead` are the ids of turns dated later than the clock.
    `pending` says why some are found by words only, or not yet at all; None: all are in memory.
    """

    user: User
    made: bool
    sessions: tuple[str, ...]
    new: int
    changed: int
    unchanged: int
    holders: tuple[str, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    ahead: tuple[str, ...] = ()
    pending: str | None = None


def check_turn_id(value: str) -> str:
    """Give `value` back when it may be a turn's id, else raise `InputError`.

    Logs bring ids of their own, often with colons in them; only what cannot be printed on one
    line is refused.
    """
    check_text(value, "turn id")
    if not value.strip() or not value.isprintable() or len(value) > MAX_ID_LENGTH:
        raise InputError(f"turn id {value[:40]!r} must be printable and have 1 to {MAX_ID_LENGTH} characters")
    return value


def is_system(speaker: str) -> bool:
    """Tell by the name whether a speaker is the system or a tool, in any width and case of letters."""
    return _folded(speaker) in SYSTEM_SPEAKERS


def _folded(name: str) -> str:
    return normalise(normalise(name).casefold())


def role_of(turn: Turn, user_id: str) -> Role:
    """Give a turn's role: what was said of it, else what the speaker's name tells.

    Who is called as the user's id is the user, who is called as a persona that holds the turn is
    that persona, and whoever else speaks is somebody else.
    """
    if turn.role is not None:
        return turn.role
    name = _folded(turn.speaker)
    if name in SYSTEM_SPEAKERS:
        return Role.SYSTEM
    if name in {_folded(one) for one in turn.audience.members}:
        return Role.PERSONA
    return Role.USER if name == _folded(user_id) else Role.OTHER


_UNNAMED = frozenset({"assistant", "ai", "model", "bot", "persona", "character"})
"""How programs call the persona that they speak for."""


def persona_counts(turns: Iterable[Turn], *, user_id: str, holder: str) -> dict[str, int]:
    """Count by the id of a persona how many of these turns it said (S3-9, S3-10).

    They are turns as `holder` sees them. Who is called as the holder, in any width and case of letters,
    or speaks for a persona without a name of its own, is the holder; users and others are not counted.
    """
    counted: dict[str, int] = {}
    for turn in turns:
        named = _persona_of(turn, user_id, holder)
        if named is not None:
            counted[named] = counted.get(named, 0) + 1
    return counted


def _persona_of(turn: Turn, user_id: str, holder: str) -> str | None:
    name = _folded(turn.speaker)
    if role_of(turn, user_id) is not Role.PERSONA:
        return None
    if name not in _UNNAMED and name != _folded(holder):
        return turn.speaker
    return None if holder == WORLD else holder


def turn_memories(space: str, turn: Turn) -> tuple[Memory, ...]:
    """Make what is remembered in a space of a turn: a copy for each who holds it, none of the system's."""
    if turn.is_system:
        return ()
    said = Said(session=turn.session, speaker=turn.speaker, time=turn.time.isoformat(), caption=turn.caption)
    return tuple(
        Memory(
            memory_id=f"turn:{turn.turn_id}:{holder}",
            space=space,
            holder=holder,
            position=turn.at,
            episode_id="",
            episode_no=0,
            fact_id=turn.turn_id,
            version=1,
            fact_index=0,
            text=turn.text,
            text_hash=text_hash(turn.words),
            origin=FactOrigin.SUPPLIED,
            place=turn.ordinal,
            reason=Reason.SAID,
            kind=Kind.TURN,
            arousal=turn.arousal,
            extra=turn.extra,
            said=said,
        )
        for holder in turn.audience.holders()
    )


def turn_id_for(session: str, ordinal: int) -> str:
    """Make the id of a turn that was given none, out of its session and place there."""
    return f"t-{digest('turn', session)[:8]}-{ordinal}"


def said_turn_id(place: str | None, session: str, at: int) -> str:
    """Make the id of a turn out of where it is said, its session, and its position."""
    return f"t-{digest('said', place or '', session)[:8]}-{at}"


def session_for(speaker: str, text: str) -> str:
    """Make the name of a session that was given none, out of its first message."""
    return f"chat-{digest('session', speaker, text)[:8]}"


CONVERSATION = "conversation"
"""Under which name of `Turn.extra` a log keeps which conversation a turn is of."""

UNIT_TURNS = 32
"""Turns that are remembered together at most: what one more of them costs is bounded by it."""


def turn_fingerprint(turns: Sequence[Turn], *, language: Language, embedder_id: str) -> str:
    """Tell what a unit's memory is made from: its turns in their order, and by whom they are embedded."""
    return digest("turns", language, embedder_id, *(repr(_said_of(turn)) for turn in turns))


def _said_of(turn: Turn) -> tuple[object, ...]:
    who = (turn.turn_id, turn.session, turn.ordinal, turn.speaker, turn.time.isoformat())
    said = (turn.text, turn.caption, turn.audience.holders(), turn.arousal, sorted(turn.extra.items()))
    # A role nobody told is left out, so that what older releases remembered stays as it was.
    return (*who, *said) if turn.role is None else (*who, *said, turn.role.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogImport:
    """What came of bringing in a log: its turns are stored, and in memory after a sync.

    `made` says that the user was made for it. `ahead` are the ids of turns dated later than the
    clock: they are remembered as of their time and later only.
    """

    user: User
    made: bool
    turns: int
    new: int
    unchanged: int
    ahead: tuple[str, ...] = ()

    @property
    def changed(self) -> int:
        """How many turns were there before, and said something else."""
        return self.turns - self.new - self.unchanged
