"""A turn as it is said: durable and in memory when the call returns, however much was said before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from kataribe.bench.rows import BenchRow, at_most
from kataribe.bench.sentences import Teller
from kataribe.bench.sizes import SEED
from kataribe.bench.stand_ins import services
from kataribe.bench.timing import Watch
from kataribe.bench.workspace import NAME, Stage
from kataribe.domain.conversation.turns import Turn
from kataribe.face.sync.kataribe import Kataribe
from kataribe.wiring import open as open_store

_BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
_APART = timedelta(minutes=10)
_SESSION = 40
_BATCH = 5_000
_SAID = 10.0
"""Milliseconds that 95 of 100 turns may take."""
USER = "u"


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Say turns in stores of several sizes, through the sync face; the embedder is looked up."""
    for size in stage.sizes.visible:
        with open_store(str(stage.path()), services=services(stage.embedder)) as store:
            _fill(store, size)
            yield from _measured(stage, store, size)


def _fill(store: Kataribe, size: int) -> None:
    teller = Teller()
    store.user(USER).create(language="en", embedder=NAME)
    for begin in range(0, size, _BATCH):
        numbers = range(begin, min(size, begin + _BATCH))
        store.user(USER).put_turns([_turn(number, teller.fact()) for number in numbers])
    store.user(USER).sync()


def _turn(number: int, text: str) -> Turn:
    return Turn(
        turn_id=f"t{number}",
        session=str(number // _SESSION),
        speaker=("Ada", "Bruno")[number % 2],
        text=text,
        time=_BEGIN + number * _APART,
    )


def _measured(stage: Stage, store: Kataribe, size: int) -> Iterator[BenchRow]:
    teller = Teller(seed=SEED + 6)
    said, asked = _watch(stage), _watch(stage)
    for _ in said.rounds():
        store.user(USER).said(teller.fact(), speaker="Ada")
    target, met = at_most(said.p95, _SAID)
    yield _row(f"a turn said among {size:,} turns, durable and in memory", said, target=target, met=met)
    # The store is another each time: what is remembered between recalls is brought up.
    for _ in asked.rounds():
        store.user(USER).said(teller.fact(), speaker="Ada")
        store.recall(teller.question(), user=USER)
    yield _row(f"a turn said, and a recall, among {size:,} turns", asked)


def _watch(stage: Stage) -> Watch:
    return Watch(stage.sizes.calls, stage.sizes.seconds)


def _row(what: str, watch: Watch, *, target: str = "", met: bool | None = None) -> BenchRow:
    return BenchRow(
        bench="said",
        what=what,
        value=watch.p50,
        unit="ms",
        p95=watch.p95,
        cpu=watch.cpu,
        calls=watch.calls,
        target=target,
        met=met,
    )
