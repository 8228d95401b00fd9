"""Review: finding what needs a person's eye, and carrying decisions out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kataribe.domain.ids import WORLD, fact_id_for, text_hash
from kataribe.domain.memory import GUESSED, Memory, Reason, Refusal
from kataribe.domain.space import story_space
from kataribe.domain.story.derive import everybody_by
from kataribe.domain.story.inputs import Character, Episode, Fact, Suppression
from kataribe.domain.story.review import CastMember, Decision, ReviewItem, ReviewKind, Verb
from kataribe.domain.story.undo import Scope
from kataribe.domain.terms import DEFAULT_IMPORTANCE, NOBODY, Audience, FactOrigin
from kataribe.errors import InputError
from kataribe.ports import Transaction, View
from kataribe.story.desk.estimate import refusals
from kataribe.story.desk.facts import (
    FactEdit,
    add_fact,
    at_home,
    delete_fact,
    edit_fact,
    extracted_copies,
    stated_audience,
    words_of,
)
from kataribe.story.desk.undo import fact_scope
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.groups import resolved_at
from kataribe.story.lineage import full_cast
from kataribe.story.staleness import refresh_after

_GUESSED = GUESSED | {Reason.MODEL}
LINES = 3
"""How many lines of the episode are shown before and after a passage."""
LINE = 240
"""A line longer than this is cut to what is next to the passage, in characters."""


# -- what is to be looked at ---------------------------------------------------------------


def review_items(view: View, story_id: str, *, every_guess: bool = False) -> tuple[ReviewItem, ...]:
    """Give what needs an eye, in story order: one item a fact, whoever holds it."""
    story_of(view, story_id)
    grouped: dict[str, list[Memory]] = {}
    live = {state.episode_id for state in view.episode_states(story_id) if state.is_live}
    for memory in view.memories(story_space(story_id)):
        if memory.episode_id in live:
            grouped.setdefault(memory.fact_id, []).append(memory)
    cast = full_cast(view, parts_of(view, story_id))
    episodes: dict[str, Episode | None] = {}
    items: list[ReviewItem] = []
    for copies in grouped.values():
        kind = _kind(copies, every_guess=every_guess)
        if kind is not None:
            home = copies[0].episode_id
            if home not in episodes:
                episodes[home] = view.episode(story_id, home)
            items.append(_item(view, story_id, kind, copies, episodes[home], cast))
    items += _refused(view, story_id, cast)
    at = {state.episode_id: place for place, state in enumerate(view.episode_states(story_id))}
    return tuple(sorted(items, key=lambda item: at[item.episode_id]))


def _refused(view: View, story_id: str, cast: Sequence[Character]) -> Iterator[ReviewItem]:
    """Give what a model offered in vain, each once, whatever it was offered for."""
    seen: set[str] = set()
    for episode_id, refusal in refusals(view, story_id):
        fact_id = fact_id_for(episode_id, refusal.text)
        episode = view.episode(story_id, episode_id)
        if episode is None or fact_id in seen or view.fact(story_id, fact_id) is not None:
            continue
        if not refusal.text.strip() or view.memories(story_space(story_id), fact_id=fact_id):
            # The same words were taken elsewhere in the episode.
            continue
        seen.add(fact_id)
        span = _span(episode.text, refusal.quote)
        before, passage, after = _cut(episode.text, span) if span else ("", "", "")
        yield ReviewItem(
            kind=ReviewKind.REFUSED,
            episode_no=episode.no,
            episode_id=episode_id,
            fact_id=fact_id,
            text=refusal.text,
            quote=refusal.quote or None,
            holders=(),
            audience=NOBODY,
            candidates=_candidates(cast, episode.no),
            reason=Reason.MODEL,
            origin=FactOrigin.EXTRACTED,
            flagged=True,
            importance=DEFAULT_IMPORTANCE,
            pinned=False,
            before=before,
            passage=passage,
            after=after,
            refusal=refusal.reason,
        )


def _span(text: str, quote: str) -> tuple[int, int] | None:
    start = text.find(quote) if quote else -1
    return None if start < 0 else (start, start + len(quote))


def _candidates(cast: Iterable[Character], no: int) -> tuple[CastMember, ...]:
    return tuple(
        CastMember(character_id=character.character_id, name=character.name)
        for character in everybody_by(cast, no)
    )


def _kind(copies: Sequence[Memory], *, every_guess: bool) -> ReviewKind | None:
    for copy in copies:
        if copy.in_review:
            lost = copy.reason is Reason.LOST_QUOTE
            return ReviewKind.LOST_QUOTE if lost else ReviewKind.UNRECOGNISED
        if copy.flagged or (every_guess and copy.reason in _GUESSED):
            return ReviewKind.GUESSED
    return None


def _item(
    view: View,
    story_id: str,
    kind: ReviewKind,
    copies: Sequence[Memory],
    episode: Episode | None,
    cast: Iterable[Character],
) -> ReviewItem:
    first = copies[0]
    holders = tuple(sorted({copy.holder for copy in copies if copy.holder}))
    before, passage, after = _surroundings("" if episode is None else episode.text, first)
    return ReviewItem(
        kind=kind,
        episode_no=first.episode_no,
        episode_id=first.episode_id,
        fact_id=first.fact_id,
        text=first.text,
        quote=first.quote,
        holders=(WORLD,) if WORLD in holders else holders,
        audience=_present(view, story_id, first.fact_id, copies),
        candidates=_candidates(cast, first.episode_no),
        reason=first.reason,
        origin=first.origin,
        flagged=any(copy.flagged for copy in copies),
        importance=first.importance,
        pinned=first.pinned,
        supersedes=first.supersedes,
        told_from=first.told_from,
        before=before,
        passage=passage,
        after=after,
    )


def _surroundings(text: str, memory: Memory) -> tuple[str, str, str]:
    """Cut the text into the lines before a memory's quote, the quote and the lines after it."""
    if memory.quote_span is None:
        return "", "", ""
    start, end = memory.quote_span
    if text[start:end] != memory.quote:
        # The episode has been given another text and is not synced yet.
        return "", "", ""
    return _cut(text, memory.quote_span)


