"""What a replay knows at a moment, and the rows it has written so far."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from kataribe.domain.conversation.life.events import SaidTurn
from kataribe.domain.conversation.life.formulas import next_change, state_after
from kataribe.domain.conversation.life.held import HeldMemory, ItemLife, Mentions, TurnLife
from kataribe.domain.conversation.life.items import items_of, summed_item
from kataribe.domain.conversation.life.neighbours import Neighbours
from kataribe.domain.conversation.life.policy import DAY, HOUR, PolicyTimes, TierPolicy
from kataribe.domain.conversation.life.summed import NO_MODEL, ModelWord, SummedItem, SummedThread
from kataribe.domain.conversation.life.values import (
    Cause,
    ItemKind,
    Life,
    MemoryValue,
    OpenQuestion,
    Tier,
    TierState,
    TurnFate,
)
from kataribe.domain.conversation.life.words import WordIndex, folded
from kataribe.domain.terms import Language


class LifeState:
    """All that a replay knows; every method that changes something takes its position."""

    def __init__(
        self,
        turns: Sequence[SaidTurn],
        times: PolicyTimes,
        *,
        space: str,
        holder: str,
        language: Language,
        model: ModelWord = NO_MODEL,
    ) -> None:
        self.times = times
        self.policy = times.first
        """The numbers by which it goes now: those of the last night that was passed."""
        self.language: Language = language
        self.turns: dict[str, TurnLife] = {}
        self.items: list[ItemLife] = []
        self.of_item: dict[str, ItemLife] = {}
        self.sessions: defaultdict[str, list[TurnLife]] = defaultdict(list)
        self.held: dict[str, HeldMemory] = {}
        self.same: dict[tuple[str, ItemKind, str], ItemLife] = {}
        self.mentions = Mentions()
        self.undecided: defaultdict[str, dict[str, HeldMemory]] = defaultdict(dict)
        self.left_out: defaultdict[str, dict[str, HeldMemory]] = defaultdict(dict)
        self.stirred: set[str] = set()
        self.neighbours = Neighbours(language, _floor(self.policy))
        self._slots: list[HeldMemory] = []
        self._made: list[HeldMemory] = []
        self._steps: dict[tuple[TierState, int | None], int | None] = {}
        self.mid_since: list[tuple[int, str]] = []
        self.life_due: list[tuple[int, int, str]] = []
        self._values: dict[tuple[int, str], MemoryValue] = {}
        self._fates: dict[tuple[int, str], TurnFate] = {}
        self._asked: dict[tuple[int, str, str], OpenQuestion] = {}
        self._words: WordIndex | None = None
        self._folded: dict[int, str] = {}
        self.unsettled: list[tuple[TurnLife, Cause]] = []
        """Turns whose standing has changed, on which something rests that a model made."""
        self._home = (space, holder)
        self._summed = _by_last_turn(turns, model.threads) if model.threads else {}
        self.take(turns)

    def take(self, turns: Iterable[SaidTurn]) -> None:
        """Take in turns that are later than those before, in their order; nothing is said yet."""
        for turn in turns:
            self._take(turn)
            for one in self._summed.get(turn.turn_id, ()):
                self._take_summed(one, self.turns[turn.turn_id])

    def _take(self, turn: SaidTurn) -> None:
        space, holder = self._home
        said = TurnLife(turn, len(self.turns))
        self.turns[turn.turn_id] = said
        self.sessions[turn.session].append(said)
        most = self.times.before(turn.at).mid.item_characters
        for item in items_of(turn, space=space, holder=holder, most=most, first=len(self.items)):
            one = ItemLife(item, said, explicit=item.explicit)
            said.items.append(one)
            self.items.append(one)
            self.of_item[item.item_id] = one
            if self._words is not None:
                self._words.add(item.text)

    def _take_summed(self, made: SummedItem, said: TurnLife) -> None:
        space, holder = self._home
        item = summed_item(made, said.turn, space=space, holder=holder, number=len(self.items))
        if not item.same or item.item_id in self.of_item:
            return
        rests_on = tuple(self.turns[one] for one in made.sources)
        one = ItemLife(item, said, explicit=item.explicit, rests_on=rests_on, is_pending=True)
        for source in rests_on:
            source.summed.append(one)
        self.items.append(one)
        self.of_item[item.item_id] = one

    # -- words ---------------------------------------------------------------------------

    def first_item(self, said: TurnLife) -> int:
        """Give how many items were said in earlier turns."""
        return bisect_left(self.items, said.number, key=lambda one: one.said.number)

    @property
    def words(self) -> WordIndex:
        """The words of all items, indexed when they are first asked for."""
        if self._words is None:
            self._words = WordIndex([one.item.text for one in self.items], self.language)
        return self._words

    def folded_turn(self, said: TurnLife) -> str:
        """Give the text in which the words of a turn are looked for."""
        if said.number not in self._folded:
            self._folded[said.number] = folded(said.turn.text, self.language)
        return self._folded[said.number]

    # -- rows ----------------------------------------------------------------------------

    def write(self, held: HeldMemory, at: int, cause: Cause) -> None:
        """Write the row of a memory as it stands; of two at one position the later one holds."""
        if held.end is None:
            self._compose(held)
        policy = self.policy.promotion
        self._values[at, held.memory_id] = MemoryValue(
            memory_id=held.memory_id,
            position=at,
            tier=held.tier,
            state=self._state(held, at),
            kind=held.kind,
            text=held.text,
            topic=held.topic,
            importance=held.importance,
            salience=policy.salience,
            confidence=policy.confidence,
            explicit=held.explicit,
            pinned=held.pinned,
            created_at=held.created_at,
            last_used_at=held.last_used,
            sources=held.sources,
            superseded_by=held.superseded_by,
            reason=cause,
            sensitivity=held.sensitivity,
        )

    def _state(self, held: HeldMemory, at: int) -> TierState:
        if held.end is not None:
            return held.end
        if held.tier is Tier.LONG:
            return held.life
        return TierState.RECENT if at < held.recent_until else TierState.KEPT

    def _compose(self, held: HeldMemory) -> None:
        if held.hand is None and len(held.items) == 1:
            # Nearly every memory: it says what it was made of.
            return
        live, text = held.live, held.hand_text()
        shown = live if text is not None else _fitting(live, self.policy.mid.item_characters)
        texts = dict.fromkeys(_oldest_forms(shown))
        held.text = " ".join(texts) if text is None else text
        held.sources = tuple(dict.fromkeys(source for one in shown for source in one.item.sources))
        held.sensitivity = None if text is not None else _sensitivity(shown)
        held.topic = next((one.item.topic for one in live if one.item.topic), held.topic)

    def show(self, said: TurnLife, at: int, by: str, cause: Cause) -> None:
        """Write the row of a turn when it does not stand as its last row says."""
        if said.state is not said.shown or said.cut != said.shown_cut:
            said.shown, said.shown_cut = said.state, said.cut
            turn_id = said.turn.turn_id
            self._fates[at, turn_id] = TurnFate(
                turn_id=turn_id, position=at, state=said.state, by=by, reason=cause, cut=said.cut
            )
            if said.summed:
                self.unsettled.append((said, cause))

    def ask(self, said: TurnLife, verb: str, why: str) -> None:
        """Write down that a turn asked for something that was not done."""
        turn = said.turn
        self._asked[turn.at, turn.turn_id, verb] = OpenQuestion(
            turn_id=turn.turn_id, position=turn.at, verb=verb, why=why
        )

    def hand_out(self) -> Life:
        """Give the rows written since this was last asked, sorted by position, then id."""
        found = Life(
            values=tuple(one for _, one in sorted(self._values.items())),
            fates=tuple(one for _, one in sorted(self._fates.items())),
            asked=tuple(one for _, one in sorted(self._asked.items())),
        )
        self._values, self._fates, self._asked = {}, {}, {}
        return found

    def remember(self, leaving: Iterable[ItemLife], ageing: Iterable[str]) -> Callable[[], None]:
        """Remember how things stand before these items leave the buffer and these memories age.

        Gives what brings it back, whatever came of that.
        """
        items = list(leaving)
        before = {key: self.same.get(key) for key in (one.item.same_key for one in items)}
        saying = [one.held for one in before.values() if one is not None and one.held is not None]
        there = [*saying, *(self.held[memory_id] for memory_id in ageing)]
        objects: list[ItemLife | TurnLife | HeldMemory] = [
            *items,
            *(one.said for one in items),
            *{one.memory_id: one for one in there}.values(),
        ]
        values = [(one, [(name, getattr(one, name)) for name in one.__slots__]) for one in objects]
        subjects = {one.item.subject for one in items} | {one.subject for one in there}
        stirred = subjects & self.stirred
        made = {one.item.item_id for one in items} - self.held.keys()

        def undo() -> None:
            for one, fields in values:
                for name, value in fields:
                    setattr(one, name, value)
            for key, saying_it in before.items():
                if saying_it is None:
                    self.same.pop(key, None)
                else:
                    self.same[key] = saying_it
            for memory_id in made & self.held.keys():
                # Where it is noted when it ages or expires, it is passed over.
                self.undecided[self.held.pop(memory_id).subject].pop(memory_id, None)
            self.stirred -= subjects - stirred

        return undo

    # -- memories ------------------------------------------------------------------------

    def make(self, one: ItemLife, at: int) -> HeldMemory:
        """Make the mid-term memory of an item; nothing is written yet."""
        item = one.item
        held = HeldMemory(
            memory_id=item.item_id,
            kind=item.kind,
            topic=item.topic,
            subject=item.subject,
            items=[one],
            created_at=at,
            recent_until=at + self.policy.mid.recent_hours * HOUR,
            refreshed_at=at,
            last_used=item.turn.at,
            explicit=one.explicit,
            text=item.text,
            sources=item.sources,
            sensitivity=item.sensitivity,
        )
        one.held = self.held[held.memory_id] = held
        self._made.append(held)
        self.same[item.turn.speaker, item.kind, item.same] = one
        self.open(held)
        return held

    def newly_made(self) -> list[HeldMemory]:
        """Give the memories made since this was last asked."""
        made, self._made = self._made, []
        return made

    def open(self, held: HeldMemory) -> None:
        """Make a mid-term memory one that the next night looks at and that can expire."""
        self.undecided[held.subject][held.memory_id] = held
        self.stirred.add(held.subject)
        self.await_expiry(held)

    def await_expiry(self, held: HeldMemory) -> None:
        """Note from when on a mid-term memory counts the days until it expires."""
        heapq.heappush(self.mid_since, (held.refreshed_at, held.memory_id))

    def stir(self, subject: str) -> None:
        """Make the next night look again at what it left out of a topic."""
        self.stirred.add(subject)
        self.undecided[subject].update(self.left_out.pop(subject, {}))

    def close(self, held: HeldMemory) -> None:
        """Take a memory from those that a night looks at."""
        self.undecided[held.subject].pop(held.memory_id, None)
        self.left_out[held.subject].pop(held.memory_id, None)

    def finish(self, held: HeldMemory, state: TierState, at: int, cause: Cause) -> None:
        """End a memory, and write its last row."""
        held.end = state
        self.close(held)
        if held.slot is not None:
            self.neighbours.remove(held.slot)
            held.slot = None
        self.write(held, at, cause)

    def remake(self, held: HeldMemory, at: int, cause: Cause) -> None:
        """Make a memory again from the items that remain in force, or end it when none does."""
        live = held.live
        if held.end is TierState.EXPIRED or (held.end is not None and not live):
            return
        if not live:
            gone = [one for one in held.items if one.held is held and one.is_counted]
            held.superseded_by = next((one.taken_by for one in reversed(gone)), None)
            self.finish(held, TierState.SUPERSEDED if gone else TierState.HIDDEN, at, cause)
            return
        if held.end is not None:
            self._reopen(held, at)
        self.anchor(held)
        self.write(held, at, cause)

    def _reopen(self, held: HeldMemory, at: int) -> None:
        held.end, held.superseded_by = None, None
        if held.tier is Tier.MID:
            self.open(held)
        else:
            life = state_after(at - held.last_used, self.policy.decay, self.policy.delete_days(held.kind))
            # What is due for deletion goes with the next night, as it would have without the restoring.
            held.life = TierState.ARCHIVED if life is TierState.EXPIRED else life
            self.schedule_memory(held)

    def anchor(self, held: HeldMemory) -> None:
        """Let a long-term memory be compared by its oldest source in force."""
        first = held.live[0]
        if held.tier is not Tier.LONG or (held.slot is not None and held.anchor is first):
            return
        if held.slot is not None:
            self.neighbours.remove(held.slot)
        held.slot, held.anchor = self.neighbours.add(first.item), first
        self._slots.append(held)

    def in_slot(self, slot: int) -> HeldMemory | None:
        """Give the long-term memory that is compared in a slot; None: it is compared there no more."""
        held = self._slots[slot]
        return held if held.slot == slot else None

    # -- time ----------------------------------------------------------------------------

    def go_by(self, policy: TierPolicy) -> None:
        """Go by other numbers from now on; what is written stays."""
        before, self.policy = self.policy, policy
        if policy == before:
            return
        self.neighbours.floor = _floor(policy)
        # What was not worth it by the numbers before may be by these.
        self.stirred.update(subject for subject, held in self.undecided.items() if held)
        if (policy.decay, policy.retention) != (before.decay, before.retention):
            self._age_anew()

    def _age_anew(self) -> None:
        """Let the next night look at the age of all that is there."""
        self._steps.clear()
        self.life_due.clear()
        for held in self.held.values():
            if held.tier is Tier.LONG and held.end is None:
                self._look_again(held, 0, held.memory_id)
        for said in self.turns.values():
            if said.is_said and said.life is not TierState.EXPIRED:
                self._look_again(said, 1, said.turn.turn_id)

    def _look_again(self, one: HeldMemory | TurnLife, is_turn: int, name: str) -> None:
        one.due = one.last_used
        heapq.heappush(self.life_due, (one.due, is_turn, name))

    def schedule_memory(self, held: HeldMemory) -> None:
        """Note when the state of a long-term memory changes next without use."""
        held.due = self._due(held.last_used, held.life, self.policy.delete_days(held.kind))
        if held.due is not None:
            heapq.heappush(self.life_due, (held.due, 0, held.memory_id))

    def schedule_turn(self, said: TurnLife) -> None:
        """Note when the state of a turn changes next without use."""
        said.due = self._due(said.last_used, said.life, self.policy.delete_days("turn"))
        if said.due is not None:
            heapq.heappush(self.life_due, (said.due, 1, said.turn.turn_id))

    def _due(self, last_used: int, life: TierState, delete_days: int | None) -> int | None:
        key = (life, delete_days)
        if key not in self._steps:
            self._steps[key] = self._step(life, delete_days)
        step = self._steps[key]
        return None if step is None else last_used + step

    def _step(self, life: TierState, delete_days: int | None) -> int | None:
        decay = self.policy.decay
        reached = {
            TierState.HOT: 0,
            TierState.WARM: decay.warm_days,
            TierState.COOL: decay.cool_days,
            TierState.ARCHIVED: decay.archive_days,
        }
        return None if life not in reached else next_change(reached[life] * DAY, decay, delete_days)


def _floor(policy: TierPolicy) -> float:
    return min(policy.promotion.novelty, policy.importance.alike, policy.importance.linked)


def _fitting(live: Iterable[ItemLife], most: int) -> list[ItemLife]:
    """Give the items whose texts fit together: what was asked to be kept first, then the newest.

    The first is given in any case: it was cut by the numbers that held when it was said.
    """
    groups: defaultdict[str, list[ItemLife]] = defaultdict(list)
    for one in live:
        groups[one.item.same].append(one)
    ranked = sorted(groups.values(), key=_rank, reverse=True)
    chosen: list[ItemLife] = []
    room = most
    for group in ranked:
        length = len(group[0].item.text) + bool(chosen)
        if length > room and chosen:
            break
        room -= length
        chosen += group
    return sorted(chosen, key=lambda one: one.item.number)


def _sensitivity(shown: Iterable[ItemLife]) -> str | None:
    found = {one.item.sensitivity for one in shown}
    return "pii_summary" if "pii_summary" in found else "none" if found == {"none"} else None


def _by_last_turn(turns: Iterable[SaidTurn], threads: Iterable[SummedThread]) -> dict[str, list[SummedItem]]:
    """Give the items of threads by the last turn that they rest on; one is left out whose turns are not all
    there.
    """
    places = {turn.turn_id: place for place, turn in enumerate(turns)}
    found: defaultdict[str, list[SummedItem]] = defaultdict(list)
    for item in sorted((item for thread in threads for item in thread.items), key=lambda one: one.order):
        if item.sources and all(one in places for one in item.sources):
            found[max(item.sources, key=lambda one: places[one])].append(item)
    return found


def _rank(group: Sequence[ItemLife]) -> tuple[bool, int]:
    return any(one.explicit or one.succeeds for one in group), group[-1].item.number


def _oldest_forms(shown: Iterable[ItemLife]) -> Iterable[str]:
    forms: dict[str, str] = {}
    for one in shown:
        forms.setdefault(one.item.same, one.item.text)
    return forms.values()
