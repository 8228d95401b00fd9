"""Telling a webhook's receiver what became of memory, out of the change log.

What it was told stands in the ledger beside what indexes outside were fed: of each unit the ids that were
there. What it lacks is the difference to what is there now, so that nothing is queued, a kill loses
nothing, and what comes and goes before it was told is never told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Lock

from kataribe.domain.conversation.life.events import HandVerb
from kataribe.domain.conversation.life.values import ENDED, TierState
from kataribe.domain.feeding import UNFED, FedUnit, FeedState
from kataribe.domain.hooks import (
    ChangedKind,
    ChangedMemory,
    HookLag,
    HookMessage,
    HookRun,
    MemoryChange,
    Telling,
)
from kataribe.domain.ids import digest
from kataribe.domain.records import Outcome
from kataribe.domain.space import episode_of, parse_space
from kataribe.domain.work import WorkKind
from kataribe.engine.kinds import TELLINGS
from kataribe.errors import StoreError
from kataribe.formats.wire.hooks import hook_message_json
from kataribe.ports import Clock, Ledger, Processes, Transaction, View
from kataribe.ports.hooks import Webhook
from kataribe.ports.tiers import TierStanding

MOST_TRIES = 8
"""So many times a message is sent that the receiver refuses; then the next one has its turn."""
_WAIT, _FACTOR, _LONGEST = 5.0, 4.0, 3600.0
"""Seconds until a receiver that failed is tried again, and how they grow."""
_TOGETHER = 256
"""Changes that a message tells at most."""
_LEASE = 60.0
"""Seconds for which one process alone tells a receiver; longer than it may take to answer."""
_TELLINGS = {one.space: one for one in TELLINGS}

_Key = tuple[str, str]
"""Who holds a memory, and its id."""


class _NotTakenError(Exception):
    """The receiver did not take a message; it is left alone for a while."""


@dataclass(frozen=True, slots=True)
class _There:
    """What there is of a memory: what it supersedes (empty: nothing), and its position."""

    supersedes: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class _Due:
    """A unit that has changed: what was told of it, what there is now, and the changes in between."""

    index_id: str
    fed: FedUnit
    now: Mapping[_Key, _There]
    revision: int
    episode_id: str | None
    changes: tuple[ChangedMemory, ...]


class HookOutbox:
    """Tells one receiver, each space in the order of the change log; of several processes one at a time."""

    def __init__(self, ledger: Ledger, hook: Webhook, clock: Clock, processes: Processes) -> None:
        self._ledger = ledger
        self._hook = hook
        self._clock = clock
        self._processes = processes
        self._lock = Lock()
        self._cursor = 0
        self._behind: set[str] = set()
        """Spaces of which something could not be told yet."""
        self._tiers: dict[_Key, str] = {}
        """By space and holder the inputs of the tiers that were compared last."""
        self._held_until = 0.0
        self._until: float | None = None
        self._not_before = 0.0
        self._failures = 0
        self._failing: str | None = None
        self._tries = ("", 0)
        self._sent = 0
        self._given_up = 0

    @property
    def _kept_by(self) -> str:
        return f"{self._hook.hook_id} tiers"

    @property
    def _ids(self) -> tuple[str, str]:
        return (self._hook.hook_id, self._kept_by)

    # -- how it stands --------------------------------------------------------------------

    def lag(self) -> HookLag:
        """Tell what the receiver lacks. Raises `StoreError`."""
        with self._ledger.reading() as view:
            states = [self._state(view, space) for space in _spaces(view)]
            units = [
                len(view.lagging_units(self._hook.hook_id, state.space))
                for state in states
                if state is not None and state.fed_upto < state.revision
            ]
            gone = {one.collection for one in self._gone(view)}
            has_begun = view.mark(self._begun) is not None
        return HookLag(
            name=self._hook.name,
            units=sum(units) if has_begun else 0,
            spaces=sum(count > 0 for count in units) if has_begun else 0,
            gone=len(gone),
            failures=self._failures,
            failing=self._failing,
            sent=self._sent,
            given_up=self._given_up,
        )

    def _state(self, view: View, space: str) -> FeedState | None:
        return view.feed_state(self._hook.hook_id, space)

    def _gone(self, view: View) -> tuple[FedUnit, ...]:
        return tuple(one for index_id in self._ids for one in view.fed_to_none(index_id))

    # -- telling ----------------------------------------------------------------------------

    def deliver(self, *, thorough: bool = True, until: float | None = None) -> HookRun:
        """Tell what is not told yet, as far as the receiver takes it; nothing while it is to be left alone.

        Not `thorough`: what the change log names, and neither deleted spaces nor what nights keep.
        Nothing is sent from the moment `until` on, in seconds since 1970. Raises `StoreError`.
        """
        if not self._lock.acquire(blocking=False):
            return HookRun()
        try:
            before, self._until = self._sent, until
            stopped = self._failing
            if self._now() >= self._not_before:
                stopped = self._deliver(thorough=thorough)
            return HookRun(sent=self._sent - before, stopped_by=stopped)
        finally:
            self._lock.release()

    def forget(self, user_id: str) -> None:
        """Forget the spaces of a user who is erased."""
        self._behind = {one for one in self._behind if parse_space(one).user != user_id}
        self._tiers = {key: one for key, one in self._tiers.items() if parse_space(key[0]).user != user_id}

    def held(self, user_id: str) -> int:
        """Count what is kept here of a user."""
        spaces = [*self._behind, *(space for space, _ in self._tiers)]
        return sum(parse_space(one).user == user_id for one in spaces)

    def _deliver(self, *, thorough: bool) -> str | None:
        try:
            self._begin()
            if thorough:
                self._tell_gone()
            self._tell_changed()
            if thorough:
                self._tell_tiers()
        except _NotTakenError as error:
            return str(error)
        finally:
            if self._held_until:
                self._let_go()
        return None

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _begin(self) -> None:
        """Take what is there when a webhook is new for told: it is told of what changes from then on."""
        with self._ledger.reading() as view:
            if view.mark(self._begun) is not None:
                return
            spaces = _spaces(view)
        self._hold()
        for space in spaces:
            with self._ledger.writing() as tx:
                self._take_as_told(tx, space)
        with self._ledger.writing() as tx:
            tx.put_mark(self._begun, self._clock.now().isoformat())

    @property
    def _begun(self) -> str:
        return f"{self._hook.hook_id} begun"

    def _take_as_told(self, tx: Transaction, space: str) -> None:
        state = self._state(tx, space)
        if state is None:
            return
        units = [self._unit(tx, state, *one) for one in tx.lagging_units(self._hook.hook_id, space).items()]
        units += [self._tier(tx, state, holder) for holder in _settled_tiers(tx, space)]
        for due in units:
            tx.put_fed(due.index_id, _told(due.fed, due.now, due.revision))
        tx.settle_feed(self._hook.hook_id, space, upto=state.revision)

    def _tell_gone(self) -> None:
        with self._ledger.reading() as view:
            if not self._gone(view):
                return
        self._hold()
        with self._ledger.reading() as view:
            collections = sorted({one.collection for one in self._gone(view)})
        for collection in collections:
            message_id = self._name(collection, "gone")
            self._send(HookMessage(message_id=message_id, made_at=self._clock.now(), collection=collection))
            with self._ledger.writing() as tx:
                for index_id in self._ids:
                    tx.drop_fed(index_id, collection)

    def _tell_changed(self) -> None:
        with self._ledger.reading() as view:
            found = view.changes(self._cursor)
        self._behind |= {one.space for one in found.changes if _telling(one.space)}
        self._cursor = found.cursor
        for space in sorted(self._behind):
            if self._tell_space(space):
                self._behind.discard(space)

    def _tell_space(self, space: str) -> bool:
        """Tell what lags of a space, in the order of the change log; False when some has to wait."""
        with self._ledger.reading() as view:
            state = self._state(view, space)
            if state is None or state.fed_upto >= state.revision:
                return True
            lagging = view.lagging_units(self._hook.hook_id, space)
            if lagging and not lagging.keys() - self._put_off(view, space):
                return False
        # What is read before it is ours to tell may have been told meanwhile.
        self._hold()
        with self._ledger.reading() as view:
            lagging = view.lagging_units(self._hook.hook_id, space)
            put_off = self._put_off(view, space)
        for unit, revision in sorted(lagging.items(), key=lambda one: (one[1], one[0])):
            if unit in put_off:
                continue
            with self._ledger.reading() as view:
                now = self._state(view, space)
                if now is None or now.collection != state.collection:
                    return True
                due = self._unit(view, state, unit, revision)
            self._tell(due, space)
        if put_off:
            return False
        with self._ledger.writing() as tx:
            return tx.settle_feed(self._hook.hook_id, space, upto=state.revision)

    def _put_off(self, view: View, space: str) -> frozenset[str]:
        """Name units that lag and are to be made anew: hidden until then, they are told of afterwards."""
        waiting = _being_made(view, space)
        if not waiting:
            return frozenset()
        lagging = view.lagging_units(self._hook.hook_id, space)
        return frozenset(unit for unit in lagging if _whole(space, unit) in waiting)

    def _tell_tiers(self) -> None:
        with self._ledger.reading() as view:
            settled = {
                (space, holder): inputs
                for space in _spaces(view)
                if parse_space(space).is_personal
                for holder, inputs in _settled_tiers(view, space).items()
            }
        for (space, holder), inputs in settled.items():
            if self._tiers.get((space, holder)) == inputs:
                continue
            self._hold()
            with self._ledger.reading() as view:
                state = self._state(view, space)
                due = None if state is None else self._tier(view, state, holder)
            if due is not None:
                self._tell(due, space)
            self._tiers[space, holder] = inputs
        self._tiers = {key: inputs for key, inputs in self._tiers.items() if key in settled}

    def _tell(self, due: _Due, space: str) -> None:
        """Tell the changes of a unit, part by part; what was taken is not told again after a kill."""
        told = _known(due.fed)
        for start in range(0, len(due.changes), _TOGETHER):
            part = due.changes[start : start + _TOGETHER]
            message_id = self._name(due.fed.collection, due.fed.unit, str(due.revision), repr(part))
            self._send(
                HookMessage(
                    message_id=message_id,
                    made_at=self._clock.now(),
                    collection=due.fed.collection,
                    space=parse_space(space),
                    episode_id=due.episode_id,
                    revision=due.revision,
                    changes=part,
                )
            )
            for one in part:
                key = (one.holder, one.memory_id)
                told.pop(key, None)
                if key in due.now:
                    told[key] = due.now[key]
            self._put(due.index_id, space, _told(due.fed, told, due.fed.revision))
        self._put(due.index_id, space, _told(due.fed, due.now, due.revision))

    def _put(self, index_id: str, space: str, fed: FedUnit) -> None:
        """Note what was told, as long as its space is there: of one that was erased no id may come back."""
        with self._ledger.writing() as tx:
            if tx.space_token(space) == fed.collection:
                tx.put_fed(index_id, fed)

    # -- what there is -------------------------------------------------------------------------

    def _unit(self, view: View, state: FeedState, unit: str, revision: int) -> _Due:
        """Compare what there is of a unit with what was told of it."""
        telling = _telling(state.space)
        assert telling is not None
        fed = view.fed_unit(self._hook.hook_id, state.space, unit) or _nothing(state, unit)
        entries = view.entries_of(state.space, unit, revision=revision)
        supersedes = _supersedes(view, state.space, unit) if telling.by_episode else {}
        now = {
            key: _There(supersedes.get(key, ""), one.position)
            for one in entries
            if (key := (one.holder, one.fact_id))[0]
        }
        return _Due(
            index_id=self._hook.hook_id,
            fed=fed,
            now=now,
            revision=revision,
            episode_id=episode_of(unit) if telling.by_episode else None,
            changes=tuple(_between(_known(fed), now, telling.kind)),
        )

    def _tier(self, view: View, state: FeedState, holder: str) -> _Due:
        """Compare what nights keep for a holder with what was told of it."""
        fed = view.fed_unit(self._kept_by, state.space, holder) or _nothing(state, holder)
        states = view.tier_states(state.space, holder)
        now = {
            (holder, memory_id): _There("", one.position)
            for memory_id, one in states.items()
            if one.state not in ENDED
        }
        hidden = {
            one.memory_id for one in view.hand_decisions(state.space, holder) if one.what is HandVerb.FORGET
        }
        changes = [
            _ended(one, states.get(one.memory_id), by_hand=one.memory_id in hidden)
            for one in _between(_known(fed), now, ChangedKind.KEPT_MEMORY)
        ]
        return _Due(
            index_id=self._kept_by,
            fed=fed,
            now=now,
            revision=state.revision,
            episode_id=None,
            changes=tuple(changes),
        )

    # -- sending ----------------------------------------------------------------------------------

    def _name(self, *parts: str) -> str:
        return f"msg_{digest(self._hook.hook_id, *parts)}"

    def _send(self, message: HookMessage) -> None:
        """Send a message. Raises `_NotTakenError`; one that is refused too often passes for told."""
        if self._until is not None and self._now() >= self._until:
            raise _NotTakenError("the time is over")
        self._hold()
        body = json.dumps(hook_message_json(message), ensure_ascii=False, separators=(",", ":")).encode()
        reply = self._hook.send(message.message_id, body, at=self._clock.now())
        if reply.is_taken:
            self._sent += 1
            self._failures, self._failing, self._tries = 0, None, ("", 0)
            return
        tried = self._tries[1] + 1 if self._tries[0] == message.message_id else 1
        self._tries = (message.message_id, tried)
        if reply.is_refused and tried >= MOST_TRIES:
            self._given_up += 1
            return
        self._failures += 1
        self._failing = reply.reason
        wait = min(_WAIT * _FACTOR ** min(self._failures - 1, 16), _LONGEST)
        self._not_before = self._now() + min(max(wait, reply.retry_after or 0.0), _LONGEST)
        raise _NotTakenError(reply.reason)

    @property
    def _lease(self) -> str:
        return f"{self._hook.hook_id} lease"

    def _hold(self) -> None:
        """Take or renew the right to tell the receiver. Raises `_NotTakenError` while another has it."""
        now, me = self._now(), self._processes.me()
        if now < self._held_until - _LEASE / 2:
            return
        with self._ledger.writing() as tx:
            owner, until = _lease_in(tx.mark(self._lease))
            if owner != me and until > now and not self._processes.is_gone(owner):
                self._held_until = 0.0
                raise _NotTakenError("another process tells it")
            tx.put_mark(self._lease, json.dumps([me, now + _LEASE]))
        self._held_until = now + _LEASE

    def _let_go(self) -> None:
        self._held_until = 0.0
        try:
            with self._ledger.writing(patience=2.0) as tx:
                if _lease_in(tx.mark(self._lease))[0] == self._processes.me():
                    tx.put_mark(self._lease, "")
        except StoreError:
            # It runs out by itself.
            return


def _lease_in(mark: str | None) -> tuple[str, float]:
    if not mark:
        return "", 0.0
    owner, until = json.loads(mark)
    return str(owner), float(until)


def _spaces(view: View) -> list[str]:
    """Name the spaces whose memory is told of: documents of libraries are nobody's memory."""
    return [one.space for one in view.spaces() if _telling(one.space)]


