"""Between domain values and rows: `from_row` and `to_row` for each table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from kataribe.domain.conversation.turns import Turn, User
from kataribe.domain.ids import WORLD
from kataribe.domain.memory import NO_USAGE, Draft, Extraction, Kind, Memory, Reason, Refusal, Said, Usage
from kataribe.domain.records import (
    Delta,
    EpisodeState,
    EpisodeVersion,
    Outcome,
    SpaceState,
    Trace,
    Work,
)
from kataribe.domain.space import episode_of, parse_space, story_space, user_space
from kataribe.domain.story.inputs import (
    Address,
    Alias,
    Annotation,
    Character,
    Description,
    Episode,
    Fact,
    NameKind,
    Story,
)
from kataribe.domain.story.views import Share
from kataribe.domain.terms import PUBLIC, Audience, Extra, FactOrigin, FactSource

Row = Any
"""A SQLAlchemy row or mapping; its columns are those of the table in `schema`."""

Values = dict[str, object]


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump(value: object) -> str:
    """Write JSON compactly, keys in the order given."""
    return _ENCODER.encode(value)


def load(text: str | None) -> Any:
    """Read JSON; None stays None."""
    return None if text is None else json.loads(text)


def audience_out(audience: Audience) -> str | None:
    """Write an audience: null for the world, else the sorted members."""
    return None if audience.world else dump(sorted(audience.members))


def audience_in(text: str | None) -> Audience:
    """Read an audience."""
    return PUBLIC if text is None else _members_in(text)


@lru_cache(maxsize=4096)
def _members_in(text: str) -> Audience:
    """Read who knows: the same few sets of characters stand in a story's rows again and again."""
    return Audience(members=frozenset(json.loads(text)))


def story_out(story: Story) -> Values:
    """Write a story."""
    return {
        "story_id": story.story_id,
        "title": story.title,
        "language_told": story.language_told,
        "extractor_id": story.extractor_id,
        "extractor": story.extractor,
        "parent_id": story.parent,
        "fork_episode_id": story.fork_episode_id,
        "extra": dump(story.extra),
    }


def story_in(row: Row) -> Story:
    """Read a story."""
    return Story(
        story_id=row.story_id,
        title=row.title,
        language=row.language,
        language_told=bool(row.language_told),
        embedder=row.embedder,
        embedder_id=row.embedder_id,
        extractor_id=row.extractor_id,
        extractor=row.extractor,
        parent=row.parent_id,
        fork_episode_id=row.fork_episode_id,
        extra=load(row.extra),
    )


def user_out(user: User) -> Values:
    """Write a user."""
    return {
        "user_id": user.user_id,
        "extra": dump(user.extra),
    }


def user_in(row: Row) -> User:
    """Read a user."""
    return User(
        user_id=row.user_id,
        language=row.language,
        embedder=row.embedder,
        embedder_id=row.embedder_id,
        extra=load(row.extra),
    )


def space_in(row: Row) -> SpaceState:
    """Read a space."""
    return SpaceState(
        space=row.space, language=row.language, embedder=row.embedder, embedder_id=row.embedder_id
    )


def turn_out(space: str, turn: Turn) -> Values:
    """Write a turn."""
    return {
        "space": space,
        "turn_id": turn.turn_id,
        "session": turn.session,
        "ordinal": turn.ordinal,
        "speaker": turn.speaker,
        "text": turn.text,
        "caption": turn.caption,
        "time": turn.time.isoformat(),
        "at": turn.at,
        "held_by": audience_out(turn.audience),
        "arousal": turn.arousal,
        "extra": dump(turn.extra),
    }


def turn_in(row: Row) -> Turn:
    """Read a turn."""
    return Turn(
        turn_id=row.turn_id,
        session=row.session,
        ordinal=row.ordinal,
        speaker=row.speaker,
        text=row.text,
        caption=row.caption,
        time=datetime.fromisoformat(row.time),
        audience=audience_in(row.held_by),
        arousal=row.arousal,
        extra=load(row.extra),
    )


def names_out(story_id: str, character: Character) -> list[Values]:
    """Write a character's aliases and descriptions."""
    entries: list[tuple[str, str, Alias | Description]] = [
        ("alias", alias.kind.value, alias) for alias in character.aliases
    ]
    entries += [("description", "", description) for description in character.descriptions]
    return [
        {
            "story_id": story_id,
            "character_id": character.character_id,
            "ordinal": ordinal,
            "role": role,
            "kind": kind,
            "text": entry.text,
            "since": entry.address.since,
            "known_by": audience_out(entry.address.audience),
            "extra": dump(entry.extra),
        }
        for ordinal, (role, kind, entry) in enumerate(entries)
    ]


