"""Threads: a session cut where its talk turns to something else, by one rule from left to right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from kataribe.domain.arrays import np, npt
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.ids import digest, normalise
from kataribe.domain.terms import LANGUAGES, Language
from kataribe.errors import InputError

Vector: TypeAlias = "npt.NDArray[np.float32]"

DOMAIN = "domain"
"""Under which name of `Turn.extra` a log says of which domain a turn is."""

_OPENERS: Mapping[Language, tuple[str, ...]] = {
    "en": ("oh", "ah", "um", "so", "and", "but", "well"),
    "ja": ("あ", "あっ", "ああ", "えっと", "で", "ねえ", "そうそう"),
}
"""Words that may stand before a phrase that changes the subject."""
_PHRASES: Mapping[Language, tuple[str, ...]] = {
    "en": (
        *("by the way", "btw", "on another note", "on a different note", "speaking of which"),
        *("changing the subject", "to change the subject", "that reminds me", "before i forget"),
        *("anyway", "anyways", "incidentally"),
    ),
    "ja": (
        *("ところで", "そういえば", "そう言えば", "話は変わるけど", "話は変わりますが", "話変わるけど"),
        *("話が変わりますが", "それはそうと", "ちなみに", "さて、", "余談だけど", "余談ですが"),
    ),
}


def _begins_with(language: Language) -> re.Pattern[str]:
    openers, phrases = ("|".join(words[language]) for words in (_OPENERS, _PHRASES))
    end = r"\b" if language == "en" else ""
    return re.compile(rf"(?:(?:{openers})[\s,、。.…!]*)?(?:{phrases}){end}", re.IGNORECASE)


_PHRASE = {language: _begins_with(language) for language in LANGUAGES}

_LIKENESS: Mapping[str, float] = {"chive": 0.027, "wordllama": 0.173}
"""By embedder: below this cosine to what its thread was about so far a message is of something else.

One in twenty messages that go on with a conversation lies below it (half of the sessions of
RealPersonaChat and LoCoMo; on the other half it was one in eighteen and one in twenty-one). S3-13
says 0.75, which is of another embedder.
"""
_TOO_SHORT: Mapping[Language, int] = {"en": 30, "ja": 12}
"""Characters below which a message is like nothing in particular: "Yes, of course."."""


class ThreadBreak(StrEnum):
    """Why a thread begins, which is why the one before it ended (S3-12, S3-13)."""

    FIRST = "first"
    """Nothing was said in the session before."""
    IDLE = "idle"
    """Nothing was said for too long."""
    FULL = "full"
    """The thread before has as many messages as a thread may have."""
    DOMAIN = "domain"
    """The log says that it is of another domain."""
    PHRASE = "phrase"
    """It begins with words such as "by the way"."""
    TOPIC = "topic"
    """It is unlike what was spoken of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPolicy:
    """When a thread ends.

    `turns` is how many messages it has at most, all speakers counted (S3-14), `idle_seconds` how
    long nothing is said within it. `likeness` is the least cosine of a message to the mean of its
    thread; None: likeness decides nothing.
    """

    turns: int = 12
    idle_seconds: float = 600
    likeness: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.turns, bool) or not isinstance(self.turns, int) or self.turns < 1:
            raise InputError(f"a thread has 1 message or more, not {self.turns!r}")
        if not self.idle_seconds > 0:
            raise InputError(f"a thread ends after more than 0 idle seconds, not {self.idle_seconds!r}")
        if self.likeness is not None and not -1 <= self.likeness <= 1:
            raise InputError(f"a likeness is a cosine from -1 to 1, not {self.likeness!r}")


