"""Between rows and memories, in the ledger and as views and versions share them out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kataribe.adapters.sql.rows import Row, Values, dump, load
from kataribe.domain.evidence import EvidenceKind
from kataribe.domain.ids import WORLD
from kataribe.domain.memory import Excerpt, Kind, Memory, Reason, Said
from kataribe.domain.records import (
    Delta,
)
from kataribe.domain.space import episode_of
from kataribe.domain.story.views import Share
from kataribe.domain.terms import Extra, FactOrigin


def scope_of(holder: str) -> str:
    """Give S0's scope of a holder: `world` or `character`."""
    return WORLD if holder == WORLD else "character"


def filterable(memory: Memory) -> Mapping[str, object]:
    """Give the fields a caller's filter may name; the episode's number is joined when asked."""
    said = memory.said
    told: Values = {"episode_id": memory.episode_id}
    if said is not None:
        told = {"session": said.session, "speaker": said.speaker, "time": said.time, "caption": said.caption}
    if memory.excerpt is not None:
        told = _excerpt_out(memory.excerpt, memory.version)
    return {
        **memory.extra,
        **told,
        "scope": scope_of(memory.holder),
        "character_id": memory.holder,
        "kind": memory.kind.value,
        "importance": memory.importance,
        "pinned": memory.pinned,
        "fact_id": memory.fact_id,
        "text": memory.text,
    }


def _excerpt_out(excerpt: Excerpt, version: int) -> Values:
    return {
        "document": excerpt.document,
        "headings": excerpt.headings,
        "page": excerpt.page,
        "version": version,
    }


def memory_out(key: int, unit: str, memory: Memory, *, shown: bool) -> Values:
    """Write a memory under a key; what waits in review is never shown.

    A sentence of the text stands beside others of its episode, as a turn does in its session.
    """
    said = memory.said
    session = memory.episode_id if memory.is_sentence else None
    beside = (session, None) if said is None else (said.session, said.speaker)
    span = memory.quote_span
    return {
        "key": key,
        "space": memory.space,
        "unit": unit,
        "holder": memory.holder,
        "position": memory.position,
        "live": shown and not memory.in_review,
        "session": beside[0],
        "speaker": beside[1],
        "memory_id": memory.memory_id,
        "fact_id": memory.fact_id,
        "kind": memory.kind.value,
        "origin": memory.origin.value,
        "reason": memory.reason.value,
        "evidence": memory.evidence,
        "confidence": memory.confidence,
        "flagged": memory.flagged,
        "version": memory.version,
        "fact_index": memory.fact_index,
        "place": memory.place,
        "text": memory.text,
        "text_hash": memory.text_hash,
        "quote": memory.quote,
        "quote_no": memory.quote_no,
        "quote_start": None if span is None else span[0],
        "quote_end": None if span is None else span[1],
        "importance": memory.importance,
        "pinned": memory.pinned,
        "supersedes": memory.supersedes,
        "told_from": memory.told_from,
        "arousal": memory.arousal,
        "fields": _fields_out(memory),
    }


_quoted = json.encoder.encode_basestring


def _fields_out(memory: Memory) -> str:
    """Write what a filter looks at. Most are facts without fields of the author's: these are many."""
    if memory.extra or memory.said is not None or memory.excerpt is not None:
        return dump({**filterable(memory), "_extra": list(memory.extra)})
    return (
        f'{{"episode_id":{_quoted(memory.episode_id)},"scope":"{scope_of(memory.holder)}"'
        f',"character_id":{_quoted(memory.holder)},"kind":"{memory.kind.value}"'
        f',"importance":{int(memory.importance)},"pinned":{"true" if memory.pinned else "false"}'
        f',"fact_id":{_quoted(memory.fact_id)},"text":{_quoted(memory.text)}{_NO_EXTRA}'
    )


def memory_in(row: Row, sources: tuple[str, ...] = ()) -> Memory:
    """Read a memory joined with its episode's number (`episode_no`)."""
    return Memory(
        memory_id=row.memory_id,
        space=row.space,
        holder=row.holder,
        position=row.position,
        episode_id=episode_of(row.unit) if row.kind == Kind.FACT else "",
        episode_no=row.episode_no or 0,
        fact_id=row.fact_id,
        version=row.version,
        fact_index=row.fact_index,
        text=row.text,
        text_hash=row.text_hash,
        origin=FactOrigin(row.origin),
        place=row.place,
        reason=Reason(row.reason),
        evidence=_evidence_in(row.evidence),
        confidence=row.confidence,
        kind=Kind(row.kind),
        flagged=bool(row.flagged),
        quote=row.quote,
        quote_no=row.quote_no,
        quote_span=None if row.quote_start is None else (row.quote_start, row.quote_end),
        importance=row.importance,
        pinned=bool(row.pinned),
        supersedes=row.supersedes,
        told_from=row.told_from,
        arousal=row.arousal,
        said=_said_in(row.fields) if row.kind == Kind.TURN else None,
        excerpt=_excerpt_in(row.fields) if row.kind == Kind.PASSAGE else None,
        extra=_extra_in(row.fields),
        sources=sources,
        key=row.key,
    )


def _said_in(fields: str) -> Said:
    found = load(fields)
    return Said(
        session=found["session"], speaker=found["speaker"], time=found["time"], caption=found["caption"]
    )


def _excerpt_in(fields: str) -> Excerpt:
    found = load(fields)
    return Excerpt(document=found["document"], headings=tuple(found["headings"]), page=found["page"])


_ORIGINS = {origin.value: origin for origin in FactOrigin}


_REASONS = {reason.value: reason for reason in Reason}


def _evidence_in(word: str | None) -> EvidenceKind | None:
    return None if word is None else EvidenceKind(word)


def share_in(row: Sequence[Any]) -> Share:
    """Read a share; its columns are those of `hot.SHARES`, in their order."""
    holder, position, unit, fact_id, text, origin, reason, flagged, *rest = row
    quote, quote_no, old, told, evidence, confidence = rest
    return Share(
        holder=holder,
        position=position,
        episode_id=episode_of(unit),
        fact_id=fact_id,
        text=text,
        origin=_ORIGINS[origin],
        reason=_REASONS[reason],
        flagged=bool(flagged),
        quote=quote,
        quote_no=quote_no,
        supersedes=old,
        told_from=told,
        evidence=_evidence_in(evidence),
        confidence=confidence,
    )


_NO_EXTRA = ',"_extra":[]}'


def _extra_in(fields: str) -> Extra:
    # Most facts have no fields of the author's, and reading JSON is most of reading a memory.
    if fields.endswith(_NO_EXTRA):
        return {}
    found = load(fields)
    return {name: found[name] for name in found["_extra"]}


def delta_in(row: Row) -> Delta:
    """Read a delta."""
    return Delta(
        delta_id=row.delta_id,
        version=row.version,
        scope=row.scope,
        character_id=row.character_id,
        facts=tuple((fact_id, text) for fact_id, text in load(row.facts)),
        hash=row.hash,
        deleted_at=row.deleted_at,
    )