def character_in(row: Row, names: Sequence[Row]) -> Character:
    """Read a character and its names."""
    aliases: list[Alias] = []
    descriptions: list[Description] = []
    for name in names:
        address = Address(since=name.since, audience=audience_in(name.known_by))
        if name.role == "alias":
            kind = NameKind(name.kind)
            aliases.append(Alias(text=name.text, kind=kind, address=address, extra=load(name.extra)))
        else:
            descriptions.append(Description(text=name.text, address=address, extra=load(name.extra)))
    return Character(
        character_id=row.character_id,
        aliases=tuple(aliases),
        descriptions=tuple(descriptions),
        extra=load(row.extra),
    )


def episode_out(story_id: str, episode: Episode) -> Values:
    """Write an episode's own columns."""
    cuts = episode.paragraph_ids
    return {
        "story_id": story_id,
        "episode_id": episode.episode_id,
        "no": episode.no,
        "title": episode.title,
        "text": episode.text,
        "version": episode.version,
        "fact_source": episode.fact_source.value,
        "paragraphs": None if cuts is None else dump([list(cut) for cut in cuts]),
        "extra": dump(episode.extra),
        "deleted_at": episode.deleted_at,
    }


def episode_in(row: Row) -> Episode:
    """Read an episode."""
    cuts = load(row.paragraphs)
    return Episode(
        episode_id=row.episode_id,
        no=row.no,
        title=row.title,
        text=row.text,
        version=row.version,
        fact_source=FactSource(row.fact_source),
        paragraph_ids=None if cuts is None else tuple((cut[0], cut[1]) for cut in cuts),
        deleted_at=row.deleted_at,
        extra=load(row.extra),
    )


def state_in(row: Row) -> EpisodeState:
    """Read an episode without its text."""
    return EpisodeState(
        story_id=row.story_id,
        episode_id=row.episode_id,
        no=row.no,
        order_key=row.order_key,
        title=row.title,
        version=row.version,
        fact_source=FactSource(row.fact_source),
        text_hash=row.text_hash,
        notes_hash=row.notes_hash,
        rows_hash=row.rows_hash,
        annotated=bool(row.annotated),
        wanted=row.wanted,
        visible=bool(row.visible),
        shares_due=bool(row.shares_due),
        deleted_at=row.deleted_at,
        characters=row.characters,
    )


def version_in(row: Row) -> EpisodeVersion:
    """Read a version of an episode."""
    return EpisodeVersion(version=row.version, title=row.title, text=row.text, created_at=row.created_at)


def annotation_in(row: Row) -> Annotation:
    """Read an annotation."""
    return Annotation(
        audience=audience_in(row.known_by),
        paragraph_id=row.paragraph_id,
        paragraph_hash=row.paragraph_hash,
        extra=load(row.extra),
    )


def fact_out(story_id: str, episode_id: str, fact: Fact) -> Values:
    """Write a fact."""
    return {
        "story_id": story_id,
        "fact_id": fact.fact_id,
        "episode_id": episode_id,
        "origin": fact.origin.value,
        "ordinal": fact.ordinal,
        "text": fact.text,
        "quote": fact.quote,
        "quote_no": fact.quote_no,
        "importance": fact.importance,
        "pinned": fact.pinned,
        "supersedes": fact.supersedes,
        "told_from": fact.told_from,
        "known_by": audience_out(fact.audience),
        "extra": dump(fact.extra),
        "arousal": fact.arousal,
    }


def fact_in(row: Row) -> Fact:
    """Read a fact."""
    return Fact(
        fact_id=row.fact_id,
        text=row.text,
        audience=audience_in(row.known_by),
        origin=FactOrigin(row.origin),
        quote=row.quote,
        quote_no=row.quote_no,
        importance=row.importance,
        pinned=bool(row.pinned),
        supersedes=row.supersedes,
        told_from=row.told_from,
        arousal=row.arousal,
        ordinal=row.ordinal,
        extra={} if row.extra == "{}" else load(row.extra),
    )


def extraction_out(extraction: Extraction, episode_text: str) -> Values:
    """Write an extraction; a text that is its span of the episode is not stored again."""
    drafts: list[list[object]] = []
    for d in extraction.drafts:
        drafts.append([d.start, d.end, audience_out(d.audience), d.reason.value, d.flagged, d.importance])
        if d.text != episode_text[d.start : d.end]:
            drafts[-1].append(d.text)
    return {
        "drafts": dump(drafts),
        "refused": dump([[one.text, one.quote, one.reason] for one in extraction.refused]),
        "usage": usage_out(extraction.usage),
    }


def extraction_in(row: Row) -> Extraction:
    """Read an extraction joined with its episode's `text`."""
    return Extraction(
        drafts=tuple(_draft_in(row.text, *values) for values in load(row.drafts)),
        refused=tuple(
            Refusal(text=text, quote=quote, reason=reason) for text, quote, reason in load(row.refused)
        ),
        usage=usage_in(row.usage),
    )


