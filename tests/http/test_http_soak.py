"""Two servers on one store, a few clients: every acknowledged write is there, and nothing is left open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import ExitStack
from math import inf
from pathlib import Path

import kataribe
from kataribe.bench.server_process import ServerProcess, running
from kataribe.bench.sizes import QUICK
from kataribe.bench.soak import Soaked, lost, prepared, soak
from kataribe.bench.workspace import Stage
from support.stores import services

CLIENTS = 10
ROUNDS = 5
PATIENCE = 60.0


def wait_for_no_connection(servers: Sequence[ServerProcess]) -> None:
    end = time.monotonic() + PATIENCE
    while any(one.held is not None and one.held.connections for one in servers):
        assert time.monotonic() < end, "connections of clients that are gone stay open"
        time.sleep(0.02)


def test_no_turn_is_lost_and_no_connection_stays_open(tmp_path: Path) -> None:
    stage, done = Stage(tmp_path, QUICK), Soaked()
    path = stage.path()
    keys = prepared(path, CLIENTS)
    with ExitStack() as held:
        servers = [held.enter_context(running(stage, path)) for _ in range(2)]
        for _ in range(2):
            asyncio.run(soak([one.port for one in servers], keys, seconds=inf, rounds=ROUNDS, done=done))
        wait_for_no_connection(servers)
        for one in servers:
            one.stop()
            assert one.process.returncode == 0
    assert done.refused == 0
    assert {route: len(taken) for route, taken in done.seconds.items()} == {
        "POST /recall": 2 * (6 * 4 + 3 * 4),
        "POST /context": 2 * 6,
        "POST /ingest": 2 * 3 * ROUNDS,
        "POST /log/search": 2 * 3,
        "PUT /stories/{story}/episodes/{no}": 2 * ROUNDS,
        "GET /stories/{story}/episodes/{no}": 2 * 3,
    }
    with kataribe.open(str(path), services=services()) as store:
        assert lost(store, done) == 0
        for user, ids in done.turns.items():
            assert {turn.turn_id for turn in store.user(user).turns()} == set(ids)
        done.turns["user-0"].append("never said")
        done.episodes[1] = done.tried[1] = "never written"
        assert lost(store, done) == 2, "it is seen when something is lost"


def test_an_answer_that_is_no_refusal_of_the_crowd_ends_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path, QUICK)
    path = stage.path()
    keys = prepared(path, CLIENTS)
    with kataribe.open(str(path), services=services()) as store:
        first = next(key for key in store.admin.access.list() if key.scope == "author")
        store.admin.access.revoke(first.key_id)
    with running(stage, path) as server:
        raised: list[BaseException] = []
        try:
            asyncio.run(soak([server.port], keys, seconds=inf, rounds=1, done=Soaked()))
        except* RuntimeError as group:
            raised += group.exceptions
        assert len(raised) == 1
        assert ": 401 " in str(raised[0])
