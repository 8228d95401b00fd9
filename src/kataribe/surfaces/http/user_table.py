"""The routes of users."""

from __future__ import annotations

from typing import Any

from kataribe.formats.wire.conversation import (
    TurnJson,
    TurnReceiptJson,
    UserStateJson,
    turn_json,
    user_state_json,
)
from kataribe.formats.wire.profile import ProfileItemJson, profile_item_json
from kataribe.formats.wire.server import (
    DeletedTurnsJson,
    IngestJson,
    RememberedJson,
    remembered_json,
)
from kataribe.formats.wire.threads import ThreadJson, thread_json
from kataribe.formats.wire.tiers import KeptMemoryJson, kept_memory_json
from kataribe.surfaces.http import writing
from kataribe.surfaces.http.routes import Example, Ids, Route
from kataribe.surfaces.http.showing import NORA, as_list, as_value


def _kept(found: Any, _: Ids) -> object:
    return [kept_memory_json(one.space, one.holder, one.value) for one in found.memories]


def _threads(found: Any, _: Ids) -> object:
    return [thread_json(one.space, one.holder, one.thread) for one in found.threads]


def _profile(found: Any, ids: Ids) -> object:
    return [profile_item_json(ids["user"], one) for one in found]


USERS = (
    Route(
        method="PUT",
        path="/users/{user}",
        way="user.create",
        shape=UserStateJson,
        run=writing.add_user,
        status=201,
        example=Example(NORA, {"language": "en", "embedder": "hash"}),
    ),
    Route(
        method="GET",
        path="/users",
        way="admin.users",
        shape=UserStateJson,
        run=writing.list_users,
        is_list=True,
        example=Example(),
    ),
    Route(
        method="GET",
        path="/users/{user}",
        way="user.state",
        shape=UserStateJson,
        show=as_value(user_state_json),
        example=Example(NORA),
    ),
    Route(
        method="POST",
        path="/ingest",
        way="user.said",
        shape=TurnReceiptJson,
        run=writing.ingest,
        body=IngestJson,
        status=201,
        example=Example(
            body={
                "user_id": "nora",
                "session_id": "7",
                "text": "It rained on my birthday.",
                "timestamp": "2026-05-01T12:00:00+00:00",
                "persona": "akari",
            }
        ),
    ),
    Route(
        method="POST",
        path="/users/{user}/turns",
        way="user.said",
        shape=TurnReceiptJson,
        run=writing.said,
        left_out=frozenset({"turn_id"}),
        status=201,
        example=Example(
            NORA, {"text": "I like the rain.", "speaker": "nora", "persona": "akari", "session": "7"}
        ),
    ),
    Route(
        method="POST",
        path="/users/{user}/messages",
        way="user.remember",
        shape=RememberedJson,
        show=as_value(remembered_json),
        example=Example(
            NORA,
            {
                "messages": [{"role": "user", "content": "Good evening."}],
                "persona": "akari",
                "session": "8",
            },
        ),
    ),
    Route(
        method="GET",
        path="/users/{user}/turns",
        way="user.turns",
        shape=TurnJson,
        show=as_list(turn_json),
        is_list=True,
        example=Example(NORA, query={"session": "7"}),
    ),
    Route(
        method="POST",
        path="/users/{user}/turns/delete",
        way="user.delete_turns",
        shape=DeletedTurnsJson,
        show=lambda count, _: {"deleted": count},
        example=Example(NORA, {"turn_ids": ["no such turn"]}),
    ),
    Route(
        method="GET",
        path="/users/{user}/threads",
        way="user.memory.threads",
        shape=ThreadJson,
        show=_threads,
        is_list=True,
        example=Example(NORA),
    ),
    Route(
        method="GET",
        path="/users/{user}/memory",
        way="user.memory.list",
        shape=KeptMemoryJson,
        show=_kept,
        is_list=True,
        example=Example(NORA),
    ),
    Route(
        method="POST",
        path="/users/{user}/memory/{memory_id}/pin",
        way="user.memory.pin",
        status=204,
        example=Example({**NORA, "memory_id": "none"}, {}, status=404),
    ),
    Route(
        method="PUT",
        path="/users/{user}/memory/{memory_id}",
        way="user.memory.edit",
        status=204,
        example=Example({**NORA, "memory_id": "none"}, {"text": "It rained."}, status=404),
    ),
    Route(
        method="POST",
        path="/users/{user}/memory/{memory_id}/forget",
        way="user.memory.forget",
        status=204,
        example=Example({**NORA, "memory_id": "none"}, {}, status=404),
    ),
    Route(
        method="POST",
        path="/users/{user}/memory/{memory_id}/restore",
        way="user.memory.restore",
        status=204,
        example=Example({**NORA, "memory_id": "none"}, {}, status=404),
    ),
    Route(
        method="PUT",
        path="/users/{user}/profile/{key}",
        way="user.profile.set",
        shape=ProfileItemJson,
        show=lambda found, ids: profile_item_json(ids["user"], found),
        example=Example({**NORA, "key": "style"}, {"value": "short", "by_hand": True}),
    ),
    Route(
        method="GET",
        path="/users/{user}/profile",
        way="user.profile.show",
        shape=ProfileItemJson,
        show=_profile,
        is_list=True,
        example=Example(NORA),
    ),
    Route(
        method="DELETE",
        path="/users/{user}/profile/{key}",
        way="user.profile.delete",
        status=204,
        example=Example({**NORA, "key": "style"}),
    ),
)
