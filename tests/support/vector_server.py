"""A server that gives vectors as OpenAI's does, on this machine, and misbehaves as scripted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from kataribe.domain.ids import digest
from support.model_server import Body, Handler, ModelServer, Step, model_server

DIMENSIONS = 48


@lru_cache(maxsize=4096)
def _direction(pair: str, dimensions: int) -> npt.NDArray[np.float64]:
    return np.random.default_rng(int(digest(pair)[:12], 16)).normal(size=dimensions)


def numbers(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Make a text's vector, of no particular length: random for each two characters, summed."""
    total = np.zeros(dimensions)
    for at in range(len(text)):
        total += _direction(text[at : at + 2], dimensions)
    return [float(number) for number in total]


def answer(vectors: Sequence[object]) -> bytes:
    """Give the body of an answer."""
    data = [
        {"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return json.dumps({"object": "list", "data": data, "model": "stub", "usage": usage}).encode()


def gives_vectors(make: Callable[[list[str]], Sequence[object]]) -> Step:
    """Answer with what is made of the texts."""
    return lambda handler, body: handler.say(200, answer(make(body["input"])))


def _usual(handler: Handler, body: Body) -> None:
    handler.say(200, answer([numbers(text) for text in body["input"]]))


class _Always(list[Step]):
    """Scripted steps first, then the usual answer for ever."""

    def __bool__(self) -> bool:
        return True

    def pop(self, index: object = 0) -> Step:
        return super().pop(0) if len(self) else _usual


@contextmanager
def vector_server() -> Iterator[ModelServer]:
    """Run a server until the block ends."""
    with model_server(lambda _: ()) as server:
        server.steps = _Always()
        yield server
