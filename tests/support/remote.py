"""A store in another process, used like one in this: for proofs with two processes on one file."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

import kataribe
from support.stores import engines


def _serve(path: str, pipe: Connection) -> None:
    with kataribe.open(path, engines=engines()) as store:
        while True:
            try:
                verb, arguments, named = pipe.recv()
            except EOFError:
                return
            if verb == "close":
                pipe.send((True, None))
                return
            try:
                pipe.send((True, getattr(store, verb)(*arguments, **named)))
            except kataribe.KataribeError as error:
                pipe.send((False, (type(error).__name__, str(error))))


class RemoteKataribe:
    """Sends every verb to a process of its own and waits for what comes back."""

    def __init__(self, path: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(path, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def __getattr__(self, verb: str) -> Any:
        def ask(*arguments: object, **named: object) -> object:
            self._pipe.send((verb, arguments, named))
            done, value = self._pipe.recv()
            if done:
                return value
            kind, message = value
            raise getattr(kataribe, kind)(message)

        return ask

    def close(self) -> None:
        """End the process."""
        self._pipe.send(("close", (), {}))
        self._pipe.recv()
        self._process.join()
        self._pipe.close()
