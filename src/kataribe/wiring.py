"""The only place that chooses: from settings to a working engine, through entry points."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from importlib.metadata import EntryPoint, entry_points
from threading import Lock
from typing import Any

from kataribe.adapters.host import LocalProcesses
from kataribe.domain.story import Language
from kataribe.engine import AsyncKataribe, Engines
from kataribe.errors import InputError, MissingExtraError
from kataribe.face import Kataribe
from kataribe.ports import Clock, Embedder, Extractor
from kataribe.settings import Settings, from_environment

DEFAULT_EMBEDDERS: dict[Language, str] = {"ja": "chive", "en": "wordllama"}
DEFAULT_EXTRACTOR = "rules"
LEXICAL_EMBEDDER = "hash"


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """Give the present moment."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def _found(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}


def embedder_names() -> tuple[str, ...]:
    """Give the names of all embedders, installed or not."""
    return tuple(sorted(_found("kataribe.embedders")))


def missing_line(name: str) -> str | None:
    """Tell what to type to be able to use an embedder; None when it is ready.

    Raises `InputError` for a name nobody provides.
    """
    points = _found("kataribe.embedders")
    if name not in points:
        raise InputError(f"there is no embedder {name!r}; choose from {', '.join(sorted(points))}")
    line: str | None = points[name].load().available()
    return line


class Embedders:
    """Embedders by name, each made once."""

    def __init__(self) -> None:
        self._made: dict[str, Embedder] = {}
        self._lock = Lock()

    def get(self, name: str) -> Embedder:
        """Give an embedder; raise `MissingExtraError` with the line to type when it is not installed."""
        with self._lock:
            if name not in self._made:
                line = missing_line(name)
                if line is not None:
                    raise MissingExtraError(
                        f"the embedder {name!r} is not installed; type: {line} "
                        f"(or choose another with --embedder, e.g. --embedder {LEXICAL_EMBEDDER})"
                    )
                maker: Any = _found("kataribe.embedders")[name].load()
                self._made[name] = maker()
            return self._made[name]


def default_embedder(language: Language) -> str:
    """Name the embedder a language gets; raise `MissingExtraError` when it is not installed."""
    name = DEFAULT_EMBEDDERS[language]
    line = missing_line(name)
    if line is not None:
        raise MissingExtraError(
            f"--language {language} needs the embedder {name!r}, which is not installed; type: {line} "
            f"(or choose a lexical one with --embedder {LEXICAL_EMBEDDER})"
        )
    return name


def default_extractor() -> Extractor:
    """Make the extractor that needs no model."""
    maker: Any = _found("kataribe.extractors")[DEFAULT_EXTRACTOR].load()
    made: Extractor = maker()
    return made


def default_engines(clock: Clock | None = None) -> Engines:
    """Put together what is used when nothing else is asked for."""
    return Engines(
        embedder=Embedders().get,
        default_embedder=default_embedder,
        extractor=default_extractor(),
        clock=clock or SystemClock(),
        processes=LocalProcesses(),
    )


async def open_async(
    path: str | None = None, *, settings: Settings | None = None, engines: Engines | None = None
) -> AsyncKataribe:
    """Open a store for use in an event loop; see `open`."""
    chosen = settings or from_environment(path)
    parts = engines or default_engines()
    maker: Any = _found("kataribe.ledgers")["sqlite"].load()
    ledger = maker(
        chosen.path, parts.clock, busy_seconds=chosen.busy_seconds, full=chosen.durability == "full"
    )
    engine = AsyncKataribe(ledger, parts)
    await engine.adopt_extractor()
    return engine


def open(  # noqa: A001 - `kataribe.open` is how it reads
    path: str | None = None, *, settings: Settings | None = None, engines: Engines | None = None
) -> Kataribe:
    """Open a store: a file, created when missing, or `:memory:`.

    Without `path` it is the environment's KATARIBE_DB, else ./kataribe.db. Raises `StoreError`
    when the file is foreign, newer, locked or unreadable; it is left untouched then.
    """
    return Kataribe.start(lambda: open_async(path, settings=settings, engines=engines))
