"""Who watches how a read comes about: spans with counts and ids, of no cost when nobody watches."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

Attribute = str | bool | int | float | Sequence[str]
"""What a span may carry."""

PREFIX = "kataribe."
"""Stands before the name of every span and attribute."""


class Span(Protocol):
    """A piece of work that is being watched."""

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Add what is known of it by now; names come without the prefix."""


class Telemetry(Protocol):
    """Where spans go."""

    @property
    def is_on(self) -> bool:
        """Whether anybody watches; asked once for each verb, so it must cost next to nothing."""

    @property
    def tells_texts(self) -> bool:
        """Whether questions and texts may be told, and not only counts and ids."""

    def span(self, name: str) -> AbstractContextManager[Span]:
        """Begin a span below the one that runs, and end it; an error is noted by its type alone."""


class Unwatched:
    """Nobody watches."""

    is_on = False
    tells_texts = False

    @contextmanager
    def span(self, name: str) -> Iterator[Span]:  # noqa: ARG002 - nobody to tell it to
        """Watch nothing."""
        yield self

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Forget it."""


UNWATCHED = Unwatched()

_WATCHING: ContextVar[Telemetry | None] = ContextVar("kataribe_telemetry", default=None)
"""Who watches the verb that runs; threads that a verb starts inherit it."""


@contextmanager
def watching(telemetry: Telemetry, name: str) -> Iterator[Span]:
    """Watch a verb, and every step within it."""
    token = _WATCHING.set(telemetry)
    try:
        with telemetry.span(name) as span:
            yield span
    finally:
        _WATCHING.reset(token)


def step(
    name: str, counted: Callable[[Any], Mapping[str, Attribute]] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function, plain or async, a span of its own within a verb that is watched.

    `counted` tells what to note of its result: numbers and ids, never a text.
    """

    def of(function: Callable[P, R]) -> Callable[P, R]:
        if inspect.iscoroutinefunction(function):
            return cast(Callable[P, R], _later(name, counted, function))

        @wraps(function)
        def run(*given: P.args, **named: P.kwargs) -> R:
            telemetry = _WATCHING.get()
            if telemetry is None:
                return function(*given, **named)
            with telemetry.span(name) as span:
                found = function(*given, **named)
                if counted is not None:
                    span.note(counted(found))
                return found

        return run

    return of


def _later(
    name: str,
    counted: Callable[[Any], Mapping[str, Attribute]] | None,
    function: Callable[P, Coroutine[Any, Any, Any]],
) -> Callable[P, Coroutine[Any, Any, Any]]:
    @wraps(function)
    async def run(*given: P.args, **named: P.kwargs) -> Any:
        telemetry = _WATCHING.get()
        if telemetry is None:
            return await function(*given, **named)
        with telemetry.span(name) as span:
            found = await function(*given, **named)
            if counted is not None:
                span.note(counted(found))
            return found

    return run
