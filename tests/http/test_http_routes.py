"""Every route does what the document says of it."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from urllib.parse import quote, urlencode

import httpx

from kataribe.domain.access import AccessScope
from kataribe.face.aio.viewer import AsyncViewerHandle
from kataribe.face.marks import VerbMark, mark_of
from kataribe.formats.wire.schema import name_of
from kataribe.surfaces.http.openai_document import openai_paths
from kataribe.surfaces.http.openapi import document
from kataribe.surfaces.http.reading import SHOWN, viewer_verbs
from kataribe.surfaces.http.routes import OF_THE_USER, OF_THEMSELVES, OF_USERS, Route
from kataribe.surfaces.http.table import ROUTES
from support.json_shapes import problem, shipped
from support.serving import served


def path_of(route: Route) -> str:
    """Fill the path of a route as its example says."""
    path = re.sub(r"\{(\w+)\}", lambda found: quote(route.example.ids[found[1]], safe=""), route.path)
    return f"{path}?{urlencode(route.example.query)}" if route.example.query else path


def check_shape(route: Route, got: httpx.Response) -> None:
    """Hold an answer to the schema it is documented with."""
    if got.status_code >= 400:
        assert got.headers["content-type"] == "application/problem+json"
        assert problem(got.json(), {"$ref": "#/$defs/Problem"}) is None
        return
    is_to_confirm = route.accepted is not None and got.status_code == 202
    shape = name_of(route.accepted) if is_to_confirm and route.accepted else route.shape_name
    if got.headers.get("content-type", "") in route.media:
        assert got.content
        return
    if shape is None:
        assert got.content == b""
        return
    assert shape in shipped()["$defs"]
    items = got.json()["items"] if route.is_list else [got.json()]
    for item in items:
        found = problem(item, {"$ref": f"#/$defs/{shape}"})
        assert found is None, (route.path, found, item)


def test_every_example_is_answered_as_it_is_documented(tmp_path: Path) -> None:
    """One after the other, on an empty store."""

    async def run() -> None:
        async with served(tmp_path) as here:
            for route in ROUTES:
                got = await here.owner(
                    route.method, path_of(route), route.example.body, data=route.example.data
                )
                wanted = route.example.status or route.status
                assert got.status_code == wanted, (route.method, route.path, got.status_code, got.text)
                check_shape(route, got)

    asyncio.run(run())


def test_every_read_of_a_viewer_has_a_route_and_no_other_verb_is_open_to_a_viewer() -> None:
    marked = {
        name
        for name, verb in vars(AsyncViewerHandle).items()
        if mark_of(verb) is VerbMark.VIEWER_READ and not name.endswith("_tool")
    }
    assert set(viewer_verbs()) == set(SHOWN) == marked
    for route in ROUTES:
        if AccessScope.VIEWER in route.scopes:
            assert route.verb.mark is VerbMark.VIEWER_READ
            assert route.verb.binds_viewer
        elif AccessScope.USER in route.scopes:
            is_of_all = route.way in OF_THE_USER
            assert route.scopes == (OF_THEMSELVES if is_of_all else OF_USERS)
            assert is_of_all or route.verb.mark is VerbMark.WRITE
        if AccessScope.AUTHOR in route.scopes and route.verb.mark is not VerbMark.VIEWER_READ:
            assert "user" not in route.beside


def test_the_document_names_every_route_with_a_shape_that_is_shipped() -> None:
    told = document(ROUTES)
    paths = told["paths"]
    assert isinstance(paths, dict)
    assert sum(len(one) for one in paths.values()) == len(ROUTES)
    assert len({(one.method, one.path) for one in ROUTES}) == len(ROUTES)
    referred = set(re.findall(r"#/components/schemas/(\w+)", str(told)))
    assert referred <= shipped()["$defs"].keys()


def test_the_openai_compatible_routes_do_what_their_examples_say(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as here:
            for path, operations in openai_paths().items():
                ((method, told),) = json.loads(json.dumps(operations)).items()
                body, success = None, told["responses"]["200"]["content"]["application/json"]["schema"]
                if "requestBody" in told:
                    schema = told["requestBody"]["content"]["application/json"]["schema"]
                    body = schema["example"]
                    assert body.keys() <= schema["properties"].keys()
                filled = path.replace("{model}", quote("kataribe/akari", safe=""))
                got = await here.owner(method.upper(), filled, body)
                assert got.status_code == 200, (path, got.text)
                referred = success.get("$ref", "").rpartition("/")[2]
                assert not referred or problem(got.json(), {"$ref": f"#/$defs/{referred}"}) is None

    asyncio.run(run())
