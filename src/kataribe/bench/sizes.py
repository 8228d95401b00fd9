"""How much is measured."""

from __future__ import annotations

from dataclasses import dataclass

SEED = 20251120


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How big the stores are and how often each thing is done.

    `visible` counts memories a viewer may recall; twice as many are in the space. `seconds`
    bounds one measurement of many calls. `saga_facts` is a number in each episode.
    In a simulated year there are `year_turns` a day, and it is looked at every `year_every` days.
    `crowd_seconds` is how long as many threads and tasks as are named ask at once, and `serve_seconds`
    how long clients of servers do.
    """

    visible: tuple[int, ...]
    calls: int
    seconds: float
    processes: int
    facts: int
    facts_an_episode: int
    replaced_in: tuple[int, ...]
    replaced: int
    changed_in: int
    saga_episodes: int
    saga_facts: int
    saga_cast: int
    crowd_threads: int
    crowd_tasks: int
    crowd_seconds: float
    serve_clients: int
    serve_seconds: float
    year_days: int
    year_turns: int
    year_every: int


FULL = Sizes(
    visible=(1_000, 10_000, 100_000),
    calls=200,
    seconds=8.0,
    processes=7,
    facts=10_000,
    facts_an_episode=20,
    replaced_in=(100, 500),
    replaced=40,
    changed_in=100,
    saga_episodes=1_000,
    saga_facts=200,
    saga_cast=200,
    crowd_threads=16,
    crowd_tasks=200,
    crowd_seconds=60.0,
    serve_clients=200,
    serve_seconds=120.0,
    year_days=480,
    year_turns=12,
    year_every=60,
)

QUICK = Sizes(
    visible=(1_000, 10_000),
    calls=100,
    seconds=3.0,
    processes=3,
    facts=2_000,
    facts_an_episode=20,
    replaced_in=(100,),
    replaced=15,
    changed_in=100,
    saga_episodes=100,
    saga_facts=50,
    saga_cast=40,
    crowd_threads=4,
    crowd_tasks=20,
    crowd_seconds=5.0,
    serve_clients=20,
    serve_seconds=6.0,
    year_days=60,
    year_turns=6,
    year_every=20,
)
