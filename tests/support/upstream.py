"""A model on this machine that speaks as OpenAI's does, and does as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
Body = Mapping[str, Any]
Act = Callable[["UpstreamHandler", Body], None]


class StubUpstream:
    """What was asked of the model, and what it is to do; it says `Yes.` where it is not told otherwise."""

    def __init__(self) -> None:
        self.acts: list[Act] = []
        self.always: Act | None = None
        self.bodies: list[Json] = []
        self.keys: list[str | None] = []
        self.url = ""
        self.hung_up = threading.Event()
        """Set when a client hung up on a reply that has not ended."""
        self.may_go_on = threading.Event()

    @property
    def last(self) -> Json:
        """What was asked last."""
        return self.bodies[-1]

    def told(self, at: int = -1) -> list[tuple[str, str]]:
        """Give role and text of the messages of a request, without the context that stands first."""
        return [(one["role"], one["content"]) for one in self.bodies[at]["messages"][1:]]


class UpstreamHandler(BaseHTTPRequestHandler):
    """Answers one request."""

    stub: StubUpstream
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.stub.bodies.append(body)
        self.stub.keys.append(self.headers["authorization"])
        act = self.stub.acts.pop(0) if self.stub.acts else self.stub.always or says("Yes.")
        try:
            act(self, body)
        except OSError:
            self.stub.hung_up.set()
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def send(self, status: int, value: object) -> None:
        """Send a whole answer."""
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin(self) -> None:
        """Begin to send events."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, value: object) -> None:
        """Send an event."""
        data = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()

    def delta(self, delta: Json, finish: str | None = None) -> None:
        """Send a chunk."""
        self.event(chunk(delta, finish))


def chunk(delta: Json, finish: str | None = None) -> Json:
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
    }


def completion(message: Json, finish: str = "stop") -> Json:
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def says(*pieces: str) -> Act:
    """Say a text: whole, or in these pieces where it is asked for a stream."""

    def act(handler: UpstreamHandler, body: Body) -> None:
        if not body.get("stream"):
            handler.send(200, completion({"role": "assistant", "content": "".join(pieces)}))
            return
        handler.begin()
        handler.delta({"role": "assistant", "content": ""})
        for piece in pieces:
            handler.delta({"content": piece})
        handler.delta({}, "stop")
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
            handler.event({**chunk({}), "choices": [], "usage": usage})
        handler.event("[DONE]")

    return act


def says_again(change: Callable[[str], Sequence[str]]) -> Act:
    """Say what is made of what the user said last."""

    def act(handler: UpstreamHandler, body: Body) -> None:
        told = next(one["content"] for one in reversed(body["messages"]) if one["role"] == "user")
        says(*change(told))(handler, body)

    return act


def calls(name: str, *pieces: str) -> Act:
    """Call a tool, with arguments in these pieces where it is asked for a stream."""

    def act(handler: UpstreamHandler, body: Body) -> None:
        call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": "".join(pieces)}}
        if not body.get("stream"):
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            handler.send(200, completion(message, "tool_calls"))
            return
        handler.begin()
        first = {"index": 0, **call, "function": {"name": name, "arguments": ""}}
        handler.delta({"role": "assistant", "content": None, "tool_calls": [first]})
        for piece in pieces:
            handler.delta({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        handler.delta({}, "tool_calls")
        handler.event("[DONE]")

    return act


def fails(status: int = 500, said: str = "sk-secret is wrong; you said 雨") -> Act:
    """Refuse."""
    return lambda handler, _: handler.send(status, {"error": {"message": said}})


def breaks_off(*pieces: str) -> Act:
    """Say these pieces, and hang up."""

    def act(handler: UpstreamHandler, body: Body) -> None:
        handler.begin()
        for piece in pieces:
            handler.delta({"content": piece})

    return act


def waits(*pieces: str) -> Act:
    """Say these pieces and wait; what is said on afterwards nobody may hear."""

    def act(handler: UpstreamHandler, body: Body) -> None:
        if body.get("stream"):
            handler.begin()
            for piece in pieces:
                handler.delta({"content": piece})
        handler.stub.may_go_on.wait(60)
        for _ in range(1000):
            handler.delta({"content": "more "})

    return act


@contextmanager
def upstream_server() -> Iterator[StubUpstream]:
    """Let a model listen on this machine."""
    stub = StubUpstream()
    handler = type("Handler", (UpstreamHandler,), {"stub": stub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.may_go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()
