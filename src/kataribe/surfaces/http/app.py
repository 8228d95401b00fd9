"""The application: every route in front of one store, behind a door, limits and one way of saying no."""

from __future__ import annotations

import hashlib
import json
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kataribe.domain.access import AccessScope
from kataribe.domain.ids import digest
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import KataribeError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.ports.upstream import Upstream
from kataribe.surfaces.http.callers import Caller, Door
from kataribe.surfaces.http.guards import SLASH, Guards
from kataribe.surfaces.http.hooks import BackgroundHooks
from kataribe.surfaces.http.jobs import BackgroundSync
from kataribe.surfaces.http.limits import Rates, Slot, Slots, read_bytes, read_object
from kataribe.surfaces.http.metrics import TEXT, Metrics
from kataribe.surfaces.http.openai_document import openai_paths
from kataribe.surfaces.http.openai_door import OpenAiDoor
from kataribe.surfaces.http.openai_problems import OPENAI, openai_refused
from kataribe.surfaces.http.openapi import document
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.pages import PAGING, page, paging_of
from kataribe.surfaces.http.problems import (
    FORBIDDEN,
    NO_ROUTE,
    PROBLEM,
    UNEXPECTED,
    Problem,
    RefusedError,
    problem_of,
)
from kataribe.surfaces.http.replies import Replies
from kataribe.surfaces.http.routes import OF_THE_OWNER, HttpRequest, ReadRequest, Reply, Route
from kataribe.surfaces.http.table import ROUTES
from kataribe.surfaces.http.verbs import read_options

JSON = "application/json"
_FORGETS = ("delete", "delete_turns", "forget", "remove", "withdraw")
"""Verbs after which no reply of before may be given again."""
_CONDITIONS = ("if-match", "if-none-match")
_VIEWER_KEYS = frozenset(ViewerKeys.__annotations__)

log = logging.getLogger("kataribe.server")


def create_app(
    memory: AsyncKataribe, options: ServerOptions | None = None, upstream: Upstream | None = None
) -> Guards:
    """Make the ASGI application of a store, which stays the caller's to close.

    `upstream` is the model that the OpenAI-compatible routes ask (None: they give what is remembered); it is
    closed with the application.
    """
    return Server(memory, options or ServerOptions(), upstream).app


