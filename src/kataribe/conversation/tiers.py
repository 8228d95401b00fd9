"""What is kept of conversations in tiers, as viewers and authors see it, and what people decide about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from kataribe.conversation.homes import user_of
from kataribe.conversation.life_inputs import life_inputs
from kataribe.conversation.store import spaces_of
from kataribe.conversation.threads import viewer_shares
from kataribe.conversation.tiers_due import want_tiers
from kataribe.domain.conversation.life.events import HandDecision, HandVerb, Night
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, HOUR, TierPolicy
from kataribe.domain.conversation.life.values import ENDED, Life, MemoryValue, OpenQuestion, Tier, TierState
from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.gate import Viewer
from kataribe.domain.ids import digest
from kataribe.domain.memory import NO_USAGE, Usage
from kataribe.domain.work import WorkKind
from kataribe.errors import ConflictError, InputError, NotFoundError
from kataribe.ports import RecordedNight, Transaction, View
from kataribe.ports.kinds import Kinds

ARCHIVED_TOGETHER = 100
"""Rows that one transaction archives, in one file (S3-40)."""


@dataclass(frozen=True, slots=True)
class KeptMemory:
    """A memory made of what was said, who holds it where, and how it stands at a moment."""

    space: str
    holder: str
    value: MemoryValue


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHistory:
    """A memory with all its rows, oldest first: each says from when on it holds, and why."""

    space: str
    holder: str
    rows: tuple[MemoryValue, ...]
    nights: tuple[RecordedNight, ...] = ()
    """The user's nights: each row was written by the numbers of the last one before it, or its own."""

    def policy_of(self, row: MemoryValue) -> TierPolicy:
        """Give the numbers by which a row was written: of the night itself, or of the last one before."""
        held = [night.policy for night in self.nights if night.at <= row.position]
        return held[-1] if held else DEFAULT_TIERS


