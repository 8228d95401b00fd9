"""From what an author handed in to memories: one pure rule for supplied, extracted and hand-made facts.

Whatever order edits come in, memory is this function of the final inputs; that is how an
edit equals a rebuild (P3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kataribe.domain.evidence import AudienceMode, EvidenceKind
from kataribe.domain.ids import WORLD, digest, fact_id_for, text_hash, vector_id
from kataribe.domain.markup import same_words
from kataribe.domain.memory import STATED, Draft, Memory, Reason
from kataribe.domain.space import story_space
from kataribe.domain.story.groups import Members, resolved
from kataribe.domain.story.inputs import (
    Alias,
    Annotation,
    Annotations,
    Character,
    Description,
    Episode,
    Fact,
    Suppression,
)
from kataribe.domain.terms import Audience, FactOrigin, FactSource

FILTER_FIELDS = frozenset(
    {
        "episode_no",
        "episode_id",
        "scope",
        "character_id",
        "kind",
        "importance",
        "pinned",
        "fact_id",
        "text",
        "_extra",
    }
)
"""Names a caller's filter may use for our own fields; an author's field of such a name is not filterable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All that one episode's memories are made from."""

    story_id: str
    episode: Episode
    order_key: int
    facts: tuple[Fact, ...]
    suppressions: tuple[Suppression, ...] = ()
    pins: frozenset[str] = frozenset()
    drafts: tuple[Draft, ...] = ()
    mode: AudienceMode = AudienceMode.WIDE
    """How sure a guess must be to be somebody's memory."""
    members: Members = field(default_factory=dict)
    """Who is in each group at the episode."""
    newcomers: tuple[Memory, ...] = ()
    """What of earlier episodes those learn who join a group at this one, as they would have held it there."""


def derive(inputs: Inputs) -> tuple[Memory, ...]:
    """Make an episode's memories: one per fact and holder, those in review held by nobody yet."""
    numbers = _Numbers(inputs.episode.episode_id)
    hand = [fact for fact in inputs.facts if fact.origin is FactOrigin.HAND]
    if inputs.episode.fact_source is FactSource.SUPPLIED:
        told = [fact for fact in inputs.facts if fact.origin is FactOrigin.SUPPLIED]
        rows = [
            row for fact in sorted(told, key=_supplied_order) for row in _from_fact(inputs, fact, numbers)
        ]
    else:
        claims = {fact.fact_id: resolved(fact.audience, inputs.members) for fact in hand}
        rows = _from_drafts(inputs, numbers, claims=claims)
    rows += [
        row for fact in sorted(hand, key=lambda f: f.fact_id) for row in _from_fact(inputs, fact, numbers)
    ]
    rows += [_told_newcomer(inputs, one, numbers) for one in inputs.newcomers]
    return tuple(rows)


def _with_members(draft: Draft, members: Members) -> Draft:
    """Put the members of groups in their place; what only an empty group knows waits in review."""
    audience = resolved(draft.audience, members)
    if audience is draft.audience:
        return draft
    return replace(draft, audience=audience, reason=Reason.EMPTY_GROUP if audience.is_empty else draft.reason)


class _Numbers:
    """Numbers the facts of each holder from 0 on, so that an id tells nothing of other holders (P2)."""

    def __init__(self, episode_id: str) -> None:
        self._episode_id = episode_id
        self._counts: defaultdict[tuple[int, str], int] = defaultdict(int)

    def next(self, version: int, holder: str) -> tuple[int, str]:
        """Give the next number of a holder, and the memory's id. No holder: it is in review."""
        index = self._counts[version, holder]
        self._counts[version, holder] += 1
        scope = "review" if not holder else WORLD if holder == WORLD else "character"
        named = vector_id(
            episode_id=self._episode_id,
            version=version,
            scope=scope,
            character_id=holder or "review",
            index=index,
        )
        return index, named


def _supplied_order(fact: Fact) -> tuple[int, str]:
    return (fact.ordinal, fact.fact_id)


