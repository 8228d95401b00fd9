"""Facts made, edited, pinned and deleted by hand, and what that leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.ids import fact_id_for
from kataribe.domain.memory import Memory, Reason
from kataribe.domain.records import EpisodeState
from kataribe.domain.space import story_space
from kataribe.domain.story.groups import is_group
from kataribe.domain.story.inputs import Fact, Story, Suppression
from kataribe.domain.story.undo import brief
from kataribe.domain.terms import Audience, FactOrigin, FactSource
from kataribe.errors import ConflictError, InputError, NotFoundError, UnconfirmedError
from kataribe.ports import Transaction, View
from kataribe.story.desk.episodes import live_state
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.gather import gather
from kataribe.story.groups import resolved_at
from kataribe.story.lineage import family
from kataribe.story.staleness import refresh_after


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEdit:
    """What to change of a fact; None leaves a thing as it is."""

    text: str | None = None
    audience: Audience | None = None
    quote: str | None = None
    importance: int | None = None
    told_from: str | None = None
    supersedes: str | None = None
    episode_no: int | None = None
    without_quote: bool = False
    """True takes the quote away."""
    keep_quote: bool = False
    """True shows the quote it has to those who are to know the fact from now on."""
    arousal: float | None = None
    """How stirring it is, 0 to 1 (S4-83)."""
    without_arousal: bool = False
    """True takes it away again."""

    def __post_init__(self) -> None:
        if self.without_quote and self.quote is not None:
            raise InputError("a fact cannot be given a quote and lose it; choose one")
        if self.keep_quote and (self.without_quote or self.quote is not None):
            raise InputError("a fact cannot keep its quote and lose it or be given another; choose one")
        if self.without_arousal and self.arousal is not None:
            raise InputError("a fact cannot be given an arousal and lose it; choose one")

    def apply(self, fact: Fact) -> Fact:
        """Give the fact with the changes; raises `InputError` for a bad value."""
        return replace(
            fact,
            text=fact.text if self.text is None else self.text,
            audience=fact.audience if self.audience is None else self.audience,
            quote=self._quote_of(fact),
            quote_no=fact.quote_no if self.quote is None and not self.without_quote else None,
            importance=fact.importance if self.importance is None else self.importance,
            told_from=fact.told_from if self.told_from is None else self.told_from,
            supersedes=fact.supersedes if self.supersedes is None else self.supersedes,
            arousal=self._arousal_of(fact),
        )

    def _arousal_of(self, fact: Fact) -> float | None:
        if self.without_arousal:
            return None
        return fact.arousal if self.arousal is None else self.arousal

    def _quote_of(self, fact: Fact) -> str | None:
        if self.without_quote:
            return None
        return fact.quote if self.quote is None else self.quote


def add_fact(tx: Transaction, story_id: str, *, episode_no: int, fact: Fact) -> tuple[str, str]:
    """Add a hand-made fact to an episode; returns (episode id, fact id).

    Raises `ConflictError` when there is such a fact, or when the text says the same to somebody
    whom this one leaves out.
    """
    state = live_state(tx, story_id, episode_no)
    if tx.fact(story_id, fact.fact_id) is not None:
        raise is_there(fact.fact_id)
    check_fact_id_free(tx, story_of(tx, story_id), fact.fact_id)
    told = SaidByText(tx, story_id, state)
    check_taken_from_nobody(told, fact)
    _store(tx, story_id, state.episode_id, [replace(fact, origin=FactOrigin.HAND)])
    return state.episode_id, fact.fact_id


def is_there(fact_id: str) -> ConflictError:
    """Make the error that says that a fact is there already."""
    return ConflictError(f"there is a fact {fact_id!r} already; `kataribe fact edit {fact_id}` changes it")


def check_fact_id_free(view: View, story: Story, fact_id: str) -> None:
    """Refuse a fact id that another story of the family has: they are read together."""
    for member in family(view, story):
        if member.story_id != story.story_id and view.fact(member.story_id, fact_id) is not None:
            raise ConflictError(
                f"there is a fact {fact_id!r} in story {member.story_id!r}; "
                f"a story and its branches share no ids: choose another"
            )


class SaidByText:
    """What the text of an episode says to whom, read once however often it is asked."""

    def __init__(self, view: View, story_id: str, state: EpisodeState) -> None:
        self._view = view
        self._space = story_space(story_id)
        self.state = state
        is_supplied = state.fact_source is FactSource.SUPPLIED
        read = () if is_supplied else _all_read_from_text(view, story_id, state.episode_id)
        self.is_read = read is not None
        self._holders: dict[str, set[str]] = {}
        for copy in read or ():
            self._holders.setdefault(copy.fact_id, set()).add(copy.holder)

    def resolved(self, audience: Audience) -> Audience:
        """Give an audience with the members that its groups have at the episode."""
        parts = parts_of(self._view, self.state.story_id)
        return resolved_at(self._view, parts, self.state.no, audience)

    def holders(self, fact_id: str) -> frozenset[str]:
        """Give who is told the words of a fact; as memory stands when the text is not read yet."""
        if self.is_read:
            return frozenset(self._holders.get(fact_id, ())) - {""}
        known = self._view.memories(self._space, fact_id=fact_id)
        extracted = [copy for copy in at_home(known) if copy.origin is FactOrigin.EXTRACTED]
        return frozenset(copy.holder for copy in extracted) - {""}


def check_taken_from_nobody(told: SaidByText, fact: Fact) -> None:
    """Refuse a fact beside an extracted one that says the same to somebody who is not to know this one."""
    held = told.holders(fact.fact_id)
    audience = told.resolved(fact.audience)
    losing = {holder for holder in held if not audience.includes(holder)}
    if not losing:
        return
    no = told.state.no
    if not told.is_read:
        raise _out_of_step(no)
    raise ConflictError(
        f"the text of episode {no} says this already, to {_listed(held)}, as fact {fact.fact_id!r}; "
        f"a fact known by {_listed(fact.audience.members)} would not be theirs alone: "
        f"{_listed(losing)} would still know it. "
        f"`kataribe fact widen {fact.fact_id} --known-by` adds knowers, `fact keep` confirms those it has, "
        f"`fact edit --known-by` changes them"
    )


def _all_read_from_text(view: View, story_id: str, episode_id: str) -> tuple[Memory, ...] | None:
    """Give what an episode's text says, were nothing added by hand; None if it is not read."""
    copies: list[Memory] = []
    for job in gather(view, story_id, (episode_id,)):
        if job.source is not None:
            return None
        bare = replace(job, inputs=replace(job.inputs, facts=(), newcomers=()))
        copies += bare.derived().memories
    return tuple(copies)


