"""Last step: the gate is asked again of every memory, and what is superseded makes way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from kataribe.domain.evidence import EvidenceKind
from kataribe.domain.gate import Gate
from kataribe.domain.ids import WORLD
from kataribe.domain.memory import FactHit, Hit, Mark, Memory, PassageHit, TurnHit
from kataribe.ports import GatedView
from kataribe.ports.kinds import QuoteEvidence
from kataribe.ports.telemetry import step


@step("guard", lambda kept: {"kept": len(kept)})
def admit(gate: Gate, memories: Iterable[Memory]) -> tuple[Memory, ...]:
    """Give those the gate admits: the same rule as before the search, asked of what came back (U-4)."""
    return tuple(memory for memory in memories if gate.admits(memory.address))


@dataclass(frozen=True, slots=True)
class Links:
    """Which facts are replaced by which, as far as one gate shows."""

    superseded_by: Mapping[str, str]


_NO_LINKS = Links({})


@step("succession", lambda links: {"superseded": len(links.superseded_by)})
def succession(view: GatedView, gate: Gate, *, of: Iterable[str] | None = None) -> Links:
    """Tell which facts inside the gate are replaced by a newer one that is inside it too.

    Newer means told in a later episode, or in the same one when the two do not supersede
    each other. Of several successors the latest counts, then the one with the smaller id.
    """
    edges = view.successions(gate, of=of)
    if not edges:
        return _NO_LINKS
    places = view.admitted_facts(gate, {old for _, old, _ in edges})
    pairs = {(new, old) for new, old, _ in edges}
    best: dict[str, tuple[int, int, str]] = {}
    for new, old, place in edges:
        if old not in places or new == old or place < places[old]:
            continue
        if place == places[old] and (old, new) in pairs:
            continue
        rank = (-place[0], -place[1], new)
        if old not in best or rank < best[old]:
            best[old] = rank
    return Links({old: new for old, (*_, new) in best.items()})


def show(
    memory: Memory,
    links: Links,
    proof: QuoteEvidence,
    *,
    score: float | None = None,
    relevance: float | None = None,
    parts: Mapping[str, float] | None = None,
    marks: tuple[Mark, ...] = (),
) -> Hit:
    """Turn a memory into what the viewer is shown of it."""
    shown = _Shown(
        id=memory.memory_id,
        fact_id=memory.fact_id,
        text=memory.text,
        scope=WORLD if memory.holder == WORLD else "character",
        character_id=memory.holder,
        space=memory.space,
        importance=memory.importance,
        arousal=memory.arousal,
        score=score,
        relevance=relevance,
        pinned=memory.pinned,
        superseded_by=links.superseded_by.get(memory.fact_id),
        told_from=memory.told_from if memory.told_from in proof.told else None,
        evidence=memory.evidence,
        confidence=memory.confidence,
        parts=dict(parts or {}),
        marks=marks,
    )
    if memory.said is not None:
        said = memory.said
        time = datetime.fromisoformat(said.time)
        return TurnHit(**shown, session=said.session, speaker=said.speaker, time=time, caption=said.caption)
    if memory.excerpt is not None:
        where = memory.excerpt
        return PassageHit(
            **shown, document=where.document, version=memory.version, headings=where.headings, page=where.page
        )
    quote, quote_no, offsets = _quoted(memory, proof)
    return FactHit(
        **shown,
        episode_no=memory.episode_no,
        episode_id=memory.episode_id,
        quote=quote,
        quote_episode_no=quote_no,
        offsets=offsets,
        sentences=proof.around(memory),
    )


class _Shown(TypedDict):
    """What is shown of facts, of turns and of passages."""

    id: str
    fact_id: str
    text: str
    scope: str
    character_id: str
    importance: int
    space: str
    arousal: float | None
    score: float | None
    relevance: float | None
    pinned: bool
    superseded_by: str | None
    told_from: str | None
    evidence: EvidenceKind | None
    confidence: float | None
    parts: Mapping[str, float]
    marks: tuple[Mark, ...]


def _quoted(memory: Memory, proof: QuoteEvidence) -> tuple[str | None, int | None, tuple[int, int] | None]:
    if memory.quote is None:
        return None, None, None
    if memory.quote_no is None:
        return memory.quote, memory.episode_no, memory.quote_span
    text = proof.quoted(memory)
    if text is None:
        return None, None, None
    start = text.find(memory.quote)
    span = None if start < 0 else (start, start + len(memory.quote))
    return memory.quote, memory.quote_no, span
