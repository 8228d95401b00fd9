"""All routes, in an order in which their examples can be tried one after the other on an empty store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kataribe.domain.memory import Memory
from kataribe.formats.wire.access import AccessKeyJson, access_key_json, new_access_key_json
from kataribe.formats.wire.audit import AuditCheckJson, AuditEventJson, audit_check_json, audit_event_json
from kataribe.formats.wire.conversation import (
    TurnJson,
    TurnReceiptJson,
    UserStateJson,
    turn_json,
    user_state_json,
)
from kataribe.formats.wire.inputs import (
    CastImportJson,
    CharacterJson,
    EpisodeJson,
    EpisodePutJson,
    EpisodeStateJson,
    StoryJson,
    character_json,
    episode_state_json,
    story_json,
)
from kataribe.formats.wire.knowledge import (
    DocumentReceiptJson,
    LibraryJson,
    LibrarySearchJson,
    LibraryStateJson,
    document_receipt_json,
    library_json,
    library_search_json,
    library_state_json,
)
from kataribe.formats.wire.privacy import (
    ErasureJson,
    PrivacyTokenJson,
    UserOverviewJson,
    erasure_json,
    user_overview_json,
)
from kataribe.formats.wire.profile import ProfileItemJson, profile_item_json
from kataribe.formats.wire.server import (
    CastGivenJson,
    DeletedTurnsJson,
    FactIdsJson,
    IngestJson,
    JobJson,
    RememberedJson,
    remembered_json,
)
from kataribe.formats.wire.store import WorkItemJson, work_item_json
from kataribe.formats.wire.story import FactJson, VersionJson, fact_json, version_json
from kataribe.formats.wire.threads import ThreadJson, thread_json
from kataribe.formats.wire.tiers import KeptMemoryJson, kept_memory_json
from kataribe.formats.wire.work import RetriedJson, SyncReportJson, retried_json
from kataribe.surfaces.http import writing
from kataribe.surfaces.http.reading import viewer_routes
from kataribe.surfaces.http.routes import Example, Ids, Route, Show

_TALE: Mapping[str, str] = {"story": "harbour"}
_NORA: Mapping[str, str] = {"user": "nora"}
_RULES: Mapping[str, str] = {"library": "rules"}
_TEXT = "[[known-by: wren]] Wren hid the key under the third stair.\n\n[[known-by: public]] The ferry left."


def _each(show: Any) -> Show:
    return lambda found, _: [show(one) for one in found]


def _one(show: Any) -> Show:
    return lambda found, _: show(found)


def _facts(found: tuple[Memory, ...], _: Ids) -> object:
    copies: dict[str, list[Memory]] = {}
    for one in found:
        copies.setdefault(one.fact_id, []).append(one)
    return [fact_json(fact_id, held) for fact_id, held in copies.items()]


def _kept(found: Any, _: Ids) -> object:
    return [kept_memory_json(one.space, one.holder, one.value) for one in found.memories]


def _threads(found: Any, _: Ids) -> object:
    return [thread_json(one.space, one.holder, one.thread) for one in found.threads]


def _profile(found: Any, ids: Ids) -> object:
    return [profile_item_json(ids["user"], one) for one in found]


_STORIES = (
    Route(
        method="PUT",
        path="/stories/{story}",
        way="story.create",
        shape=StoryJson,
        show=_one(story_json),
        status=201,
        example=Example(_TALE, {"language": "en", "embedder": "hash"}),
    ),
    Route(
        method="GET",
        path="/stories",
        way="admin.stories",
        shape=StoryJson,
        show=_each(story_json),
        is_list=True,
        example=Example(query={"limit": "2"}),
    ),
    Route(
        method="GET",
        path="/stories/{story}",
        way="story.info",
        shape=StoryJson,
        show=_one(story_json),
        example=Example(_TALE),
    ),
    Route(
        method="PUT",
        path="/stories/{story}/cast",
        way="story.cast.merge",
        shape=CastImportJson,
        run=writing.put_cast,
        body=CastGivenJson,
        example=Example(_TALE, {"characters": [{"id": "wren", "name": "Wren"}, {"id": "odile"}]}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/cast",
        way="story.cast.list",
        shape=CharacterJson,
        show=_each(character_json),
        is_list=True,
        example=Example(_TALE),
    ),
    Route(
        method="GET",
        path="/stories/{story}/cast/{character_id}",
        way="story.cast.get",
        shape=CharacterJson,
        show=_one(character_json),
        example=Example({**_TALE, "character_id": "wren"}),
    ),
    Route(
        method="PUT",
        path="/stories/{story}/episodes/{no}",
        way="story.episodes.put",
        shape=EpisodePutJson,
        run=writing.put_episode,
        also=(202, 412),
        example=Example({**_TALE, "no": "1"}, {"text": _TEXT}, status=202),
    ),
    Route(
        method="GET",
        path="/jobs/{story}/{episode_id}/{version}",
        way="story.episodes.list",
        shape=JobJson,
        run=writing.show_job,
        streams=True,
        example=Example({**_TALE, "episode_id": "ep-1", "version": "1"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/tell",
        way="story.tell",
        shape=EpisodePutJson,
        run=writing.tell,
        also=(202,),
        example=Example(
            _TALE,
            {"text": "Odile read the note.", "facts": [{"text": "Odile read it.", "known_by": ["odile"]}]},
        ),
    ),
    Route(
        method="POST",
        path="/stories/{story}/sync",
        way="story.sync",
        shape=SyncReportJson,
        run=writing.sync,
        streams=True,
        example=Example(_TALE, {}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/episodes",
        way="story.episodes.list",
        shape=EpisodeStateJson,
        show=_each(episode_state_json),
        is_list=True,
        example=Example(_TALE),
    ),
    Route(
        method="GET",
        path="/stories/{story}/episodes/{no}",
        way="story.episodes.get",
        shape=EpisodeJson,
        run=writing.show_episode,
        also=(304,),
        example=Example({**_TALE, "no": "1"}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/episodes/{no}/history",
        way="story.episodes.history",
        shape=VersionJson,
        show=_each(version_json),
        is_list=True,
        example=Example({**_TALE, "no": "1"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/facts",
        way="story.facts.add_many",
        shape=FactIdsJson,
        show=lambda found, _: {"fact_ids": list(found)},
        status=201,
        example=Example(
            _TALE,
            {"facts": [{"fact_id": "f1", "episode_no": 1, "text": "The bell rang.", "visibility": "public"}]},
        ),
    ),
    Route(
        method="GET",
        path="/stories/{story}/facts",
        way="story.facts.list",
        shape=FactJson,
        show=_facts,
        is_list=True,
        example=Example(_TALE, query={"episode_no": "1"}),
    ),
    Route(
        method="PATCH",
        path="/stories/{story}/facts/{fact_id}",
        way="story.facts.edit",
        status=204,
        example=Example({**_TALE, "fact_id": "f1"}, {"edit": {"text": "The bell rang twice."}}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/facts/{fact_id}/pin",
        way="story.facts.pin",
        status=204,
        example=Example({**_TALE, "fact_id": "f1"}, {"pinned": True}),
    ),
    Route(
        method="DELETE",
        path="/stories/{story}/facts/{fact_id}",
        way="story.facts.delete",
        status=204,
        example=Example({**_TALE, "fact_id": "f1"}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/work",
        way="admin.work",
        shape=WorkItemJson,
        show=_each(work_item_json),
        is_list=True,
        left_out=frozenset({"user", "library"}),
        example=Example(_TALE),
    ),
    Route(
        method="POST",
        path="/stories/{story}/retry",
        way="admin.retry",
        shape=RetriedJson,
        show=_one(retried_json),
        left_out=frozenset({"user", "library", "unit"}),
        example=Example(_TALE, {}),
    ),
)

_USERS = (
    Route(
        method="PUT",
        path="/users/{user}",
        way="user.create",
        shape=UserStateJson,
        run=writing.add_user,
        status=201,
        example=Example(_NORA, {"language": "en", "embedder": "hash"}),
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
        show=_one(user_state_json),
        example=Example(_NORA),
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
            _NORA, {"text": "I like the rain.", "speaker": "nora", "persona": "akari", "session": "7"}
        ),
    ),
    Route(
        method="POST",
        path="/users/{user}/messages",
        way="user.remember",
        shape=RememberedJson,
        show=_one(remembered_json),
        example=Example(
            _NORA,
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
        show=_each(turn_json),
        is_list=True,
        example=Example(_NORA, query={"session": "7"}),
    ),
    Route(
        method="POST",
        path="/users/{user}/turns/delete",
        way="user.delete_turns",
        shape=DeletedTurnsJson,
        show=lambda count, _: {"deleted": count},
        example=Example(_NORA, {"turn_ids": ["no such turn"]}),
    ),
    Route(
        method="GET",
        path="/users/{user}/threads",
        way="user.memory.threads",
        shape=ThreadJson,
        show=_threads,
        is_list=True,
        example=Example(_NORA),
    ),
    Route(
        method="GET",
        path="/users/{user}/memory",
        way="user.memory.list",
        shape=KeptMemoryJson,
        show=_kept,
        is_list=True,
        example=Example(_NORA),
    ),
    Route(
        method="POST",
        path="/users/{user}/memory/{memory_id}/pin",
        way="user.memory.pin",
        status=204,
        example=Example({**_NORA, "memory_id": "none"}, {}, status=404),
    ),
    Route(
        method="PUT",
        path="/users/{user}/memory/{memory_id}",
        way="user.memory.edit",
        status=204,
        example=Example({**_NORA, "memory_id": "none"}, {"text": "It rained."}, status=404),
    ),
    Route(
        method="POST",
        path="/users/{user}/memory/{memory_id}/forget",
        way="user.memory.forget",
        status=204,
        example=Example({**_NORA, "memory_id": "none"}, {}, status=404),
    ),
    Route(
        method="POST",
        path="/users/{user}/memory/{memory_id}/restore",
        way="user.memory.restore",
        status=204,
        example=Example({**_NORA, "memory_id": "none"}, {}, status=404),
    ),
    Route(
        method="PUT",
        path="/users/{user}/profile/{key}",
        way="user.profile.set",
        shape=ProfileItemJson,
        show=lambda found, ids: profile_item_json(ids["user"], found),
        example=Example({**_NORA, "key": "style"}, {"value": "short", "by_hand": True}),
    ),
    Route(
        method="GET",
        path="/users/{user}/profile",
        way="user.profile.show",
        shape=ProfileItemJson,
        show=_profile,
        is_list=True,
        example=Example(_NORA),
    ),
    Route(
        method="DELETE",
        path="/users/{user}/profile/{key}",
        way="user.profile.delete",
        status=204,
        example=Example({**_NORA, "key": "style"}),
    ),
)

_LIBRARIES = (
    Route(
        method="PUT",
        path="/libraries/{library}",
        way="library.create",
        shape=LibraryJson,
        show=_one(library_json),
        status=201,
        example=Example(_RULES, {"language": "en", "embedder": "hash"}),
    ),
    Route(
        method="PUT",
        path="/libraries/{library}/documents/{name}",
        way="library.put",
        shape=DocumentReceiptJson,
        show=_one(document_receipt_json),
        example=Example({**_RULES, "name": "rules.txt"}, {"data": "The harbour closes at nine."}),
    ),
    Route(
        method="GET",
        path="/libraries",
        way="libraries",
        shape=LibraryJson,
        show=_each(library_json),
        is_list=True,
        example=Example(),
    ),
    Route(
        method="GET",
        path="/libraries/{library}",
        way="library.state",
        shape=LibraryStateJson,
        show=_one(library_state_json),
        example=Example(_RULES),
    ),
    Route(
        method="POST",
        path="/libraries/{library}/search",
        way="library.search",
        shape=LibrarySearchJson,
        show=_one(library_search_json),
        example=Example(_RULES, {"question": "When does the harbour close?"}),
    ),
    Route(
        method="DELETE",
        path="/libraries/{library}/documents/{name}",
        way="library.remove",
        status=204,
        example=Example({**_RULES, "name": "rules.txt"}),
    ),
    Route(
        method="DELETE",
        path="/libraries/{library}",
        way="library.delete",
        status=204,
        example=Example(_RULES),
    ),
)

_STORE = (
    Route(
        method="POST",
        path="/sync",
        way="sync",
        shape=SyncReportJson,
        run=writing.sync,
        streams=True,
        example=Example(body={"user": "nora"}),
    ),
    Route(
        method="GET",
        path="/work",
        way="admin.work",
        shape=WorkItemJson,
        show=_each(work_item_json),
        is_list=True,
        example=Example(query={"user": "nora"}),
    ),
    Route(
        method="POST",
        path="/retry",
        way="admin.retry",
        shape=RetriedJson,
        show=_one(retried_json),
        example=Example(body={"user": "nora"}),
    ),
    Route(
        method="GET",
        path="/audit",
        way="admin.audit.list",
        shape=AuditEventJson,
        show=_each(audit_event_json),
        is_list=True,
        example=Example(query={"last": "5"}),
    ),
    Route(
        method="GET",
        path="/audit/verify",
        way="admin.audit.verify",
        shape=AuditCheckJson,
        show=_one(audit_check_json),
        example=Example(),
    ),
)

_ENDS = (
    Route(
        method="DELETE",
        path="/stories/{story}/cast/{character_id}",
        way="story.cast.delete",
        status=204,
        example=Example({**_TALE, "character_id": "odile"}),
    ),
    Route(
        method="DELETE",
        path="/stories/{story}/episodes/{no}",
        way="story.episodes.delete",
        status=204,
        example=Example({**_TALE, "no": "1"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/episodes/{no}/restore",
        way="story.episodes.restore",
        status=204,
        example=Example({**_TALE, "no": "1"}, {}),
    ),
    Route(
        method="DELETE",
        path="/stories/{story}",
        way="story.delete",
        status=204,
        example=Example(_TALE),
    ),
    Route(
        method="POST",
        path="/users/{user}/privacy/request",
        way="user.privacy.request",
        shape=PrivacyTokenJson,
        show=lambda token, _: {"token": token},
        status=201,
        example=Example(_NORA, {"action": "delete"}),
    ),
    Route(
        method="GET",
        path="/users/{user}/privacy",
        way="user.privacy.show",
        shape=UserOverviewJson,
        show=_one(user_overview_json),
        example=Example(_NORA),
    ),
    Route(
        method="DELETE",
        path="/users/{user}",
        way="user.delete",
        shape=ErasureJson,
        show=_one(erasure_json),
        example=Example(_NORA, status=403),
    ),
    Route(
        method="GET",
        path="/access",
        way="admin.access.list",
        shape=AccessKeyJson,
        show=_each(access_key_json),
        is_list=True,
        example=Example(),
    ),
    Route(
        method="DELETE",
        path="/access/{key_id}",
        way="admin.access.revoke",
        status=204,
        example=Example({"key_id": "none"}, status=404),
    ),
    # The last: from here on who asks without a key is a stranger.
    Route(
        method="POST",
        path="/access",
        way="admin.access.add",
        shape=AccessKeyJson,
        show=_one(new_access_key_json),
        status=201,
        example=Example(body={"scope": "admin"}),
    ),
)

ROUTES: tuple[Route, ...] = (*_STORIES, *_USERS, *viewer_routes(), *_LIBRARIES, *_STORE, *_ENDS)
