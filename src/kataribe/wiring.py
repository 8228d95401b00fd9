"""The only place that chooses: from settings to a working engine, through entry points."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import EntryPoint, entry_points
from threading import Lock
from typing import Any, Generic, TypeVar

from kataribe.adapters.host import LocalProcesses
from kataribe.adapters.pydantic_ai.names import Asking, read_name
from kataribe.adapters.pydantic_ai.on_use import (
    AnswererOnUse,
    ExtractorOnUse,
    JudgeOnUse,
    PlannerOnUse,
    RerankerOnUse,
)
from kataribe.domain.story import RULES, Language
from kataribe.engine import AsyncKataribe, Engines
from kataribe.errors import InputError, MissingExtraError
from kataribe.face import Kataribe
from kataribe.ports import Answerer, Clock, Embedder, Extractor, Judge, Planner, Reranker
from kataribe.settings import Settings, from_environment

DEFAULT_EMBEDDERS: dict[Language, str] = {"ja": "chive", "en": "wordllama"}
LEXICAL_EMBEDDER = "hash"

Part = TypeVar("Part")


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
    maker: Any = _found("kataribe.extractors")[RULES].load()
    made: Extractor = maker()
    return made


def default_planner() -> Planner:
    """Make the planner that needs no model."""
    maker: Any = _found("kataribe.planners")[RULES].load()
    made: Planner = maker()
    return made


class ByName(Generic[Part]):
    """Parts by name, each made once."""

    def __init__(self, make: Callable[[str], Part]) -> None:
        self._make = make
        self._made: dict[str, Part] = {}
        self._lock = Lock()

    def get(self, name: str) -> Part:
        """Give a part; raise `InputError` for a name that is none."""
        with self._lock:
            if name not in self._made:
                self._made[name] = self._make(name)
            return self._made[name]


class Models:
    """What reads, plans, orders, chooses and answers, by name; asking a model waits for its first use.

    A name is `rules` where rules can do the work, or `provider:model`.
    """

    def __init__(self, settings: Settings) -> None:
        self._asking = Asking(base_url=settings.base_url, seconds=settings.model_seconds, keys=settings.keys)

    def extractor(self, name: str) -> Extractor:
        """Make an extractor; raise `InputError` for a name that is none."""
        return default_extractor() if name == RULES else ExtractorOnUse(read_name(name), self._asking)

    def planner(self, name: str) -> Planner:
        """Make a planner; a model's falls back on rules. Raises `InputError`."""
        rules = default_planner()
        return rules if name == RULES else PlannerOnUse(read_name(name), self._asking, fallback=rules)

    def reranker(self, name: str) -> Reranker:
        """Make a reranker: `cross-encoder`, `cross-encoder:` with a model or folder, or a model's.

        Raises `InputError`, and `MissingExtraError` with the line to type.
        """
        kind, _, model = name.partition(":")
        points = _found("kataribe.rerankers")
        if kind not in points:
            return RerankerOnUse(read_name(name, others=", ".join(sorted(points))), self._asking)
        maker: Any = points[kind].load()
        line = maker.available()
        if line is not None:
            raise MissingExtraError(
                f"the reranker {name!r} is not installed; type: {line} (or leave --reranker out)"
            )
        made: Reranker = maker(model) if model else maker()
        return made

    def judge(self, name: str) -> Judge:
        """Make a model's guard. Raises `InputError`."""
        return JudgeOnUse(read_name(name, others=""), self._asking)

    def answerer(self, name: str) -> Answerer:
        """Make a model's answerer. Raises `InputError`."""
        return AnswererOnUse(read_name(name, others=""), self._asking)


def default_engines(clock: Clock | None = None, *, settings: Settings | None = None) -> Engines:
    """Put together what is used when nothing else is asked for."""
    models = Models(settings or from_environment())
    return Engines(
        embedder=Embedders().get,
        default_embedder=default_embedder,
        extractor=ByName(models.extractor).get,
        planner=ByName(models.planner).get,
        reranker=ByName(models.reranker).get,
        judge=ByName(models.judge).get,
        answerer=ByName(models.answerer).get,
        clock=clock or SystemClock(),
        processes=LocalProcesses(),
    )


async def open_async(
    path: str | None = None, *, settings: Settings | None = None, engines: Engines | None = None
) -> AsyncKataribe:
    """Open a store for use in an event loop; see `open`."""
    chosen = settings or from_environment(path)
    parts = engines or default_engines(settings=chosen)
    maker: Any = _found("kataribe.ledgers")["sqlite"].load()
    ledger = maker(
        chosen.path,
        parts.clock,
        busy_seconds=chosen.busy_seconds,
        full=chosen.durability == "full",
        arena_bytes=chosen.arena_bytes,
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
