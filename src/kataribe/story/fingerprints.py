"""What an episode's extraction and memory should be made from, told as fingerprints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kataribe.domain.lineage import Parts
from kataribe.domain.memory import Memory
from kataribe.domain.records import EpisodeState, Work
from kataribe.domain.space import episode_of, holder_of, story_space
from kataribe.domain.story.derive import (
    cast_by,
    cast_hash,
    extraction_fingerprint,
    groups_hash,
    memory_fingerprint,
    told_secret_names,
)
from kataribe.domain.story.groups import Members
from kataribe.domain.story.inputs import Character, Story
from kataribe.domain.terms import FactSource
from kataribe.domain.work import WorkKind
from kataribe.errors import NotFoundError
from kataribe.ports import View
from kataribe.story.groups import NewcomerReader, members_at
from kataribe.story.lineage import full_cast, is_open_at, lineage, seen_first_annotated, seen_groups

_FEW = 64
"""Episodes whose work is looked up one by one; that of more is read with the whole story's."""


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """What an episode's extraction and memory should be made from, and the cast that goes into it."""

    extraction: str
    memory: str
    cast: tuple[Character, ...]
    is_open: bool
    shares: Mapping[str, Fingerprints] = field(default_factory=dict)
    """Those of the holders whose share is made by itself: they are told names that others are not."""
    members: Members = field(default_factory=dict)
    """Who is in the groups that the episode names."""
    newcomers: tuple[Memory, ...] = ()
    """What of earlier episodes those learn who join a group at this one."""

    @property
    def extractions(self) -> frozenset[str]:
        """The fingerprints of all extractions that are wanted of the episode."""
        return frozenset({self.extraction, *(share.extraction for share in self.shares.values())})


def story_of(view: View, story_id: str) -> Story:
    """Give the story, or raise `NotFoundError`."""
    story = view.story(story_id)
    if story is None:
        raise NotFoundError(f"there is no story {story_id!r}; `kataribe story list` shows them")
    return story


def parts_of(view: View, story_id: str) -> Parts:
    """Give the parts a story is told in; raise `NotFoundError` when there is no such story."""
    return lineage(view, story_of(view, story_id))


def fingerprints(
    view: View,
    story: Story,
    states: Sequence[EpisodeState],
    *,
    work: Mapping[str, Work] | None = None,
) -> dict[str, Fingerprints]:
    """Give the fingerprints of those of these episodes that are live, by id.

    `work` is that of the story's episodes, where the caller has read it: a holder once given a
    share of its own keeps it.
    """
    parts = lineage(view, story)
    cast = full_cast(view, parts)
    first_note = seen_first_annotated(view, parts)
    held = _shares_held(work_of(view, story.story_id, states) if work is None else work, cast)
    hashed = _Hashes()
    groups = seen_groups(view, parts)
    newcomers = NewcomerReader(view, story, parts, groups)
    found: dict[str, Fingerprints] = {}
    for state in states:
        if not state.is_live:
            continue
        by_then = cast_by(cast, state.no, described=story.asks_model)
        is_open = is_open_at(by_then, first_note, state.no)
        if is_open:
            # Who is named only as the holder of a secret closes nothing, and so has no part in it.
            by_then = ()
        named = view.named_by(state.story_id, state.episode_id) if groups else ()
        members, learned = members_at(groups, named, state.no), newcomers.at(state)
        grouped = groups_hash(members, learned)
        own = _fingerprints(story, state, by_then, hashed.of(None, by_then), is_open, grouped)
        shares: dict[str, Fingerprints] = {}
        for holder in sorted(_own_shares(story, state, cast, is_open=is_open, held=held)):
            theirs = () if is_open else cast_by(cast, state.no, holder=holder)
            shares[holder] = _fingerprints(story, state, theirs, hashed.of(holder, theirs), is_open, grouped)
        found[state.episode_id] = replace(own, shares=shares, members=members, newcomers=learned)
    return found


def work_of(view: View, story_id: str, states: Sequence[EpisodeState]) -> Mapping[str, Work]:
    """Give the work on these episodes and their shares, by unit; that on others may be among it."""
    space = story_space(story_id)
    if len(states) > _FEW:
        return view.work(space, WorkKind.EXTRACT)
    found: dict[str, Work] = {}
    for state in states:
        found.update(view.work(space, WorkKind.EXTRACT, state.episode_id))
    return found


def _own_shares(
    story: Story,
    state: EpisodeState,
    cast: Sequence[Character],
    *,
    is_open: bool,
    held: Mapping[str, set[str]],
) -> frozenset[str]:
    """Give whose share of an episode is made by itself.

    That is who is attributed to with more names than everybody, by rules alone and in texts
    that are read; and who was once, so that the rest need not be made again.
    """
    if story.asks_model:
        return frozenset()
    theirs = frozenset(held.get(state.episode_id, ()))
    if is_open or state.fact_source is not FactSource.EXTRACTED:
        return theirs
    return theirs | told_secret_names(cast, state.no)


def _shares_held(work: Mapping[str, Work], cast: Sequence[Character]) -> Mapping[str, set[str]]:
    """Give by episode the holders who have a share of their own already and are in the cast."""
    there = {character.character_id for character in cast}
    held: defaultdict[str, set[str]] = defaultdict(set)
    for unit, one in work.items():
        holder = holder_of(unit)
        if holder is not None and holder in there and one.wanted:
            held[episode_of(unit)].add(holder)
    return held


class _Hashes:
    """Hashes of casts; names only grow with the number, so their sizes tell its stages apart."""

    def __init__(self) -> None:
        self._known: dict[object, str] = {}

    def of(self, holder: str | None, cast: tuple[Character, ...]) -> str:
        """Give the hash of the cast as one holder knows it."""
        stage = (
            holder,
            *((one.character_id, len(one.aliases), len(one.descriptions), one.narrates) for one in cast),
        )
        if stage not in self._known:
            self._known[stage] = cast_hash(cast)
        return self._known[stage]


def _fingerprints(
    story: Story, state: EpisodeState, cast: tuple[Character, ...], hashed: str, is_open: bool, groups: str
) -> Fingerprints:
    extraction = extraction_fingerprint(
        text=state.text_hash,
        notes=state.notes_hash,
        cast=hashed,
        language=story.language,
        extractor_id=story.extractor_id,
        is_open=is_open,
    )
    memory = memory_fingerprint(
        source=state.fact_source,
        text=state.text_hash,
        rows=state.rows_hash,
        extraction=extraction,
        embedder_id=story.embedder_id,
        version=state.version,
        mode=story.audience,
        groups=groups,
    )
    return Fingerprints(extraction=extraction, memory=memory, cast=cast, is_open=is_open)
