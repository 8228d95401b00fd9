"""What programs are shown of a story's inputs: facts, versions, branches, steps and searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from kataribe.domain.evidence import Holding
from kataribe.domain.memory import Memory
from kataribe.domain.records import Branch, Change, HistoryEntry, Trace
from kataribe.domain.space import parse_space
from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.groups import Group
from kataribe.domain.story.review import NarratorItem, ReviewItem, SceneItem
from kataribe.domain.story.suggestion import CastSuggestion
from kataribe.domain.story.undo import Step
from kataribe.formats.castfile import character_object


class HoldingJson(TypedDict):
    """A holder, what speaks for it and how sure that is; `annotated` is the author's word, else a guess."""

    character_id: str
    evidence: str
    confidence: float


def holding_json(one: Holding) -> HoldingJson:
    """Give what speaks for one holder."""
    return {"character_id": one.holder, "evidence": one.evidence.value, "confidence": one.confidence}


class FactJson(TypedDict):
    """A line of `fact list --json`."""

    fact_id: str
    story: str | None
    episode_no: int
    episode_id: str
    known_by: list[str]
    in_review: bool
    flagged: bool
    origin: str
    reason: str
    text: str
    quote: str | None
    importance: int
    pinned: bool
    supersedes: str | None
    told_from: str | None
    arousal: float | None
    holdings: list[HoldingJson]


class ReviewItemJson(TypedDict):
    """A line of `fact review --json`."""

    fact_id: str
    story: str
    episode_no: int
    episode_id: str
    known_by: list[str]
    in_review: bool
    flagged: bool
    origin: str
    reason: str
    text: str
    quote: str | None
    importance: int
    pinned: bool
    supersedes: str | None
    told_from: str | None
    kind: str
    audience: list[str]
    candidates: list[str]
    before: str
    passage: str
    after: str
    refusal: str | None


class SceneJson(TypedDict):
    """A line of `fact review --scenes --json`: a scene in which something is held by nobody yet."""

    kind: str
    story: str
    episode_no: int
    episode_id: str
    scene: int
    begins: str
    ends: str
    found: list[HoldingJson]
    candidates: list[str]
    waiting: list[str]


class NarratorJson(TypedDict):
    """A line of `fact review --scenes --json`: episodes that a first person tells whom nobody names."""

    kind: str
    story: str
    first_episode: int
    last_episode: int
    parts: int
    begins: str
    candidates: list[str]


class VersionJson(TypedDict):
    """A line of `episode history --json`; what was gained and lost as [holder, fact id, text]."""

    version: int
    title: str | None
    created_at: str
    synced: bool
    text: str
    gained: list[list[str]]
    lost: list[list[str]]


class BranchJson(TypedDict):
    """The one object of `story branch show --json` and `story branch add --json`, a line of `list`."""

    id: str
    title: str | None
    parent: str
    after: int
    fork_episode_id: str
    lineage: list[str]
    inherited: int
    own: list[int]
    pending: list[int]


class StepJson(TypedDict):
    """A line of `undo --list --json`."""

    number: int
    at: str
    summary: str


class CheckpointJson(TypedDict):
    """The one object of `story checkpoint --json` and `story rewind --json`, a line of `checkpoints`."""

    name: str
    at: str
    episodes: int
    facts: int


class CastSuggestionJson(TypedDict):
    """A line of `cast suggest --json`; `character` is as `cast.json` has it."""

    id: str
    count: int
    episode_no: int
    scene: int
    quote: str
    character: dict[str, object]


class GroupJson(TypedDict):
    """A line of `cast group list --json`; members as `cast.json` has them, each with its times."""

    id: str
    members: list[dict[str, object]]
    newcomers: str


class TraceJson(TypedDict):
    """A line of `trace --json`: who asked, behind which slices, and which ids came back."""

    at: str
    verb: str
    character: NotRequired[str]
    episode_no: NotRequired[int]
    story: NotRequired[str]
    user: NotRequired[str]
    persona: NotRequired[str | None]
    as_of: NotRequired[str | None]
    library: NotRequired[str]
    reader: NotRequired[bool]
    read: NotRequired[int]
    filter: dict[str, object] | None
    slices: list[str]
    ids: list[str]


def fact_json(fact_id: str, copies: Sequence[Memory]) -> FactJson:
    """Give a fact with all who hold it."""
    first = copies[0]
    return {
        "fact_id": fact_id,
        "story": parse_space(first.space).story,
        "episode_no": first.episode_no,
        "episode_id": first.episode_id,
        "known_by": [copy.holder for copy in copies if copy.holder],
        "in_review": first.in_review,
        "flagged": first.flagged,
        "origin": first.origin.value,
        "reason": first.reason.value,
        "text": first.text,
        "quote": first.quote,
        "importance": first.importance,
        "pinned": first.pinned,
        "supersedes": first.supersedes,
        "told_from": first.told_from,
        "arousal": first.arousal,
        "holdings": [
            holding_json(Holding(copy.holder, copy.evidence, copy.confidence))
            for copy in copies
            if copy.evidence is not None and copy.confidence is not None
        ],
    }


