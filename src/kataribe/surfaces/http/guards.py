"""Who may connect at all: by which name, from which page, through which proxy; and what is counted."""

from __future__ import annotations

import json
import logging
import time
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kataribe.surfaces.http.metrics import Metrics
from kataribe.surfaces.http.openai_problems import OPENAI, openai_error
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.problems import PROBLEM, Problem

_WRONG_HOST = Problem(421, "misdirected", "this server is not called by that name; call it by its own")
_OTHER_PAGE = Problem(403, "forbidden", "pages of other places may not call this server")
_NO_PROXY = Problem(403, "forbidden", "this server takes connections from its proxy alone")

SLASH = "\ufdd0"
"""Stands for an escaped slash in a path, until ids are read."""

log = logging.getLogger("kataribe.server")


class Guards:
    """Stands before the application: refuses strangers, counts, and writes a line a request.

    A line holds the method, the route, the status, the milliseconds and the id of a key: no path, no
    query and no word of anybody.
    """

    def __init__(self, app: ASGIApp, options: ServerOptions, metrics: Metrics) -> None:
        self._app = app
        self._options = options
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        _keep_slashes(scope)
        self._metrics.running += 1
        try:
            problem = self._problem(scope)
            if problem is None:
                await self._app(scope, receive, noted)
            else:
                await _refuse(problem, noted, is_openai=scope["path"].startswith(OPENAI))
        finally:
            self._metrics.running -= 1
            self._note(scope, status, time.perf_counter() - began)

    def _problem(self, scope: Scope) -> Problem | None:
        headers, client = Headers(scope=scope), scope.get("client")
        if self._options.proxies is not None and (client is None or client[0] not in self._options.proxies):
            return _NO_PROXY
        host = headers.get("host", "")
        if self._options.hosts is not None and _name(host) not in self._options.hosts:
            # A page of elsewhere may have had its own name lead to this machine.
            return _WRONG_HOST
        origin = headers.get("origin")
        return None if origin is None or urlsplit(origin).netloc == host else _OTHER_PAGE

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if route != "other" else "other"
        self._metrics.note(method, route, status, seconds)
        caller = scope.get("kataribe.caller", "-")
        log.info("%s %s %d %.1fms %s", method, route, status, seconds * 1000, caller)


def _keep_slashes(scope: Scope) -> None:
    """Let a slash that was escaped stay part of an id: it parts no path."""
    raw = scope.get("raw_path") or b""
    if b"%2f" in raw.lower():
        text = raw.partition(b"?")[0].decode("ascii", errors="replace")
        scope["path"] = unquote(text.replace("%2F", SLASH).replace("%2f", SLASH))


def _name(host: str) -> str:
    """Give the name in a `Host` header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if ":" in host else host


async def _refuse(problem: Problem, send: Send, *, is_openai: bool) -> None:
    data = json.dumps(openai_error(problem) if is_openai else problem.json()).encode()
    told = "application/json" if is_openai else PROBLEM
    headers = [(b"content-type", told.encode()), (b"content-length", str(len(data)).encode())]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": data})
