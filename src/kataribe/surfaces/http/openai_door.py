"""The OpenAI-compatible routes: who answers, replies in conversations, responses and vectors."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from kataribe.errors import KataribeError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.formats.wire.openai import OpenAiModelJson
from kataribe.ports.upstream import Upstream, UpstreamStream
from kataribe.surfaces.http.callers import Caller
from kataribe.surfaces.http.guards import SLASH
from kataribe.surfaces.http.limits import Slots, read_object
from kataribe.surfaces.http.openai_asking import ChatAsked, read_chat
from kataribe.surfaces.http.openai_chat import ChatReply, in_chunks
from kataribe.surfaces.http.openai_embeddings import embeddings
from kataribe.surfaces.http.openai_problems import openai_error
from kataribe.surfaces.http.openai_responses import ResponseMaker, as_chat, event_line
from kataribe.surfaces.http.openai_speakers import Speaker, read_speaker, speakers_for, viewer_for
from kataribe.surfaces.http.openai_words import Json
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.problems import NOT_YOURS, UNEXPECTED, Problem, RefusedError, problem_of

T = TypeVar("T")
_DONE = b"data: [DONE]\n\n"
_CLIENT_LEFT = 499
"""The status of a reply that nobody waits for any more, as it is counted."""

log = logging.getLogger("kataribe.server")


class OpenAiDoor:
    """What these routes do for a caller that was let in."""

    def __init__(
        self, memory: AsyncKataribe, options: ServerOptions, slots: Slots, upstream: Upstream | None
    ) -> None:
        self._memory = memory
        self._options = options
        self._slots = slots
        self._upstream = upstream
        self._asks = Slots(options.upstream_at_once, options.queue_seconds)

    async def close(self) -> None:
        """Hang up on the upstream."""
        if self._upstream is not None:
            await self._upstream.close()

    @property
    def routes(self) -> Mapping[tuple[str, str], Callable[[Caller, Request], Awaitable[Response]]]:
        """What is done, by method and path."""
        return {
            ("GET", "/v1/models"): self._models,
            ("GET", "/v1/models/{model:path}"): self._model,
            ("POST", "/v1/chat/completions"): self._chat,
            ("POST", "/v1/responses"): self._responses,
            ("POST", "/v1/embeddings"): self._embeddings,
        }

    async def _models(self, caller: Caller, request: Request) -> Response:
        async with self._slots.one():
            found = await speakers_for(self._memory, caller, request.headers)
        return _json({"object": "list", "data": [_model_json(one) for one in found]})

    async def _model(self, caller: Caller, request: Request) -> Response:
        """Tell of one name, whether or not it is listed: of any that this caller would be answered under."""
        speaker = read_speaker(request.path_params["model"].replace(SLASH, "/"))
        if caller.is_bound:
            viewer_for(caller, request.headers, speaker, None)
        if speaker is None:
            raise RefusedError(NOT_YOURS)
        return _json(_model_json(speaker))

    async def _embeddings(self, caller: Caller, request: Request) -> Response:
        body = await read_object(request, self._options)
        async with self._slots.one():
            return _json(await embeddings(self._memory, caller, body))

    # -- replies ---------------------------------------------------------------------------------

    async def _chat(self, caller: Caller, request: Request) -> Response:
        body = await read_object(request, self._options)
        asked = read_chat(body, caller, request.headers, self._options)
        return await self._reply(asked, request, ChatShape())

    async def _responses(self, caller: Caller, request: Request) -> Response:
        body = await read_object(request, self._options)
        asked = read_chat(as_chat(body), caller, request.headers, self._options)
        return await self._reply(asked, request, ResponseShape(body))

    async def _reply(self, asked: ChatAsked, request: Request, shape: ChatShape) -> Response:
        """Store what was said, ask the upstream, and send what it says as it comes."""
        reply = ChatReply(self._memory, asked, self._options)
        async with self._slots.one():
            await reply.hear()
            if self._upstream is None:
                found = await reply.evidence()
                if asked.streams:
                    return EventStream(shape.events(in_chunks(found)), _nothing)
                return _json(shape.whole(found))
            body = await reply.body()
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._asks.one())
            if not asked.streams:
                done = await _unless_gone(request, reply.completed(self._upstream, body))
                return Response(status_code=_CLIENT_LEFT) if done is None else _json(shape.whole(done))
            stream = await _unless_gone(request, self._upstream.stream(body))
            if stream is None:
                return Response(status_code=_CLIENT_LEFT)
            stack.push_async_callback(_ended, reply, stream)
            return EventStream(shape.events(reply.chunks(stream)), stack.pop_all().aclose)


async def _ended(reply: ChatReply, stream: UpstreamStream) -> None:
    """Hang up, and store what was said up to here."""
    with suppress(Exception):
        await stream.aclose()
    try:
        await reply.store()
    except KataribeError as error:
        log.warning("a reply was not stored: %s", type(error).__name__)


async def _nothing() -> None:
    """Let it end."""


async def _unless_gone(request: Request, work: Any) -> Any:
    """Do something as long as somebody waits for it; None where the client is gone before."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.create_task(_left(request.receive))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return doing.result() if doing.done() else None
    finally:
        doing.cancel()
        leaving.cancel()
        await asyncio.gather(doing, leaving, return_exceptions=True)


