"""P4 and P5 of libraries: kill -9 while a document is replaced loses no version that was acknowledged."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import kataribe
from support.effort import EFFORT
from support.stores import empty_store, services

KILLS = 5 * EFFORT
PARTS = 12

WRITER = """
import itertools, sys
import kataribe

path, log, start = sys.argv[1], sys.argv[2], int(sys.argv[3])
with kataribe.open(path) as store, open(log, "a", buffering=1) as said:
    for number in itertools.count(start):
        text = "\\n\\n".join(f"# Part {part}\\n\\nNumber {number} says part {part}." for part in range(12))
        said.write(f"begin {number}\\n")
        receipt = store.library("l").put("a.md", text)
        assert receipt.pending is None, receipt
        said.write(f"put {number}\\n")
"""


def test_no_acknowledged_version_is_lost_and_none_is_torn(tmp_path: Path) -> None:
    path, log = empty_store(tmp_path / "k.db"), tmp_path / "log"
    log.touch()
    with kataribe.open(str(path), services=services()) as store:
        store.library("l").create(language="en", embedder="hash")
    rng, number = random.Random(7), 0
    for _ in range(KILLS):
        before = log.stat().st_size
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(log), str(number)], stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + 60
        while log.stat().st_size == before and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.15))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert writer.stderr is not None
        assert writer.stderr.read() == b""
        writer.stderr.close()
        number = _check_after(path, log)


def _check_after(path: Path, log: Path) -> int:
    """Look at what a kill left behind; give the number to go on from."""
    lines = [line.split() for line in log.read_text().splitlines()]
    begun = max(int(number) for verb, number in lines if verb == "begin")
    put = max((int(number) for verb, number in lines if verb == "put"), default=-1)
    with kataribe.open(str(path), services=services()) as store:
        handle = store.library("l")
        hits = handle.search("part", top_k=50).hits
        assert len({hit.version for hit in hits}) <= 1
        assert len(hits) in (0, PARTS), "whole or not at all"
        store.sync()
        hits = handle.search("part", top_k=50).hits
        found = {int(hit.text.split()[1]) for hit in hits}
        assert len(found) <= 1
        assert found or put < 0, "what was acknowledged is there"
        assert all(put <= number <= begun for number in found)
        assert store.verify().problems == ()
    return begun + 1
