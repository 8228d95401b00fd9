"""What became of a fact: where it stands, in memory or out of it, and what it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.ids import fact_id_for, text_hash
from kataribe.domain.lineage import Part
from kataribe.domain.memory import Draft, Memory
from kataribe.domain.records import EpisodeState
from kataribe.domain.story.derive import holders_of
from kataribe.domain.story.inputs import Fact
from kataribe.domain.terms import FactOrigin, FactSource
from kataribe.domain.text.tokens import tokens
from kataribe.domain.text.wording import best_worded
from kataribe.errors import InputError, NotFoundError
from kataribe.ports import View
from kataribe.story.fingerprints import fingerprints, story_of
from kataribe.story.views.story_view import StoryView, copies_of, shares_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """A fact in one episode: its copies in memory, hidden ones too, or what is left of it.

    `holders` are those it has, or would have once its episode is in memory. `gone` says why
    it is made no more; `struck` are the holders for whom it was struck out.
    """

    fact_id: str
    text: str
    part: Part
    state: EpisodeState
    holders: tuple[str, ...]
    copies: tuple[Memory, ...] = ()
    gone: str | None = None
    struck: frozenset[str] = frozenset()


def trails(view: View, seen: StoryView, fact_id: str) -> tuple[Trail, ...]:
    """Find a fact wherever it is or was; raises `NotFoundError` when it never was.

    Memory is looked at first, then the author's rows, then what was struck out, then what
    older versions put into memory.
    """
    found = (
        tuple(_from_memory(view, seen, fact_id))
        or tuple(_from_rows(view, seen, fact_id))
        or tuple(_from_drafts(view, seen, fact_id))
        or tuple(_from_deltas(view, seen, fact_id))
    )
    if not found:
        raise NotFoundError(
            f"there is no fact {fact_id!r} in {seen.story_id}; "
            f"`kataribe fact list --story {seen.story_id}` shows them"
        )
    return found


def _from_memory(view: View, seen: StoryView, fact_id: str) -> Iterator[Trail]:
    grouped: dict[tuple[Part, str], list[Memory]] = {}
    for part, memory in copies_of(view, seen, fact_id):
        grouped.setdefault((part, memory.episode_id), []).append(memory)
    for (part, episode_id), copies in grouped.items():
        state = view.episode_state(part.story_id, episode_id)
        if state is not None:
            yield Trail(
                fact_id=fact_id,
                text=copies[0].text,
                part=part,
                state=state,
                holders=tuple(sorted({copy.holder for copy in copies if copy.holder})),
                copies=tuple(copies),
                struck=_struck(view, part, episode_id, copies[0].text),
            )


def _from_rows(view: View, seen: StoryView, fact_id: str) -> Iterator[Trail]:
    for part in seen.parts:
        row = view.fact(part.story_id, fact_id)
        state = None if row is None else view.episode_state(part.story_id, row[0])
        if row is not None and state is not None:
            yield Trail(
                fact_id=fact_id,
                text=row[1].text,
                part=part,
                state=state,
                holders=row[1].audience.holders(),
                gone=_unused(row[1], state),
            )


def _unused(row: Fact, state: EpisodeState) -> str | None:
    if row.origin is FactOrigin.SUPPLIED and state.fact_source is FactSource.EXTRACTED:
        return f"the facts of episode {state.no} are read from its text; this supplied row is not used"
    return None


def _from_drafts(view: View, seen: StoryView, fact_id: str) -> Iterator[Trail]:
    """Look among what was read from the texts and struck out: there is no memory of it left."""
    for part, state in _episodes(view, seen):
        if not state.is_live or not view.suppressions(part.story_id, state.episode_id):
            continue
        prints = fingerprints(view, story_of(view, part.story_id), (state,))[state.episode_id]
        kept = view.extraction(part.story_id, state.episode_id, prints.extraction)
        for draft in kept.drafts if kept is not None else ():
            if fact_id_for(state.episode_id, draft.text) == fact_id:
                yield _from_draft(view, part, state, draft, seen.story.audience)
                return


def _from_draft(view: View, part: Part, state: EpisodeState, draft: Draft, mode: AudienceMode) -> Trail:
    struck = _struck(view, part, state.episode_id, draft.text)
    return Trail(
        fact_id=fact_id_for(state.episode_id, draft.text),
        text=draft.text,
        part=part,
        state=state,
        holders=holders_of(draft, mode),
        gone="it was struck out" if struck else None,
        struck=struck,
    )


def _from_deltas(view: View, seen: StoryView, fact_id: str) -> Iterator[Trail]:
    for part, state in _episodes(view, seen):
        held = [
            (delta, text)
            for delta in view.deltas(part.story_id, state.episode_id)
            for told, text in delta.facts
            if told == fact_id
        ]
        if held:
            version = max(delta.version for delta, _ in held)
            yield Trail(
                fact_id=fact_id,
                text=held[-1][1],
                part=part,
                state=state,
                holders=tuple(sorted({d.character_id for d, _ in held if d.version == version})),
                gone=f"version {version} of episode {state.no} told it; it is not in what stands there now"
                if version
                else "it was made by hand, and deleted",
            )
            return


def _episodes(view: View, seen: StoryView) -> Iterator[tuple[Part, EpisodeState]]:
    for part in seen.parts:
        for state in view.episode_states(part.story_id):
            yield part, state


def _struck(view: View, part: Part, episode_id: str, text: str) -> frozenset[str]:
    hashed = text_hash(text)
    rows = view.suppressions(part.story_id, episode_id)
    return frozenset(row.holder for row in rows if row.text_hash == hashed)


def best_matches(view: View, seen: StoryView, text: str, *, top_k: int) -> tuple[str, ...]:
    """Give the ids of the facts whose words match best, whoever holds them, best first.

    Facts of episodes that are not in memory yet are searched too, as far as the author gave
    them. Raises `InputError` for a text without words and `NotFoundError` when nothing matches.
    """
    if not tokens(text, seen.story.language):
        raise InputError("there is no word to look for; give words of the fact, or its id")
    told: dict[str, str] = {}
    for fact_id, said in _texts(view, seen):
        told.setdefault(fact_id, said)
    found = best_worded(text, told, seen.story.language, top_k=top_k)
    if not found:
        raise NotFoundError(f"no fact of {seen.story_id} has any of the words {_quoted(text)}")
    return found


def _texts(view: View, seen: StoryView) -> Iterator[tuple[str, str]]:
    for _, share in shares_of(view, seen):
        yield share.fact_id, share.text
    for (story_id, _), state in seen.states.items():
        if not state.visible:
            yield from _rows(view.facts(story_id, state.episode_id))


def _rows(rows: Iterable[tuple[str, Fact]]) -> Iterator[tuple[str, str]]:
    for _, fact in rows:
        yield fact.fact_id, fact.text


def _quoted(text: str) -> str:
    return repr(re.sub(r"\s+", " ", text)[:60])