def _draft_in(
    episode_text: str,
    start: int,
    end: int,
    audience: str | None,
    reason: str,
    flagged: bool,
    importance: int,
    text: str | None = None,
) -> Draft:
    return Draft(
        text=episode_text[start:end] if text is None else text,
        start=start,
        end=end,
        audience=audience_in(audience),
        reason=Reason(reason),
        flagged=flagged,
        importance=importance,
    )


def usage_out(usage: Usage) -> str | None:
    """Write what was asked of models; null when nothing was."""
    if not usage.calls:
        return None
    cost = None if usage.cost is None else str(usage.cost)
    return dump([usage.calls, usage.input_tokens, usage.output_tokens, cost, usage.seconds])


def usage_in(text: str | None) -> Usage:
    """Read what was asked of models."""
    if text is None:
        return NO_USAGE
    calls, into, out, cost, seconds = load(text)
    return Usage(
        calls=calls,
        input_tokens=into,
        output_tokens=out,
        cost=None if cost is None else Decimal(cost),
        seconds=seconds,
    )


def scope_of(holder: str) -> str:
    """Give S0's scope of a holder: `world` or `character`."""
    return WORLD if holder == WORLD else "character"


def filterable(memory: Memory) -> Mapping[str, object]:
    """Give the fields a caller's filter may name; the episode's number is joined when asked."""
    said = memory.said
    told: Values = {"episode_id": memory.episode_id}
    if said is not None:
        told = {"session": said.session, "speaker": said.speaker, "time": said.time, "caption": said.caption}
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


def memory_out(unit: str, memory: Memory, *, shown: bool) -> Values:
    """Write a memory; what waits in review is never shown.

    A sentence of the text stands beside others of its episode, as a turn does in its session.
    """
    said = memory.said
    session = memory.episode_id if memory.is_sentence else None
    beside = (session, None) if said is None else (said.session, said.speaker)
    row = {"unit": unit, "session": beside[0], "speaker": beside[1], **_memory_out(memory)}
    return {**row, "live": shown and not memory.in_review}


def _memory_out(memory: Memory) -> Values:
    span = memory.quote_span
    return {
        "space": memory.space,
        "holder": memory.holder,
        "position": memory.position,
        "live": False,
        "memory_id": memory.memory_id,
        "fact_id": memory.fact_id,
        "kind": memory.kind.value,
        "origin": memory.origin.value,
        "reason": memory.reason.value,
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
        "fields": dump({**filterable(memory), "_extra": list(memory.extra)}),
    }


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
        extra=_extra_in(row.fields),
        sources=sources,
        key=row.key,
    )


def _said_in(fields: str) -> Said:
    found = load(fields)
    return Said(
        session=found["session"], speaker=found["speaker"], time=found["time"], caption=found["caption"]
    )


_ORIGINS = {origin.value: origin for origin in FactOrigin}
_REASONS = {reason.value: reason for reason in Reason}


def share_in(row: Sequence[Any]) -> Share:
    """Read a share; its columns are those of `hot.SHARES`, in their order."""
    holder, position, unit, fact_id, text, origin, reason, flagged, quote, quote_no, old, told = row
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
    )


_NO_EXTRA = '"_extra":[]}'


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


def work_in(row: Row) -> Work:
    """Read how a piece of work ended."""
    return Work(
        fingerprint=row.fingerprint,
        outcome=Outcome(row.outcome),
        wanted=row.wanted,
        attempts=row.attempts,
        error=row.error,
        lease=row.lease,
        worker=row.worker,
        leased_until=row.leased_until,
        due_at=row.due_at,
    )


def trace_out(trace: Trace) -> Values:
    """Write a trace: kept under its story's space, else its user's, and beside under the other."""
    spaces = [story_space(trace.story)] if trace.story else []
    spaces += [user_space(trace.user)] if trace.user is not None else []
    return {
        "at": trace.at,
        "space": spaces[0],
        "beside": spaces[1] if len(spaces) > 1 else None,
        "character_id": trace.character,
        "episode_no": min(trace.episode_no, 2**62) if trace.story else None,
        "as_of": trace.as_of,
        "verb": trace.verb,
        "filter": None if trace.filter is None else dump(trace.filter),
        "slices": dump(trace.slices),
        "ids": dump(trace.ids),
    }


def trace_in(row: Row) -> Trace:
    """Read a trace."""
    spaces = [parse_space(name) for name in (row.space, row.beside) if name is not None]
    return Trace(
        at=row.at,
        story=next((space.story for space in spaces if space.story is not None), ""),
        character=row.character_id,
        episode_no=row.episode_no or 0,
        user=next((space.user for space in spaces if space.user is not None), None),
        as_of=row.as_of,
        verb=row.verb,
        filter=load(row.filter),
        slices=tuple(load(row.slices)),
        ids=tuple(load(row.ids)),
    )
