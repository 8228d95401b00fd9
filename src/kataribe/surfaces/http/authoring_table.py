"""The routes of what a writer looks at and decides: views, branches, checkpoints, review, cards."""

from __future__ import annotations

from typing import Any

from kataribe.formats.wire.cards import CardImportJson
from kataribe.formats.wire.inputs import (
    CharacterJson,
    EpisodePutJson,
    StoryJson,
    character_json,
    story_json,
)
from kataribe.formats.wire.overviews import ImpactJson, SummaryJson, impact_json, summary_json
from kataribe.formats.wire.requests import (
    CardFormJson,
    DifferenceAskedJson,
    SceneDecidedJson,
    WhyAskedJson,
)
from kataribe.formats.wire.server import EpisodesPutJson, RefusalJson, refusal_json
from kataribe.formats.wire.store import VerificationJson, verification_json
from kataribe.formats.wire.story import (
    BranchJson,
    CastSuggestionJson,
    CheckpointJson,
    GroupJson,
    NarratorJson,
    ReviewItemJson,
    SceneJson,
    StepJson,
    branch_json,
    cast_suggestion_json,
    checkpoint_json,
    group_json,
    narrator_json,
    review_item_json,
    scene_json,
    step_json,
)
from kataribe.formats.wire.views import (
    DifferenceJson,
    InspectionJson,
    MatrixJson,
    StoryDifferenceJson,
    TimelineJson,
    WhyJson,
    inspection_json,
    matrix_json,
    story_difference_json,
    timeline_json,
)
from kataribe.formats.wire.work import EstimateJson, SyncReportJson, estimate_json, sync_report_json
from kataribe.surfaces.http import authoring
from kataribe.surfaces.http.routes import Example, Ids, Route
from kataribe.surfaces.http.showing import TALE, as_list, as_value

_IF = {"story": "harbour-if"}
_CARD = (
    b'{"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Tess", "description": "A pilot."}}'
)
_BOOK = b'{"entries": [{"keys": ["bell"], "content": "The bell of the harbour cracked."}]}'


def _of_story(show: Any) -> Any:
    """Write each of a list that does not name its story."""
    return lambda found, ids: [show(one, ids["story"]) for one in found]


def _refusals(found: Any, _: Ids) -> object:
    return [refusal_json(episode_id, one) for episode_id, one in found]


