"""P4 and P5 over HTTP: servers on one store are killed while clients write: what was acknowledged stays."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import ExitStack
from math import inf
from pathlib import Path

import kataribe
from kataribe.bench.server_process import ServerProcess, running
from kataribe.bench.sizes import QUICK
from kataribe.bench.soak import ClientKeys, Soaked, lost, prepared, soak
from kataribe.bench.workspace import Stage
from support.effort import EFFORT
from support.stores import services

KILLS = 2 * EFFORT
CLIENTS = 10
BETWEEN = 20
"""How many writes are acknowledged between two kills."""


async def _until_killed(
    servers: Sequence[ServerProcess], killed: Sequence[ServerProcess], keys: ClientKeys, done: Soaked
) -> None:
    """Let clients ask until enough is written, and kill servers while they go on."""
    ports = [one.port for one in servers]
    before = sum(map(len, done.turns.values()))
    asking = asyncio.create_task(soak(ports, keys, seconds=inf, done=done))
    while sum(map(len, done.turns.values())) < before + BETWEEN and not asking.done():
        await asyncio.sleep(0.005)
    for one in killed:
        one.process.kill()
    (ended,) = await asyncio.gather(asking, return_exceptions=True)
    assert isinstance(ended, BaseExceptionGroup), "the clients were at work"
    assert ended.split(OSError)[1] is None, ended


def test_what_a_killed_server_acknowledged_is_there(tmp_path: Path) -> None:
    """One of two servers is killed, or both; the next ones go on with the same store."""
    stage, rng, done = Stage(tmp_path, QUICK), random.Random(14), Soaked()
    path = stage.path()
    keys = prepared(path, CLIENTS)
    for _ in range(KILLS):
        with ExitStack() as held:
            servers = [held.enter_context(running(stage, path)) for _ in range(2)]
            asyncio.run(_until_killed(servers, rng.choice([servers, servers[:1], servers[1:]]), keys, done))
        with kataribe.open(str(path), services=services()) as store:
            assert lost(store, done) == 0
            assert store.verify().problems == ()
            store.sync()
            assert store.verify().ok
            for user, ids in done.turns.items():
                there = [turn.turn_id for turn in store.user(user).turns()]
                assert len(there) == len(set(there))
                known = {hit.fact_id for hit in store.known(user=user, persona="pip").hits}
                assert set(ids) <= known
    assert set(done.turns) == {f"user-{at}" for at in range(3)}
