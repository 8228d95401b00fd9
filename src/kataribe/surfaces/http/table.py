"""All routes, in an order in which their examples can be tried one after the other on an empty store."""

from __future__ import annotations

from kataribe.formats.wire.access import AccessKeyJson, access_key_json, new_access_key_json
from kataribe.formats.wire.privacy import (
    ErasureJson,
    PrivacyAskedJson,
    PrivacyConfirmJson,
    PrivacyTokenJson,
    UserOverviewJson,
    erasure_json,
    user_overview_json,
)
from kataribe.surfaces.http import privacy
from kataribe.surfaces.http.authoring_table import AUTHORING
from kataribe.surfaces.http.keeping_table import KEEPING
from kataribe.surfaces.http.reading import viewer_routes
from kataribe.surfaces.http.routes import Example, Route
from kataribe.surfaces.http.showing import NORA, TALE, as_list, as_value
from kataribe.surfaces.http.store_table import LIBRARIES, STORE
from kataribe.surfaces.http.story_table import STORIES
from kataribe.surfaces.http.upkeep_table import UPKEEP
from kataribe.surfaces.http.user_table import USERS

_ENDS = (
    Route(
        method="DELETE",
        path="/stories/{story}/cast/{character_id}",
        way="story.cast.delete",
        status=204,
        example=Example({**TALE, "character_id": "odile"}),
    ),
    Route(
        method="DELETE",
        path="/stories/{story}/episodes/{no}",
        way="story.episodes.delete",
        status=204,
        example=Example({**TALE, "no": "1"}),
    ),
    Route(
        method="POST",
        path="/stories/{story}/episodes/{no}/restore",
        way="story.episodes.restore",
        status=204,
        example=Example({**TALE, "no": "1"}, {}),
    ),
    Route(
        method="DELETE",
        path="/stories/{story}",
        way="story.delete",
        status=204,
        example=Example(TALE),
    ),
    Route(
        method="POST",
        path="/users/{user}/privacy/request",
        way="user.privacy.request",
        shape=PrivacyTokenJson,
        show=lambda token, _: {"token": token},
        status=201,
        example=Example(NORA, {"action": "delete"}),
    ),
    Route(
        method="GET",
        path="/users/{user}/privacy",
        way="user.privacy.show",
        shape=UserOverviewJson,
        show=as_value(user_overview_json),
        example=Example(NORA),
    ),
    Route(
        method="POST",
        path="/privacy",
        way="user.delete",
        shape=ErasureJson,
        run=privacy.privacy,
        body=PrivacyAskedJson,
        accepted=PrivacyConfirmJson,
        also=(202,),
        media=(privacy.ZIP,),
        example=Example(body={"user_id": "nora", "action": "export"}, status=202),
    ),
    Route(
        method="GET",
        path="/users/{user}/export",
        way="user.privacy.export",
        run=privacy.export,
        left_out=frozenset({"path"}),
        media=(privacy.ZIP,),
        example=Example(NORA, query={"token": "no such token"}, status=403),
    ),
    Route(
        method="DELETE",
        path="/users/{user}",
        way="user.delete",
        shape=ErasureJson,
        show=as_value(erasure_json),
        example=Example(NORA, status=403),
    ),
    Route(
        method="GET",
        path="/access",
        way="admin.access.list",
        shape=AccessKeyJson,
        show=as_list(access_key_json),
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
        show=as_value(new_access_key_json),
        status=201,
        example=Example(body={"scope": "admin"}),
    ),
)

ROUTES: tuple[Route, ...] = (
    *STORIES,
    *AUTHORING,
    *USERS,
    *KEEPING,
    *viewer_routes(),
    *LIBRARIES,
    *STORE,
    *UPKEEP,
    *_ENDS,
)
