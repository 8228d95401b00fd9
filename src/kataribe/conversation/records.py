"""All that is kept of one user, read part by part within one view, in the words that were said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any, Protocol, TypeVar

from kataribe.conversation.homes import user_of
from kataribe.conversation.store import spaces_of
from kataribe.conversation.threads import HeldShare, keys_of, policy_times, threads_of, vectors_by_key
from kataribe.domain.audit import AuditEvent
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, TierPolicy
from kataribe.domain.conversation.life.values import Life, MemoryValue
from kataribe.domain.conversation.threads import Thread, likeness_of
from kataribe.domain.conversation.turns import SaidOrder, Turn, User
from kataribe.domain.gate import position_of
from kataribe.domain.ids import WORLD
from kataribe.domain.privacy.profile import ProfileItem
from kataribe.domain.privacy.records import (
    HeldRecord,
    MemoryRecord,
    NightRecord,
    SaidSession,
    SaidSpace,
    UserRecords,
)
from kataribe.domain.records import SpaceState, Trace
from kataribe.domain.space import parse_space, user_space
from kataribe.domain.work import WorkKind
from kataribe.ports import RecordedNight, View

T = TypeVar("T")

TOGETHER = 500
"""Turns that are read at once."""
_BEFORE_ALL: SaidOrder = (-(2**62), "", -1, "")
_ALL_SEARCHES = 1_000_000


class SaidAs(Protocol):
    """Gives the words back that stand sealed, or in tokens."""

    def turns(self, space: str, turns: Sequence[Turn]) -> Sequence[Turn]:
        """Give turns of a space as they were said. Raises `KeyStoreError` where they cannot be opened."""

    def sealed(self, space: str) -> int:
        """How many of the turns given so far hold something sealed."""

    def words(self, found: T) -> T:
        """Give anything with the words in place of the tokens that stand in the turns given so far."""


@dataclass(frozen=True, slots=True)
class RecordSources:
    """What else is read of a user: its profile, opened, and the events of its chains."""

    said: SaidAs
    profile: Callable[[], Iterator[ProfileItem]]
    audit: Callable[[], Iterator[AuditEvent]]


def user_records(view: View, user_id: str, at: datetime, sources: RecordSources) -> UserRecords:
    """Give all that is kept of a user; all of it is read while the view is open.

    Every turn is looked at once, so that what tokens stand for is known. Raises `NotFoundError`, and
    `KeyStoreError` where what was said cannot be opened.
    """
    user = user_of(view, user_id)
    spaces = tuple(survey(view, user, sources.said))
    reader = _Reader(view, user, position_of(at), spaces, sources.said)
    return UserRecords(
        user=user,
        at=at,
        spaces=spaces,
        turns=reader.turns,
        memories=reader.memories,
        fates=partial(reader.of_lives, lambda life: life.fates),
        questions=partial(reader.of_lives, lambda life: life.asked),
        decisions=reader.decisions,
        uses=reader.uses,
        answers=reader.answers,
        threads=reader.threads,
        nights=reader.nights,
        profile=sources.profile,
        consents=lambda: iter(view.consent_steps(user_space(user_id))),
        searches=reader.searches,
        audit=sources.audit,
    )


def survey(view: View, user: User, said: SaidAs) -> Iterator[SaidSpace]:
    """Look at all that was said with a user: the user's own space first, then talk, by name."""
    for space in spaces_of(view, user.user_id):
        sessions: dict[str, SaidSession] = {}
        holders: set[str] = set()
        for turns in pages(view, space):
            said.turns(space, turns)
            for turn in turns:
                sessions[turn.session] = _longer(sessions.get(turn.session), space, turn)
                holders.update(turn.audience.holders())
        yield SaidSpace(
            space=space,
            sessions=tuple(sessions.values()),
            holders=tuple(sorted(holders)),
            episode_no=_episode_no(view, user.user_id, space),
            sealed=said.sealed(space),
            expired=frozenset(view.stubs(space)),
            archived=view.archived(space),
        )


def _longer(there: SaidSession | None, space: str, turn: Turn) -> SaidSession:
    """Give a session with one more turn."""
    if there is None:
        return SaidSession(space=space, session=turn.session, turns=1, first=turn.at, last=turn.at)
    return replace(there, turns=there.turns + 1, last=turn.at)


def _episode_no(view: View, user_id: str, space: str) -> int | None:
    story = parse_space(space).story
    found = () if story is None else view.talks(story, user_id)
    return next((one.no for one in found if one.space == space), None)


