"""What a text would move: what is remembered before and after, compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from kataribe.domain.story.overviews import FactImpact, HolderImpact, MovedFact
from kataribe.ports import View
from kataribe.story.views.held_fact import HeldFact
from kataribe.story.views.story_view import StoryView, see, shares_of


def held(view: View, story_id: str) -> tuple[StoryView, dict[str, HeldFact]]:
    """Give everything that is remembered of a story, and what waits in review. Raises `NotFoundError`."""
    seen = see(view, story_id)
    found: dict[str, HeldFact] = {}
    for no, share in shares_of(view, seen):
        if share.fact_id in found:
            found[share.fact_id].holders.add(share.holder)
        else:
            found[share.fact_id] = HeldFact.of(no, share)
    return seen, found


def moved(before: Mapping[str, HeldFact], after: Mapping[str, HeldFact]) -> tuple[FactImpact, ...]:
    """Give the facts that differ, by episode: those that go first."""
    found = [_moved(fact_id, before.get(fact_id), after.get(fact_id)) for fact_id in {**before, **after}]
    order = list(MovedFact)
    return tuple(
        sorted((one for one in found if one), key=lambda one: (one.episode_no, order.index(one.change)))
    )


def _moved(fact_id: str, old: HeldFact | None, new: HeldFact | None) -> FactImpact | None:
    one = new or old
    assert one is not None
    if old is None or new is None:
        change = MovedFact.NEW if old is None else MovedFact.GONE
    elif old.text != new.text:
        change = MovedFact.TEXT
    elif old.holders != new.holders:
        change = MovedFact.HOLDERS
    else:
        return None
    return FactImpact(
        fact_id=fact_id,
        episode_no=one.episode_no,
        change=change,
        text=one.text,
        before=_holders(old),
        after=_holders(new),
    )


def _holders(fact: HeldFact | None) -> tuple[str, ...]:
    return () if fact is None else tuple(sorted(holder for holder in fact.holders if holder))


def by_holder(seen: StoryView, facts: Iterable[FactImpact]) -> tuple[HolderImpact, ...]:
    """Count what each holder gains and loses; who does neither is left out."""
    gains: Counter[str] = Counter()
    loses: Counter[str] = Counter()
    for fact in facts:
        before, after = set(fact.before), set(fact.after)
        is_other = fact.change is MovedFact.TEXT
        gains.update(after if is_other else after - before)
        loses.update(before if is_other else before - after)
    return tuple(
        HolderImpact(holder=holder, name=seen.name_of(holder), gains=gains[holder], loses=loses[holder])
        for holder in sorted({*gains, *loses})
    )


def newly_pending(before: StoryView, after: StoryView, put: int) -> tuple[int, ...]:
    """Give the numbers of the other episodes that are not in memory any more."""
    old = {episode.no for episode in before.episodes() if not episode.in_memory}
    return tuple(
        episode.no
        for episode in after.episodes()
        if not episode.in_memory and episode.no != put and episode.no not in old
    )