VIEWS = (
    Route(
        method="GET",
        path="/stories/{story}/matrix",
        way="story.views.matrix",
        shape=MatrixJson,
        show=as_value(matrix_json),
        example=Example(TALE, query={"characters": '["wren"]', "last": "2"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/diff",
        way="story.views.diff",
        shape=DifferenceJson,
        run=authoring.compare_viewers,
        body=DifferenceAskedJson,
        example=Example(TALE, {"left": {"persona": "wren", "at": 3}, "right": {"persona": "odile", "at": 3}}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/why",
        way="story.views.why",
        shape=WhyJson,
        run=authoring.why,
        is_list=True,
        body=WhyAskedJson,
        example=Example(TALE, {"viewer": {"persona": "odile", "at": 3}, "text": "Where is the key?"}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/timeline",
        way="story.views.timeline",
        shape=TimelineJson,
        show=as_value(timeline_json),
        example=Example(TALE, query={"text": "Odile read it."}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/summary",
        way="story.views.summary",
        shape=SummaryJson,
        show=as_value(summary_json),
        example=Example(TALE, query={"before": "3"}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/check",
        way="story.views.check",
        shape=InspectionJson,
        run=authoring.at_length(as_value(inspection_json)),
        example=Example(TALE),
    ),
    Route(
        method="POST",
        path="/stories/{story}/impact",
        way="story.views.impact",
        shape=ImpactJson,
        run=authoring.at_length(as_value(impact_json)),
        example=Example(TALE, {"no": 2, "text": "Odile burned the note."}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/verify",
        way="story.verify",
        shape=VerificationJson,
        run=authoring.at_length(as_value(verification_json)),
        example=Example(TALE),
    ),
    Route(
        method="GET",
        path="/stories/{story}/estimate",
        way="admin.estimate",
        shape=EstimateJson,
        show=as_list(estimate_json),
        is_list=True,
        example=Example(TALE),
    ),
    Route(
        method="GET",
        path="/stories/{story}/refusals",
        way="admin.refusals",
        shape=RefusalJson,
        show=_refusals,
        is_list=True,
        example=Example(TALE),
    ),
)

BRANCHES = (
    Route(
        method="PUT",
        path="/stories/{story}/branches/{branch_id}",
        way="story.branches.add",
        shape=StoryJson,
        show=as_value(story_json),
        status=201,
        example=Example({**TALE, "branch_id": "harbour-if"}, {"after": 1}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/branches",
        way="story.branches.list",
        shape=BranchJson,
        show=as_list(branch_json),
        is_list=True,
        example=Example(TALE),
    ),
    Route(
        method="GET",
        path="/stories/{story}/origin",
        way="story.branches.origin",
        shape=BranchJson,
        show=as_value(branch_json),
        example=Example(_IF),
    ),
    Route(
        method="GET",
        path="/stories/{story}/compare/{other_id}",
        way="story.views.compare",
        shape=StoryDifferenceJson,
        show=as_value(story_difference_json),
        example=Example({**TALE, "other_id": "harbour-if"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/detach",
        way="story.branches.detach",
        status=204,
        example=Example(_IF, {}),
    ),
    Route(
        method="PUT",
        path="/stories/{story}/checkpoints/{name}",
        way="story.checkpoint",
        shape=CheckpointJson,
        show=as_value(checkpoint_json),
        example=Example({**TALE, "name": "before the storm"}, {"replace": True}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/checkpoints",
        way="story.checkpoints.list",
        shape=CheckpointJson,
        show=as_list(checkpoint_json),
        is_list=True,
        example=Example(TALE),
    ),
    Route(
        method="POST",
        path="/stories/{story}/checkpoints/{name}/rewind",
        way="story.rewind",
        shape=CheckpointJson,
        show=as_value(checkpoint_json),
        example=Example({**TALE, "name": "before the storm"}, {}),
    ),
    Route(
        method="DELETE",
        path="/stories/{story}/checkpoints/{name}",
        way="story.checkpoints.delete",
        status=204,
        example=Example({**TALE, "name": "before the storm"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/rename",
        way="story.rename",
        status=204,
        example=Example(_IF, {"new_id": "harbour-calm"}),
    ),
    Route(
        method="PUT",
        path="/stories/{story}/audience",
        way="story.set_audience",
        shape=StoryJson,
        show=as_value(story_json),
        example=Example(TALE, {"mode": "wide"}),
    ),
    Route(
        method="PUT",
        path="/stories/{story}/model",
        way="story.set_model",
        shape=StoryJson,
        show=as_value(story_json),
        example=Example(TALE, {"model": "rules"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/rebuild",
        way="admin.rebuild",
        shape=SyncReportJson,
        run=authoring.at_length(as_value(sync_report_json)),
        example=Example(TALE, {}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/drop",
        way="admin.drop",
        left_out=frozenset({"user", "library", "unit"}),
        status=204,
        example=Example(TALE, {"episode_no": 1}, status=409),
    ),
    Route(
        method="POST",
        path="/stories/{story}/accept-empty",
        way="admin.accept_empty",
        status=204,
        example=Example(TALE, {"episode_no": 1}, status=409),
    ),
)

DESK = (
    Route(
        method="POST",
        path="/stories/{story}/episodes",
        way="story.episodes.put_many",
        shape=EpisodesPutJson,
        run=authoring.put_many,
        also=(202,),
        example=Example(TALE, {"episodes": [{"no": 5, "text": "The storm came."}]}, status=202),
    ),
    Route(
        method="POST",
        path="/stories/{story}/episodes/{no}/insert",
        way="story.episodes.insert",
        shape=EpisodePutJson,
        run=authoring.insert,
        also=(202,),
        example=Example({**TALE, "no": "5"}, {"text": "The gulls left."}, status=202),
    ),
    Route(
        method="POST",
        path="/stories/{story}/episodes/{no}/renumber",
        way="story.episodes.renumber",
        status=204,
        example=Example({**TALE, "no": "6"}, {"to": 9}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/steps",
        way="story.steps",
        shape=StepJson,
        show=as_list(step_json),
        is_list=True,
        example=Example(TALE, query={"last": "3"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/undo",
        way="story.undo",
        shape=StepJson,
        show=as_value(step_json),
        example=Example(TALE, {}),
    ),
    Route(
        method="GET",
        path="/stories/{story}/review",
        way="story.facts.review",
        shape=ReviewItemJson,
        show=_of_story(review_item_json),
        is_list=True,
        example=Example(TALE, query={"every_guess": "true"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/facts/{fact_id}/decide",
        way="story.facts.decide",
        shape=StepJson,
        run=authoring.decide,
        also=(204,),
        example=Example({**TALE, "fact_id": "none"}, {"decision": {"verb": "keep"}}, status=404),
    ),
    Route(
        method="GET",
        path="/stories/{story}/scenes",
        way="story.facts.scenes",
        shape=SceneJson,
        show=_of_story(scene_json),
        is_list=True,
        example=Example(TALE),
    ),
    Route(
        method="POST",
        path="/stories/{story}/scenes/decide",
        way="story.facts.decide_scene",
        shape=StepJson,
        run=authoring.decide_scene,
        body=SceneDecidedJson,
        also=(204,),
        example=Example(TALE, {"episode_no": 9, "scene": 7, "audience": ["wren"]}, status=404),
    ),
    Route(
        method="GET",
        path="/stories/{story}/narrators",
        way="story.facts.narrators",
        shape=NarratorJson,
        show=_of_story(narrator_json),
        is_list=True,
        example=Example(TALE),
    ),
)

CAST = (
    Route(
        method="GET",
        path="/stories/{story}/suggestions",
        way="story.cast.suggest",
        shape=CastSuggestionJson,
        show=as_list(cast_suggestion_json),
        is_list=True,
        example=Example(TALE, query={"at_least": "1"}),
    ),
    Route(
        method="PATCH",
        path="/stories/{story}/cast/{character_id}",
        way="story.cast.edit",
        shape=CharacterJson,
        show=as_value(character_json),
        example=Example({**TALE, "character_id": "wren"}, {"edit": {"description": "keeps the light"}}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/cast/{character_id}/rename",
        way="story.cast.rename",
        status=204,
        example=Example({**TALE, "character_id": "nobody"}, {"new_id": "somebody"}, status=404),
    ),
    Route(
        method="GET",
        path="/stories/{story}/groups",
        way="story.cast.groups.list",
        shape=GroupJson,
        show=as_list(group_json),
        is_list=True,
        example=Example(TALE),
    ),
    Route(
        method="GET",
        path="/stories/{story}/groups/{group_id}",
        way="story.cast.groups.get",
        shape=GroupJson,
        show=as_value(group_json),
        example=Example({**TALE, "group_id": "crew"}),
    ),
    Route(
        method="DELETE",
        path="/stories/{story}/groups/{group_id}",
        way="story.cast.groups.delete",
        status=204,
        example=Example({**TALE, "group_id": "crew"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/cards",
        way="story.cards.import_card",
        shape=CardImportJson,
        run=authoring.import_card,
        left_out=frozenset({"card"}),
        uploads=True,
        example=Example(TALE, query={"character_id": "tess"}, data=_CARD),
    ),
    Route(
        method="GET",
        path="/stories/{story}/cards/{character_id}",
        way="story.cards.card",
        run=authoring.show_card,
        body=CardFormJson,
        media=(authoring.JSON, authoring.PNG, authoring.CHARX),
        example=Example({**TALE, "character_id": "tess"}, query={"form": "png"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/lorebook",
        way="story.cards.import_lorebook",
        shape=CardImportJson,
        run=authoring.import_lorebook,
        left_out=frozenset({"book"}),
        uploads=True,
        example=Example(TALE, query={"name": "harbour lore"}, data=_BOOK),
    ),
    Route(
        method="GET",
        path="/stories/{story}/lorebook",
        way="story.cards.lorebook",
        run=authoring.show_lorebook,
        media=(authoring.JSON,),
        example=Example(TALE),
    ),
)

AUTHORING: tuple[Route, ...] = (*VIEWS, *BRANCHES, *DESK, *CAST)
"""The routes of writers, in an order in which their examples can be tried."""
