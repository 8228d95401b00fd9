"""HTTP reaches every verb of every handle, or says here why it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import isfunction
from typing import Any, get_type_hints

import kataribe
from kataribe.face.marks import VerbMark, mark_of
from kataribe.surfaces.http.routes import Route
from kataribe.surfaces.http.table import ROUTES

FILES = "it reads or writes files of the server's machine"
RUNS = "it opens, closes or serves the store: whoever runs the server does it"
HANDLE = "it gives a handle, which a path names"
KEYS = "the key store lies on the server's machine, in the hands of those who have that"
BOUND = "a request names its viewer, and the route of the bound viewer takes it"
TOOL = "it makes a tool for an agent's own process: `kataribe mcp`, or the read itself over HTTP"

WHY_NOT: Mapping[str, str] = {
    "close": RUNS,
    "story": HANDLE,
    "user": HANDLE,
    "library": HANDLE,
    "viewer": HANDLE,
    "recall": BOUND,
    "known": BOUND,
    "context": BOUND,
    "answer": BOUND,
    "recall_many": "no request is of several viewers: whoever runs them asks for each, over one connection",
    "viewer.recall_tool": TOOL,
    "viewer.search_tool": TOOL,
    "viewer.read_tool": TOOL,
    "library.search_tool": TOOL,
    "admin.access.personas": "the OpenAI-compatible list of models names them, as far as the key admits",
    "admin.hooks.deliver": "a server tells its webhook by itself, in the background",
    "admin.hooks.lag": "the metrics have it, as kataribe_webhook_lag_units, for whoever watches the server",
    "admin.index.embed": "the OpenAI-compatible route of embeddings gives vectors",
    "library.add": f"{FILES}; PUT /libraries/{{library}}/files/{{name}} is sent the file",
    "library.info": "GET /libraries/{library} tells it, with more",
    "library.sync": "POST /sync takes a library",
    "story.import_folder": f"{FILES}; POST /stories/{{story}}/episodes and PUT .../cast take the same",
    "story.export": f"{FILES}; GET /stories/{{story}}/episodes/{{no}} and .../cast give the same",
    "story.facts.add": "POST /stories/{story}/facts adds one as it adds many",
    "story.cast.add": "PUT /stories/{story}/cast adds one as it adds many",
    "story.cast.put": "PUT /stories/{story}/cast brings in what is sent, and keeps what a hand changed",
    "story.cast.groups.add": "PUT /stories/{story}/cast takes groups",
    "story.cast.groups.edit": "PUT /stories/{story}/cast takes a group as it is to be",
    "user.info": "GET /users/{user} tells it, with more",
    "user.put_turns": "POST /users/{user}/turns and /users/{user}/messages store what is said",
    "user.import_log": "POST /users/{user}/messages takes the messages of a log",
    "user.chat": "it lives in the process of its program: POST /ingest and /context take a session",
    "user.sync": "POST /sync takes a user",
    "admin.backup": FILES,
    "admin.calibrate": "it measures by a file of questions, for settings of whoever runs the server",
    "admin.flush": RUNS,
    "admin.access.check": "it is the door itself: every request goes through it",
    "admin.keys.init": KEYS,
    "admin.keys.rotate": KEYS,
    "admin.keys.status": "it names the place of the key store on the server's machine",
}
"""By the way to a verb from the store: why it has no route."""


def handles(kind: Any = kataribe.AsyncKataribe, way: str = "") -> Iterator[tuple[str, Any]]:
    """Give every handle by the way to it from the store."""
    yield way, kind
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        call = member.fget if isinstance(member, property) else member
        hints = get_type_hints(call, localns={"AsyncTool": object}) if isfunction(call) else {}
        given = hints.get("return")
        if isinstance(given, type) and given.__name__.endswith("Handle"):
            yield from handles(given, f"{way}{name}.")


def ways() -> set[str]:
    """Name every verb of every handle by the way to it."""
    return {
        f"{way}{name}"
        for way, kind in handles()
        for name, member in vars(kind).items()
        if mark_of(member) is not None
    }


def test_http_reaches_every_verb_or_says_why_not() -> None:
    reached = {route.way for route in ROUTES}
    assert len(ways()) > 150
    assert ways() - reached - WHY_NOT.keys() == set(), "a verb needs a route, or a reason here"
    assert reached & WHY_NOT.keys() == set(), "what has a route needs no reason"
    assert WHY_NOT.keys() <= ways(), "the reason is of no verb"
    assert all(len(reason) > 20 for reason in WHY_NOT.values())


def test_every_handle_of_the_face_is_walked() -> None:
    public = {name for name in kataribe.__all__ if name.startswith("Async") and name.endswith("Handle")}
    assert public <= {kind.__name__ for _, kind in handles()}


def test_a_reason_that_names_a_route_names_one_that_is_there() -> None:
    paths = {route.path for route in ROUTES}
    for reason in WHY_NOT.values():
        for word in reason.replace(",", " ").replace(";", " ").split():
            assert not word.startswith("/") or word in paths, reason


def test_no_route_takes_a_path_of_the_servers_machine() -> None:
    """An option that is a path is left out; where a body is of another shape its verb's are not taken."""

    def is_of_files(route: Route, name: str) -> bool:
        hints = get_type_hints(route.verb.call, localns={"AsyncTool": object})
        return name in hints and "Path" in str(hints[name])

    with_paths = [route for route in ROUTES if any(is_of_files(route, name) for name in route.verb.options)]
    assert {route.way for route in with_paths} >= {"user.privacy.export", "story.cards.import_card"}
    for route in ROUTES:
        taken = [] if route.body is not None else [*route.beside, *route.in_path]
        assert [name for name in taken if is_of_files(route, name)] == [], route.path


def test_what_an_authors_key_reaches_is_of_stories_and_what_a_viewers_does_is_of_viewers() -> None:
    for route in ROUTES:
        scopes = {scope.value for scope in route.scopes}
        if route.verb.mark is VerbMark.LIBRARY_READ:
            assert scopes == {"admin"}
        if "viewer" in scopes:
            assert route.verb.mark is VerbMark.VIEWER_READ
        elif "author" in scopes:
            assert route.path.startswith(("/stories", "/jobs"))
