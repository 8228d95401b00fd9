"""A server that speaks like OpenAI's, on this machine, and misbehaves as scripted."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]
Fact = dict[str, object]
Facts = Callable[[dict[str, Any]], Iterable[Fact]]
"""Gives the facts of what was asked: the JSON object that the prompt is."""
Step = Callable[["Handler", Body], None]
"""Answers one request in the place of the facts."""


def fact(
    text: str, quote: str | None = None, known_by: Iterable[str] = ("world",), importance: int = 3
) -> Fact:
    """Make a fact as a model gives it."""
    quoted = text if quote is None else quote
    return {"text": text, "quote": quoted, "importance": importance, "known_by": list(known_by)}


def asked(body: Body) -> dict[str, Any]:
    """Give the JSON object of the first prompt in a request."""
    told = next(message["content"] for message in body["messages"] if message["role"] == "user")
    found: dict[str, Any] = json.loads(told)
    return found


class ModelServer:
    """What the server was sent, and what it is to do."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.steps: list[Step] = []
        """Taken one by one before it begins to answer with facts."""
        self.bodies: list[Body] = []
        self.keys: list[str | None] = []
        self.times: list[float] = []
        self.url = ""
        self.stopping = threading.Event()

    @property
    def calls(self) -> int:
        """How many requests came in."""
        return len(self.bodies)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    model_server: ModelServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.model_server
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.bodies.append(body)
        server.keys.append(self.headers["authorization"])
        server.times.append(time.monotonic())
        try:
            if server.steps:
                server.steps.pop(0)(self, body)
            else:
                self.say_facts(server.facts(asked(body)))
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def say(self, status: int, data: bytes, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def say_facts(self, facts: Iterable[Fact]) -> None:
        """Answer in the shape asked for."""
        self.say(200, completion(json.dumps({"facts": list(facts)}, ensure_ascii=False)))


def completion(arguments: str, finish: str = "tool_calls") -> bytes:
    """Give a chat completion that calls the output tool with these arguments."""
    call = {"id": "c1", "type": "function", "function": {"name": "final_result", "arguments": arguments}}
    answer = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": None, "tool_calls": [call]},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    return json.dumps(answer, ensure_ascii=False).encode()


def says(status: int, data: bytes = b'{"error": {"message": "no"}}', **headers: str) -> Step:
    """Answer with a status and a body."""
    return lambda handler, _: handler.say(status, data, **headers)


def gives(*facts: Fact) -> Step:
    """Answer with these facts."""
    return lambda handler, _: handler.say_facts(facts)


def hangs(handler: Handler, _: Body) -> None:
    """Never answer."""
    handler.model_server.stopping.wait(30)
    handler.close_connection = True


def streams(*pieces: str, cut_off: bool = False) -> Step:
    """Answer with a text piece by piece, as servers that stream do; `cut_off`: hang up before its end."""

    def step(handler: Handler, _: Body) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.close_connection = True
        for piece in pieces:
            handler.wfile.write(_event({"content": piece}))
            handler.wfile.flush()
        if cut_off:
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        handler.wfile.write(_event({}, finish="stop", usage=usage) + b"data: [DONE]\n\n")

    return step


def _event(delta: Mapping[str, object], finish: str | None = None, **more: object) -> bytes:
    chunk = {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **more,
    }
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def cuts_off(handler: Handler, _: Body) -> None:
    """Promise a body, send the half of it and hang up."""
    data = completion('{"facts": []}')
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2])
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def never_ends(handler: Handler, _: Body) -> None:
    """Send text for as long as somebody listens."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    handler.close_connection = True
    while not handler.model_server.stopping.is_set():
        handler.wfile.write(b" " * 65536)


@contextmanager
def model_server(facts: Facts) -> Iterator[ModelServer]:
    """Run a server until the block ends."""
    state = ModelServer(facts)
    handler = type("OneHandler", (Handler,), {"model_server": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
