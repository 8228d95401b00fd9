"""What a server alone shows: problems, jobs, and counts of what was done."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from kataribe.domain.conversation.turns import RememberReport, TalkReport
from kataribe.domain.feeding import FeedLag
from kataribe.domain.knowledge.documents import Document
from kataribe.domain.memory import Refusal
from kataribe.domain.privacy.interests import Interests
from kataribe.domain.records import ChangeLog, EpisodeState
from kataribe.domain.work import WorkItem
from kataribe.formats.wire.inputs import EpisodePutJson


class ProblemJson(TypedDict):
    """Why a request was refused (RFC 9457); `detail` says what the command line says."""

    type: str
    title: str
    status: int
    detail: str


class JobJson(TypedDict):
    """How far one version of an episode is.

    `state` is `due`, `done`, `failed` (it is tried again), `dead` (it is not, unless somebody retries it),
    `outdated` (the episode has a newer version) or `deleted`.
    """

    job: str
    story: str
    episode_id: str
    version: int
    state: str
    attempts: int
    error: str | None


class ProgressJson(TypedDict):
    """How many units of a space are done, of how many; an event of a sync that is followed."""

    of: str
    done: int
    total: int


class HealthJson(TypedDict):
    """Whether the server answers."""

    status: str


class WordsJson(TypedDict):
    """A text with the words back in place of tokens."""

    text: str


class UsedJson(TypedDict):
    """How many of the memories that were named were noted as used."""

    used: int


class DeletedTurnsJson(TypedDict):
    """How many turns were removed."""

    deleted: int


class FactIdsJson(TypedDict):
    """The ids of facts that were added, in the order in which they were given."""

    fact_ids: list[str]


class RememberedJson(TypedDict):
    """What came of a list of messages."""

    user: str
    made: bool
    sessions: list[str]
    new: int
    changed: int
    unchanged: int
    known_by: list[str]
    left_out: dict[str, int]
    ahead: list[str]
    pending: str | None


class IngestJson(TypedDict):
    """One thing that a user said. It is held by `persona`, by all personas only where `audience` is `world`.

    `user_id` need not be named to a key that is bound to a user.

    `timestamp` is a time of ISO 8601 with its zone (now where it is left out), `speaker` the user's own id
    where it is left out, `language` what a user is made with whose words are too few to tell.
    """

    user_id: NotRequired[str]
    session_id: str
    text: str
    timestamp: NotRequired[str | None]
    persona: NotRequired[str | None]
    audience: NotRequired[str | None]
    speaker: NotRequired[str | None]
    language: NotRequired[str | None]


class EpisodesPutJson(TypedDict):
    """What became of each of many episodes."""

    episodes: list[EpisodePutJson]


class UnitChangeJson(TypedDict):
    """That memory of a unit has changed, and at which revision last; an empty unit is all of the space."""

    space: str
    unit: str
    revision: int


class ChangeLogJson(TypedDict):
    """What has changed since a cursor; `cursor` is what to ask from the next time."""

    cursor: int
    changes: list[UnitChangeJson]


class RefusalJson(TypedDict):
    """What a model offered of an episode and was not taken, and why."""

    episode_id: str
    text: str
    quote: str
    reason: str


class InterestsJson(TypedDict):
    """In how many conversations a user spoke of each topic, and to whom; `top`: the most frequent ones."""

    topics: dict[str, int]
    addressed: dict[str, int]
    depth: dict[str, int]
    top: list[str]


class TalkReportJson(TypedDict):
    """What was remembered of a user again: units of turns, texts embedded, and why units failed."""

    user: str
    pages: int
    embedded: int
    outdated: int
    failed: dict[str, str]


class NightMomentJson(TypedDict):
    """When a night was held, or is due."""

    user: str
    at: str


class IndexLagJson(TypedDict):
    """What the index outside the store lacks: units, in how many spaces, and what it holds too much."""

    index: str
    units: int
    spaces: int
    gone: int
    too_long: int


class IndexFedJson(TypedDict):
    """How many units the index outside the store was fed."""

    fed: int


class DocumentTextJson(TypedDict):
    """A document of a library with its text."""

    library: str
    name: str
    version: int
    added_at: str
    text: str


class CastGivenJson(TypedDict):
    """A cast as a cast file says it."""

    characters: list[object]
    groups: NotRequired[list[object]]


def remembered_json(done: RememberReport) -> RememberedJson:
    """Give what came of a list of messages."""
    return {
        "user": done.user.user_id,
        "made": done.made,
        "sessions": list(done.sessions),
        "new": done.new,
        "changed": done.changed,
        "unchanged": done.unchanged,
        "known_by": list(done.holders),
        "left_out": dict(done.left_out),
        "ahead": list(done.ahead),
        "pending": done.pending,
    }


def change_log_json(found: ChangeLog) -> ChangeLogJson:
    """Give what has changed since a cursor."""
    changes: list[UnitChangeJson] = [
        {"space": one.space, "unit": one.unit, "revision": one.revision} for one in found.changes
    ]
    return {"cursor": found.cursor, "changes": changes}


def refusal_json(episode_id: str, one: Refusal) -> RefusalJson:
    """Give what was offered and not taken."""
    return {"episode_id": episode_id, "text": one.text, "quote": one.quote, "reason": one.reason}


def interests_json(found: Interests) -> InterestsJson:
    """Give what a user spoke of."""
    return {
        "topics": dict(found.topics),
        "addressed": dict(found.addressed),
        "depth": dict(found.depth),
        "top": list(found.top),
    }


def talk_report_json(user_id: str, report: TalkReport) -> TalkReportJson:
    """Give what was remembered again."""
    return {
        "user": user_id,
        "pages": report.pages,
        "embedded": report.embedded,
        "outdated": report.outdated,
        "failed": dict(report.failed),
    }


def index_lag_json(lag: FeedLag) -> IndexLagJson:
    """Give what an index lacks."""
    return {
        "index": lag.index_id,
        "units": lag.units,
        "spaces": lag.spaces,
        "gone": lag.gone,
        "too_long": lag.too_long,
    }


def document_text_json(library_id: str, one: Document) -> DocumentTextJson:
    """Give a document with its text."""
    return {
        "library": library_id,
        "name": one.name,
        "version": one.version,
        "added_at": one.added_at,
        "text": one.content.text,
    }


def job_json(job: str, version: int, episode: EpisodeState, work: WorkItem | None) -> JobJson:
    """Give how far one version of an episode is."""
    return {
        "job": job,
        "story": episode.story_id,
        "episode_id": episode.episode_id,
        "version": version,
        "state": _state(version, episode, work),
        "attempts": 0 if work is None else work.attempts,
        "error": None if work is None else work.error,
    }


def _state(version: int, episode: EpisodeState, work: WorkItem | None) -> str:
    if not episode.is_live:
        return "deleted"
    if episode.version != version:
        return "outdated"
    if not episode.is_pending:
        return "done"
    if work is not None and work.state.value == "dead":
        return "dead"
    return "failed" if work is not None and work.error is not None else "due"