async def _left(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _fault(error: Exception) -> Problem:
    """Say what a stream broke off over, which can no more be told by a status."""
    if isinstance(error, KataribeError):
        return problem_of(error)
    log.error("unexpected in a stream: %s", type(error).__name__)
    return UNEXPECTED


class ChatShape:
    """A reply in the shape of a chat completion."""

    def whole(self, completion: Json) -> Json:
        """Give a whole one."""
        return completion

    async def events(self, chunks: AsyncIterator[Json]) -> AsyncIterator[bytes]:
        """Give it event by event; one that breaks off says so at the end."""
        try:
            async for chunk in chunks:
                yield b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"
        except Exception as error:
            told = openai_error(_fault(error))
            yield b"data: " + json.dumps(told, ensure_ascii=False).encode() + b"\n\n"
            return
        yield _DONE


class ResponseShape(ChatShape):
    """A reply in the shape of a response."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._maker = ResponseMaker(body)

    def whole(self, completion: Json) -> Json:
        """Give a whole one."""
        return self._maker.whole(completion)

    async def events(self, chunks: AsyncIterator[Json]) -> AsyncIterator[bytes]:
        """Give it event by event; one that breaks off says so at the end."""
        for event in self._maker.begin():
            yield event_line(event)
        try:
            async for chunk in chunks:
                for event in self._maker.chunk(chunk):
                    yield event_line(event)
        except Exception as error:
            told = openai_error(_fault(error))["error"]
            for event in self._maker.failed(told["message"], told["code"] or ""):
                yield event_line(event)
            return
        for event in self._maker.end():
            yield event_line(event)


class EventStream(Response):
    """Server-sent events, as long as somebody listens; `ended` is done at the end, whoever ends it."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes], ended: Callable[[], Awaitable[None]]) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the events."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()
            # Who stops the server waits for what was said to be stored.
            await asyncio.shield(asyncio.ensure_future(self._end(sending, leaving)))

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for piece in self._events:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _end(self, *tasks: asyncio.Task[None]) -> None:
        for failed in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(failed, Exception):
                log.error("unexpected in a stream: %s", type(failed).__name__)
        await self._ended()


def _model_json(speaker: Speaker) -> OpenAiModelJson:
    return {
        "id": speaker.name,
        "object": "model",
        "created": 0,
        "owned_by": "kataribe",
        "name": speaker.title,
    }


def _json(value: object) -> Response:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8")
    return Response(data, 200, {"cache-control": "no-store"}, "application/json")