def review_item_json(item: ReviewItem, story_id: str) -> ReviewItemJson:
    """Give what waits for a person's eye."""
    return {
        "fact_id": item.fact_id,
        "story": story_id,
        "episode_no": item.episode_no,
        "episode_id": item.episode_id,
        "known_by": list(item.holders),
        "in_review": item.in_review,
        "flagged": item.flagged,
        "origin": item.origin.value,
        "reason": item.reason.value,
        "text": item.text,
        "quote": item.quote,
        "importance": item.importance,
        "pinned": item.pinned,
        "supersedes": item.supersedes,
        "told_from": item.told_from,
        "kind": item.kind.value,
        "audience": list(item.audience.holders()),
        "candidates": [one.character_id for one in item.candidates],
        "before": item.before,
        "passage": item.passage,
        "after": item.after,
        "refusal": item.refusal,
    }


def scene_json(item: SceneItem, story_id: str) -> SceneJson:
    """Give a scene that waits for a person's eye."""
    return {
        "kind": "scene",
        "story": story_id,
        "episode_no": item.episode_no,
        "episode_id": item.episode_id,
        "scene": item.scene,
        "begins": item.begins,
        "ends": item.ends,
        "found": [holding_json(one) for one in item.found],
        "candidates": [one.character_id for one in item.candidates],
        "waiting": list(item.waiting),
    }


def narrator_json(item: NarratorItem, story_id: str) -> NarratorJson:
    """Give what a first person tells whom nobody names."""
    return {
        "kind": "narrator",
        "story": story_id,
        "first_episode": item.first,
        "last_episode": item.last,
        "parts": item.parts,
        "begins": item.begins,
        "candidates": [one.character_id for one in item.candidates],
    }


def version_json(entry: HistoryEntry) -> VersionJson:
    """Give a version of an episode with what it changed in memory."""
    return {
        "version": entry.version,
        "title": entry.title,
        "created_at": entry.created_at,
        "synced": entry.synced,
        "text": entry.text,
        "gained": _changes(entry.gained),
        "lost": _changes(entry.lost),
    }


def _changes(changes: Sequence[Change]) -> list[list[str]]:
    return [[one.holder, one.fact_id, one.text] for one in changes]


def branch_json(branch: Branch) -> BranchJson:
    """Give a branch."""
    return {
        "id": branch.story_id,
        "title": branch.title,
        "parent": branch.parent,
        "after": branch.after,
        "fork_episode_id": branch.fork_episode_id,
        "lineage": list(branch.lineage),
        "inherited": branch.inherited,
        "own": list(branch.own),
        "pending": list(branch.pending),
    }


def step_json(step: Step) -> StepJson:
    """Give a step that can be taken back."""
    return {"number": step.number, "at": step.at, "summary": step.summary}


def checkpoint_json(one: Checkpoint) -> CheckpointJson:
    """Give a checkpoint."""
    return {"name": one.name, "at": one.at, "episodes": one.episodes, "facts": one.facts}


def trace_json(one: Trace) -> TraceJson:
    """Give a search."""
    viewer: dict[str, object] = {}
    if one.library is not None:
        viewer = {"library": one.library}
    elif one.is_reader:
        viewer = {"reader": True, "read": one.episode_no - 1}
    elif one.user is None or one.story:
        viewer = {"character": one.character, "episode_no": one.episode_no}
    if one.user is not None and one.story:
        viewer["story"] = one.story
    if one.user is not None:
        viewer |= {"user": one.user, "persona": one.character or None, "as_of": one.as_of}
    shown: dict[str, object] = {
        "at": one.at,
        "verb": one.verb,
        **viewer,
        "filter": one.filter,
        "slices": list(one.slices),
        "ids": list(one.ids),
    }
    return shown  # type: ignore[return-value]  # the order of keys is part of what is shown


def cast_suggestion_json(one: CastSuggestion) -> CastSuggestionJson:
    """Give somebody whom the texts name."""
    return {
        "id": one.character.character_id,
        "count": one.count,
        "episode_no": one.episode_no,
        "scene": one.scene,
        "quote": one.quote,
        "character": character_object(one.character),
    }


def group_json(group: Group) -> GroupJson:
    """Give a group with its members, each with the first and the last episode."""
    members: list[dict[str, object]] = [
        {"id": one.character_id, "from": one.since, "to": one.until} for one in group.members
    ]
    return {"id": group.group_id, "members": members, "newcomers": group.newcomers.value}
