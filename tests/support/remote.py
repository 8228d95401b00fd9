"""A store in another process, used like one in this: for proofs with two processes on one file."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

import kataribe
from support.stores import services

Step = tuple[str, tuple[tuple[object, ...], dict[str, object]] | None]
"""A name, and what it is called with; None for a part that is not called."""
HANDLES = {"story", "user", "viewer"}
PARTS = {"admin", "episodes", "facts", "cast", "branches", "views", "checkpoints", "index"}
CLOSE: tuple[Step, ...] = ()


def _serve(path: str, pipe: Connection) -> None:
    with kataribe.open(path, services=services()) as store:
        while True:
            try:
                steps = pipe.recv()
            except EOFError:
                return
            if steps == CLOSE:
                pipe.send((True, None))
                return
            try:
                pipe.send((True, _walk(store, steps)))
            except kataribe.KataribeError as error:
                pipe.send((False, (type(error).__name__, str(error))))


def _walk(store: kataribe.Kataribe, steps: Sequence[Step]) -> object:
    """Go from handle to handle, and call the verb at the end."""
    found: Any = store
    for name, given in steps:
        found = getattr(found, name)
        if given is not None:
            arguments, named = given
            found = found(*arguments, **named)
    return found


class _Way:
    """A way from a store to one of its handles, in another process."""

    def __init__(self, ask: Callable[[Sequence[Step]], object], steps: tuple[Step, ...]) -> None:
        self._ask = ask
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        if name in PARTS:
            return _Way(self._ask, (*self._steps, (name, None)))

        def call(*arguments: object, **named: object) -> object:
            steps = (*self._steps, (name, (arguments, named)))
            return _Way(self._ask, steps) if name in HANDLES else self._ask(steps)

        return call


class RemoteKataribe:
    """Sends every verb to a process of its own and waits for what comes back."""

    def __init__(self, path: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(path, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(_Way(self._told, ()), name)

    def _told(self, steps: Sequence[Step]) -> object:
        self._pipe.send(steps)
        done, value = self._pipe.recv()
        if done:
            return value
        kind, message = value
        raise getattr(kataribe, kind)(message)

    def close(self) -> None:
        """End the process."""
        self._pipe.send(CLOSE)
        self._pipe.recv()
        self._process.join()
        self._pipe.close()
