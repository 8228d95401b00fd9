"""Review by scene: where something is held by nobody yet, and a person's word on who was there."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kataribe.domain.evidence import AudienceMode, Holding
from kataribe.domain.ids import fact_id_for
from kataribe.domain.memory import Draft, Reason
from kataribe.domain.records import EpisodeState
from kataribe.domain.space import story_space
from kataribe.domain.story.audience import paragraph_hash
from kataribe.domain.story.derive import everybody_by, holders_of
from kataribe.domain.story.inputs import Annotation, Annotations, Character, Episode
from kataribe.domain.story.review import CastMember, NarratorItem, SceneItem
from kataribe.domain.story.views import REVIEW
from kataribe.domain.terms import Audience, FactOrigin, FactSource
from kataribe.domain.text.paragraphs import Span, episode_paragraphs, is_heading, is_scene_break
from kataribe.errors import ConflictError, InputError
from kataribe.ports import Transaction, View
from kataribe.story.desk.importing import decisions_in, with_decisions
from kataribe.story.fingerprints import fingerprints, parts_of, story_of
from kataribe.story.lineage import full_cast
from kataribe.story.staleness import refresh_after

_RIFT = 0.3
"""How much surer somebody must be on one side of a place for the scene to be parted there."""
_LEAST = 4
"""Waiting sentences that each part must have."""
MOST = 3
"""Scenes of one episode that are asked about: shorter ones beside each other are asked about together."""


def review_scenes(view: View, story_id: str) -> tuple[SceneItem, ...]:
    """Give the scenes in which something waits that was found in the text, in story order.

    At most `MOST` of each episode; what is not in memory as it stands is not looked at.
    """
    story = story_of(view, story_id)
    cast = full_cast(view, parts_of(view, story_id))
    waiting = _waiting(view, story_id)
    states = [state for state in _in_memory(view, story_id) if state.episode_id in waiting]
    prints = fingerprints(view, story, states)
    found: list[SceneItem] = []
    for state in states:
        kept = view.extraction(story_id, state.episode_id, prints[state.episode_id].extraction)
        episode = view.episode(story_id, state.episode_id)
        if kept is not None and episode is not None:
            drafts = [
                draft
                for draft in kept.drafts
                if holders_of(draft, story.audience) or _is_in(draft, episode, waiting)
            ]
            read = _Read(episode, tuple(drafts), story.audience, MOST - bool(kept.unnamed))
            found += _items(read, state, cast)
    return tuple(found)


def review_narrators(view: View, story_id: str) -> tuple[NarratorItem, ...]:
    """Give what a first person tells whom nobody names: one item for all episodes beside each other."""
    story = story_of(view, story_id)
    cast = full_cast(view, parts_of(view, story_id))
    states = _in_memory(view, story_id)
    prints = fingerprints(view, story, states)
    found: list[NarratorItem] = []
    is_beside = False
    for state in states:
        kept = view.extraction(story_id, state.episode_id, prints[state.episode_id].extraction)
        episode = view.episode(story_id, state.episode_id)
        if kept is None or not kept.unnamed or episode is None:
            is_beside = False
            continue
        start, end = kept.unnamed[0]
        item = NarratorItem(
            first=state.no,
            last=state.no,
            parts=len(kept.unnamed),
            begins=_line(episode.text[start:end]),
            candidates=_candidates(cast, state.no),
        )
        if is_beside:
            before = found.pop()
            item = replace(item, first=before.first, parts=before.parts + item.parts, begins=before.begins)
        found.append(item)
        is_beside = True
    return tuple(found)


def _in_memory(view: View, story_id: str) -> list[EpisodeState]:
    """Give the episodes whose text was read and is in memory as it stands."""
    return [
        state
        for state in view.episode_states(story_id)
        if state.is_live and not state.is_pending and state.fact_source is FactSource.EXTRACTED
    ]


def _candidates(cast: Sequence[Character], no: int) -> tuple[CastMember, ...]:
    return tuple(CastMember(character_id=one.character_id, name=one.name) for one in everybody_by(cast, no))


def _waiting(view: View, story_id: str) -> dict[str, set[str]]:
    """Give by episode the ids of the facts found in its text that wait in review."""
    found: dict[str, set[str]] = {}
    for share in view.shares(story_space(story_id), holders=(REVIEW,)):
        if share.origin is FactOrigin.EXTRACTED and share.reason is not Reason.LOST_QUOTE:
            found.setdefault(share.episode_id, set()).add(share.fact_id)
    return found


def _is_in(draft: Draft, episode: Episode, waiting: dict[str, set[str]]) -> bool:
    return fact_id_for(episode.episode_id, draft.text) in waiting[episode.episode_id]


@dataclass(frozen=True, slots=True)
class _Read:
    """An episode with what was found in it: what is held, and what waits."""

    episode: Episode
    drafts: tuple[Draft, ...]
    mode: AudienceMode
    most: int
    """Scenes of it that are asked about; who tells it, where that is asked, counts as one."""

    def waits(self, draft: Draft) -> bool:
        """Whether nobody holds it."""
        return not holders_of(draft, self.mode)


@dataclass(frozen=True, slots=True)
class _Scene:
    """Paragraphs beside each other, with what was found in them."""

    spans: tuple[Span, ...]
    drafts: tuple[Draft, ...]
    waiting: tuple[Draft, ...]

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.spans[-1][1]

    def with_next(self, other: _Scene) -> _Scene:
        """Put two scenes together."""
        return _Scene(
            (*self.spans, *other.spans), (*self.drafts, *other.drafts), (*self.waiting, *other.waiting)
        )

    def parted(self, at: int) -> list[_Scene]:
        """Part it where a paragraph begins."""
        sides = (range(at), range(at, self.end + 1))
        return [
            _Scene(
                tuple(span for span in self.spans if span[0] in side),
                tuple(draft for draft in self.drafts if draft.start in side),
                tuple(draft for draft in self.waiting if draft.start in side),
            )
            for side in sides
        ]


def _items(read: _Read, state: EpisodeState, cast: Sequence[Character]) -> Iterator[SceneItem]:
    spans = paragraph_spans(read.episode)
    places = _places([read.episode.text[start:end] for start, end in spans])
    candidates = _candidates(cast, state.no)
    scenes = _apart(_together(list(_scenes(read, spans)), most=read.most), most=read.most)
    for number, scene in enumerate(scenes, start=1):
        theirs = [
            place
            for place, (start, end) in zip(places, spans, strict=True)
            if any(start <= draft.start < end for draft in scene.waiting)
        ]
        yield SceneItem(
            episode_no=state.no,
            episode_id=state.episode_id,
            scene=number,
            begins=_line(read.episode.text[scene.start : scene.end]),
            ends=_line(read.episode.text[scene.start : scene.end], last=True),
            found=_found(scene.drafts),
            candidates=candidates,
            waiting=tuple(draft.text for draft in scene.waiting),
            places=tuple(theirs),
        )


def paragraph_spans(episode: Episode) -> tuple[Span, ...]:
    """Give where the paragraphs of an episode stand: by the author's own cut, or by rule."""
    return episode_paragraphs(episode.text, episode.paragraph_ids)


