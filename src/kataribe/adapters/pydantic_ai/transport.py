"""Asking a model over a network that fails: waiting as long as it says, a few times, and never for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import lru_cache
from ssl import SSLContext
from time import perf_counter
from weakref import WeakKeyDictionary

import httpx2
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from kataribe.domain.memory import Usage
from kataribe.errors import withheld

ATTEMPTS = 3
"""How often one request is sent at most."""
LONGEST_WAIT = 60.0
"""Seconds a server may ask us to wait; one that asks for more is given up for now."""
AT_ONCE = 4
"""Requests under way at the same time."""
MAX_ANSWER_BYTES = 4_000_000

_PASSING = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)

Sleep = Callable[[float], Awaitable[None]]


class Turnstile:
    """Lets a few requests through at a time, for each event loop its own."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def of_loop(self) -> asyncio.Semaphore:
        """Give the running loop's semaphore."""
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            self._open[loop] = asyncio.Semaphore(self._at_once)
        return self._open[loop]


class PatientModel(WrapperModel):
    """Another model, asked again when the network or the server fails, and counted.

    An answer has `seconds` to be there in full. `usage` sums up what was answered.
    """

    def __init__(
        self,
        wrapped: Model,
        *,
        seconds: float,
        turnstile: Turnstile,
        sleep: Sleep = asyncio.sleep,
        attempts: int = ATTEMPTS,
    ) -> None:
        super().__init__(wrapped)
        self._seconds = seconds
        self._turnstile = turnstile
        self._sleep = sleep
        self._attempts = attempts
        self.usage = Usage()

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask, and ask again; raise `ModelAPIError` when the last attempt fails too."""
        for attempt in range(1, self._attempts + 1):
            try:
                return await self._once(messages, model_settings, model_request_parameters)
            except _PASSING as error:
                wait = 2.0 ** (attempt - 1) if error.retry_after is None else error.retry_after
                if attempt == self._attempts or wait > LONGEST_WAIT:
                    raise
                await self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _once(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async with self._turnstile.of_loop():
            begun = perf_counter()
            try:
                async with asyncio.timeout(self._seconds):
                    answer = await super().request(messages, model_settings, model_request_parameters)
            except TimeoutError as error:
                raise ModelConnectionError(
                    self.model_name, f"no whole answer within {self._seconds:g} seconds"
                ) from error
        self.usage += Usage(
            calls=1,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            cost=answer.usage.cost,
            seconds=perf_counter() - begun,
        )
        return answer


class _Bounded(httpx2.AsyncByteStream):
    """A body that is cut off when it becomes too long to be an answer."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > MAX_ANSWER_BYTES:
                raise httpx2.ReadError(f"the answer is longer than {MAX_ANSWER_BYTES} bytes")
            yield piece

    async def aclose(self) -> None:
        """Close the body."""
        await self._inner.aclose()


async def _bound(response: httpx2.Response) -> None:
    stream = response.stream
    if isinstance(stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(stream)


@lru_cache(maxsize=1)
def _certificates() -> SSLContext:
    # Reading them takes longer than all else about a client.
    return httpx2.create_ssl_context()


def http_client(seconds: float) -> httpx2.AsyncClient:
    """Make a client whose answers are bounded in length, and not packed, so that the bound holds."""
    return httpx2.AsyncClient(
        # A little more than is waited for an answer: who waits says so in words of its own.
        timeout=httpx2.Timeout(seconds + 1, connect=min(seconds, 10.0)),
        verify=_certificates(),
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_bound]},
    )


def why(error: ModelAPIError) -> str:
    """Say in a line why asking failed; a server may repeat what it was sent."""
    status = getattr(error, "status_code", None)
    said = " ".join(error.message.split())[:300]
    waits = "" if error.retry_after is None else f" (it asks to wait {error.retry_after:g} s)"
    return (
        f"the server answered {status}{waits}: {withheld(said)}"
        if status
        else withheld(said, type(error).__name__)
    )