def _telling(space: str) -> Telling | None:
    return _TELLINGS.get(parse_space(space).type)


def _being_made(view: View, space: str) -> frozenset[str]:
    """Name the units whose memory is to be made anew, and is not given up."""
    telling = _telling(space)
    assert telling is not None
    return frozenset(_whole(space, unit) for unit in view.due(space, telling.made_by))


def _whole(space: str, unit: str) -> str:
    telling = _telling(space)
    return episode_of(unit) if telling is not None and telling.by_episode else unit


def _settled_tiers(view: View, space: str) -> dict[str, str]:
    """Give by holder what its tiers are made from, of those that are made."""
    if not parse_space(space).is_personal:
        return {}
    work = view.work(space, WorkKind.TIERS)
    return {
        holder: one.fingerprint
        for holder, one in work.items()
        if one.outcome is Outcome.DONE and not one.lags
    }


def _supersedes(view: View, space: str, unit: str) -> dict[_Key, str]:
    return {
        (one.holder, one.fact_id): one.supersedes
        for one in view.memories(space, unit=unit)
        if one.supersedes is not None
    }


def _nothing(state: FeedState, unit: str) -> FedUnit:
    return FedUnit(collection=state.collection, unit=unit, revision=UNFED, ids=())


def _told(fed: FedUnit, now: Mapping[_Key, _There], revision: int) -> FedUnit:
    ids = (json.dumps([*key, one.supersedes], ensure_ascii=False) for key, one in now.items())
    return replace(fed, revision=revision, ids=tuple(sorted(ids)))