@dataclass(frozen=True, slots=True, kw_only=True)
class NightReport:
    """What came of a night with one user: the rows it wrote, and what is asked of people.

    `usage` is what models were asked for it, and `unanswered` why they gave no answer, by unit of work:
    rules sum up what these were asked about. A dry run is of a night that was not held: nothing was
    recorded, nobody was asked, `open_asks` are still to be asked, and `usage` is what that would take.
    """

    user_id: str
    at: int
    changed: tuple[KeptMemory, ...]
    is_dry: bool = False
    policy: TierPolicy = DEFAULT_TIERS
    """The numbers it was held by; they hold until the next night."""
    usage: Usage = NO_USAGE
    unanswered: Mapping[str, str] = field(default_factory=dict)
    open_asks: tuple[ModelAsk, ...] = ()
    let_go: int = 0
    """How many turns went because the user wants them to be kept no longer."""

    @property
    def counts(self) -> dict[str, int]:
        """How many memories changed, by the word that says why."""
        return dict(sorted(Counter(one.value.reason.word for one in self.changed).items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMemories:
    """What is kept, by space, holder and age; and what was asked of memory and could not be done."""

    viewer: Viewer | None
    memories: tuple[KeptMemory, ...]
    asked: tuple[OpenQuestion, ...] = ()
    pending: tuple[str, ...] = ()
    """To an author: who has something that was said or used since the last sync or night, not in it yet."""


def viewer_memories(
    kinds: Kinds, view: View, viewer: Viewer, *, tier: Tier | None = None, state: TierState | None = None
) -> KeptMemories:
    """Give what a viewer keeps in tiers at its moment; what has ended only where its state is asked for.

    Raises `NotFoundError`.
    """
    found: list[KeptMemory] = []
    asked: list[OpenQuestion] = []
    for share in viewer_shares(kinds, view, viewer):
        holder = share.lived_by(view)
        life = view.life(share.space, holder)
        found += _at(share.space, holder, life, share.upto)
        asked += [one for one in life.asked if one.position <= share.upto]
    return KeptMemories(viewer=viewer, memories=_chosen(found, tier, state), asked=tuple(asked))


def author_memories(
    view: View, user_id: str, *, at: int, tier: Tier | None = None, state: TierState | None = None
) -> KeptMemories:
    """Give what everybody keeps of a user at a moment (author). Raises `NotFoundError`."""
    found: list[KeptMemory] = []
    asked: list[OpenQuestion] = []
    pending: set[str] = set()
    for space, holder in holders_in(view, user_id):
        life = view.life(space, holder)
        found += _at(space, holder, life, at)
        asked += [one for one in life.asked if one.position <= at]
        if view.work(space, WorkKind.TIERS, holder)[holder].lags:
            pending.add(holder)
    return KeptMemories(
        viewer=None,
        memories=_chosen(found, tier, state),
        asked=tuple(asked),
        pending=tuple(sorted(pending)),
    )


def history(view: View, user_id: str, memory_id: str) -> MemoryHistory:
    """Give all rows of a memory (author). Raises `NotFoundError`."""
    for space, holder in holders_in(view, user_id):
        rows = tuple(row for row in view.life(space, holder).values if row.memory_id == memory_id)
        if rows:
            nights = view.nights(user_id)
            return MemoryHistory(space=space, holder=holder, rows=rows, nights=nights)
    raise NotFoundError(f"there is no memory {memory_id!r} of {user_id!r}; `kataribe memory list` shows them")


def about(view: View, user_id: str, text: str, *, at: int) -> tuple[KeptMemory, ...]:
    """Give the memories that have all content words of a text (author).

    Raises `NotFoundError`, and `InputError` for a text without such words.
    """
    language = user_of(view, user_id).language
    words = content_words(text, language)
    if not words:
        raise InputError("the text names nothing a memory could be about; use its own words")
    found = {
        (space, holder): view.naming(space, holder, words) for space, holder in holders_in(view, user_id)
    }
    return tuple(
        one
        for one in author_memories(view, user_id, at=at).memories
        if (one.value.memory_id, one.value.position) in found[one.space, one.holder]
    )


def holders_in(view: View, user_id: str) -> tuple[tuple[str, str], ...]:
    """Name everybody who keeps anything of a user, by space. Raises `NotFoundError`."""
    return tuple(
        (space, holder)
        for space in spaces_of(view, user_id)
        for holder in sorted(view.work(space, WorkKind.TIERS))
    )


def _at(space: str, holder: str, life: Life, moment: int) -> list[KeptMemory]:
    values = sorted(life.memories_at(moment).values(), key=lambda one: (one.created_at, one.memory_id))
    return [KeptMemory(space, holder, value) for value in values]


def _chosen(
    found: Iterable[KeptMemory], tier: Tier | None, state: TierState | None
) -> tuple[KeptMemory, ...]:
    return tuple(
        one
        for one in found
        if (tier is None or one.value.tier is tier)
        and (one.value.state is state if state is not None else one.value.state not in ENDED)
    )


def decide(tx: Transaction, user_id: str, decision: HandDecision) -> MemoryHistory:
    """Record what a person decided about a memory, to be replayed; gives the memory as it was.

    Raises `NotFoundError`, and `InputError` where it cannot be done: what is pinned, edited or
    forgotten must be there, and what is restored must be hidden.
    """
    found = history(tx, user_id, decision.memory_id)
    state = found.rows[-1].state
    if decision.what is HandVerb.RESTORE and state is not TierState.HIDDEN:
        raise InputError(f"memory {decision.memory_id!r} is {state}, not hidden; there is nothing to restore")
    if decision.what in (HandVerb.PIN, HandVerb.UNPIN, HandVerb.EDIT) and state in ENDED:
        raise InputError(f"memory {decision.memory_id!r} is {state}; it can be neither pinned nor edited")
    tx.put_hand_decision(found.space, found.holder, decision)
    because = digest(decision.what.value, decision.memory_id, str(decision.at), decision.text)
    want_tiers(tx, found.space, (found.holder,), because)
    return found


SummedBy = tuple[str, str]
"""The name of who sums up what was said, and its id."""


def begin_night(
    tx: Transaction, user_id: str, night: RecordedNight, summed_by: SummedBy | None = None
) -> None:
    """Record a night, to be replayed by everybody who holds anything, and who sums up from now on.

    Raises `NotFoundError`, and `ConflictError` when it is not later than the last night.
    """
    spaces = spaces_of(tx, user_id)
    tx.put_night(user_id, night)
    if summed_by is not None:
        name, model_id = summed_by
        tx.put_user(replace(user_of(tx, user_id), model=name, model_id=model_id))
    _replay_all(tx, spaces, digest("night", str(night.at)))


def _replay_all(tx: Transaction, spaces: Iterable[str], because: str) -> None:
    for space in spaces:
        # Every night tries again what a model was asked in vain.
        tx.clear_failures(space, WorkKind.ASKS)
        # Who holds nothing that is in memory yet is noted when it is.
        want_tiers(tx, space, tx.work(space, WorkKind.TIERS), because)


def last_night(view: View, user_id: str) -> NightReport:
    """Give what the last night with a user changed. Raises `NotFoundError`, where none was held too."""
    user_of(view, user_id)
    nights = view.nights(user_id)
    if not nights:
        raise NotFoundError(f"no night was held with {user_id!r} yet; `kataribe nightly` holds one")
    (report,) = night_reports(view, user_id, [nights[-1].at])
    return report


def undo_night(tx: Transaction, user_id: str) -> NightReport:
    """Take the last night back, and give what it had changed: all is replayed as if it had not been held.

    Raises `NotFoundError`, where none was held too.
    """
    report = last_night(tx, user_id)
    tx.drop_night(user_id, report.at)
    _replay_all(tx, spaces_of(tx, user_id), digest("no night", str(report.at)))
    return report


def begin_missed_night(tx: Transaction, user_id: str, night: RecordedNight) -> bool:
    """Record a night that was missed; False where it, or a later one, was held meanwhile.

    Raises `NotFoundError`.
    """
    nights = tx.nights(user_id)
    if nights and night.at <= nights[-1].at:
        return False
    begin_night(tx, user_id, night)
    return True


def night_reports(view: View, user_id: str, moments: Collection[int]) -> tuple[NightReport, ...]:
    """Give what nights that are recorded and replayed have changed, in order. Raises `NotFoundError`."""
    policies = {night.at: night.policy for night in view.nights(user_id)}
    changed: dict[int, list[KeptMemory]] = {at: [] for at in sorted(moments)}
    for space, holder in holders_in(view, user_id) if changed else ():
        for row in view.life(space, holder, since=min(changed)).values:
            if row.position in changed:
                changed[row.position].append(KeptMemory(space, holder, row))
    return tuple(
        NightReport(user_id=user_id, at=at, changed=tuple(found), policy=policies.get(at, DEFAULT_TIERS))
        for at, found in changed.items()
    )


def tiers_lag(view: View, user_id: str) -> bool:
    """Whether anything that happened, a night among it, is still to be replayed. Raises `NotFoundError`."""
    spaces = spaces_of(view, user_id)
    return any(work.lags for space in spaces for work in view.work(space, WorkKind.TIERS).values())


def archive_step(tx: Transaction, space: str, night: RecordedNight) -> int:
    """Archive a batch of what is recent no more; gives how many rows were moved, 0: none is left."""
    before = night.at - night.policy.mid.recent_hours * HOUR
    return tx.archive(space, before=before, most=ARCHIVED_TOGETHER)


def try_night(
    view: View, user_id: str, night: RecordedNight, now: int, summed_by: SummedBy | None = None
) -> NightReport:
    """Give what a night would change, without recording it, and what a model would be asked by `now`.

    Raises `NotFoundError`, and `ConflictError` when it is not later than the last night.
    """
    nights = view.nights(user_id)
    if nights and night.at <= nights[-1].at:
        raise ConflictError("a night is later than the one before it; this one is not")
    changed: list[KeptMemory] = []
    asks: list[ModelAsk] = []
    model_id = None if summed_by is None else summed_by[1]
    for space in spaces_of(view, user_id):
        state = view.space(space)
        holders = {holder for turn in view.turns(space) for holder in turn.audience.holders()}
        for holder in sorted(holders):
            inputs = None if state is None else life_inputs(view, state, user_id, holder, model_id)
            if inputs is not None:
                asks += [one for one in inputs.asks if one.answer is None and one.ready_at <= now]
                rows = inputs.life(Night(night.at, night.policy)).values
                changed += [KeptMemory(space, holder, row) for row in rows if row.position == night.at]
    return NightReport(
        user_id=user_id,
        at=night.at,
        changed=tuple(changed),
        is_dry=True,
        policy=night.policy,
        open_asks=tuple(asks),
    )
