"""Who reads slowly, sends slowly or sends too much is served alone: others are answered meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from kataribe.surfaces.http.options import ServerOptions
from support.loopback import Listened, LoopThread
from support.stores import empty_store, services

AT_ONCE = 2
PATIENCE = 60.0
# Who waits for a place for as long as a test may take was held up.
OPTIONS = ServerOptions(at_once=AT_ONCE, queue_seconds=PATIENCE, body_bytes=1 << 20)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Listened]:
    thread = LoopThread()
    made = Listened(thread, empty_store(tmp_path / "k.db"), services(), OPTIONS)
    yield made
    made.close()
    thread.close()


def connected(here: Listened, *sent: bytes) -> socket.socket:
    """Open a connection with little room for answers, and send something."""
    where = urlsplit(here.url)
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(PATIENCE)
    made.connect((where.hostname, where.port))
    for one in sent:
        made.sendall(one)
    return made


def everything_is_answered(here: Listened) -> None:
    """Ask as anybody would: what takes a place, and what does not."""
    with httpx.Client(base_url=here.url, timeout=PATIENCE, trust_env=False) as client:
        assert client.put("/stories/t", json={"language": "en", "embedder": "hash"}).status_code == 201
        assert [one["id"] for one in client.get("/stories").json()["items"]][-1] == "t"
        assert client.get("/ready").status_code == 200


def test_who_takes_no_answer_stops_nobody(here: Listened) -> None:
    """More of them than places: an answer that is not taken holds none."""
    with httpx.Client(base_url=here.url, timeout=PATIENCE, trust_env=False) as client:
        client.put("/stories/s", json={"language": "en", "embedder": "hash"}).raise_for_status()
        client.put("/stories/s/episodes/1", json={"text": "長い話。" * 60_000}).raise_for_status()
    asks = b"GET /stories/s/episodes/1 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 12
    held = [connected(here, asks) for _ in range(AT_ONCE + 1)]
    try:
        assert all(one.recv(1) == b"H" for one in held), "each is being answered"
        everything_is_answered(here)
    finally:
        for one in held:
            one.close()


def test_a_body_that_comes_byte_by_byte_stops_nobody(here: Listened) -> None:
    head = b"POST /recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n"
    held = [connected(here, head, b"{") for _ in range(AT_ONCE + 1)]
    try:
        for byte in (b'"', b"q"):
            for one in held:
                one.sendall(byte)
            with httpx.Client(base_url=here.url, timeout=PATIENCE, trust_env=False) as client:
                assert client.get("/stories").status_code == 200
        everything_is_answered(here)
    finally:
        for one in held:
            one.close()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (1 << 20), b"400"),
        (b"GET /" + b"x" * (1 << 20), b"400"),
        (
            b"POST /recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" + b"10000\r\n" + b"x" * 0x10000 + b"\r\n",
            b"413",
        ),
        (
            b"POST /recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"413",
        ),
    ],
)
def test_what_is_too_long_is_refused_and_stops_nobody(here: Listened, sent: bytes, status: bytes) -> None:
    """A head, a path, a body in pieces without end, and one that is announced."""
    again = sent.partition(b"\r\n\r\n")[2] * 40
    one = connected(here)
    try:
        # The other side may close before all of it is sent.
        with suppress(OSError):
            one.sendall(sent + again)
        with suppress(ConnectionResetError):
            got = one.recv(12)
            assert got in (b"", b"HTTP/1.1 " + status)
        everything_is_answered(here)
    finally:
        one.close()