class Server:
    """What all requests share: the store, the door, and what is counted."""

    def __init__(
        self, memory: AsyncKataribe, options: ServerOptions, upstream: Upstream | None = None
    ) -> None:
        self.memory = memory
        self.options = options
        self.door = Door(memory, keys_required=options.keys_required)
        self.rates = Rates(options.rate, options.burst)
        self.slots = Slots(options.at_once, options.queue_seconds)
        self.replies = Replies()
        self.work = BackgroundSync(memory)
        self.hooks = BackgroundHooks(memory)
        self.metrics = Metrics()
        self.openai = OpenAiDoor(memory, options, self.slots, upstream)
        self.document = document(ROUTES, openai_paths())
        self.app = Guards(self._routed(), options, self.metrics)

    def _routed(self) -> FastAPI:
        made = FastAPI(title="kataribe", openapi_url=None, docs_url=None, redoc_url=None, lifespan=self._life)
        made.router.redirect_slashes = False
        for route in ROUTES:
            made.add_api_route(
                route.path, self._endpoint(route), methods=[route.method], include_in_schema=False
            )
        for (method, path), act in self.openai.routes.items():
            made.add_api_route(path, self._openai_endpoint(act), methods=[method], include_in_schema=False)
        plain: Mapping[str, Callable[..., Awaitable[Response]]] = {
            "/health": self._health,
            "/ready": self._ready,
            "/metrics": self._metrics,
            "/openapi.json": self._openapi,
        }
        for path, endpoint in plain.items():
            made.add_api_route(path, endpoint, methods=["GET"], include_in_schema=False)
        made.add_exception_handler(HTTPException, _no_route)
        return made

    @asynccontextmanager
    async def _life(self, _: FastAPI) -> AsyncIterator[None]:
        self.work.wake(None)
        self.hooks.start()
        try:
            yield
        finally:
            await self.hooks.close()
            await self.work.close()
            await self.openai.close()

    # -- routes ---------------------------------------------------------------------------

    def _endpoint(self, route: Route) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await self._safely(request, lambda caller: self._answer(route, caller, request))

        return endpoint

    def _openai_endpoint(
        self, act: Callable[[Caller, Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await self._safely(
                request, lambda caller: act(caller, request), refuse=openai_refused, takes_any=True
            )

        return endpoint

    async def _safely(
        self,
        request: Request,
        answer: Callable[[Caller], Awaitable[Response]],
        *,
        refuse: Callable[[Problem], Response] | None = None,
        takes_any: bool = False,
    ) -> Response:
        """Let a caller in and answer it; whatever goes wrong is said in one way."""
        no = refuse or refused
        try:
            caller = await self._let_in(request, takes_any=takes_any)
            request.scope["kataribe.caller"] = caller.name
            return await answer(caller)
        except RefusedError as error:
            return no(error.problem)
        except KataribeError as error:
            return no(problem_of(error))
        except Exception as error:
            log.error("unexpected: %s at %s", type(error).__name__, _place(error))
            return no(UNEXPECTED)

    async def _let_in(self, request: Request, *, takes_any: bool) -> Caller:
        try:
            caller = await self.door.caller(request.headers, takes_any=takes_any)
        except RefusedError:
            # Who tries keys is slowed down by where it comes from.
            self.rates.take(f"from {request.client.host if request.client else ''}")
            raise
        self.rates.take(caller.name)
        return caller

    async def _answer(self, route: Route, caller: Caller, request: Request) -> Response:
        if not route.admits(caller):
            raise RefusedError(FORBIDDEN)
        query = dict(request.query_params)
        paging = paging_of(*(query.pop(name, None) if route.is_list else None for name in PAGING))
        given: Mapping[str, object] = query
        if route.takes_body:
            given = await read_object(request, self.options)
            if query:
                raise RefusedError(Problem(400, "input", f"there is no {min(query)!r} in the query here"))
        data = await read_bytes(request, self.options) if route.uploads else b""
        read = replace(self._read(route, caller, request, given), data=data)

        async def run() -> Response:
            async with self.slots.one() as slot:
                reply = await _run(self._request(read, slot))
            if route.way.endswith(_FORGETS):
                self.replies.clear()
            if route.is_list:
                reply = replace(reply, value=page(_listed(reply.value), paging))
            return _response(reply)

        key = request.headers.get("idempotency-key")
        if key is None or not route.is_repeatable:
            return await run()
        whom = f"{caller.name}/{read.caller.user or ''}"
        told = (request.headers.get(name, "") for name in _CONDITIONS)
        body = (json.dumps(given, sort_keys=True), hashlib.sha256(data).hexdigest())
        fingerprint = digest(request.method, request.url.path, *body, *told)
        return await self.replies.once(whom, key, fingerprint, run)

    def _read(
        self, route: Route, caller: Caller, request: Request, given: Mapping[str, object]
    ) -> ReadRequest:
        """Read a request as far as this caller may say it. Raises `RefusedError`, `InputError`."""
        named = {route.renamed.get(name, name): value for name, value in given.items()}
        if caller.is_bound:
            _check_owners(named)
        ids = {name: str(value).replace(SLASH, "/") for name, value in request.path_params.items()}
        in_path = {name: ids[name] for name in route.in_path}
        verb = route.way.rpartition(".")[2]
        arguments = {
            **read_options(route.beside, named, of=verb, in_words=not route.takes_body),
            **read_options(route.in_path, in_path, of=verb, in_words=True),
        }
        viewer: ViewerKeys | None = None
        if route.verb.binds_viewer:
            told: Any = {name: arguments.pop(name) for name in _VIEWER_KEYS if name in arguments}
            caller = _for_user(caller, request, told)
            viewer = caller.viewer(told)
        elif route.way.startswith("user."):
            whom: dict[str, Any] = {"user": arguments.pop("user_id", None) or ids.get("user")}
            caller = _for_user(caller, request, whom)
            ids["user"] = caller.named_user(whom.get("user"))
        return ReadRequest(
            route=route, caller=caller, ids=ids, arguments=arguments, viewer=viewer, headers=request.headers
        )

    def _request(self, read: ReadRequest, slot: Slot) -> HttpRequest:
        return HttpRequest(read=read, memory=self.memory, options=self.options, work=self.work, slot=slot)

    # -- what is no verb --------------------------------------------------------------------

    async def _health(self) -> Response:
        return _response(Reply({"status": "ok"}))

    async def _ready(self) -> Response:
        try:
            await self.memory.admin.access.check("ktr_ready_")
            await self.memory.admin.access.list()
        except KataribeError:
            return refused(Problem(503, "not-ready", "the store cannot be read now"))
        return _response(Reply({"status": "ready"}))

    async def _metrics(self, request: Request) -> Response:
        async def answer(caller: Caller) -> Response:
            if caller.scope is not AccessScope.ADMIN:
                raise RefusedError(FORBIDDEN)
            return Response(self.metrics.text(await self.memory.admin.hooks.lag()), media_type=TEXT)

        return await self._safely(request, answer)

    async def _openapi(self) -> Response:
        return _response(Reply(self.document))


async def _run(asked: HttpRequest) -> Reply:
    """Do what a route does: its own way, or call its verb and show what that gives."""
    route = asked.read.route
    if route.run is not None:
        return await route.run(asked)
    found = await asked.call()
    return Reply(None if route.show is None else route.show(found, asked.ids), route.status)


def _place(error: Exception) -> str:
    """Say where an error was raised, without a word of what was asked."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def _listed(value: object) -> list[Mapping[str, object]]:
    assert isinstance(value, list)
    return value


def _check_owners(named: Mapping[str, object]) -> None:
    """Refuse a bound key what would ask somebody outside."""
    costly = sorted(name for name in OF_THE_OWNER & named.keys() if named[name] is not None)
    if costly:
        raise RefusedError(
            Problem(
                403,
                "forbidden",
                f"{costly[0]} is the owner's to choose; leave it out, or ask with another key",
            )
        )


def _for_user(caller: Caller, request: Request, told: dict[str, Any]) -> Caller:
    """Bind a key to the user it speaks for; a name that is taken for that is not asked for again."""
    if not caller.is_bound:
        return caller
    named = told.get("user")
    if caller.key is not None and caller.key.users_from is not None:
        told.pop("user", None)
        return caller.speaking_for(request.headers, named)
    return caller.speaking_for(request.headers, None)


def _response(reply: Reply) -> Response:
    if isinstance(reply.value, StreamingResponse):
        return reply.value
    headers = {"cache-control": "no-store", **reply.headers}
    if isinstance(reply.value, bytes):
        return Response(reply.value, reply.status, headers)
    if reply.value is None:
        return Response(status_code=reply.status, headers=headers)
    data = json.dumps(reply.value, ensure_ascii=False).encode("utf-8")
    return Response(data, reply.status, headers, JSON)


def refused(problem: Problem) -> Response:
    """Say no."""
    data = json.dumps(problem.json(), ensure_ascii=False).encode("utf-8", errors="replace")
    return Response(data, problem.status, {"cache-control": "no-store", **problem.all_headers}, PROBLEM)


async def _no_route(request: Request, error: Exception) -> Response:
    """Say that there is nothing behind a path or a method."""
    assert isinstance(error, HTTPException)
    no = openai_refused if request.url.path.startswith(OPENAI) else refused
    if error.status_code == 405:
        allowed = dict(error.headers or {})
        return no(Problem(405, "method-not-allowed", "this path takes other methods", allowed))
    return no(replace(NO_ROUTE, status=error.status_code))
