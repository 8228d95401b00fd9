"""Threads and the buffer of one holder in one space, out of the turns a gate admits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.conversation.consents import may_remember
from kataribe.conversation.fading import in_force
from kataribe.conversation.store import spaces_of
from kataribe.domain.conversation.buffer import Buffer, BufferPolicy, fill_buffer
from kataribe.domain.conversation.life.policy import PolicyTimes, ThreadLimits
from kataribe.domain.conversation.masking import mask_one_time
from kataribe.domain.conversation.threads import (
    PolicyAt,
    Thread,
    ThreadPolicy,
    Vector,
    cut_threads,
    likeness_of,
)
from kataribe.domain.conversation.turns import Turn, persona_counts
from kataribe.domain.gate import Gate, Slice, Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.records import SpaceState
from kataribe.domain.space import parse_space
from kataribe.domain.terms import known_by
from kataribe.errors import NotFoundError
from kataribe.ports import View
from kataribe.ports.kinds import NOTHING_FADED, Fading, Kinds
from kataribe.read.gate import open_gate


@dataclass(frozen=True, slots=True)
class HeldThread:
    """A thread, and who holds it where."""

    space: str
    holder: str
    thread: Thread

    @property
    def persona_counts(self) -> dict[str, int]:
        """How many of its messages each persona said, by its id."""
        user_id = parse_space(self.space).user or ""
        return persona_counts(self.thread.turns, user_id=user_id, holder=self.holder)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldThreads:
    """What a viewer, or an author, sees of threads."""

    viewer: Viewer | None
    threads: tuple[HeldThread, ...]

    def one(self, thread_id: str) -> HeldThread:
        """Give a thread by its id. Raises `NotFoundError`, without telling whether others have it."""
        found = next((one for one in self.threads if one.thread.thread_id == thread_id), None)
        if found is None:
            raise NotFoundError(f"there is no thread {thread_id!r} here; `kataribe thread list` shows them")
        return found


@dataclass(frozen=True, slots=True)
class HeldShare:
    """What one holder may remember of one space: its own, and what was told to all."""

    space: str
    holder: str
    holders: tuple[str, ...]
    upto: int

    def holds(self, turn: Turn) -> bool:
        """Whether a turn is in it."""
        return turn.at <= self.upto and not set(turn.audience.holders()).isdisjoint(self.holders)

    @property
    def gate(self) -> Gate:
        """What of the space may be read."""
        return Gate(tuple(Slice(self.space, holder, self.upto) for holder in self.holders))

    def lived_by(self, view: View) -> str:
        """Name whose memory in tiers it is: its holder's once that was told anything, else the world's."""
        own = Gate((Slice(self.space, self.holder, self.upto),))
        return self.holder if view.voices(own) or WORLD not in self.holders else WORLD

    def remembered(self, view: View) -> frozenset[str]:
        """Name the turns of it that are in memory."""
        return frozenset(memory.fact_id for memory in view.admitted(self.gate))

    def seen(self, turn: Turn) -> Turn:
        """Give a turn as its holder sees it: who else was there is not told (P2)."""
        return turn if turn.audience.world else replace(turn, audience=known_by(self.holder))


def viewer_threads(kinds: Kinds, view: View, viewer: Viewer) -> HeldThreads:
    """Give the threads a viewer may remember, by space, then as they were begun. Raises `NotFoundError`."""
    found: list[HeldThread] = []
    for share in viewer_shares(kinds, view, viewer):
        found += threads_in(view, share, share.upto)
    return HeldThreads(viewer=viewer, threads=tuple(found))


def author_threads(view: View, user_id: str, *, now: int) -> HeldThreads:
    """Give the threads of all who hold anything of a user (author). Raises `NotFoundError`."""
    found: list[HeldThread] = []
    for space in spaces_of(view, user_id):
        said = may_remember(view, space).turns(view.turns(space))
        holders = {holder for turn in said for holder in turn.audience.holders()}
        for holder in sorted(holders):
            found += threads_in(view, HeldShare(space, holder, (*{WORLD, holder},), now), now, said)
    return HeldThreads(viewer=None, threads=tuple(found))


def viewer_buffer(
    kinds: Kinds,
    view: View,
    viewer: Viewer,
    *,
    session: str | None,
    count: Callable[[str], int],
    policy: BufferPolicy,
) -> Buffer:
    """Give what a viewer has at hand of a session, else of the last one it took part in.

    Raises `NotFoundError` for an unknown user; a session it knows nothing of is empty.
    """
    shares = viewer_shares(kinds, view, viewer)
    share, found = buffer_in(view, shares, session=session, count=count, policy=policy)
    if share is None or found.turns:
        return found
    return replace(found, resumes=_resumed(view, share, found.session or ""))


def buffer_in(
    view: View,
    shares: Sequence[HeldShare],
    *,
    session: str | None,
    count: Callable[[str], int],
    policy: BufferPolicy,
    fading: Fading = NOTHING_FADED,
) -> tuple[HeldShare | None, Buffer]:
    """Give the buffer of the share in which something was said last, and that share; None without any.

    What is gone of `fading` is not in it, and takes no place there. One-time codes and links are masked
    once their thread has ended.
    """
    last = [(turns[-1], share) for share in shares if (turns := last_turns(view, share, 1, session))]
    if not last:
        return None, Buffer()
    newest, share = max(last, key=lambda one: (one[0].at, one[0].ordinal, one[1].space))
    said = _left_of(view, share, newest.session, fading, enough=policy.messages + 1)
    kept, tokens, ended_by = fill_buffer(said, now=share.upto, count=count, policy=policy)
    counts: dict[str, int] = {}
    for turn in kept:
        counts[turn.speaker] = counts.get(turn.speaker, 0) + 1
    return share, Buffer(
        space=share.space,
        session=newest.session,
        turns=_masked(view, share, kept),
        tokens=tokens,
        ended_by=ended_by,
        counts=counts,
        persona_counts=persona_counts(kept, user_id=parse_space(share.space).user or "", holder=share.holder),
        last=newest.at,
    )


def _left_of(view: View, share: HeldShare, session: str, fading: Fading, *, enough: int) -> list[Turn]:
    """Give as many of the last turns of a session as are enough, without what is gone."""
    limit = enough
    while True:
        turns = last_turns(view, share, limit, session)
        left = [
            in_force(turn, share.space, fading)
            for turn in turns
            if (share.space, turn.turn_id) not in fading.gone
        ]
        if len(left) >= enough or len(turns) < limit:
            return left[-enough:]
        limit *= 4


def _masked(view: View, share: HeldShare, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Mask what holds for one time alone in turns whose thread has ended."""
    masks = {turn.turn_id: mask_one_time(turn.text) for turn in turns}
    if all(masks[turn.turn_id] == turn.text for turn in turns):
        # Threads are cut only where it matters: nearly never.
        return tuple(turns)
    session = view.turns(share.space, session=turns[0].session)
    threads = (one.thread for one in threads_in(view, share, share.upto, session))
    ended = {turn.turn_id for thread in threads if thread.ended is not None for turn in thread.turns}
    return tuple(replace(turn, text=masks[turn.turn_id]) if turn.turn_id in ended else turn for turn in turns)


