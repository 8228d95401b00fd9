"""The routes of stories."""

from __future__ import annotations

from kataribe.domain.memory import Memory
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
from kataribe.formats.wire.server import (
    CastGivenJson,
    FactIdsJson,
    JobJson,
)
from kataribe.formats.wire.store import WorkItemJson, work_item_json
from kataribe.formats.wire.story import FactJson, VersionJson, fact_json, version_json
from kataribe.formats.wire.work import RetriedJson, SyncReportJson, retried_json
from kataribe.surfaces.http import writing
from kataribe.surfaces.http.routes import Example, Ids, Route
from kataribe.surfaces.http.showing import TALE, TEXT, as_list, as_value


def _facts(found: tuple[Memory, ...], _: Ids) -> object:
    copies: dict[str, list[Memory]] = {}
    for one in found:
        copies.setdefault(one.fact_id, []).append(one)
    return [fact_json(fact_id, held) for fact_id, held in copies.items()]


STORIES = (
    Route(
        method="PUT",
        path="/stories/{story}",
        way="story.create",
        shape=StoryJson,
        show=as_value(story_json),
        status=201,
        example=Example(TALE, {"language": "en", "embedder": "hash"}),
    ),
    Route(
        method="GET",
        path="/stories",
        way="admin.stories",
        shape=StoryJson,
        show=as_list(story_json),
        is_list=True,
        example=Example(query={"limit": "2"}),
    ),
    Route(
        method="GET",
        path="/stories/{story}",
        way="story.info",
        shape=StoryJson,
        show=as_value(story_json),
        example=Example(TALE),
    ),
    Route(
        method="PUT",
        path="/stories/{story}/cast",
        way="story.cast.merge",
        shape=CastImportJson,
        run=writing.put_cast,
        body=CastGivenJson,
        example=Example(
            TALE,
            {"characters": [{"id": "wren", "name": "Wren"}, {"id": "odile"}], "groups": [{"id": "crew"}]},
        ),
    ),
    Route(
        method="GET",
        path="/stories/{story}/cast",
        way="story.cast.list",
        shape=CharacterJson,
        show=as_list(character_json),
        is_list=True,
        example=Example(TALE),
    ),
    Route(
        method="GET",
        path="/stories/{story}/cast/{character_id}",
        way="story.cast.get",
        shape=CharacterJson,
        show=as_value(character_json),
        example=Example({**TALE, "character_id": "wren"}),
    ),
    Route(
        method="PUT",
        path="/stories/{story}/episodes/{no}",
        way="story.episodes.put",
        shape=EpisodePutJson,
        run=writing.put_episode,
        also=(202, 412),
        example=Example({**TALE, "no": "1"}, {"text": TEXT}, status=202),
    ),
    Route(
        method="GET",
        path="/jobs/{story}/{episode_id}/{version}",
        way="story.episodes.list",
        shape=JobJson,
        run=writing.show_job,
        streams=True,
        example=Example({**TALE, "episode_id": "ep-1", "version": "1"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/tell",
        way="story.tell",
        shape=EpisodePutJson,
        run=writing.tell,
        also=(202,),
        example=Example(
            TALE,
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
        example=Example(TALE, {}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/episodes",
        way="story.episodes.list",
        shape=EpisodeStateJson,
        show=as_list(episode_state_json),
        is_list=True,
        example=Example(TALE),
    ),
    Route(
        method="GET",
        path="/stories/{story}/episodes/{no}",
        way="story.episodes.get",
        shape=EpisodeJson,
        run=writing.show_episode,
        also=(304,),
        example=Example({**TALE, "no": "1"}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/episodes/{no}/history",
        way="story.episodes.history",
        shape=VersionJson,
        show=as_list(version_json),
        is_list=True,
        example=Example({**TALE, "no": "1"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/facts",
        way="story.facts.add_many",
        shape=FactIdsJson,
        show=lambda found, _: {"fact_ids": list(found)},
        status=201,
        example=Example(
            TALE,
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
        example=Example(TALE, query={"episode_no": "1"}),
    ),
    Route(
        method="PATCH",
        path="/stories/{story}/facts/{fact_id}",
        way="story.facts.edit",
        status=204,
        example=Example({**TALE, "fact_id": "f1"}, {"edit": {"text": "The bell rang twice."}}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/facts/{fact_id}/pin",
        way="story.facts.pin",
        status=204,
        example=Example({**TALE, "fact_id": "f1"}, {"pinned": True}),
    ),
    Route(
        method="DELETE",
        path="/stories/{story}/facts/{fact_id}",
        way="story.facts.delete",
        status=204,
        example=Example({**TALE, "fact_id": "f1"}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/work",
        way="admin.work",
        shape=WorkItemJson,
        show=as_list(work_item_json),
        is_list=True,
        left_out=frozenset({"user", "library"}),
        example=Example(TALE),
    ),
    Route(
        method="POST",
        path="/stories/{story}/retry",
        way="admin.retry",
        shape=RetriedJson,
        show=as_value(retried_json),
        left_out=frozenset({"user", "library", "unit"}),
        example=Example(TALE, {}),
    ),
)
