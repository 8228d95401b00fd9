"""A receiver of a webhook on this machine, which answers as scripted and checks what it is sent."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import kataribe
from kataribe.adapters.webhook import HttpWebhook, secrets_in
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store, services

KEY = bytes(range(32))
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"

Answer = Callable[["_Handler"], None]
"""Answers one request in the place of 204."""


class Receiver:
    """What was sent, and what is to be answered next."""

    def __init__(self) -> None:
        self.url = ""
        self.answers: list[Answer] = []
        self.taken: list[dict[str, Any]] = []
        """The bodies that were answered by 2xx, each time that they came."""
        self.ids: list[str] = []
        """The ids of all messages that came, whatever was answered."""
        self.heads: list[dict[str, str]] = []
        self.raw: list[bytes] = []
        self.stopping = threading.Event()

    def changes(self, kinds: tuple[str, ...] = ("fact", "turn")) -> list[tuple[str, str, str]]:
        """Give (change, id, holder) of all that was taken of these kinds, in order."""
        return [
            (one["change"], one["id"], one["holder"])
            for body in self.taken
            for one in body["data"].get("changes", ())
            if one["kind"] in kinds
        ]

    def mirror(self) -> set[tuple[str, str, str]]:
        """Give (space, id, holder) of what is there by all that was told, whatever came twice."""
        found: set[tuple[str, str, str]] = set()
        for body in self.taken:
            space = body["data"]["space"]["id"]
            if body["type"] == "space.deleted":
                found = {one for one in found if one[0] != space}
            for one in body["data"].get("changes", ()):
                named = (space, one["id"], one["holder"])
                if one["change"] == "kept":
                    found.add(named)
                elif one["change"] == "deleted" or one["kind"] == "kept_memory":
                    # A fact that is superseded is known still; what nights keep ends with it.
                    found.discard(named)
        return found


class _Handler(BaseHTTPRequestHandler):
    """Takes one message."""

    receiver: Receiver

    def do_POST(self) -> None:
        here = self.receiver
        body = self.rfile.read(int(self.headers["content-length"]))
        message_id, seconds = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        signed = hmac.new(KEY, f"{message_id}.{seconds}.".encode() + body, hashlib.sha256).digest()
        assert f"v1,{base64.b64encode(signed).decode()}" in self.headers["webhook-signature"].split()
        here.ids.append(message_id)
        here.heads.append({name.lower(): value for name, value in self.headers.items()})
        here.raw.append(body)
        if here.answers:
            try:
                here.answers.pop(0)(self)
            except OSError:
                self.close_connection = True
            return
        self.take(body)

    def take(self, body: bytes) -> None:
        self.receiver.taken.append(json.loads(body))
        self.say(204)

    def say(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def says(status: int, **headers: str) -> Answer:
    """Answer with a status, and take nothing."""
    return lambda handler: handler.say(status, **headers)


def hangs_up(handler: _Handler) -> None:
    """Answer nothing."""
    handler.close_connection = True


def drips(handler: _Handler) -> None:
    """Answer a byte now and then, and never a whole head."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    while not handler.receiver.stopping.wait(0.05):
        handler.wfile.write(b".")
        handler.wfile.flush()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver on this machine."""
    here = Receiver()
    handler = type("Bound", (_Handler,), {"receiver": here})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    here.url = f"http://127.0.0.1:{server.server_address[1]}/hook?of=1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        here.stopping.set()
        server.shutdown()
        server.server_close()


def hooked(here: Receiver, clock: FrozenClock | None = None, *, seconds: float = 5.0) -> Services:
    """Give parts with a webhook to this receiver."""
    hook = HttpWebhook(here.url, secrets_in(SECRET), seconds=seconds)
    made = replace(services(), hook=hook)
    return made if clock is None else replace(made, clock=clock)


def store_with(path: Path, here: Receiver, clock: FrozenClock | None = None) -> Kataribe:
    """Open a store whose webhook goes to this receiver; it is made when it is missing."""
    if not path.exists():
        empty_store(path)
    return kataribe.open(str(path), services=hooked(here, clock))