def _places(texts: Sequence[str]) -> list[tuple[str, int]]:
    """Tell paragraphs apart: the hash of each, and how many equal ones stand before it."""
    seen: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    for text in texts:
        hashed = paragraph_hash(text)
        found.append((hashed, seen[hashed]))
        # A scene break is no paragraph to be annotated, and is not counted.
        seen[hashed] += not is_scene_break(text)
    return found


def _scenes(read: _Read, spans: Sequence[Span]) -> Iterator[_Scene]:
    """Cut at breaks and headings; scenes in which nothing waits are left out."""
    text = read.episode.text
    stretch: list[Span] = []
    for start, end in (*spans, (len(text), len(text))):
        is_border = start == end or is_scene_break(text[start:end]) or is_heading(text[start:end])
        if not is_border:
            stretch.append((start, end))
            continue
        if stretch and (scene := _scene(read, tuple(stretch))).waiting:
            yield scene
        stretch = []


def _scene(read: _Read, spans: tuple[Span, ...]) -> _Scene:
    drafts = tuple(draft for draft in read.drafts if spans[0][0] <= draft.start < spans[-1][1])
    return _Scene(spans, drafts, tuple(filter(read.waits, drafts)))


def _together(scenes: list[_Scene], *, most: int) -> list[_Scene]:
    """Put scenes beside each other together, those with the least that waits first, until few are left."""
    while len(scenes) > most:
        sizes = [len(one.waiting) + len(other.waiting) for one, other in pairwise(scenes)]
        at = sizes.index(min(sizes))
        scenes[at : at + 2] = [scenes[at].with_next(scenes[at + 1])]
    return scenes