def _known(fed: FedUnit) -> dict[_Key, _There]:
    found: dict[_Key, _There] = {}
    for one in fed.ids:
        holder, memory_id, supersedes = json.loads(one)
        found[holder, memory_id] = _There(supersedes)
    return found


def _between(
    before: Mapping[_Key, _There], now: Mapping[_Key, _There], kind: ChangedKind
) -> Iterator[ChangedMemory]:
    """Give what has changed: what is gone, what is there anew, and after it what it took the place of."""
    for holder, memory_id in sorted(before.keys() - now.keys()):
        yield ChangedMemory(change=MemoryChange.DELETED, kind=kind, memory_id=memory_id, holder=holder)
    for key in _in_order(now):
        (holder, memory_id), there, known = key, now[key], before.get(key)
        if known is None:
            yield ChangedMemory(
                change=MemoryChange.KEPT,
                kind=kind,
                memory_id=memory_id,
                holder=holder,
                position=there.position,
            )
        if there.supersedes and (known is None or known.supersedes != there.supersedes):
            yield ChangedMemory(
                change=MemoryChange.SUPERSEDED,
                kind=kind,
                memory_id=there.supersedes,
                holder=holder,
                position=there.position,
                by=memory_id,
            )


def _in_order(now: Mapping[_Key, _There]) -> Iterable[_Key]:
    return sorted(now, key=lambda key: (now[key].position or 0, key))


def _ended(one: ChangedMemory, last: TierStanding | None, *, by_hand: bool) -> ChangedMemory:
    """Say how what nights kept has ended: its last row says so, or that somebody had it forgotten."""
    if one.change is not MemoryChange.DELETED or (last is None and not by_hand):
        return one
    if last is None:
        return replace(one, change=MemoryChange.FORGOTTEN)
    if last.state is TierState.SUPERSEDED:
        return replace(one, change=MemoryChange.SUPERSEDED, position=last.position, by=last.superseded_by)
    return replace(one, change=MemoryChange.FORGOTTEN, position=last.position)
