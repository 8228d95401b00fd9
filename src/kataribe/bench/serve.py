"""A server on this machine: what it takes on top of the face, and how it stands many clients for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, sleep

from kataribe.bench.clients import HttpClient
from kataribe.bench.rows import BenchRow, at_most
from kataribe.bench.sentences import Teller
from kataribe.bench.server_process import Held, ServerProcess, running
from kataribe.bench.soak import EMBEDDER, Soaked, lost, prepared, soak
from kataribe.bench.stand_ins import services
from kataribe.bench.synthetic import STORY, VIEWER, Made
from kataribe.bench.timing import WARM_UP, percentile
from kataribe.bench.workspace import Stage
from kataribe.wiring import Embedders, open_async
from kataribe.wiring import open as open_store

_SERVERS = 2
_SERVER_ADDS = 2.0
_GOES_IN = 10.0
"""Seconds that a server has to notice that clients are gone."""


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Ask a server beside the face, then let many clients ask and write, on the same processors."""
    if find_spec("uvicorn") is None or find_spec("fastapi") is None:
        stage.left_out.append("a server: install kataribe[server]")
        return
    yield from _one_client(stage)
    yield from _many_clients(stage)


# -- one client -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Beside:
    """The seconds of each call by HTTP and by the face, and the processor's time of both for one call."""

    http: Sequence[float]
    face: Sequence[float]
    http_cpu: float | None
    face_cpu: float


def _one_client(stage: Stage) -> Iterator[BenchRow]:
    wanted = stage.sizes.visible[0]
    made = stage.made(wanted, name=EMBEDDER, embedder=Embedders().get(EMBEDDER))
    with running(stage, made.path) as server:
        found = asyncio.run(_beside(stage, made, server))
        server.stop()
    whole, own = median(found.http) * 1000, median(found.face) * 1000
    what = f"recall over HTTP, one client that stays, {made.visible:,} visible"
    cpu = None if found.http_cpu is None else found.http_cpu * 1000
    yield BenchRow(
        bench="serve",
        what=what,
        value=whole,
        unit="ms",
        p95=percentile(found.http, 95) * 1000,
        cpu=cpu,
        floor=own,
        calls=len(found.http),
    )
    target, met = at_most(whole - own, _SERVER_ADDS)
    yield BenchRow(
        bench="serve",
        what="  that is more than the face takes by",
        value=whole - own,
        unit="ms",
        floor=own,
        target=target,
        met=met,
        calls=len(found.http),
    )
    if cpu is not None:
        adds = cpu - found.face_cpu * 1000
        target, met = at_most(adds, _SERVER_ADDS)
        yield BenchRow(
            bench="serve",
            what="  of the processor's time, more than the face by",
            value=adds,
            unit="ms",
            floor=found.face_cpu * 1000,
            target=target,
            met=met,
            calls=len(found.http),
        )


async def _beside(stage: Stage, made: Made, server: ServerProcess) -> _Beside:
    """Ask each question by HTTP and of the face in turn: what slows the machine down slows both."""
    teller, client = Teller(), HttpClient(server.port)
    viewer = {"story": STORY, "persona": VIEWER, "at": made.at}
    http: list[float] = []
    face: list[float] = []
    face_cpu: list[float] = []
    begun_cpu: float | None = None
    memory = await open_async(str(made.path), services=services(Embedders().get(EMBEDDER)))
    until = perf_counter() + stage.sizes.seconds
    try:
        for number in range(WARM_UP + stage.sizes.calls):
            question = teller.question()
            if number == WARM_UP:
                begun_cpu = server.worked
            begun = perf_counter()
            answer = await client.ask("POST", "/recall", {"question": question, **viewer})
            asked = perf_counter()
            before = process_time()
            await memory.recall(question, story=STORY, persona=VIEWER, at=made.at)
            spent, ended = process_time() - before, perf_counter()
            if answer.status != 200:
                raise RuntimeError(f"/recall: {answer.status} {answer.body[:500]!r}")
            if number >= WARM_UP:
                http.append(asked - begun)
                face.append(ended - asked)
                face_cpu.append(spent)
            if ended > until and len(http) >= WARM_UP:
                break
        ended_cpu = server.worked
    finally:
        await client.close()
        await memory.close()
    took = None if begun_cpu is None or ended_cpu is None else (ended_cpu - begun_cpu) / len(http)
    return _Beside(http=http, face=face, http_cpu=took, face_cpu=sum(face_cpu) / len(face_cpu))


