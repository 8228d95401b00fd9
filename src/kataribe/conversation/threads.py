"""Threads and the buffer of one holder in one space, out of the turns a gate admits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.conversation.store import spaces_of
from kataribe.domain.conversation.buffer import Buffer, BufferPolicy, fill_buffer
from kataribe.domain.conversation.threads import Thread, ThreadPolicy, Vector, cut_threads, likeness_of
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import Gate, Slice, Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.records import SpaceState
from kataribe.domain.terms import known_by
from kataribe.errors import NotFoundError
from kataribe.ports import View
from kataribe.ports.kinds import Kinds
from kataribe.read.gate import open_gate


@dataclass(frozen=True, slots=True)
class HeldThread:
    """A thread, and who holds it where."""

    space: str
    holder: str
    thread: Thread


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
class _Share:
    """What one holder may remember of one space: its own, and what was told to all."""

    space: str
    holder: str
    holders: tuple[str, ...]
    upto: int

    def holds(self, turn: Turn) -> bool:
        """Whether a turn is in it."""
        return turn.at <= self.upto and not set(turn.audience.holders()).isdisjoint(self.holders)

    def seen(self, turn: Turn) -> Turn:
        """Give a turn as its holder sees it: who else was there is not told (P2)."""
        return turn if turn.audience.world else replace(turn, audience=known_by(self.holder))


def viewer_threads(kinds: Kinds, view: View, viewer: Viewer) -> HeldThreads:
    """Give the threads a viewer may remember, by space, then as they were begun. Raises `NotFoundError`."""
    found: list[HeldThread] = []
    for share in _shares(kinds, view, viewer):
        found += _threads(view, share, share.upto)
    return HeldThreads(viewer=viewer, threads=tuple(found))


def author_threads(view: View, user_id: str, *, now: int) -> HeldThreads:
    """Give the threads of all who hold anything of a user (author). Raises `NotFoundError`."""
    found: list[HeldThread] = []
    for space in spaces_of(view, user_id):
        said = view.turns(space)
        holders = {holder for turn in said for holder in turn.audience.holders()}
        for holder in sorted(holders):
            found += _threads(view, _Share(space, holder, (*{WORLD, holder},), now), now, said)
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
    shares = _shares(kinds, view, viewer)
    last = [(turns[-1], share) for share in shares if (turns := _last(view, share, 1, session))]
    if not last:
        return Buffer()
    newest, share = max(last, key=lambda one: (one[0].at, one[0].ordinal, one[1].space))
    said = _last(view, share, policy.messages + 1, newest.session)
    kept, tokens, ended_by = fill_buffer(said, now=share.upto, count=count, policy=policy)
    counts: dict[str, int] = {}
    for turn in kept:
        counts[turn.speaker] = counts.get(turn.speaker, 0) + 1
    return Buffer(
        space=share.space,
        session=newest.session,
        turns=kept,
        tokens=tokens,
        ended_by=ended_by,
        resumes=None if kept else _resumed(view, share, newest.session),
        counts=counts,
    )


def _resumed(view: View, share: _Share, session: str) -> str | None:
    threads = [
        one
        for one in _threads(view, share, share.upto, view.turns(share.space, session=session))
        if one.thread.session == session
    ]
    return threads[-1].thread.thread_id if threads else None


def _shares(kinds: Kinds, view: View, viewer: Viewer) -> list[_Share]:
    """Say what a viewer may remember of each space of what was said."""
    opened = open_gate(kinds, view, viewer)
    shares: list[_Share] = []
    for home in (home for home in opened.homes if home.lending.by_turns):
        for space in dict.fromkeys(part.space for part in home.gate.slices):
            holders = tuple(part.holder for part in home.gate.slices if part.space == space)
            holder = next((one for one in holders if one != WORLD), WORLD)
            shares.append(_Share(space, holder, holders, viewer.moment))
    return shares


def _last(view: View, share: _Share, limit: int, session: str | None) -> tuple[Turn, ...]:
    said = view.last_turns(share.space, holders=share.holders, upto=share.upto, limit=limit, session=session)
    return tuple(share.seen(turn) for turn in said)


def _threads(view: View, share: _Share, now: int, said: Sequence[Turn] | None = None) -> list[HeldThread]:
    state = view.space(share.space)
    if state is None:
        return []
    turns = [
        share.seen(turn) for turn in (view.turns(share.space) if said is None else said) if share.holds(turn)
    ]
    cut = cut_threads(
        turns,
        language=state.language,
        policy=ThreadPolicy(likeness=likeness_of(state.embedder)),
        vectors=_vectors(view, state, share),
        now=now,
        space=share.space,
        holder=share.holder,
    )
    return [HeldThread(share.space, share.holder, thread) for thread in cut]


def _vectors(view: View, state: SpaceState, share: _Share) -> Mapping[str, Vector]:
    """Give the vectors of turns by id, as far as they are in memory and likeness means anything.

    They are read behind the gate: a text that only others hold has no vector here (P2).
    """
    if likeness_of(state.embedder) is None:
        return {}
    gate = Gate(tuple(Slice(share.space, holder, share.upto) for holder in share.holders))
    turns = {memory.key: memory.fact_id for memory in view.admitted(gate)}
    found = view.vectors.vectors_of(turns, gate=gate)
    return {turns[key]: vector for key, vector in found.items()}
