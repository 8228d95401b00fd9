"""Many hand-made facts at once: each episode is looked at and refreshed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kataribe.domain.ids import WORLD, fact_id_for
from kataribe.domain.story.folder import FactRow
from kataribe.domain.story.inputs import Fact, Story
from kataribe.domain.terms import PUBLIC, Audience, FactOrigin
from kataribe.ports import Transaction, View
from kataribe.story.desk.episodes import live_state
from kataribe.story.desk.facts import (
    FactEdit,
    SaidByText,
    check_fact_id_free,
    check_quote,
    check_taken_from_nobody,
    is_there,
)
from kataribe.story.desk.importing import naming
from kataribe.story.fingerprints import story_of
from kataribe.story.staleness import refresh_after


@dataclass(frozen=True, slots=True)
class AddedFacts:
    """The ids of facts in the order of their rows, and of the episodes that have changed."""

    fact_ids: tuple[str, ...]
    episode_ids: tuple[str, ...]


def episodes_named(view: View, story_id: str, rows: Sequence[FactRow]) -> frozenset[str]:
    """Give the ids of the live episodes that rows name.

    Raises `NotFoundError`, and `ConflictError` for one that a branch reads of its parent.
    """
    first = {row.episode_no: row for row in reversed(rows)}
    found: set[str] = set()
    for no, row in sorted(first.items()):
        with naming(row.file, row.line):
            found.add(live_state(view, story_id, no).episode_id)
    return frozenset(found)


def add_facts(tx: Transaction, story_id: str, rows: Sequence[FactRow], *, widen: bool = False) -> AddedFacts:
    """Add hand-made facts to episodes.

    Raises `ConflictError` when there is such a fact, or when the text says the same to somebody
    whom this one leaves out. With `widen` it comes to be known by all who knew it and by those
    the row names; nothing else of a fact that is there changes. Raises `UnconfirmedError` when
    those who gain it would be shown a quote that says more than the fact.
    """
    adding = _Adding(tx, story_id, widen=widen)
    ids = tuple(adding.add(row) for row in rows)
    for episode_id, facts in adding.changed.items():
        tx.put_facts(story_id, episode_id, facts.values())
    if adding.changed:
        refresh_after(tx, story_id, *adding.changed)
    return AddedFacts(ids, tuple(adding.changed))


class _Adding:
    """What is added, gathered before any of it is written."""

    def __init__(self, view: View, story_id: str, *, widen: bool) -> None:
        self._view = view
        self._story: Story = story_of(view, story_id)
        self._widen = widen
        self._told: dict[int, SaidByText] = {}
        self.changed: dict[str, dict[str, Fact]] = {}

    def add(self, row: FactRow) -> str:
        """Take one row; give the id of its fact."""
        with naming(row.file, row.line):
            told = self._told_in(row.episode_no)
            episode_id = told.state.episode_id
            fact = _fact(row, episode_id)
            held = self._held(episode_id, fact)
            if held is not None and not self._widen:
                raise is_there(fact.fact_id)
            fact = self._new(told, fact) if held is None else _widened(held, fact)
            if fact != held:
                self.changed.setdefault(episode_id, {})[fact.fact_id] = fact
            return fact.fact_id

    def _told_in(self, no: int) -> SaidByText:
        if no not in self._told:
            story_id = self._story.story_id
            self._told[no] = SaidByText(self._view, story_id, live_state(self._view, story_id, no))
        return self._told[no]

    def _held(self, episode_id: str, fact: Fact) -> Fact | None:
        """Give the fact of the same words that is there. Raises `ConflictError` for one of other words."""
        mine = self.changed.get(episode_id, {}).get(fact.fact_id)
        found = (episode_id, mine) if mine else self._view.fact(self._story.story_id, fact.fact_id)
        if found is None:
            return None
        if found[0] != episode_id or found[1].text != fact.text:
            raise is_there(fact.fact_id)
        return found[1]

    def _new(self, told: SaidByText, fact: Fact) -> Fact:
        check_fact_id_free(self._view, self._story, fact.fact_id)
        if self._widen and told.is_read:
            fact = replace(fact, audience=united(fact.audience, told.holders(fact.fact_id)))
        check_taken_from_nobody(told, fact)
        return fact


def _fact(row: FactRow, episode_id: str) -> Fact:
    return Fact(
        fact_id=row.fact_id or fact_id_for(episode_id, row.text),
        text=row.text,
        audience=row.audience,
        origin=FactOrigin.HAND,
        quote=row.quote,
        quote_no=None if row.quote is None or row.quote_no == row.episode_no else row.quote_no,
        importance=row.importance,
        arousal=row.arousal,
        pinned=row.pinned,
        supersedes=row.supersedes,
        told_from=row.told_from,
        extra=row.extra,
    )


def _widened(held: Fact, fact: Fact) -> Fact:
    """Give the fact that is there with more who know it. A quote is shown to them when the row gives it."""
    shown = fact.quote if fact.quote == held.quote else None
    edit = FactEdit(audience=united(held.audience, fact.audience.holders()), keep_quote=shown is not None)
    wider = edit.apply(held)
    check_quote(held, wider, edit, way="give the row that quote if they may, or change the fact by hand")
    return wider


def united(audience: Audience, holders: Sequence[str] | frozenset[str]) -> Audience:
    """Give the audience with these holders in it."""
    if audience.world or WORLD in holders:
        return PUBLIC
    return Audience(members=audience.members | frozenset(holders))