def _read_from_text(view: View, story_id: str, episode_id: str, fact_id: str) -> tuple[Memory, ...] | None:
    """Give what an episode's text says under an id, were nothing added by hand; None if it is not read."""
    copies = _all_read_from_text(view, story_id, episode_id)
    return None if copies is None else tuple(memory for memory in copies if memory.fact_id == fact_id)


def _strike_for_those_who_lose(
    tx: Transaction, story_id: str, episode_id: str, fact: Fact, had: Audience
) -> None:
    """Strike out what the text says in the words of a fact for those who are to know it no more.

    The text would tell it to them else, in whose place the fact stood until now. Raises
    `ConflictError` when the text is not read yet, so that nobody can tell.
    """
    if fact.origin is not FactOrigin.HAND or fact.audience.world:
        return
    state = tx.episode_state(story_id, episode_id)
    assert state is not None
    parts = parts_of(tx, story_id)
    had = resolved_at(tx, parts, state.no, had)
    audience = resolved_at(tx, parts, state.no, fact.audience)
    if not had.world and had.members <= audience.members:
        return
    if state.fact_source is FactSource.SUPPLIED:
        return
    if not state.is_live:
        raise ConflictError(f"episode {state.no} is deleted; `kataribe episode restore` it first")
    copies = _read_from_text(tx, story_id, episode_id, fact.fact_id)
    if copies is None:
        raise _out_of_step(state.no)
    lost = [copy for copy in copies if had.includes(copy.holder) and not audience.includes(copy.holder)]
    if lost:
        tx.put_suppressions(story_id, episode_id, _struck(lost))


