"""Between rows and stories: casts, episodes, annotations, facts and extractions."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from types import SimpleNamespace

from kataribe.adapters.sql.rows import Row, Values, audience_in, audience_out, dump, load
from kataribe.domain.evidence import AudienceMode, EvidenceKind, Holding
from kataribe.domain.memory import NO_USAGE, Draft, Extraction, Reason, Refusal, Usage
from kataribe.domain.records import (
    EpisodeState,
    EpisodeVersion,
)
from kataribe.domain.story.groups import Group, Membership, Newcomers
from kataribe.domain.story.inputs import (
    Address,
    Alias,
    Annotation,
    Character,
    Description,
    Episode,
    Fact,
    NameKind,
    Narration,
    Story,
)
from kataribe.domain.terms import FactOrigin, FactSource


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
        "audience": story.audience.value,
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
        audience=AudienceMode(row.audience),
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


def said_out(story_id: str, character: Character) -> Values:
    """Write what a file says of a character."""
    names, told = names_out(story_id, character), narrations_out(story_id, character)
    for row in (*names, *told):
        # The story may be renamed; whom it is said of stands beside it.
        del row["story_id"], row["character_id"]
    said = {"names": names, "narrates": told, "extra": character.extra}
    return {"story_id": story_id, "character_id": character.character_id, "said": dump(said)}


def said_in(row: Row) -> Character:
    """Read what a file said of a character."""
    said = load(row.said)
    names = [SimpleNamespace(**name) for name in said["names"]]
    told = [SimpleNamespace(**narration) for narration in said["narrates"]]
    return character_in(
        SimpleNamespace(character_id=row.character_id, extra=dump(said["extra"])), names, told
    )


def group_out(story_id: str, group: Group) -> Values:
    """Write a group."""
    members = [[one.character_id, one.since, one.until] for one in group.members]
    said = {"members": members, "newcomers": group.newcomers.value, "extra": group.extra}
    return {"story_id": story_id, "group_id": group.group_id, "said": dump(said)}


def group_in(row: Row) -> Group:
    """Read a group."""
    said = load(row.said)
    return Group(
        group_id=row.group_id,
        members=tuple(
            Membership(character_id=who, since=since, until=until) for who, since, until in said["members"]
        ),
        newcomers=Newcomers(said["newcomers"]),
        extra=said["extra"],
    )


def narrations_out(story_id: str, character: Character) -> list[Values]:
    """Write what a character tells."""
    return [
        {
            "story_id": story_id,
            "character_id": character.character_id,
            "ordinal": ordinal,
            "since": told.since,
            "until": told.until,
            "told_to": dump(sorted(told.told_to)) if told.told_to else None,
        }
        for ordinal, told in enumerate(character.narrates)
    ]


def _narration_in(row: Row) -> Narration:
    return Narration(since=row.since, until=row.until, told_to=frozenset(load(row.told_to) or ()))


def character_in(row: Row, names: Sequence[Row], told: Sequence[Row] = ()) -> Character:
    """Read a character, its names and what it tells."""
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
        narrates=tuple(map(_narration_in, told)),
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
        decided=row.decided,
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
        "extra": dump(fact.extra) if fact.extra else "{}",
        "arousal": fact.arousal,
    }


_ORIGINS = {origin.value: origin for origin in FactOrigin}


def fact_in(row: Row) -> Fact:
    """Read a fact."""
    return Fact(
        fact_id=row.fact_id,
        text=row.text,
        audience=audience_in(row.known_by),
        origin=_ORIGINS[row.origin],
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
        own_words = d.text != episode_text[d.start : d.end]
        if own_words or d.holdings:
            drafts[-1].append(d.text if own_words else None)
        if d.holdings:
            drafts[-1].append([list(held) for held in d.holdings])
    return {
        "drafts": dump(drafts),
        "refused": dump([[one.text, one.quote, one.reason] for one in extraction.refused]),
        "usage": usage_out(extraction.usage),
        "unnamed": dump([list(span) for span in extraction.unnamed]) if extraction.unnamed else None,
    }


def extraction_in(row: Row) -> Extraction:
    """Read an extraction joined with its episode's `text`."""
    return Extraction(
        drafts=tuple(_draft_in(row.text, *values) for values in load(row.drafts)),
        refused=tuple(
            Refusal(text=text, quote=quote, reason=reason) for text, quote, reason in load(row.refused)
        ),
        usage=usage_in(row.usage),
        unnamed=tuple((start, end) for start, end in load(row.unnamed) or ()),
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
    holdings: Sequence[tuple[str, str, float]] = (),
) -> Draft:
    return Draft(
        text=episode_text[start:end] if text is None else text,
        start=start,
        end=end,
        audience=audience_in(audience),
        reason=Reason(reason),
        flagged=flagged,
        importance=importance,
        holdings=tuple(Holding(who, EvidenceKind(why), sure) for who, why, sure in holdings),
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