# -- many clients ---------------------------------------------------------------------------


def _many_clients(stage: Stage) -> Iterator[BenchRow]:
    path, clients, seconds = stage.path(), stage.sizes.serve_clients, stage.sizes.serve_seconds
    keys, done = prepared(path, clients), Soaked()
    with ExitStack() as held:
        servers = [held.enter_context(running(stage, path)) for _ in range(_SERVERS)]
        ports = [one.port for one in servers]
        # Everybody asks once: what is loaded then is no leak.
        asyncio.run(soak(ports, keys, seconds=0.0, done=done))
        done.seconds.clear()
        at_start, worked = _held(servers), [one.worked for one in servers]
        asyncio.run(soak(ports, keys, seconds=seconds / 2, done=done))
        half_way = _held(servers)
        asyncio.run(soak(ports, keys, seconds=seconds / 2, done=done))
        at_end, spent = _held(servers), [one.worked for one in servers]
        for one in servers:
            one.stop()
    who = f"{clients} clients of {_SERVERS} servers"
    taken = sum(after - before for after, before in zip(spent, worked, strict=True) if after and before)
    yield from _routes(who, done, taken / done.answers)
    yield from _kept(path, who, done)
    for name, found in (("at start", at_start), ("half way", half_way), ("at end", at_end)):
        yield from _holds(name, found)
    if not at_end:
        stage.left_out.append("memory and open files of servers: this system has no /proc")


def _routes(who: str, done: Soaked, cpu: float) -> Iterator[BenchRow]:
    rate = done.answers / max(done.took, 1e-9)
    yield BenchRow(bench="serve", what=f"{who}: answers", value=rate, unit="/s", calls=done.answers)
    yield BenchRow(
        bench="serve",
        what="  processor's time of the servers, an answer",
        value=cpu * 1000,
        unit="ms",
        calls=done.answers,
    )
    for route, seconds in sorted(done.seconds.items()):
        yield BenchRow(
            bench="serve",
            what=f"{who}: {route}",
            value=median(seconds) * 1000,
            unit="ms",
            p95=percentile(seconds, 95) * 1000,
            calls=len(seconds),
        )
        yield BenchRow(
            bench="serve",
            what=f"  of it the slowest of 100, {route}",
            value=percentile(seconds, 99) * 1000,
            unit="ms",
            calls=len(seconds),
        )


def _kept(path: Path, who: str, done: Soaked) -> Iterator[BenchRow]:
    with open_store(str(path), services=services(Embedders().get(EMBEDDER))) as store:
        missing = lost(store, done)
    yield BenchRow(
        bench="serve", what=f"{who}: refused (429, 503)", value=done.refused, unit="", calls=done.answers
    )
    target, met = at_most(missing, 0, "")
    yield BenchRow(
        bench="serve",
        what=f"{who}: acknowledged writes lost",
        value=missing,
        unit="",
        target=target,
        met=met,
        calls=done.written,
    )


def _held(servers: Sequence[ServerProcess]) -> list[Held]:
    """Ask what servers hold that nobody is connected to any more."""
    end = perf_counter() + _GOES_IN
    while True:
        found = [held for one in servers if (held := one.held) is not None]
        if all(one.connections == 0 for one in found) or perf_counter() > end:
            return found
        sleep(0.05)


def _holds(when: str, servers: Sequence[Held]) -> Iterator[BenchRow]:
    for number, one in enumerate(servers, start=1):
        yield BenchRow(bench="serve", what=f"server {number}: memory {when}", value=one.megabytes, unit="MB")
        yield BenchRow(bench="serve", what=f"server {number}: open files {when}", value=one.files, unit="")