def _cut(text: str, span: tuple[int, int]) -> tuple[str, str, str]:
    start, end = span
    before, after = text[:start].split("\n"), text[end:].split("\n")
    above = [line[:LINE] for line in before[-LINES - 1 : -1]] + [before[-1][-LINE:]]
    below = [after[0][:LINE]] + [line[:LINE] for line in after[1 : LINES + 1]]
    return "\n".join(above), text[start:end], "\n".join(below)


def _present(view: View, story_id: str, fact_id: str, copies: Sequence[Memory]) -> Audience:
    """Give who a fact is for: by its row, else by what was read, else by who holds it.

    Nobody, while it waits for its group to have a member.
    """
    if any(copy.reason is Reason.EMPTY_GROUP for copy in copies):
        return NOBODY
    found = view.fact(story_id, fact_id)
    if found is not None:
        return found[1].audience
    home = at_home(copies)
    stated = stated_audience(view, story_id, home[0].episode_id, fact_id) if home else None
    holders = frozenset(copy.holder for copy in home if copy.holder)
    if stated is not None or not holders:
        return stated or NOBODY
    return Audience(world=True) if WORLD in holders else Audience(members=holders)


# -- decisions -----------------------------------------------------------------------------


def decide(tx: Transaction, story_id: str, fact_id: str, decision: Decision) -> tuple[tuple[str, ...], str]:
    """Carry a decision out; give (ids of the episodes it touched, the fact's text)."""
    story_of(tx, story_id)
    copies = tx.memories(story_space(story_id), fact_id=fact_id)
    row = tx.fact(story_id, fact_id)
    if not copies and row is None:
        return _decide_refused(tx, story_id, fact_id, decision)
    if decision.verb is Verb.DROP:
        text = words_of(tx, story_id, fact_id)
        return (delete_fact(tx, story_id, fact_id),), text
    if decision.verb is Verb.EDIT:
        edit = FactEdit(text=decision.text, quote=decision.quote, audience=decision.audience)
    else:
        present = _present(tx, story_id, fact_id, copies)
        lost = row is not None and any(copy.reason is Reason.LOST_QUOTE for copy in copies)
        empty = any(copy.reason is Reason.EMPTY_GROUP for copy in copies)
        if decision.verb is Verb.KEEP and row is not None and not lost and not empty:
            # It is somebody's word already: there is nothing to confirm.
            return (), row[1].text
        edit = FactEdit(
            audience=_audience(tx, story_id, decision, present, fact_id),
            without_quote=lost or decision.without_quote,
            keep_quote=decision.keep_quote and not lost,
        )
    touched, fact = edit_fact(tx, story_id, fact_id, edit)
    return touched, fact.text


