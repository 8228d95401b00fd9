"""An extractor that takes its time and writes down what it was asked, and a process that syncs with it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import kataribe
from kataribe.domain.memory import NO_USAGE, Draft, Extraction, Reason, Usage
from kataribe.domain.terms import PUBLIC
from kataribe.domain.work import WorkPolicy
from kataribe.engine import Services
from kataribe.ports import Source
from support.stores import services


class SlowExtractor:
    """Makes one fact of a text, or of its first `cut` characters, after so many seconds."""

    extractor_id = "slow-1"

    def __init__(self, log: Path, seconds: float = 0.0, cut: int | None = None) -> None:
        self._log = log
        self._seconds = seconds
        self._cut = cut

    def estimate(self, source: Source) -> Usage:
        """Cost nothing."""
        return NO_USAGE

    async def extract(self, source: Source) -> Extraction:
        """Write the text down, wait, and give it back as a fact."""
        with self._log.open("a") as log:
            log.write(f"{os.getpid()} {source.text}\n")
        await asyncio.sleep(self._seconds)
        text = source.text[: self._cut]
        fact = Draft(text=text, start=0, end=len(text), audience=PUBLIC, reason=Reason.ANNOTATION)
        return Extraction(drafts=(fact,))


def slow_engines(log: Path, *, seconds: float = 0.0, lease: float = 60.0, cut: int | None = None) -> Services:
    """Give engines with a slow extractor and leases of this length."""
    policy = WorkPolicy(lease_seconds=lease, backoff_seconds=0.05, backoff_factor=1)
    slow = SlowExtractor(log, seconds, cut)
    return replace(services(), extractor=lambda _: slow, policy=policy)


def lines(log: Path) -> list[str]:
    """Give the texts that were extracted, in order."""
    return [line.partition(" ")[2] for line in log.read_text().splitlines()]


def _main(given: Mapping[str, object]) -> None:
    log = Path(str(given["log"]))
    parts = slow_engines(
        log,
        seconds=float(str(given["seconds"])),
        lease=float(str(given["lease"])),
        cut=None if given["cut"] is None else int(str(given["cut"])),
    )
    with kataribe.open(str(given["path"]), services=parts) as store:
        ready = log.with_suffix(f".{os.getpid()}.ready")
        ready.touch()
        # Nobody begins before all are there.
        while len([*log.parent.glob("*.ready")]) < int(str(given["together"])):
            time.sleep(0.01)
        report = store.story("s").sync(workers=int(str(given["workers"])))
    sys.stdout.write(json.dumps({"done": report.done, "outdated": report.outdated, "dead": len(report.dead)}))


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
