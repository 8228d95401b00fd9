"""Talk and a night every day for more than a year: what grows, and what stays flat as memory fades."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from statistics import median

from kataribe.bench.rows import BenchRow
from kataribe.bench.sentences import Teller
from kataribe.bench.sizes import SEED
from kataribe.bench.timing import Watch, worked
from kataribe.bench.workspace import Stage
from kataribe.conversation.tiers import holders_in
from kataribe.domain.conversation.life.values import Tier
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import known_by
from kataribe.face.sync.kataribe import Kataribe
from kataribe.wiring import default_services
from kataribe.wiring import open as open_store

_BEGIN = datetime(2023, 1, 1, 9, tzinfo=UTC)
_USER, _PERSONA = "u", "rin"
_ASKED = 20


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Talk every day, hold a night, and look every so often; the log is told apart from what is derived."""
    sizes = stage.sizes
    teller, asked = Teller(), Teller(seed=SEED + 9)
    nights: list[float] = []
    with open_store(str(stage.path()), services=default_services()) as store:
        store.user(_USER).create(language="en", embedder="hash")
        for day in range(1, sizes.year_days + 1):
            nights.append(_day(store, teller, day, sizes.year_turns))
            if day % sizes.year_every == 0:
                yield from _looked(store, asked, day, nights)
                nights.clear()


def _day(store: Kataribe, teller: Teller, day: int, turns: int) -> float:
    """Say a day's turns, and hold its night; gives the milliseconds of the processor for the night."""
    begun = _BEGIN + timedelta(days=day)
    said = [
        Turn(
            turn_id=f"d{day}-{number}",
            session=str(day),
            speaker=(_USER, _PERSONA)[number % 2],
            text=teller.fact(),
            time=begun + timedelta(minutes=2 * number),
            audience=known_by(_PERSONA),
        )
        for number in range(turns)
    ]
    store.user(_USER).put_turns(said)
    store.user(_USER).sync()
    before = worked()
    store.user(_USER).memory.nightly(at=begun + timedelta(hours=18))
    return (worked() - before) * 1000


def _looked(store: Kataribe, asked: Teller, day: int, nights: list[float]) -> Iterator[BenchRow]:
    at = f"day {day}"
    now = _BEGIN + timedelta(days=day, hours=20)
    turns = store.user(_USER).turns()
    yield _row(f"{at}: log, turns", len(turns), "")
    yield _row(f"{at}: log, text", sum(len(turn.text) for turn in turns) / 1000, "kB")
    kept = store.user(_USER).memory.list().memories
    yield _row(f"{at}: derived, mid term", sum(one.value.tier is Tier.MID for one in kept), "")
    long = [one for one in kept if one.value.tier is Tier.LONG]
    yield _row(
        f"{at}: derived, long term, archived apart", sum(_is_used(one.value.state) for one in long), ""
    )
    yield _row(f"{at}: derived, long term, all", len(long), "")
    yield _row(f"{at}: derived, text", sum(len(one.value.text) for one in kept) / 1000, "kB")
    yield _row(f"{at}: rows of the past, for earlier moments", _history(store), "")
    yield _row(f"{at}: a night, processor's time", median(nights), "ms")
    watch, tokens = Watch(_ASKED, 60.0), []
    for _ in watch.rounds():
        store.recall(asked.question(), user=_USER, persona=_PERSONA, as_of=now)
    for _ in range(_ASKED):
        tokens.append(store.context(asked.question(), user=_USER, persona=_PERSONA, as_of=now).tokens)
    yield BenchRow(
        bench="year",
        what=f"{at}: a recall",
        value=watch.p50,
        unit="ms",
        p95=watch.p95,
        cpu=watch.cpu,
        calls=watch.calls,
    )
    yield _row(f"{at}: a context, tokens", median(tokens), "")


def _is_used(state: str) -> bool:
    return state in ("hot", "warm", "cool")


def _history(store: Kataribe) -> int:
    with store._of._engine._ledger.reading() as view:
        return sum(len(view.life(space, holder).values) for space, holder in holders_in(view, _USER))


def _row(what: str, value: float, unit: str) -> BenchRow:
    return BenchRow(bench="year", what=what, value=value, unit=unit)