def likeness_of(embedder: str) -> float | None:
    """Give the likeness below which a message of this embedder turns away; None where nobody measured it."""
    return _LIKENESS.get(embedder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Messages of one session that go together, in the order they were said.

    `ended` is the position from which it is known to be over; None: as far as is known it goes on.
    """

    thread_id: str
    session: str
    turns: tuple[Turn, ...]
    began: ThreadBreak
    ended: int | None = None
    ended_by: ThreadBreak | None = None

    @property
    def counts(self) -> dict[str, int]:
        """How many messages each speaker has in it (S3-9, S3-10)."""
        counted: dict[str, int] = {}
        for turn in self.turns:
            counted[turn.speaker] = counted.get(turn.speaker, 0) + 1
        return counted

    @property
    def domain(self) -> str | None:
        """Of which domain it is, where the log says so."""
        return next((name for turn in self.turns if (name := domain_of(turn)) is not None), None)


def domain_of(turn: Turn) -> str | None:
    """Give the domain a log names for a turn."""
    named = turn.extra.get(DOMAIN)
    return named if isinstance(named, str) and named else None


def turns_away(text: str, language: Language) -> bool:
    """Whether a message begins with words that change the subject."""
    return _PHRASE[language].match(normalise(text).strip()) is not None


def phrase_at(text: str, language: Language) -> tuple[int, int] | None:
    """Give the shortest beginning of a message by which it changes the subject; None where it does not."""
    if not turns_away(text, language):
        return None
    return 0, next(end for end in range(1, len(text) + 1) if turns_away(text[:end], language))


def too_short(text: str, language: Language) -> bool:
    """Whether a message is so short that it is like nothing in particular."""
    return len(text) < _TOO_SHORT[language]


def cut_threads(
    turns: Sequence[Turn],
    *,
    language: Language,
    policy: ThreadPolicy,
    vectors: Mapping[str, Vector] | None = None,
    now: int | None = None,
    space: str = "",
    holder: str = "",
) -> tuple[Thread, ...]:
    """Cut turns into threads, session by session; a turn moves only what follows it in its session.

    `turns` are those one holder may remember in one space; the system's are left out. `vectors` are
    those of turns by id, of length 1; a turn without one is like everything. `now` is the
    position at which it is asked: a thread that has been idle for too long by then is over. A
    thread's id is made of space, holder and its first turn.
    """
    people = sorted((turn for turn in turns if not turn.is_system), key=_order)
    sessions: dict[str, list[Turn]] = {}
    for turn in people:
        sessions.setdefault(turn.session, []).append(turn)
    found: list[Thread] = []
    for session, said in sessions.items():
        cut = _SessionCut(language, policy, vectors or {})
        pieces = list(cut.pieces(said))
        for place, (began, piece) in enumerate(pieces):
            after = pieces[place + 1] if place + 1 < len(pieces) else None
            ended = _ended(piece, after, policy, now)
            found.append(
                Thread(
                    thread_id=f"thread-{digest('thread', space, holder, piece[0].turn_id)[:12]}",
                    session=session,
                    turns=tuple(piece),
                    began=began,
                    ended=None if ended is None else ended[0],
                    ended_by=None if ended is None else ended[1],
                )
            )
    return tuple(sorted(found, key=lambda one: (one.turns[0].at, one.session, one.thread_id)))


def _order(turn: Turn) -> tuple[int, str, int, str]:
    return (turn.at, turn.session, turn.ordinal, turn.turn_id)


def _ended(
    piece: Sequence[Turn],
    after: tuple[ThreadBreak, Sequence[Turn]] | None,
    policy: ThreadPolicy,
    now: int | None,
) -> tuple[int, ThreadBreak] | None:
    """Give from where a thread is over, and why: by what comes after it, else by the clock."""
    idle = piece[-1].at + int(policy.idle_seconds * 1000)
    if after is not None:
        why, following = after
        return (min(idle, following[0].at), ThreadBreak.IDLE if idle < following[0].at else why)
    return (idle, ThreadBreak.IDLE) if now is not None and idle <= now else None


@dataclass(slots=True)
class _SessionCut:
    """Cuts one session."""

    language: Language
    policy: ThreadPolicy
    vectors: Mapping[str, Vector]
    piece: list[Turn] = field(default_factory=list)
    sum: npt.NDArray[np.float64] | None = None

    def pieces(self, said: Sequence[Turn]) -> Iterator[tuple[ThreadBreak, list[Turn]]]:
        began = ThreadBreak.FIRST
        for turn in said:
            why = self._break(turn)
            if why is not None and self.piece:
                yield began, self.piece
                self.piece, self.sum = [], None
            if why is not None:
                began = why
            self._take(turn)
        if self.piece:
            yield began, self.piece

    def _take(self, turn: Turn) -> None:
        self.piece.append(turn)
        vector = self.vectors.get(turn.turn_id)
        if vector is not None:
            told = np.asarray(vector, dtype=np.float64)
            self.sum = told if self.sum is None else self.sum + told

    def _break(self, turn: Turn) -> ThreadBreak | None:
        """Say why a thread begins with this turn; None: it goes on with the thread before."""
        if not self.piece:
            return ThreadBreak.FIRST
        if turn.at - self.piece[-1].at >= self.policy.idle_seconds * 1000:
            return ThreadBreak.IDLE
        if len(self.piece) >= self.policy.turns:
            return ThreadBreak.FULL
        named = domain_of(turn)
        if named is not None and named != next((domain_of(one) for one in reversed(self.piece)), None):
            return ThreadBreak.DOMAIN
        if turns_away(turn.text, self.language):
            return ThreadBreak.PHRASE
        return ThreadBreak.TOPIC if self._is_unlike(turn) else None

    def _is_unlike(self, turn: Turn) -> bool:
        """Whether a message is unlike the mean of its thread; one alone tells too little of a subject."""
        least, vector = self.policy.likeness, self.vectors.get(turn.turn_id)
        if least is None or vector is None or self.sum is None or len(self.piece) < 2:
            return False
        if too_short(turn.text, self.language):
            return False
        length = float(np.linalg.norm(self.sum))
        # Rounded, so that what a machine adds in another order does not move a thread.
        return length > 0 and round(float(vector.astype(np.float64) @ self.sum) / length, 6) < least
