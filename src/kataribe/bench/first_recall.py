"""A process of its own that opens a store and recalls once: started by the benchmark `open`."""

from __future__ import annotations

import json
import sys
from time import perf_counter

from kataribe.bench.stand_ins import RandomEmbedder, services
from kataribe.bench.synthetic import STORY, VIEWER
from kataribe.bench.timing import worked
from kataribe.wiring import open as open_store


def main() -> None:
    """Print the milliseconds of opening and of the first recall; imports and embedder are done before."""
    path, at = sys.argv[1], int(sys.argv[2])
    parts = services(RandomEmbedder())
    begun, before = perf_counter(), worked()
    store = open_store(path, services=parts)
    opened = perf_counter()
    store.recall("Who hid the silver lantern?", story=STORY, persona=VIEWER, at=at)
    done, spent = perf_counter(), worked() - before
    store.close()
    told = {"open": opened - begun, "recall": done - opened, "cpu": spent}
    sys.stdout.write(json.dumps({name: seconds * 1000 for name, seconds in told.items()}))


if __name__ == "__main__":
    main()
