"""Telling a webhook's receiver what became of memory, out of the change log.

What it was told stands in the ledger beside what indexes outside were fed: of each unit the ids that were
there. What it lacks is the difference to what is there now, so that nothing is queued, a kill loses
nothing, and what comes and goes before it was told is never told.
"""

from __future__ import annotations

from threading import Lock

from kataribe.domain.feeding import FedUnit, FeedState
from kataribe.domain.hooks import HookLag, HookMessage, HookRun
from kataribe.domain.ids import digest
from kataribe.domain.space import parse_space
from kataribe.engine.hook_differences import (
    HookDue,
    Key,
    as_fed,
    is_told_of,
    memories_fed,
    put_off,
    settled_tiers,
    tier_due,
    unit_due,
)
from kataribe.engine.hook_post import HookPost, NotTakenError
from kataribe.ports import Clock, Ledger, Processes, Transaction, View
from kataribe.ports.hooks import Webhook

_TOGETHER = 256
"""Changes that a message tells at most."""


class HookOutbox:
    """Tells one receiver, each space in the order of the change log; of several processes one at a time."""

    def __init__(self, ledger: Ledger, hook: Webhook, clock: Clock, processes: Processes) -> None:
        self._ledger = ledger
        self._hook = hook
        self._clock = clock
        self._post = HookPost(ledger, hook, clock, processes)
        self._lock = Lock()
        self._cursor = 0
        self._behind: set[str] = set()
        """Spaces of which something could not be told yet."""
        self._tiers: dict[Key, str] = {}
        """By space and holder the inputs of the tiers that were compared last."""

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
            failures=self._post.failures,
            failing=self._post.failing,
            sent=self._post.sent,
            given_up=self._post.given_up,
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
            before, self._post.until = self._post.sent, until
            stopped = self._deliver(thorough=thorough) if self._post.may_try else self._post.failing
            return HookRun(sent=self._post.sent - before, stopped_by=stopped)
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
        except NotTakenError as error:
            return str(error)
        finally:
            self._post.let_go()
        return None

    def _begin(self) -> None:
        """Take what is there when a webhook is new for told: it is told of what changes from then on."""
        with self._ledger.reading() as view:
            if view.mark(self._begun) is not None:
                return
            spaces = _spaces(view)
        self._post.hold()
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
        units = [
            unit_due(tx, self._hook.hook_id, state, *one)
            for one in tx.lagging_units(self._hook.hook_id, space).items()
        ]
        units += [tier_due(tx, self._kept_by, state, holder) for holder in settled_tiers(tx, space)]
        for due in units:
            tx.put_fed(due.index_id, as_fed(due.fed, due.now, due.revision))
        tx.settle_feed(self._hook.hook_id, space, upto=state.revision)

    def _tell_gone(self) -> None:
        with self._ledger.reading() as view:
            if not self._gone(view):
                return
        self._post.hold()
        with self._ledger.reading() as view:
            collections = sorted({one.collection for one in self._gone(view)})
        for collection in collections:
            message_id = self._name(collection, "gone")
            self._post.send(
                HookMessage(message_id=message_id, made_at=self._clock.now(), collection=collection)
            )
            with self._ledger.writing() as tx:
                for index_id in self._ids:
                    tx.drop_fed(index_id, collection)

    def _tell_changed(self) -> None:
        with self._ledger.reading() as view:
            found = view.changes(self._cursor)
        self._behind |= {one.space for one in found.changes if is_told_of(one.space)}
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
            if lagging and not lagging.keys() - put_off(view, self._hook.hook_id, space):
                return False
        # What is read before it is ours to tell may have been told meanwhile.
        self._post.hold()
        with self._ledger.reading() as view:
            lagging = view.lagging_units(self._hook.hook_id, space)
            waiting = put_off(view, self._hook.hook_id, space)
        for unit, revision in sorted(lagging.items(), key=lambda one: (one[1], one[0])):
            if unit in waiting:
                continue
            with self._ledger.reading() as view:
                now = self._state(view, space)
                if now is None or now.collection != state.collection:
                    return True
                due = unit_due(view, self._hook.hook_id, state, unit, revision)
            self._tell(due, space)
        if waiting:
            return False
        with self._ledger.writing() as tx:
            return tx.settle_feed(self._hook.hook_id, space, upto=state.revision)

    def _tell_tiers(self) -> None:
        with self._ledger.reading() as view:
            settled = {
                (space, holder): inputs
                for space in _spaces(view)
                if parse_space(space).is_personal
                for holder, inputs in settled_tiers(view, space).items()
            }
        for (space, holder), inputs in settled.items():
            if self._tiers.get((space, holder)) == inputs:
                continue
            self._post.hold()
            with self._ledger.reading() as view:
                state = self._state(view, space)
                due = None if state is None else tier_due(view, self._kept_by, state, holder)
            if due is not None:
                self._tell(due, space)
            self._tiers[space, holder] = inputs
        self._tiers = {key: inputs for key, inputs in self._tiers.items() if key in settled}

    def _tell(self, due: HookDue, space: str) -> None:
        """Tell the changes of a unit, part by part; what was taken is not told again after a kill."""
        told = memories_fed(due.fed)
        for start in range(0, len(due.changes), _TOGETHER):
            part = due.changes[start : start + _TOGETHER]
            message_id = self._name(due.fed.collection, due.fed.unit, str(due.revision), repr(part))
            self._post.send(
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
            self._put(due.index_id, space, as_fed(due.fed, told, due.fed.revision))
        self._put(due.index_id, space, as_fed(due.fed, due.now, due.revision))

    def _put(self, index_id: str, space: str, fed: FedUnit) -> None:
        """Note what was told, as long as its space is there: of one that was erased no id may come back."""
        with self._ledger.writing() as tx:
            if tx.space_token(space) == fed.collection:
                tx.put_fed(index_id, fed)

    def _name(self, *parts: str) -> str:
        return f"msg_{digest(self._hook.hook_id, *parts)}"


def _spaces(view: View) -> list[str]:
    """Name the spaces whose memory is told of: documents of libraries are nobody's memory."""
    return [one.space for one in view.spaces() if is_told_of(one.space)]