def _apart(scenes: list[_Scene], *, most: int) -> list[_Scene]:
    """Part scenes where others are there from some paragraph on, as long as there is room for more."""
    while len(scenes) < most:
        rifts = [_rift(scene) for scene in scenes]
        score, cut = max(rifts, default=(0.0, 0))
        if score < _RIFT:
            return scenes
        at = rifts.index((score, cut))
        scenes[at : at + 1] = scenes[at].parted(cut)
    return scenes


def _rift(scene: _Scene) -> tuple[float, int]:
    """Give by how much somebody is surer on one side of a place than on the other; and that place."""
    ahead, behind = _Presence(), _Presence()
    waiting = set(scene.waiting)
    for draft in scene.drafts:
        ahead.add(draft, waits=draft in waiting)
    best = (0.0, 0)
    rest = deque(scene.drafts)
    for start, _ in scene.spans:
        while rest and rest[0].start < start:
            passed = rest.popleft()
            ahead.add(passed, waits=passed in waiting, times=-1)
            behind.add(passed, waits=passed in waiting)
        if min(ahead.waiting, behind.waiting) >= _LEAST:
            best = max(best, (round(ahead.apart_from(behind), 6), start))
    return best


class _Presence:
    """How sure each is, on the average of some sentences."""

    def __init__(self) -> None:
        self.count = 0
        self.waiting = 0
        self._sums: defaultdict[str, float] = defaultdict(float)

    def add(self, draft: Draft, *, waits: bool, times: int = 1) -> None:
        """Count a sentence in; -1 times: out again."""
        self.count += times
        self.waiting += times * waits
        for held in draft.holdings:
            self._sums[held.holder] += times * held.confidence

    def apart_from(self, other: _Presence) -> float:
        """Give by how much somebody is surer here than there, or the other way."""
        return max(
            (
                abs(self._sums[who] / self.count - other._sums[who] / other.count)
                for who in {*self._sums, *other._sums}
            ),
            default=0.0,
        )


def _found(drafts: Sequence[Draft]) -> tuple[Holding, ...]:
    best: dict[str, Holding] = {}
    for held in (held for draft in drafts for held in draft.holdings):
        if held.holder not in best or held.confidence > best[held.holder].confidence:
            best[held.holder] = held
    return tuple(sorted(best.values(), key=lambda held: (-held.confidence, held.holder)))


def _line(text: str, *, last: bool = False) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1 if last else 0]


# -- decisions -----------------------------------------------------------------------------


def decide_scene(tx: Transaction, story_id: str, item: SceneItem, audience: Audience) -> str:
    """Say who was there: an annotation of each paragraph in which something waited.

    Gives the id of the episode, whose text is to be read again. Raises `InputError` for an
    audience without anybody, `ConflictError` when none of the paragraphs stands in the text any more.
    """
    if audience.is_empty:
        raise InputError("a scene with nobody in it needs no word; name who was there, or leave it")
    episode = tx.episode(story_id, item.episode_id)
    if episode is None:
        raise ConflictError(f"episode {item.episode_no} of {story_id!r} is not there any more")
    there = set(_places([episode.text[start:end] for start, end in paragraph_spans(episode)]))
    places = [place for place in item.places if place in there]
    if not places:
        raise ConflictError(
            f"the paragraphs of scene {item.scene} do not stand in episode {item.episode_no} any more; "
            f"sync and review it again"
        )
    rows = [Annotation(audience=audience, paragraph_hash=hashed, decided=nth) for hashed, nth in places]
    tx.put_annotations(
        story_id, item.episode_id, decided_anew(tx.annotations(story_id, item.episode_id), rows)
    )
    refresh_after(tx, story_id, item.episode_id)
    return item.episode_id


def decided_anew(annotations: Annotations, rows: Sequence[Annotation]) -> Annotations:
    """Put decisions in the place of earlier ones on the same paragraphs; those of files stay."""
    plain = replace(annotations, rows=tuple(row for row in annotations.rows if row.decided is None))
    merged = with_decisions(replace(plain, rows=tuple(rows)), decisions_in(annotations))
    return replace(plain, rows=(*plain.rows, *sorted(merged.rows, key=_order)))


def _order(row: Annotation) -> tuple[str, int]:
    return (row.paragraph_hash or "", row.decided or 0)
