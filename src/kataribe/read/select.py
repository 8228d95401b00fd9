"""After a recall: what may be used of what was found, and what is left out and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kataribe.domain.ids import WORLD, normalise
from kataribe.domain.memory import Hit, Recollection, TurnHit
from kataribe.domain.privacy.sensitive import is_sensitive
from kataribe.domain.recall.calibration import is_enough
from kataribe.domain.recall.context import DEFAULT_CONTEXT, Component, ContextPolicy, Dropped, DropReason
from kataribe.domain.recall.context_words import told, where
from kataribe.domain.recall.log_search import Standing
from kataribe.domain.recall.planning import Passage, SearchPlan
from kataribe.domain.terms import Language

Minimum = Callable[[Hit], float | None]
"""Gives the similarity below which a hit is not used; None: whatever it is."""


class RelevanceBar(NamedTuple):
    """When no hit reaches `minimum`, 0 to 1, none is used; when one does, none below `floor` is."""

    minimum: float
    floor: float

    def least(self, *, is_reached: bool) -> float:
        """Give the relevance below which a hit is not used."""
        return self.floor if is_reached else self.minimum


Bar = Callable[[Hit], RelevanceBar | None]
"""Gives the bar of a hit; None: its relevance does not matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A memory under its handle: recalled, or found by the `keywords` that stand in it, or both."""

    handle: str
    hit: Hit
    keywords: tuple[str, ...] = ()
    is_cut: bool = False

    def passage(self, language: Language) -> Passage:
        """Show it to a model."""
        return Passage(id=self.handle, text=told(self.hit, language), where=where(self.hit, language))

    def dropped(self, why: DropReason, detail: str) -> Dropped:
        """Say that it is not in the context."""
        return Dropped(
            part=Component.MEMORIES,
            why=why,
            detail=detail,
            handle=self.handle,
            id=self.hit.id,
            fact_id=self.hit.fact_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What may be used, best first, and what was left out.

    All of it is what was recalled, and `looked_up` more that were found by keywords alone.
    """

    found: Recollection
    chosen: tuple[Chosen, ...]
    dropped: tuple[Dropped, ...] = ()
    plan: SearchPlan | None = None
    judge: str | None = None
    notes: tuple[str, ...] = ()
    looked_up: int = 0

    @property
    def count(self) -> int:
        """How many memories were found, used or not."""
        return len(self.found.hits) + self.looked_up

    @property
    def is_needed(self) -> bool:
        """Whether anything had to be remembered at all."""
        return self.plan is None or self.plan.needed


def screen(
    found: Recollection,
    *,
    minimum: Minimum,
    bar: Bar = lambda _: None,
    recent: Sequence[str],
    plan: SearchPlan | None,
    policy: ContextPolicy = DEFAULT_CONTEXT,
    standing: Sequence[Standing] = (),
) -> Screened:
    """Leave out what does not answer the question, was just said, or says again what is there.

    Pinned memories come first, and those found by keywords alone (`standing`) last; handles
    count in that order. In what a keyword stands is used however unlike the question it is.
    """
    recalled = {_named(hit) for hit in found.hits}
    more = [one for one in standing if _named(one.hit) not in recalled]
    keywords = {_named(one.hit): one.keywords for one in standing}
    cut = {_named(one.hit) for one in more if one.is_cut}
    ranked = [*sorted(found.hits, key=lambda hit: not hit.pinned), *(one.hit for one in more)]
    said = [normalise(message) for message in recent]
    is_reached = any(_reaches(hit, bar) for hit in found.hits)
    seen: dict[tuple[str, str | None], str] = {}
    chosen: list[Chosen] = []
    dropped: list[Dropped] = []
    for number, hit in enumerate(ranked, start=1):
        standing_in = keywords.get(_named(hit), ())
        one = Chosen(handle=f"m{number}", hit=hit, keywords=standing_in, is_cut=_named(hit) in cut)
        same = (normalise(hit.text), hit.speaker if isinstance(hit, TurnHit) else None)
        if not standing_in and (least := _too_unlike(hit, minimum)) is not None:
            dropped.append(
                one.dropped(DropReason.BELOW_MINIMUM, f"{hit.parts['similarity']:.3f} < {least:.3f}")
            )
        elif not standing_in and (bare := _irrelevant(hit, bar, is_reached=is_reached)) is not None:
            dropped.append(
                one.dropped(DropReason.BELOW_MINIMUM, f"relevance {hit.relevance:.3f} < {bare:.3f}")
            )
        elif _was_said(same[0], said, policy.contained):
            dropped.append(one.dropped(DropReason.RECENT, "the recent messages say so"))
        elif same in seen:
            dropped.append(one.dropped(DropReason.DUPLICATE, f"says the same as {seen[same]}"))
        else:
            seen[same] = one.handle
            chosen.append(one)
    notes = (plan.note,) if plan is not None and plan.note else ()
    return Screened(
        found=found,
        chosen=tuple(chosen),
        dropped=tuple(dropped),
        plan=plan,
        notes=notes,
        looked_up=len(more),
    )