def _resumed(view: View, share: HeldShare, session: str) -> str | None:
    leave = may_remember(view, share.space)
    threads = [
        one
        for one in threads_in(view, share, share.upto, leave.turns(view.turns(share.space, session=session)))
        if one.thread.session == session
    ]
    return threads[-1].thread.thread_id if threads else None


def viewer_shares(kinds: Kinds, view: View, viewer: Viewer) -> list[HeldShare]:
    """Say what a viewer may remember of each space of what was said."""
    opened = open_gate(kinds, view, viewer)
    return [
        share
        for home in opened.homes
        if home.lending.by_turns
        for share in shares_of(home.gate, viewer.moment)
    ]


def shares_of(gate: Gate, moment: int) -> list[HeldShare]:
    """Say what may be remembered of each space of a gate of what was said, up to a moment."""
    shares: list[HeldShare] = []
    for space in dict.fromkeys(part.space for part in gate.slices):
        holders = tuple(part.holder for part in gate.slices if part.space == space)
        holder = next((one for one in holders if one != WORLD), WORLD)
        shares.append(HeldShare(space, holder, holders, moment))
    return shares


def last_turns(
    view: View, share: HeldShare, limit: int, session: str | None, *, upto: int | None = None
) -> tuple[Turn, ...]:
    """Give the last turns of a share, oldest first: of a session or of all, by a position or by now."""
    said = view.last_turns(
        share.space,
        holders=share.holders,
        upto=share.upto if upto is None else upto,
        limit=limit,
        session=session,
    )
    return tuple(share.seen(turn) for turn in said)


