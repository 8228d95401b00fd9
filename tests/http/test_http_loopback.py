"""A real server on this machine: what is slow, half open or huge stops nobody, and a kill loses nothing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

import kataribe
from kataribe.surfaces.http.listen import Listening, _socket
from kataribe.surfaces.http.patience import PatientProtocol
from support.stores import empty_store, services

PATIENCE = 60.0


@dataclass(frozen=True)
class Running:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    url: str

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host, int(port)


@contextmanager
def serving(store: Path, *options: str) -> Iterator[Running]:
    command = [sys.executable, "-m", "kataribe", "--db", str(store), "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ})
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert "listening on http://127.0.0.1:" in said, said + process.stderr.read()
        yield Running(process, said.split()[-1])
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def send(client: httpx.Client, at: int) -> tuple[str, str]:
    """Send a turn or an episode; give what was acknowledged."""
    if at % 2:
        said = {"user_id": "nora", "session_id": f"s{at}", "text": f"turn {at}", "persona": "akari"}
        got = client.post("/ingest", json=said)
        got.raise_for_status()
        return "turn", str(got.json()["id"])
    got = client.put(f"/stories/s/episodes/{at + 1}", json={"text": f"Episode {at} is told."})
    got.raise_for_status()
    return "episode", f"Episode {at} is told."


def test_a_kill_in_the_middle_loses_no_acknowledged_write(tmp_path: Path) -> None:
    store = empty_store(tmp_path / "store.db")
    with kataribe.open(str(store), services=services()) as made:
        made.story("s").create(language="en", embedder="hash")
        made.user("nora").create(language="en", embedder="hash")
    acknowledged: list[tuple[str, str]] = []

    def write(first: int) -> None:
        with httpx.Client(base_url=here.url, timeout=PATIENCE) as client, suppress(httpx.HTTPError):
            for at in range(first, first + 1000):
                acknowledged.append(send(client, at))

    with serving(store) as here, ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(write, 1000 * one) for one in range(4)]
        end = time.monotonic() + PATIENCE
        while len(acknowledged) < 24 and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(here.process.pid, signal.SIGKILL)
        for writer in writers:
            writer.result()
    assert len(acknowledged) >= 24
    with kataribe.open(str(store), services=services()) as again:
        turns = {turn.turn_id for turn in again.user("nora").turns()}
        tale = again.story("s").episodes
        texts = {tale.get(one.no).text for one in tale.list()}
        for what, written in acknowledged:
            assert written in (turns if what == "turn" else texts)
        again.sync()
        assert again.verify().problems == ()


def test_what_is_slow_half_open_or_huge_stops_nobody(tmp_path: Path) -> None:
    store = empty_store(tmp_path / "store.db")
    with serving(store) as here:
        held = [socket.create_connection(here.address) for _ in range(90)]
        head = b"POST /recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for at, one in enumerate(held):
            # Nothing at all, half a head, half a body, and a body that is announced and never comes.
            one.sendall((b"", head[:20], head + b'Content-Length: 99\r\n\r\n{"q', head)[at % 4])
        with httpx.Client(base_url=here.url, timeout=PATIENCE) as client:
            client.put("/stories/s", json={"language": "en", "embedder": "hash"}).raise_for_status()
            huge = client.put("/stories/s/episodes/1", json={"text": "x" * (9 << 20)})
            assert huge.status_code == 413
            assert [one["id"] for one in client.get("/stories").json()["items"]] == ["s"]
            assert client.get("/ready").status_code == 200
        for one in held:
            one.close()


def test_a_connection_that_asks_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was never used, and one with half a head, a first request or none before it."""
    monkeypatch.setattr(PatientProtocol, "head_seconds", 0.2)
    whole = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    async def app(scope: Any, receive: Any, send: Any) -> None:
        # It is busy for longer than a head may take: it is not closed meanwhile.
        await asyncio.sleep(0.5)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def run() -> list[bytes]:
        config = uvicorn.Config(app, http=PatientProtocol, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            told = [
                _all_of(listening.getsockname(), sent) for sent in (b"", whole[:9], whole, whole + whole[:9])
            ]
            found = await asyncio.gather(*told)
            server.should_exit = True
            await serving
        return list(found)

    never, half, one, one_and_half = asyncio.run(run())
    assert (never, half) == (b"", b"")
    assert one.startswith(b"HTTP/1.1 204")
    assert one_and_half.count(b"HTTP/1.1 204") == 1


def test_a_reply_is_not_held_back_until_its_head_is_acknowledged() -> None:
    """Its head and body are two writes, and a client that is slow to acknowledge the first costs 40 ms."""
    seen: list[int] = []

    class Seen(PatientProtocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            connection = transport.get_extra_info("socket")
            seen.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": [(b"connection", b"close")]})
        await send({"type": "http.response.body", "body": b""})

    async def run() -> None:
        config = uvicorn.Config(app, http=Seen, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        with _socket(Listening(port=0)) as listening:
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            await _all_of(listening.getsockname(), b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            server.should_exit = True
            await serving

    asyncio.run(run())
    assert [one != 0 for one in seen] == [True]


async def _all_of(address: tuple[str, int], sent: bytes) -> bytes:
    """Send something, and read until the other side closes."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(sent)
    await writer.drain()
    found = await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()
    return found


def test_a_server_that_is_told_to_stop_closes_its_store(tmp_path: Path) -> None:
    store = empty_store(tmp_path / "store.db")
    with serving(store) as here:
        assert httpx.get(f"{here.url}/health").json() == {"status": "ok"}
        here.process.send_signal(signal.SIGTERM)
        assert here.process.wait(PATIENCE) == 0
    assert not store.with_name("store.db-wal").exists()


@pytest.mark.parametrize("options", [("--host", "0.0.0.0"), ("--tls-cert", "cert.pem")])
def test_a_server_that_would_be_open_to_others_does_not_start(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    store = empty_store(tmp_path / "store.db")
    command = [sys.executable, "-m", "kataribe", "--db", str(store), "serve", "--port", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("error: ")
    assert "access add" in done.stderr or "--tls-key" in done.stderr


def test_a_secret_opens_the_server_it_was_made_for(tmp_path: Path) -> None:
    store = empty_store(tmp_path / "store.db")
    with kataribe.open(str(store), services=services()) as made:
        secret = made.admin.access.add("admin").secret
    with serving(store) as here:
        assert httpx.get(f"{here.url}/stories").status_code == 401
        told = httpx.get(f"{here.url}/stories", headers={"authorization": f"Bearer {secret}"})
        assert json.loads(told.text) == {"items": [], "next": None}
