"""The routes of what becomes of what a user said: nights, consents, the profile, and why it is remembered."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from kataribe.formats.wire.associations import IdeaJson, idea_json
from kataribe.formats.wire.profile import ConsentJson, ProfileItemJson, consent_json, profile_item_json
from kataribe.formats.wire.requests import WhyAskedJson
from kataribe.formats.wire.server import (
    InterestsJson,
    NightMomentJson,
    TalkReportJson,
    interests_json,
    talk_report_json,
)
from kataribe.formats.wire.store import VerificationJson, verification_json
from kataribe.formats.wire.threads import VoiceExampleJson, voice_example_json
from kataribe.formats.wire.tiers import (
    KeptMemoryJson,
    MemoryHistoryJson,
    NightJson,
    kept_memory_json,
    memory_history_json,
    night_json,
)
from kataribe.formats.wire.views import WhyJson
from kataribe.surfaces.http import authoring
from kataribe.surfaces.http.routes import Example, Ids, Route
from kataribe.surfaces.http.showing import NORA, as_value

_AT = "2026-05-02T03:00:00+00:00"
_NIGHTLY = {"cron": "0 3 * * *", "zone": "UTC", "upto": "2026-05-01T00:00:00+00:00"}


def _night(report: Any, _: Ids) -> object:
    changed = [kept_memory_json(one.space, one.holder, one.value) for one in report.changed]
    return night_json(
        report.user_id,
        report.at,
        report.counts,
        changed,
        is_dry=report.is_dry,
        policy=report.policy,
        usage=report.usage,
        to_ask=len(report.open_asks),
        unanswered=report.unanswered,
        let_go=report.let_go,
    )


def _nights(found: Iterable[Any], ids: Ids) -> object:
    return [_night(one, ids) for one in found]


def _moments(found: Iterable[datetime], ids: Ids) -> object:
    return [{"user": ids["user"], "at": one.isoformat()} for one in found]


def _kept(found: Iterable[Any], _: Ids) -> object:
    return [kept_memory_json(one.space, one.holder, one.value) for one in found]


def _history(found: Any, _: Ids) -> object:
    policies = [found.policy_of(row) for row in found.rows]
    return memory_history_json(found.space, found.holder, found.rows, policies)


def _ideas(found: Any, _: Ids) -> object:
    return [idea_json(one.space, one.holder, one.idea, one.sources) for one in found.ideas]


def _pairs(found: Iterable[Any], _: Ids) -> object:
    return [voice_example_json(exchange) for exchange in found]


def _item(found: Any, ids: Ids) -> object:
    return profile_item_json(ids["user"], found)


def _items(found: Iterable[Any], ids: Ids) -> object:
    return [profile_item_json(ids["user"], one) for one in found]


def _consent(found: Any, ids: Ids) -> object:
    return consent_json(ids["user"], found)


def _consents(found: Iterable[Any], ids: Ids) -> object:
    return [consent_json(ids["user"], one) for one in found]


NIGHTS = (
    Route(
        method="POST",
        path="/users/{user}/nights",
        way="user.memory.nightly",
        shape=NightJson,
        run=authoring.at_length(_night),
        example=Example(NORA, {"at": _AT, "dry_run": True}),
    ),
    Route(
        method="GET",
        path="/users/{user}/nights",
        way="user.memory.nights",
        shape=NightMomentJson,
        show=_moments,
        is_list=True,
        example=Example(NORA),
    ),
    Route(
        method="GET",
        path="/users/{user}/nights/last",
        way="user.memory.last_night",
        shape=NightJson,
        show=_night,
        example=Example(NORA, status=404),
    ),
    Route(
        method="POST",
        path="/users/{user}/nights/undo",
        way="user.memory.undo_night",
        shape=NightJson,
        run=authoring.at_length(_night),
        example=Example(NORA, {}, status=404),
    ),
    Route(
        method="GET",
        path="/users/{user}/nights/due",
        way="user.memory.nights_due",
        shape=NightMomentJson,
        show=_moments,
        is_list=True,
        example=Example(NORA, query=_NIGHTLY),
    ),
    Route(
        method="POST",
        path="/users/{user}/nights/catch-up",
        way="user.memory.catch_up",
        shape=NightJson,
        run=authoring.at_length(_nights),
        is_list=True,
        example=Example(NORA, {**_NIGHTLY}),
    ),
)

MEMORY = (
    Route(
        method="GET",
        path="/users/{user}/memory/about",
        way="user.memory.about",
        shape=KeptMemoryJson,
        show=_kept,
        is_list=True,
        example=Example(NORA, query={"text": "rain"}),
    ),
    Route(
        method="GET",
        path="/users/{user}/memory/{memory_id}/history",
        way="user.memory.history",
        shape=MemoryHistoryJson,
        show=_history,
        example=Example({**NORA, "memory_id": "none"}, status=404),
    ),
    Route(
        method="GET",
        path="/users/{user}/pairs",
        way="user.memory.pairs",
        shape=VoiceExampleJson,
        show=_pairs,
        is_list=True,
        example=Example(NORA, query={"persona": "akari"}),
    ),
    Route(
        method="POST",
        path="/users/{user}/associate",
        way="user.associations.of",
        shape=IdeaJson,
        show=_ideas,
        is_list=True,
        example=Example(NORA, {"text": "rain"}),
    ),
    Route(
        method="POST",
        path="/users/{user}/why",
        way="user.why",
        shape=WhyJson,
        run=authoring.why,
        is_list=True,
        body=WhyAskedJson,
        example=Example(NORA, {"viewer": {"persona": "akari"}, "fact_id": "no such turn"}, status=404),
    ),
    Route(
        method="POST",
        path="/users/{user}/rebuild",
        way="user.rebuild",
        shape=TalkReportJson,
        run=authoring.at_length(lambda found, ids: talk_report_json(ids["user"], found)),
        example=Example(NORA, {}),
    ),
    Route(
        method="GET",
        path="/users/{user}/verify",
        way="user.verify",
        shape=VerificationJson,
        run=authoring.at_length(as_value(verification_json)),
        example=Example(NORA),
    ),
)

PROFILE = (
    Route(
        method="GET",
        path="/users/{user}/profile-history",
        way="user.profile.history",
        shape=ProfileItemJson,
        show=_items,
        is_list=True,
        example=Example(NORA, query={"key": "style"}),
    ),
    Route(
        method="GET",
        path="/users/{user}/profile/{key}",
        way="user.profile.get",
        shape=ProfileItemJson,
        show=_item,
        example=Example({**NORA, "key": "none"}, status=404),
    ),
    Route(
        method="GET",
        path="/users/{user}/interests",
        way="user.profile.interests",
        shape=InterestsJson,
        show=as_value(interests_json),
        example=Example(NORA, query={"persona": "akari"}),
    ),
    Route(
        method="PUT",
        path="/users/{user}/keep",
        way="user.profile.keep",
        shape=ConsentJson,
        show=_consent,
        example=Example(NORA, {"days": 90, "by_hand": True}),
    ),
    Route(
        method="POST",
        path="/users/{user}/consents/require",
        way="user.profile.require",
        shape=ConsentJson,
        show=_consent,
        example=Example(NORA, {"persona": "akari"}),
    ),
    Route(
        method="POST",
        path="/users/{user}/consents/waive",
        way="user.profile.waive",
        shape=ConsentJson,
        show=_consent,
        example=Example(NORA, {"persona": "akari"}),
    ),
    Route(
        method="PUT",
        path="/users/{user}/consents/{key}",
        way="user.profile.give",
        shape=ConsentJson,
        show=_consent,
        example=Example({**NORA, "key": "personalise"}, {"by_hand": True}),
    ),
    Route(
        method="GET",
        path="/users/{user}/consents",
        way="user.profile.consents",
        shape=ConsentJson,
        show=_consents,
        is_list=True,
        example=Example(NORA),
    ),
    Route(
        method="DELETE",
        path="/users/{user}/consents/{key}",
        way="user.profile.withdraw",
        shape=ConsentJson,
        show=_consent,
        example=Example({**NORA, "key": "personalise"}),
    ),
)

KEEPING: tuple[Route, ...] = (*NIGHTS, *MEMORY, *PROFILE)
"""The routes of what is kept, in an order in which their examples can be tried."""
