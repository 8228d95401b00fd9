"""What programs are shown of conversations: turns, users, imports, and exact searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from kataribe.domain.conversation.turns import LogImport, TalkReport, Turn, TurnReceipt, UserState
from kataribe.domain.recall.log_search import LogSearch
from kataribe.formats.logs import Log
from kataribe.formats.wire.recall import ViewerJson, viewer_json


class TurnJson(TypedDict):
    """A line of `log list --json` and `log show --json`."""

    id: str
    session: str
    speaker: str
    role: str | None
    time: str
    text: str
    caption: str | None
    known_by: list[str]
    arousal: float | None
    extra: dict[str, object]


class UserStateJson(TypedDict):
    """The one object of `user show --json`, and a line of `user list --json`."""

    user: str
    language: str
    embedder: str
    embedder_id: str
    model: str
    turns: int
    sessions: int
    personas: list[str]
    pending_turns: int


class LogImportJson(TypedDict):
    """The one object of `log import --json`."""

    user: str
    format: str
    conversation: str | None
    turns: int
    new: int
    changed: int
    unchanged: int
    pages: int
    embedded: int
    failed: dict[str, str]
    ahead: list[str]
    left_out: dict[str, int]


class TurnReceiptJson(TypedDict):
    """The one object of `remember --json`; `pending` says why it is found by words alone as yet."""

    user: str
    made: bool
    id: str
    session: str
    time: str
    known_by: list[str]
    ahead: bool
    pending: str | None


class IgnoredKeywordJson(TypedDict):
    """A keyword that was not searched for."""

    keyword: str
    reason: str


class LogHitJson(TypedDict):
    """A turn in which a keyword stands; `more` says how to read on where it was cut."""

    id: str
    space: str
    session: str
    speaker: str
    time: str
    text: str
    caption: str | None
    scope: str
    character_id: str
    keywords: list[str]
    characters: int
    more: str | None


class LogSearchJson(TypedDict):
    """The one object of `log search --json`."""

    viewer: ViewerJson
    keywords: list[str]
    ignored: list[IgnoredKeywordJson]
    hits: list[LogHitJson]
    matched: int
    pending_turns: int


def turn_json(turn: Turn) -> TurnJson:
    """Give a turn as it was said."""
    return {
        "id": turn.turn_id,
        "session": turn.session,
        "speaker": turn.speaker,
        "role": turn.role,
        "time": turn.time.isoformat(),
        "text": turn.text,
        "caption": turn.caption,
        "known_by": list(turn.audience.holders()),
        "arousal": turn.arousal,
        "extra": dict(turn.extra),
    }


def user_state_json(state: UserState) -> UserStateJson:
    """Give how a user's space stands."""
    return {
        "user": state.user.user_id,
        "language": state.user.language,
        "embedder": state.user.embedder,
        "embedder_id": state.user.embedder_id,
        "model": state.user.model,
        "turns": state.turns,
        "sessions": state.sessions,
        "personas": list(state.personas),
        "pending_turns": state.pending_turns,
    }


def log_import_json(done: LogImport, report: TalkReport, log: Log) -> LogImportJson:
    """Give what came of a log and of remembering it."""
    return {
        "user": done.user.user_id,
        "format": log.form,
        "conversation": log.conversation,
        "turns": done.turns,
        "new": done.new,
        "changed": done.changed,
        "unchanged": done.unchanged,
        "pages": report.pages,
        "embedded": report.embedded,
        "failed": dict(sorted(report.failed.items())),
        "ahead": list(done.ahead),
        "left_out": dict(log.left_out),
    }


def turn_receipt_json(told: TurnReceipt) -> TurnReceiptJson:
    """Give what became of one turn."""
    return {
        "user": told.user.user_id,
        "made": told.made,
        "id": told.turn_id,
        "session": told.session,
        "time": told.time.isoformat(),
        "known_by": list(told.holders),
        "ahead": told.ahead,
        "pending": told.pending,
    }


def log_search_json(found: LogSearch, more: Mapping[int, str]) -> LogSearchJson:
    """Give a search for exact words; `more` says by place how to read on where a text was cut."""
    return {
        "viewer": viewer_json(found.viewer, in_cast=found.in_cast),
        "keywords": list(found.keywords),
        "ignored": [{"keyword": keyword, "reason": reason} for keyword, reason in found.ignored],
        "hits": [
            {
                "id": hit.turn_id,
                "space": hit.space,
                "session": hit.session,
                "speaker": hit.speaker,
                "time": hit.time,
                "text": hit.text,
                "caption": hit.caption,
                "scope": hit.scope,
                "character_id": hit.character_id,
                "keywords": list(hit.keywords),
                "characters": hit.characters,
                "more": more.get(place),
            }
            for place, hit in enumerate(found.hits)
        ],
        "matched": found.matched,
        "pending_turns": found.pending_turns,
    }
