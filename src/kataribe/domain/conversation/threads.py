"""Threads: a session cut where its talk turns to something else, by one rule from left to right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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


PolicyAt = Callable[[int], ThreadPolicy]
"""Gives the policy by which a turn at a position is judged."""


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
    policy: ThreadPolicy | PolicyAt,
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
    cutter = ThreadCutter(language, policy, space=space, holder=holder)
    known = vectors or {}
    found: list[Thread] = []
    for turn in sorted((turn for turn in turns if not turn.is_system), key=turn_order):
        ended = cutter.add(turn, known.get(turn.turn_id))
        found += [] if ended is None else [ended]
    return tuple(sorted([*found, *cutter.open(now)], key=_thread_order))


def _thread_order(thread: Thread) -> tuple[int, str, str]:
    return (thread.turns[0].at, thread.session, thread.thread_id)


def turn_order(turn: Turn) -> tuple[int, str, int, str]:
    """By which turns are taken in."""
    return (turn.at, turn.session, turn.ordinal, turn.turn_id)


class ThreadCutter:
    """Cuts sessions into threads, turn by turn in their order."""

    def __init__(
        self, language: Language, policy: ThreadPolicy | PolicyAt, *, space: str = "", holder: str = ""
    ) -> None:
        self._language: Language = language
        self._policy: PolicyAt = (lambda _: policy) if isinstance(policy, ThreadPolicy) else policy
        self._home = (space, holder)
        self._sessions: dict[str, _OpenThread] = {}
        self._going: dict[str, _OpenThread] = {}
        """Those of `_sessions` that may still be going on."""

    def add(self, turn: Turn, vector: Vector | None) -> Thread | None:
        """Take in a turn of a person; gives the thread of its session that is over with it, if one is."""
        there = self._sessions.get(turn.session)
        why = ThreadBreak.FIRST if there is None else self._break(there, turn, vector)
        ended = None if there is None or why is None else self._over(there, turn.at, why)
        if there is None or why is not None:
            there = self._sessions[turn.session] = _OpenThread(why or ThreadBreak.FIRST)
        there.take(turn, vector)
        self._going[turn.session] = there
        return ended

    def open(self, now: int | None = None) -> Iterator[Thread]:
        """Give the last thread of each session; it is over where nothing was said for too long by `now`."""
        for there in self._sessions.values():
            idle = self._idle(there)
            yield self._thread(there, (idle, ThreadBreak.IDLE) if now is not None and idle <= now else None)

    def left(self, after: int) -> Iterator[Thread]:
        """Give the last threads of sessions that are over by silence later than a position.

        Positions never go back from one time to the next.
        """
        self._going = {name: there for name, there in self._going.items() if self._idle(there) > after}
        for there in self._going.values():
            yield self._thread(there, (self._idle(there), ThreadBreak.IDLE))

    def _over(self, there: _OpenThread, at: int, why: ThreadBreak) -> Thread:
        idle = self._idle(there)
        return self._thread(there, (min(idle, at), ThreadBreak.IDLE if idle < at else why))

    def _idle(self, there: _OpenThread) -> int:
        """Give from where a thread is over when nobody goes on with it."""
        last = there.turns[-1].at
        return last + int(self._policy(last).idle_seconds * 1000)

    def _thread(self, there: _OpenThread, ended: tuple[int, ThreadBreak] | None) -> Thread:
        first = there.turns[0]
        return Thread(
            thread_id=f"thread-{digest('thread', *self._home, first.turn_id)[:12]}",
            session=first.session,
            turns=tuple(there.turns),
            began=there.began,
            ended=None if ended is None else ended[0],
            ended_by=None if ended is None else ended[1],
        )

    def _break(self, there: _OpenThread, turn: Turn, vector: Vector | None) -> ThreadBreak | None:
        """Say why a thread begins with this turn; None: it goes on with the thread before."""
        last, policy = there.turns[-1], self._policy(turn.at)
        if turn.at - last.at >= self._policy(last.at).idle_seconds * 1000:
            return ThreadBreak.IDLE
        if len(there.turns) >= policy.turns:
            return ThreadBreak.FULL
        named = domain_of(turn)
        if named is not None and named != next((domain_of(one) for one in reversed(there.turns)), None):
            return ThreadBreak.DOMAIN
        if turns_away(turn.text, self._language):
            return ThreadBreak.PHRASE
        return ThreadBreak.TOPIC if self._is_unlike(there, turn, vector, policy) else None

    def _is_unlike(self, there: _OpenThread, turn: Turn, vector: Vector | None, policy: ThreadPolicy) -> bool:
        """Whether a message is unlike the mean of its thread; one alone tells too little of a subject."""
        least = policy.likeness
        if least is None or vector is None or there.sum is None or len(there.turns) < 2:
            return False
        if too_short(turn.text, self._language):
            return False
        length = float(np.linalg.norm(there.sum))
        # Rounded, so that what a machine adds in another order does not move a thread.
        return length > 0 and round(float(vector.astype(np.float64) @ there.sum) / length, 6) < least


@dataclass(slots=True)
class _OpenThread:
    """The last thread of a session, as far as it goes."""

    began: ThreadBreak
    turns: list[Turn] = field(default_factory=list)
    sum: npt.NDArray[np.float64] | None = None

    def take(self, turn: Turn, vector: Vector | None) -> None:
        self.turns.append(turn)
        if vector is not None:
            told = np.asarray(vector, dtype=np.float64)
            self.sum = told if self.sum is None else self.sum + told
