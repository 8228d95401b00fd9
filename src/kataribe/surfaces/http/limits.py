"""How much a caller may ask at a time, and how long a body may be and take."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.problems import Problem, RefusedError, bad_request
from kataribe.surfaces.http.readers import LARGEST

_TOO_MANY = Problem(429, "too-many-requests", "this caller asks too often; wait a second and ask again")
_BUSY = Problem(503, "busy", "too much is asked of this server at once; wait a second and ask again")
_TOO_SLOW = Problem(408, "request-timeout", "the body of the request did not come in time; send it again")
_BUCKETS_KEPT = 10_000


class Rates:
    """Counts how often each caller asks: as many times a second as `rate`, up to `burst` at once."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count a request. Raises `RefusedError` when there were too many."""
        now = self._clock()
        left, since = self._left.pop(caller, (float(self._burst), now))
        left = min(float(self._burst), left + (now - since) * self._rate)
        self._left[caller] = (max(left - 1, 0.0), now)
        if len(self._left) > _BUCKETS_KEPT:
            self._left.popitem(last=False)
        if left < 1:
            raise RefusedError(_TOO_MANY)


class Slot:
    """A place among those that are worked on; given back once, at the end or before."""

    def __init__(self, free: asyncio.Semaphore) -> None:
        self._free: asyncio.Semaphore | None = free

    def give_back(self) -> None:
        """Let somebody else have it, as nothing is left to do but to wait."""
        if self._free is not None:
            self._free.release()
        self._free = None


class Slots:
    """Lets so many requests be worked on at a time; who waits longer than `patience` seconds is refused."""

    def __init__(self, at_once: int, patience: float) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._patience = patience

    @asynccontextmanager
    async def one(self) -> AsyncIterator[Slot]:
        """Take a slot. Raises `RefusedError` when none becomes free."""
        if self._free.locked():
            try:
                await asyncio.wait_for(self._free.acquire(), self._patience)
            except TimeoutError:
                raise RefusedError(_BUSY) from None
        else:
            # Nobody is waited for, so no task is made that could be.
            await self._free.acquire()
        slot = Slot(self._free)
        try:
            yield slot
        finally:
            slot.give_back()


async def read_object(request: Request, options: ServerOptions) -> dict[str, object]:
    """Read the JSON object that a request brings; empty where it brings nothing. Raises `RefusedError`."""
    data = await _body(request, options)
    if not data:
        return {}
    told = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if told != "application/json":
        raise RefusedError(
            Problem(
                415, "unsupported-media-type", "the body must be JSON: send `Content-Type: application/json`"
            )
        )
    return parse_object(data)


async def read_bytes(request: Request, options: ServerOptions) -> bytes:
    """Read the file that a request brings. Raises `RefusedError`."""
    return await _body(request, options)


async def _body(request: Request, options: ServerOptions) -> bytes:
    too_large = RefusedError(
        Problem(413, "too-large", f"a body has at most {options.body_bytes:,} bytes; send less at a time")
    )
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced[:20]) > options.body_bytes:
        raise too_large
    pieces: list[bytes] = []
    length = 0
    try:
        async with asyncio.timeout(options.body_seconds):
            async for piece in request.stream():
                length += len(piece)
                if length > options.body_bytes:
                    raise too_large
                pieces.append(piece)
    except TimeoutError:
        raise RefusedError(_TOO_SLOW) from None
    except ClientDisconnect:
        raise bad_request("the connection was closed before the body was there") from None
    return b"".join(pieces)


def parse_object(data: bytes) -> dict[str, object]:
    """Read a JSON object of UTF-8. Raises `RefusedError` for what is none."""
    try:
        text = data.decode("utf-8")
        found = json.loads(text, parse_constant=_no_constant)
        if "\\u" in text:
            # An escaped half of a character is JSON, and is no text.
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError:
        raise bad_request("the body is not UTF-8") from None
    except UnicodeEncodeError:
        raise bad_request("the body holds half a character (a lone surrogate), which is no text") from None
    except RecursionError:
        raise bad_request("the body is nested too deeply; make it flatter") from None
    except ValueError as error:
        raise bad_request(f"the body is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise bad_request("the body must be a JSON object")
    _check_numbers(found)
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no number")


def _check_numbers(value: object) -> None:
    """Refuse numbers that no store holds, wherever they stand."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, int | float) and abs(one) > LARGEST:
            raise bad_request("the body holds a number that is too large")
