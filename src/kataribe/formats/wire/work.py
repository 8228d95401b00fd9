"""What programs are shown of what was brought up, of what that would take, and of an installation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NotRequired, Protocol, TypedDict

from kataribe.domain.memory import Usage
from kataribe.domain.space import parse_space
from kataribe.domain.story.inputs import Story
from kataribe.domain.work import WorkItem, WorkState
from kataribe.formats.wire.context import UsageJson, usage_json
from kataribe.formats.wire.inputs import StoryImportJson


class EpisodeFailureJson(TypedDict):
    """An episode that is not in memory, or not as its text now is, and why."""

    story: str
    episode_no: int
    reason: str


class TurnsFailureJson(TypedDict):
    """Turns that are not in memory, and why; after a rebuild the space is that of their user."""

    space: str
    unit: str
    reason: str


class DocumentFailureJson(TypedDict):
    """A document that is stored and not found, and why."""

    library: str
    document: str
    reason: str


class SyncReportJson(TypedDict):
    """The one object of `sync --json` and `rebuild --json`; `ok` is False where something failed.

    Documents are there where any were brought up or failed.
    """

    ok: bool
    episodes: int
    turns: int
    embedded: int
    in_review: int
    refused: int
    left: int
    open_stories: list[str]
    spared: list[EpisodeFailureJson]
    failed: list[EpisodeFailureJson]
    failed_turns: list[TurnsFailureJson]
    documents: NotRequired[int]
    failed_documents: NotRequired[list[DocumentFailureJson]]
    usage: UsageJson


class EstimateJson(TypedDict):
    """A line of `sync --dry-run --json`: what syncing a story would ask of its model."""

    story: str
    model: str
    due: int
    to_read: int
    usage: UsageJson


class RetriedJson(TypedDict):
    """The one object of `work retry --json`: how many pieces of work are due again."""

    retried: int


class DeadLetterJson(TypedDict, total=False):
    """A piece of work that failed too often, and why: an episode, or a `unit` of a `space`.

    A unit of turns has its `user`, and the `story` that it is talk of; a document has its `library`.
    """

    story: str
    episode: int
    user: str
    library: str
    space: str
    unit: str
    reason: str


class WorkRunJson(TypedDict):
    """What `POST /work` did: how many pieces of work are done, and how many are still due.

    `dead` are all that failed too often, whoever gave them up.
    """

    done: int
    left: int
    dead: list[DeadLetterJson]


class DiagnosisJson(TypedDict):
    """A line of `doctor --json`: how something stands, and what to do about it (empty: nothing)."""

    what: str
    state: str
    do: str


class DeploymentCheckJson(TypedDict):
    """A line of `doctor --deployment --json`: what was looked at, and what to do (empty: nothing).

    `state` is `good`, `bad`, or `unknown`: it cannot be told from there.
    """

    check: str
    state: str
    says: str
    do: str


class DeploymentChecked(Protocol):
    """One thing of a deployment that was looked at."""

    @property
    def check(self) -> str:
        """What was looked at."""

    @property
    def state(self) -> str:
        """What came of it."""

    @property
    def says(self) -> str:
        """What was seen."""

    @property
    def do(self) -> str:
        """What to do about it."""


class Synced(Protocol):
    """What a sync reports."""

    done: int
    pages: int
    embedded: int
    in_review: int
    refused: int
    left: int
    open_stories: set[str]
    spared: dict[tuple[str, int], str]
    failed: dict[tuple[str, int], str]
    dead: dict[tuple[str, int], str]
    failed_turns: dict[tuple[str, str], str]
    dead_turns: dict[tuple[str, str], str]
    documents: int
    failed_documents: dict[tuple[str, str], str]
    dead_documents: dict[tuple[str, str], str]
    usage: Usage


class Estimated(Protocol):
    """What a sync would take."""

    @property
    def story_id(self) -> str:
        """The story."""

    @property
    def model(self) -> str:
        """Who reads its texts."""

    @property
    def due(self) -> int:
        """Episodes to be done."""

    @property
    def to_read(self) -> int:
        """Those of them whose text is read."""

    @property
    def usage(self) -> Usage:
        """What the model would be asked."""


class Imported(Protocol):
    """What an import changed."""

    new: list[str]
    edited: list[str]
    unchanged: list[str]
    facts: int
    cast_changed: int
    joined: list[str]
    is_open: bool
    to_sync: int


def sync_report_json(report: Synced) -> SyncReportJson:
    """Give what a sync did, and what it could not do."""
    failed, turns = {**report.failed, **report.dead}, {**report.failed_turns, **report.dead_turns}
    documents = {**report.failed_documents, **report.dead_documents}
    shown: SyncReportJson = {
        "ok": not (failed or turns or documents),
        "episodes": report.done,
        "turns": report.pages,
        "embedded": report.embedded,
        "in_review": report.in_review,
        "refused": report.refused,
        "left": report.left,
        "open_stories": sorted(report.open_stories),
        "spared": _episodes(report.spared),
        "failed": _episodes(failed),
        "failed_turns": [
            {"space": space, "unit": unit, "reason": reason}
            for (space, unit), reason in sorted(turns.items())
        ],
        "usage": usage_json(report.usage),
    }
    if report.documents or documents:
        shown["documents"] = report.documents
        shown["failed_documents"] = [
            {"library": parse_space(space).library or "", "document": name, "reason": reason}
            for (space, name), reason in sorted(documents.items())
        ]
    return shown


def _episodes(found: Mapping[tuple[str, int], str]) -> list[EpisodeFailureJson]:
    return [
        {"story": story, "episode_no": no, "reason": reason} for (story, no), reason in sorted(found.items())
    ]


def estimate_json(one: Estimated) -> EstimateJson:
    """Give what a sync of a story would take."""
    return {
        "story": one.story_id,
        "model": one.model,
        "due": one.due,
        "to_read": one.to_read,
        "usage": usage_json(one.usage),
    }


def retried_json(count: int) -> RetriedJson:
    """Give how many pieces of work are due again."""
    return {"retried": count}


def dead_letter_json(item: WorkItem) -> DeadLetterJson:
    """Give what failed too often, and why."""
    reason = item.error or ""
    if item.story_id is not None and item.episode_no is not None:
        return {"story": item.story_id, "episode": item.episode_no, "reason": reason}
    shown: DeadLetterJson = {"space": item.space, "unit": item.unit, "reason": reason}
    if item.story_id is not None:
        shown["story"] = item.story_id
    if item.user is not None:
        shown["user"] = item.user
    if item.library is not None:
        shown["library"] = item.library
    return shown


def work_run_json(report: Synced, items: Iterable[WorkItem]) -> WorkRunJson:
    """Give what a run did, and what of `items` failed too often."""
    return {
        "done": report.done + report.pages + report.documents,
        "left": report.left,
        "dead": [dead_letter_json(item) for item in items if item.state is WorkState.DEAD],
    }


def diagnosis_json(row: Sequence[str]) -> DiagnosisJson:
    """Give a row of what `doctor` found."""
    what, state, do = row
    return {"what": what, "state": state, "do": do}


def deployment_check_json(one: DeploymentChecked) -> DeploymentCheckJson:
    """Give one thing that `doctor --deployment` looked at."""
    return {"check": one.check, "state": str(one.state), "says": one.says, "do": one.do}


def story_import_json(report: Imported, story: Story) -> StoryImportJson:
    """Give what an import changed."""
    return {
        "story": story.story_id,
        "language": story.language,
        "new": report.new,
        "edited": report.edited,
        "unchanged": report.unchanged,
        "facts": report.facts,
        "cast_changed": report.cast_changed,
        "joined": report.joined,
        "is_open": report.is_open,
        "to_sync": report.to_sync,
    }