def decision_scope(view: View, story_id: str, fact_id: str) -> Scope:
    """Give the scope of a decision on a fact, or on what a model offered in vain."""
    scope = fact_scope(view, story_id, fact_id)
    if scope.episodes or view.story(story_id) is None:
        return scope
    return Scope(episodes=frozenset(home for home, _ in _offers(view, story_id, fact_id)))


def _offers(view: View, story_id: str, fact_id: str) -> list[tuple[str, Refusal]]:
    return [
        (episode_id, refusal)
        for episode_id, refusal in refusals(view, story_id)
        if fact_id_for(episode_id, refusal.text) == fact_id
    ]


def _decide_refused(
    tx: Transaction, story_id: str, fact_id: str, decision: Decision
) -> tuple[tuple[str, ...], str]:
    offers = _offers(tx, story_id, fact_id)
    if not offers:
        # Says whose fact it is, or that there is none.
        extracted_copies(tx, story_id, fact_id)
        return (), ""
    episode_id, refusal = offers[0]
    dismissed = Suppression(holder="", text_hash=text_hash(refusal.text))
    tx.put_suppressions(story_id, episode_id, [dismissed])
    text = decision.text or refusal.text
    if decision.verb is Verb.DROP:
        refresh_after(tx, story_id, episode_id)
        return (episode_id,), text
    if decision.verb is Verb.NARROW or decision.audience is None:
        raise InputError(f"{fact_id!r} is no fact yet and nobody knows it; keep it and say who does")
    episode = tx.episode(story_id, episode_id)
    assert episode is not None
    quote = decision.quote or (refusal.quote if _span(episode.text, refusal.quote) else None)
    fact = Fact(fact_id=fact_id, text=text, audience=decision.audience, quote=quote)
    return (add_fact(tx, story_id, episode_no=episode.no, fact=fact)[0],), text


def _audience(view: View, story_id: str, decision: Decision, present: Audience, fact_id: str) -> Audience:
    wanted = decision.audience
    inner, outer = (_at_home(view, story_id, fact_id, one or NOBODY) for one in (wanted, present))
    if decision.verb is Verb.KEEP:
        if wanted is not None and not present.is_empty and wanted != present:
            raise InputError(f"keep leaves the audience of {fact_id!r} as it is; use narrow or widen")
        if wanted is None and present.is_empty:
            raise InputError(f"nobody was recognised in {fact_id!r}; say who knows it with --known-by")
        return present if wanted is None else wanted
    assert wanted is not None
    if decision.verb is Verb.NARROW and not _within(inner, outer):
        raise InputError(
            f"{_said(wanted)} is not less than {_said(present)}, who may know {fact_id!r} now; "
            f"use widen, or `kataribe fact edit --known-by`"
        )
    if decision.verb is Verb.WIDEN and not _within(outer, inner):
        raise InputError(
            f"{_said(wanted)} is not more than {_said(present)}, who may know {fact_id!r} now; "
            f"use narrow, or `kataribe fact edit --known-by`"
        )
    return wanted


def _at_home(view: View, story_id: str, fact_id: str, audience: Audience) -> Audience:
    """Give who an audience is at the episode of a fact."""
    found = view.fact(story_id, fact_id)
    homes = at_home(view.memories(story_space(story_id), fact_id=fact_id))
    episode_id = found[0] if found is not None else homes[0].episode_id if homes else None
    state = None if episode_id is None else view.episode_state(story_id, episode_id)
    if state is None:
        return audience
    return resolved_at(view, parts_of(view, story_id), state.no, audience)


def _within(inner: Audience, outer: Audience) -> bool:
    """Whether `inner` is a part of `outer` and not all of it."""
    if inner.world or outer.world:
        return outer.world and not inner.world
    return inner.members < outer.members


def _said(audience: Audience) -> str:
    return ", ".join(audience.holders()) or "nobody"
