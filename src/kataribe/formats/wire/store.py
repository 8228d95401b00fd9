"""What programs are shown of a store as a whole: whether it is sound, and what is still to be done."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NotRequired, TypedDict

from kataribe.domain.recall.calibration import Calibration
from kataribe.domain.records import Reembedded, Verification
from kataribe.domain.upgrade import Upgrade
from kataribe.domain.work import WorkItem


class VerificationJson(TypedDict):
    """The one object of `verify --json`; with libraries where there are any."""

    ok: bool
    stories: int
    episodes: int
    memories: int
    pending: int
    users: int
    turns: int
    pending_turns: int
    libraries: NotRequired[int]
    documents: NotRequired[int]
    pending_documents: NotRequired[int]
    problems: list[str]


UpgradeJson = TypedDict(
    "UpgradeJson",
    {
        "ok": bool,
        "path": str,
        "dry_run": bool,
        "needed": bool,
        "from": str | None,
        "to": str,
        "copy": str | None,
        "counts": dict[str, int],
        "problems": list[str],
    },
)
"""The one object of `upgrade --json`."""


class WorkItemJson(TypedDict):
    """A line of `work list --json`."""

    story_id: str | None
    episode_id: str | None
    episode_no: int | None
    state: str
    attempts: int
    error: str | None
    worker: str | None
    until: str | None
    space: str
    kind: str
    unit: str
    user: str | None
    library: NotRequired[str]


class ReembeddedJson(TypedDict):
    """The one object of `reembed --json`."""

    embedder: str
    embedder_id: str
    before: str
    is_lexical: bool
    stories: list[str]
    user: str | None
    library: NotRequired[str]
    texts: int
    memories: int


class SeparationJson(TypedDict):
    """How far a minimum parts evidence from all else."""

    minimum: float
    evidence: int
    others: int
    kept: float
    removed: float
    spread: list[float]
    other_spread: list[float]


class KeywordWeightJson(TypedDict):
    """Shares of the keywords that were tried, with what each found."""

    chosen: float | None
    held_out: float
    current: float
    found: dict[str, float]


class CalibrationJson(TypedDict):
    """The one object of `calibrate --json`."""

    embedder: str
    made: str
    questions: int
    answered: int
    minimum_similarity: dict[str, SeparationJson]
    keyword_weight: KeywordWeightJson | None


def verification_json(found: Verification) -> VerificationJson:
    """Give what was looked at and what is wrong with it."""
    shown: VerificationJson = {
        "ok": found.ok,
        "stories": found.stories,
        "episodes": found.episodes,
        "memories": found.memories,
        "pending": found.pending,
        "users": found.users,
        "turns": found.turns,
        "pending_turns": found.pending_turns,
        "problems": list(found.problems),
    }
    if found.libraries:
        shown["libraries"] = found.libraries
        shown["documents"] = found.documents
        shown["pending_documents"] = found.pending_documents
    return shown


def upgrade_json(found: Upgrade) -> UpgradeJson:
    """Give what an upgrade did, or would do."""
    return {
        "ok": not found.problems,
        "path": found.path,
        "dry_run": found.is_dry,
        "needed": found.is_needed,
        "from": found.found,
        "to": found.head,
        "copy": found.copy,
        "counts": dict(found.counts),
        "problems": list(found.problems),
    }


def work_item_json(item: WorkItem) -> WorkItemJson:
    """Give a piece of work that is not done."""
    shown: WorkItemJson = {
        "story_id": item.story_id,
        "episode_id": item.episode_id,
        "episode_no": item.episode_no,
        "state": item.state.value,
        "attempts": item.attempts,
        "error": item.error,
        "worker": item.worker,
        "until": moment_text(item.until),
        "space": item.space,
        "kind": item.kind.value,
        "unit": item.unit,
        "user": item.user,
    }
    if item.library is not None:
        shown["library"] = item.library
    return shown


def moment_text(seconds: float | None) -> str | None:
    """Write a moment in seconds since 1970 as UTC, to the second; None for None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def reembedded_json(done: Reembedded) -> ReembeddedJson:
    """Give what a change of embedder did."""
    shown: ReembeddedJson = {
        "embedder": done.embedder,
        "embedder_id": done.embedder_id,
        "before": done.before,
        "is_lexical": done.is_lexical,
        "stories": list(done.stories),
        "user": done.user,
        "texts": done.texts,
        "memories": done.memories,
    }
    if done.library is not None:
        shown["library"] = done.library
    return shown


def calibration_json(found: Calibration) -> CalibrationJson:
    """Give what was measured on labelled questions."""
    trial = found.weights
    return {
        "embedder": found.embedder_id,
        "made": found.made,
        "questions": found.questions,
        "answered": found.answered,
        "minimum_similarity": {
            one.kind.value: {
                "minimum": one.minimum,
                "evidence": one.evidence,
                "others": one.others,
                "kept": one.kept,
                "removed": one.removed,
                "spread": list(one.spread),
                "other_spread": list(one.other_spread),
            }
            for one in found.separations
        },
        "keyword_weight": None
        if trial is None
        else {
            "chosen": trial.chosen,
            "held_out": trial.held_out,
            "current": trial.current,
            "found": {f"{weight:g}": share for weight, share in trial.found.items()},
        },
    }