def _from_fact(inputs: Inputs, fact: Fact, numbers: _Numbers) -> list[Memory]:
    is_hand = fact.origin is FactOrigin.HAND
    span = _span_of_quote(inputs.episode, fact)
    lost = fact.quote is not None and fact.quote_no is None and span is None
    version = 0 if is_hand else inputs.episode.version
    hashed = text_hash(fact.text)
    extra = {name: value for name, value in fact.extra.items() if name not in FILTER_FIELDS}
    audience = resolved(fact.audience, inputs.members)
    reason = Reason.SUPPLIED if not audience.is_empty else Reason.EMPTY_GROUP
    made: list[Memory] = []
    for holder in ("",) if lost else audience.holders() or ("",):
        index, memory_id = numbers.next(version, holder)
        made.append(
            Memory(
                memory_id=memory_id,
                space=story_space(inputs.story_id),
                holder=holder,
                position=inputs.order_key,
                episode_id=inputs.episode.episode_id,
                episode_no=inputs.episode.no,
                fact_id=fact.fact_id,
                version=version,
                fact_index=index,
                text=fact.text,
                text_hash=hashed,
                origin=fact.origin,
                place=0 if is_hand else fact.ordinal,
                reason=Reason.LOST_QUOTE if lost else reason,
                evidence=EvidenceKind.ANNOTATED if holder else None,
                confidence=1.0 if holder else None,
                quote=fact.quote,
                quote_no=fact.quote_no,
                quote_span=span,
                importance=fact.importance,
                pinned=fact.pinned,
                supersedes=fact.supersedes,
                told_from=fact.told_from,
                arousal=fact.arousal,
                extra=extra,
            )
        )
    return made


def _span_of_quote(episode: Episode, fact: Fact) -> tuple[int, int] | None:
    if fact.quote is None or fact.quote_no is not None:
        return None
    start = episode.text.find(fact.quote)
    return None if start < 0 else (start, start + len(fact.quote))


def _from_drafts(inputs: Inputs, numbers: _Numbers, *, claims: Mapping[str, Audience]) -> list[Memory]:
    """Make the memories of what was read, but for those whose place a fact made by hand has taken.

    It takes the place only with those who know it: with others it must make no difference (P2).
    """
    struck = {(row.holder, row.text_hash) for row in inputs.suppressions}
    seen: set[tuple[str, str]] = set()
    rows: list[Memory] = []
    drafts = (_with_members(draft, inputs.members) for draft in inputs.drafts)
    for draft in sorted(drafts, key=lambda d: (d.start, d.end, d.text)):
        fact_id = fact_id_for(inputs.episode.episode_id, draft.text)
        hashed = text_hash(draft.text)
        # What a person decided of a sentence holds with its readings and without.
        former = _words_with_readings(inputs.episode, draft)
        former_id = fact_id if former is None else fact_id_for(inputs.episode.episode_id, former)
        former_hash = hashed if former is None else text_hash(former)
        claim = claims.get(fact_id) or claims.get(former_id)
        for held in _holdings(draft, inputs.mode):
            holder = held.holder
            # The same words twice for the same holder are one fact (S0-43); who else holds
            # them must make no difference.
            taken = claim is not None and (not holder or claim.includes(holder))
            is_struck = (holder, hashed) in struck or (holder, former_hash) in struck
            if not taken and not is_struck and (holder, hashed) not in seen:
                seen.add((holder, hashed))
                rows.append(_from_draft(inputs, draft, fact_id, hashed, held, numbers))
    return rows


class _HolderOf(NamedTuple):
    """Who is to hold a draft, empty for review, and what speaks for that."""

    holder: str
    evidence: EvidenceKind | None = None
    confidence: float | None = None


def _holdings(draft: Draft, mode: AudienceMode) -> tuple[_HolderOf, ...]:
    """Give who holds a draft: of a guess those who are sure enough, each by its own evidence (P2)."""
    if draft.holdings:
        found = tuple(_HolderOf(*one) for one in mode.accepted(draft.holdings))
    elif draft.reason in STATED:
        found = tuple(_HolderOf(holder, EvidenceKind.ANNOTATED, 1.0) for holder in draft.audience.holders())
    else:
        found = tuple(_HolderOf(holder) for holder in draft.audience.holders())
    return found or (_HolderOf(""),)


def holders_of(draft: Draft, mode: AudienceMode) -> tuple[str, ...]:
    """Give who holds a draft in this mode; nobody: it waits in review."""
    return tuple(one.holder for one in _holdings(draft, mode) if one.holder)


def _words_with_readings(episode: Episode, draft: Draft) -> str | None:
    """Give a sentence as it stands in the text where it is shown without its readings; else None."""
    quote = episode.text[draft.start : draft.end]
    return quote if quote != draft.text and same_words(draft.text, quote) else None