def threads_in(
    view: View, share: HeldShare, now: int, said: Sequence[Turn] | None = None
) -> list[HeldThread]:
    """Give the threads of one holder in one space, as far as they are known at a position."""
    state = view.space(share.space)
    if state is None:
        return []
    # What only the buffer has is of no thread; who names turns has chosen them.
    told = may_remember(view, share.space).turns(view.turns(share.space)) if said is None else said
    turns = [share.seen(turn) for turn in told if share.holds(turn)]
    vectors = {} if likeness_of(state.embedder) is None else vectors_of(view, share)
    cut = threads_of(state, share, turns, vectors, now=now, times=policy_times(view, share))
    return [HeldThread(share.space, share.holder, thread) for thread in cut]


def threads_of(
    state: SpaceState,
    share: HeldShare,
    turns: Sequence[Turn],
    vectors: Mapping[str, Vector],
    *,
    now: int,
    times: PolicyTimes,
) -> tuple[Thread, ...]:
    """Cut what a holder may remember of a space into threads, each turn by the numbers of its moment."""
    return cut_threads(
        turns,
        language=state.language,
        policy=thread_policies(times, state),
        vectors=vectors,
        now=now,
        space=share.space,
        holder=share.holder,
    )


def thread_policies(times: PolicyTimes, state: SpaceState) -> PolicyAt:
    """Say by which numbers threads of a space are cut when."""
    likeness = likeness_of(state.embedder)
    known: dict[ThreadLimits, ThreadPolicy] = {}

    def policy_at(at: int) -> ThreadPolicy:
        limits = times.before(at).thread
        if limits not in known:
            known[limits] = limits.limits(likeness)
        return known[limits]

    return policy_at


def policy_times(view: View, share: HeldShare) -> PolicyTimes:
    """Say which numbers hold when, as far as the holder may know of nights."""
    nights = view.nights(parse_space(share.space).user or "")
    return PolicyTimes((night.at, night.policy) for night in nights if night.at <= share.upto)


def vectors_of(view: View, share: HeldShare) -> Mapping[str, Vector]:
    """Give the vectors of turns by id, as far as they are in memory.

    They are read behind the gate: a text that only others hold has no vector here (P2).
    """
    return vectors_by_key(view, share, keys_of(view, share))


def keys_of(view: View, share: HeldShare) -> dict[int, str]:
    """Give the turns of a share that are in memory, by the keys of their memories."""
    return {memory.key: memory.fact_id for memory in view.admitted(share.gate)}


def vectors_by_key(view: View, share: HeldShare, turns: Mapping[int, str]) -> Mapping[str, Vector]:
    """Give the vectors of some turns of a share; `turns` are those in memory, by their keys."""
    found = view.vectors.vectors_of(turns, gate=share.gate)
    return {turns[key]: vector for key, vector in found.items()} | _expired(view, share, turns.values())


def _expired(view: View, share: HeldShare, held: Iterable[str]) -> dict[str, Vector]:
    """Give the vectors of texts that have expired: what is left of them is found by others."""
    state = view.space(share.space)
    stubs = view.stubs(share.space)
    there = (stubs[turn_id] for turn_id in held if turn_id in stubs)
    return {
        one.turn_id: one.vector
        for one in there
        if one.vector is not None and state is not None and one.embedder_id == state.embedder_id
    }