def _listed(holders: Iterable[str]) -> str:
    return ", ".join(sorted(holders))


def _out_of_step(no: int) -> ConflictError:
    return ConflictError(f"episode {no} is not in memory as it stands now; run `kataribe sync` first")


def _store(tx: Transaction, story_id: str, episode_id: str, facts: Sequence[Fact]) -> None:
    tx.put_facts(story_id, episode_id, facts)
    refresh_after(tx, story_id, episode_id)


def edit_fact(tx: Transaction, story_id: str, fact_id: str, edit: FactEdit) -> tuple[tuple[str, ...], Fact]:
    """Change a fact; one that was extracted is struck out and lives on as made by hand.

    Returns (ids of the episodes it was and is in, fact). The id is kept. Raises
    `NotFoundError`, `InputError`, `ConflictError` when it is to be taken from somebody to
    whom the text, which is not in memory yet, may say it too, and `UnconfirmedError` when those
    who are to know it from now on would be shown a quote that says more than the fact, and
    nobody said so.
    """
    story_of(tx, story_id)
    target = edit.episode_no
    new_home = None if target is None else live_state(tx, story_id, target).episode_id
    found = tx.fact(story_id, fact_id)
    episode_id, before = _take_over(tx, story_id, fact_id, edit) if found is None else found
    fact = edit.apply(before)
    check_quote(before, fact, edit)
    if found is not None:
        _strike_for_those_who_lose(tx, story_id, episode_id, fact, before.audience)
    if new_home is None or new_home == episode_id:
        _store(tx, story_id, episode_id, [fact])
        return (episode_id,), fact
    fact = replace(fact, origin=FactOrigin.HAND)
    tx.delete_facts(story_id, [fact_id])
    refresh_after(tx, story_id, episode_id)
    _store(tx, story_id, new_home, [fact])
    return (episode_id, new_home), fact


_WAY = "say --keep-quote (keep_quote=True) if they may, --no-quote (without_quote=True) to take it away"


def check_quote(before: Fact, fact: Fact, edit: FactEdit, *, way: str = _WAY) -> None:
    """Refuse to show a secret's quote to more than knew it, unless a person says so; `way` is how."""
    said = edit.keep_quote or edit.quote is not None
    if said or fact.quote is None or fact.quote in fact.text or not _gains(before.audience, fact.audience):
        return
    raise UnconfirmedError(
        f"{_listed(fact.audience.holders())} would be shown the quote of fact {fact.fact_id!r} too, "
        f"which says {brief(fact.quote)!r}; {way}"
    )


def _gains(before: Audience, after: Audience) -> bool:
    """Whether somebody who did not know a fact is to know it; what nobody held yet is no secret."""
    if before.is_empty or before.world:
        return False
    return after.world or not after.members <= before.members


def words_of(view: View, story_id: str, fact_id: str) -> str:
    """Give the text of a fact, however it was made; empty when there is none."""
    found = view.fact(story_id, fact_id)
    if found is not None:
        return found[1].text
    return next((copy.text for copy in view.memories(story_space(story_id), fact_id=fact_id)), "")


def _take_over(tx: Transaction, story_id: str, fact_id: str, edit: FactEdit) -> tuple[str, Fact]:
    copies = extracted_copies(tx, story_id, fact_id)
    first = copies[0]
    holders = frozenset(copy.holder for copy in copies if copy.holder)
    stated = stated_audience(tx, story_id, first.episode_id, fact_id)
    audience = stated or (_audience_of(holders) if holders else edit.audience)
    if audience is None or audience.is_empty:
        raise InputError(f"fact {fact_id!r} waits in review; say who knows it with --known-by")
    fact = Fact(
        fact_id=fact_id,
        text=first.text,
        audience=audience,
        origin=FactOrigin.HAND,
        quote=first.quote,
        importance=first.importance,
        pinned=first.pinned,
    )
    tx.put_suppressions(story_id, first.episode_id, _struck(copies))
    return first.episode_id, fact