def _from_draft(
    inputs: Inputs, draft: Draft, fact_id: str, hashed: str, held: _HolderOf, numbers: _Numbers
) -> Memory:
    index, memory_id = numbers.next(inputs.episode.version, held.holder)
    return Memory(
        memory_id=memory_id,
        space=story_space(inputs.story_id),
        holder=held.holder,
        position=inputs.order_key,
        episode_id=inputs.episode.episode_id,
        episode_no=inputs.episode.no,
        fact_id=fact_id,
        version=inputs.episode.version,
        fact_index=index,
        text=draft.text,
        text_hash=hashed,
        origin=FactOrigin.EXTRACTED,
        place=draft.start,
        reason=draft.reason,
        evidence=held.evidence,
        confidence=held.confidence,
        flagged=draft.flagged,
        quote=inputs.episode.text[draft.start : draft.end],
        quote_span=(draft.start, draft.end),
        importance=draft.importance,
        pinned=fact_id in inputs.pins,
    )


# -- newcomers of groups -------------------------------------------------------------------


def learned(inputs: Inputs, group: str, newcomer: str) -> tuple[Memory, ...]:
    """Give what a group holds of an episode that somebody would hold too, were they a member there.

    As they would hold it: what was struck out for them, or taken by a fact made by hand, is not
    among it, nor is what they hold anyway.
    """
    group_then = inputs.members.get(group, frozenset())
    as_it_is = derive(replace(inputs, newcomers=()))
    held = {row.fact_id for row in as_it_is if row.holder in group_then}
    own = {row.fact_id for row in as_it_is if row.holder == newcomer}
    members = {**inputs.members, group: group_then | {newcomer}}
    return tuple(
        row
        for row in derive(replace(inputs, newcomers=(), members=members))
        if row.holder == newcomer and row.fact_id in held and row.fact_id not in own
    )


def _told_newcomer(inputs: Inputs, row: Memory, numbers: _Numbers) -> Memory:
    """Give a newcomer's copy at the episode they join at; its quote stands where it stood."""
    episode = inputs.episode
    index, memory_id = numbers.next(episode.version, row.holder)
    return replace(
        row,
        memory_id=memory_id,
        space=story_space(inputs.story_id),
        position=inputs.order_key,
        episode_id=episode.episode_id,
        episode_no=episode.no,
        version=episode.version,
        fact_index=index,
        place=0,
        reason=Reason.NEWCOMER,
        evidence=EvidenceKind.ANNOTATED,
        confidence=1.0,
        flagged=False,
        quote_no=row.episode_no if row.quote is not None and row.quote_no is None else row.quote_no,
        quote_span=None,
    )


def groups_hash(members: Members, newcomers: Iterable[Memory]) -> str:
    """Hash who is in the groups an episode names, and what newcomers learn at it; empty for neither."""
    said = [f"{group}|{','.join(sorted(theirs))}" for group, theirs in sorted(members.items())]
    told = [
        digest(
            row.holder,
            row.fact_id,
            row.text,
            row.origin.value,
            repr((row.quote, row.episode_no if row.quote_no is None else row.quote_no)),
            repr((row.importance, row.pinned, row.supersedes, row.told_from, row.arousal)),
            repr(row.extra),
        )
        for row in newcomers
    ]
    return digest("groups", *said, "newcomers", *told) if said or told else ""


# -- fingerprints --------------------------------------------------------------------------


def _numbers_and_links(fact: Fact) -> tuple[object, ...]:
    told = (fact.importance, fact.pinned, fact.supersedes, fact.told_from)
    # Left out where nobody said it, so that stores made before there was any stay as they are.
    return told if fact.arousal is None else (*told, float(fact.arousal) + 0.0)


def _audience_word(audience: Audience) -> str:
    return ",".join(audience.holders())


def _decided(row: Annotation) -> str:
    """Say which of the equal paragraphs; nothing of a row that came in a file, as ever."""
    return "" if row.decided is None else f"|{row.decided}"


def notes_hash(annotations: Annotations, paragraphs: tuple[tuple[str, str], ...] | None) -> str:
    """Hash what an author's annotations and cuts of an episode say."""
    rows = [f"{row.paragraph_hash}|{_audience_word(row.audience)}{_decided(row)}" for row in annotations.rows]
    cuts = ["-"] if paragraphs is None else [text for _, text in paragraphs]
    return digest("notes", str(len(rows)), *rows, str(len(annotations.base)), *annotations.base, *cuts)