def pages(view: View, space: str, session: SaidSession | None = None) -> Iterator[tuple[Turn, ...]]:
    """Give what was said in a space, or in a session of it, some turns at a time."""
    name, upto = (None, None) if session is None else (session.session, session.last)
    after = _BEFORE_ALL if session is None else (session.first, "", -1, "")
    while turns := view.said_after(space, after, limit=TOGETHER, upto=upto, session=name):
        yield turns
        after = turns[-1].order


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the parts of one user's records."""

    view: View
    user: User
    now: int
    spaces: tuple[SaidSpace, ...]
    said: SaidAs

    def turns(self, space: str, session: SaidSession | None) -> Iterator[Turn]:
        return (turn for page in pages(self.view, space, session) for turn in self.said.turns(space, page))

    def memories(self) -> Iterator[MemoryRecord]:
        """Give memories with all their rows, as they were made."""
        nights = self.view.nights(self.user.user_id)
        for space, holder in self._holders():
            for life in self.view.life_parts(space, holder):
                by_id: dict[str, list[MemoryValue]] = {}
                for row in life.values:
                    by_id.setdefault(row.memory_id, []).append(row)
                for rows in by_id.values():
                    policies = tuple(_policy_of(row, nights) for row in rows)
                    yield MemoryRecord(
                        space=space, holder=holder, rows=self.said.words(tuple(rows)), policies=policies
                    )

    def _holders(self) -> Iterator[tuple[str, str]]:
        """Name everybody who keeps anything, space by space."""
        for one in self.spaces:
            for holder in sorted({*one.holders, *self.view.work(one.space, WorkKind.TIERS)}):
                yield one.space, holder

    def of_lives(self, part: Callable[[Life], Iterable[Any]]) -> Iterator[HeldRecord[Any]]:
        """Give a part of what a replay gave."""
        for space, holder in self._holders():
            for life in self.view.life_parts(space, holder):
                yield from (HeldRecord(space, holder, one) for one in part(life))

    def decisions(self) -> Iterator[HeldRecord[Any]]:
        for space, holder in self._holders():
            for one in self.view.hand_decisions(space, holder):
                yield HeldRecord(space, holder, self.said.words(one))

    def uses(self) -> Iterator[HeldRecord[Any]]:
        for space, holder in self._holders():
            viewer = "" if holder == WORLD else holder
            yield from (HeldRecord(space, holder, one) for one in self.view.turn_uses(space, f":{viewer}"))

    def answers(self) -> Iterator[HeldRecord[Any]]:
        for space, holder in self._holders():
            for one in self.view.model_asks(space, holder):
                if one.answer is not None:
                    # What a model was shown are the turns, which are here themselves.
                    one = replace(one, answer=self.said.words(one.answer))
                yield HeldRecord(space, holder, one)

    def threads(self) -> Iterator[HeldRecord[Thread]]:
        """Give threads, session by session, of everybody who holds any of it."""
        for one in self.spaces:
            state = self.view.space(one.space)
            for holder in one.holders if state is not None else ():
                assert state is not None
                share = HeldShare(one.space, holder, (*{WORLD, holder},), self.now)
                yield from self._threads_of(state, share, one.sessions)

    def _threads_of(
        self, state: SpaceState, share: HeldShare, sessions: Sequence[SaidSession]
    ) -> Iterator[HeldRecord[Thread]]:
        times = policy_times(self.view, share)
        keys = {} if likeness_of(state.embedder) is None else keys_of(self.view, share)
        for session in sessions:
            turns = [
                share.seen(turn)
                for turn in chain.from_iterable(pages(self.view, share.space, session))
                if share.holds(turn)
            ]
            said = {turn.turn_id for turn in turns}
            wanted = {key: turn_id for key, turn_id in keys.items() if turn_id in said}
            vectors = vectors_by_key(self.view, share, wanted)
            cut = threads_of(state, share, turns, vectors, now=self.now, times=times)
            yield from (HeldRecord(share.space, share.holder, self.said.words(one)) for one in cut)

    def nights(self) -> Iterator[NightRecord]:
        return (NightRecord(at=one.at, policy=one.policy) for one in self.view.nights(self.user.user_id))

    def searches(self) -> Iterator[Trace]:
        """Give the searches that are kept, oldest first."""
        own = user_space(self.user.user_id)
        found = self.view.traces(own, last=_ALL_SEARCHES)
        return (self.said.words(one) for one in reversed(found) if one.user == self.user.user_id)


def _policy_of(row: MemoryValue, nights: Sequence[RecordedNight]) -> TierPolicy:
    """Give the numbers by which a row was written: of the night itself, or of the last one before."""
    held = [night.policy for night in nights if night.at <= row.position]
    return held[-1] if held else DEFAULT_TIERS