WITHHELD = "it holds what is sensitive, and was told to all and not to this persona"


def withheld(screened: Screened, language: Language) -> Screened:
    """Leave out what is sensitive and was told to all, where it was not said to who asks (S2-13)."""
    if screened.found.viewer.persona is None:
        return screened
    out = [one for one in screened.chosen if _is_of_all(one.hit) and is_sensitive(_told(one.hit), language)]
    return replace(
        screened,
        chosen=tuple(one for one in screened.chosen if one not in out),
        dropped=(*screened.dropped, *(one.dropped(DropReason.SENSITIVE, WITHHELD) for one in out)),
    )


def _is_of_all(hit: Hit) -> bool:
    return isinstance(hit, TurnHit) and hit.character_id == WORLD


def _told(hit: Hit) -> str:
    caption = hit.caption if isinstance(hit, TurnHit) else None
    return hit.text if caption is None else f"{hit.text} {caption}"


def _named(hit: Hit) -> tuple[str, str]:
    """Name what is remembered: ids of facts and turns are told apart within a space alone."""
    return (hit.space, hit.fact_id)


def was_said(text: str, recent: Sequence[str], policy: ContextPolicy = DEFAULT_CONTEXT) -> bool:
    """Tell whether one of the recent messages says this already (S4-73)."""
    return _was_said(normalise(text), [normalise(message) for message in recent], policy.contained)


def _too_unlike(hit: Hit, minimum: Minimum) -> float | None:
    least, similarity = minimum(hit), hit.parts.get("similarity")
    if similarity is None or is_enough(similarity, hit.parts, least, pinned=hit.pinned):
        return None
    return least


def _reaches(hit: Hit, bar: Bar) -> bool:
    wanted = bar(hit)
    return wanted is not None and hit.relevance is not None and hit.relevance >= wanted.minimum


def _irrelevant(hit: Hit, bar: Bar, *, is_reached: bool) -> float | None:
    """Give the relevance that a hit does not reach; None for one that is used."""
    wanted = bar(hit)
    if wanted is None or hit.relevance is None or hit.pinned:
        return None
    least = wanted.least(is_reached=is_reached)
    return least if hit.relevance < least else None


def _was_said(text: str, said: Sequence[str], contained: int) -> bool:
    return any(text == one or (len(text) >= contained and text in one) for one in said)


def judged(screened: Screened, kept: Collection[str], judge: str) -> Screened:
    """Leave out what a model did not keep; handles it made up count for nothing."""
    out = [
        one.dropped(DropReason.JUDGE, f"{judge} left it out")
        for one in screened.chosen
        if one.handle not in kept
    ]
    return replace(
        screened,
        chosen=tuple(one for one in screened.chosen if one.handle in kept),
        dropped=(*screened.dropped, *out),
        judge=judge,
    )