def rows_hash(facts: Sequence[Fact], suppressions: Sequence[Suppression], pins: Iterable[str]) -> str:
    """Hash an episode's supplied and hand-made facts and a person's decisions."""
    told = [
        digest(
            fact.fact_id,
            fact.origin.value,
            str(fact.ordinal if fact.origin is FactOrigin.SUPPLIED else 0),
            fact.text,
            repr(fact.quote),
            repr(fact.quote_no is None),
            repr(_numbers_and_links(fact)),
            _audience_word(fact.audience),
            repr(fact.extra),
        )
        for fact in facts
    ]
    struck = [f"{row.holder}|{row.text_hash}" for row in suppressions]
    return digest("rows", *sorted(told), "struck", *sorted(struck), "pins", *sorted(pins))


def cast_by(
    cast: Iterable[Character], no: int, *, holder: str | None = None, described: bool = False
) -> tuple[Character, ...]:
    """Give the cast as known by episode `no`: later arrivals and later aliases are not in it.

    Aliases that everybody knows are in it, and with `holder` those that it is told of: a name
    that is a secret must not change what is attributed to others (P2). `described` adds public
    descriptions, for a model.
    """

    def known(entry: Alias | Description) -> bool:
        address = entry.address
        return address.since <= no and (address.audience.world or holder in address.audience.members)

    found: list[Character] = []
    for one in cast:
        if one.since > no:
            continue
        if not (one.aliases or one.descriptions or one.narrates):
            found.append(one)
            continue
        aliases = tuple(alias for alias in one.aliases if known(alias))
        said = tuple(
            each for each in one.descriptions if described and each.address.audience.world and known(each)
        )
        told = tuple(each for each in one.narrates if each.covers(no))
        shown = replace(one, aliases=aliases, descriptions=said, narrates=told)
        found.append(one if shown == one else shown)
    return tuple(found)


def everybody_by(cast: Iterable[Character], no: int) -> tuple[Character, ...]:
    """Give the cast as its author knows it by episode `no`, names that are secrets included."""
    return tuple(
        replace(
            one,
            aliases=tuple(alias for alias in one.aliases if alias.address.since <= no),
            descriptions=(),
            narrates=tuple(each for each in one.narrates if each.covers(no)),
        )
        for one in cast
        if one.since <= no
    )


def told_secret_names(cast: Iterable[Character], no: int) -> frozenset[str]:
    """Give who is told an alias by episode `no` that is not everybody's."""
    return frozenset(
        member
        for character in cast
        if character.since <= no
        for alias in character.aliases
        if alias.address.since <= no
        for member in alias.address.audience.members
    )


def cast_hash(cast: Iterable[Character]) -> str:
    """Hash what attribution reads of a cast: ids, aliases and descriptions, not who knows them."""

    def word(character: Character) -> str:
        called: tuple[Alias, ...] = character.called()
        words = [f"{alias.kind.value}|{alias.text}" for alias in called]
        words += [f"described|{each.text}" for each in character.descriptions]
        words += [f"narrates|{','.join(sorted(each.told_to))}" for each in character.narrates]
        return digest(character.character_id, *words)

    return digest("cast", *sorted(word(character) for character in cast))


def extraction_fingerprint(
    *,
    text: str,
    notes: str,
    cast: str,
    language: str,
    extractor_id: str,
    is_open: bool,
) -> str:
    """Tell what an extraction was made from (all parts are hashes); never the episode's number."""
    return digest("extraction", text, notes, cast, language, extractor_id, str(is_open))


def memory_fingerprint(
    *,
    source: FactSource,
    text: str,
    rows: str,
    extraction: str,
    embedder_id: str,
    version: int,
    mode: AudienceMode,
    groups: str = "",
) -> str:
    """Tell what an episode's memory is made from."""
    is_read = source is FactSource.EXTRACTED
    made_from = extraction if is_read else text
    # Left out where every guess counts, so that stores made before there was a choice stay as they are.
    sure = (mode.value,) if is_read and mode is not AudienceMode.WIDE else ()
    # And so where no group has a part in it.
    grouped = (groups,) if groups else ()
    return digest("memory", source.value, made_from, rows, embedder_id, str(version), *sure, *grouped)