def stated_audience(view: View, story_id: str, episode_id: str, fact_id: str) -> Audience | None:
    """Give for whom a fact that was read is, as the author wrote it, when that names a group."""
    for job in gather(view, story_id, (episode_id,)):
        if job.holder is None:
            said = [
                draft.audience
                for draft in job.inputs.drafts
                if fact_id_for(episode_id, draft.text) == fact_id
            ]
            named = frozenset[str]().union(*(audience.members for audience in said))
            return Audience(members=named) if any(map(is_group, named)) else None
    return None


def at_home(copies: Iterable[Memory]) -> tuple[Memory, ...]:
    """Give the copies of a fact in its own episode; newcomers of a group have theirs where they joined."""
    return tuple(copy for copy in copies if copy.reason is not Reason.NEWCOMER)


def _audience_of(holders: frozenset[str]) -> Audience:
    if "world" in holders:
        return Audience(world=True)
    return Audience(members=holders)


def _struck(copies: Sequence[Memory]) -> list[Suppression]:
    return [Suppression(holder=copy.holder, text_hash=copy.text_hash) for copy in copies]


def extracted_copies(view: View, story_id: str, fact_id: str) -> tuple[Memory, ...]:
    """Give the copies of an extracted fact; raise `NotFoundError`, `ConflictError` when they are stale."""
    copies = at_home(view.memories(story_space(story_id), fact_id=fact_id))
    if not copies:
        _check_not_inherited(view, story_id, fact_id)
        raise NotFoundError(
            f"story {story_id!r} has no fact {fact_id!r}; `kataribe fact list --story` shows them"
        )
    states = {state.episode_id: state for state in view.episode_states(story_id)}
    if not states[copies[0].episode_id].visible:
        raise _out_of_step(states[copies[0].episode_id].no)
    return copies


def _check_not_inherited(view: View, story_id: str, fact_id: str) -> None:
    """Refuse to change a fact of a parent in a branch; the parent is where to change it."""
    for part in parts_of(view, story_id)[:-1]:
        held = view.fact(part.story_id, fact_id)
        copies = view.memories(story_space(part.story_id), fact_id=fact_id)
        episode_id = held[0] if held else copies[0].episode_id if copies else None
        if episode_id is None:
            continue
        state = view.episode_state(part.story_id, episode_id)
        if state is not None and part.holds_key(state.order_key):
            raise ConflictError(
                f"fact {fact_id!r} is of episode {state.no}, which the branch {story_id!r} reads of its "
                f"parent; it is changed in story {part.story_id!r} (--story {part.story_id})"
            )


def delete_fact(tx: Transaction, story_id: str, fact_id: str) -> str:
    """Remove a fact; one that was extracted is struck out for good. Returns the episode's id."""
    story_of(tx, story_id)
    found = tx.fact(story_id, fact_id)
    if found is None:
        copies = extracted_copies(tx, story_id, fact_id)
        episode_id = copies[0].episode_id
        tx.put_suppressions(story_id, episode_id, _struck(copies))
    else:
        episode_id = found[0]
        tx.delete_facts(story_id, [fact_id])
    refresh_after(tx, story_id, episode_id)
    return episode_id


def pin_fact(tx: Transaction, story_id: str, fact_id: str, *, pinned: bool) -> str:
    """Pin a fact, so that it ranks before its equals, or unpin it. Returns the episode's id."""
    story_of(tx, story_id)
    found = tx.fact(story_id, fact_id)
    if found is None:
        episode_id = extracted_copies(tx, story_id, fact_id)[0].episode_id
        tx.set_pin(story_id, episode_id, fact_id, pinned=pinned)
    else:
        episode_id = found[0]
        tx.put_facts(story_id, episode_id, [replace(found[1], pinned=pinned)])
    refresh_after(tx, story_id, episode_id)
    return episode_id
