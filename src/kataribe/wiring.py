"""The only place that chooses: from settings to a working engine, through entry points."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from kataribe.adapters.embedding import Wanted
from kataribe.adapters.host import LocalProcesses
from kataribe.adapters.pydantic_ai.embedder import PROVIDERS as EMBEDDING_PROVIDERS
from kataribe.adapters.pydantic_ai.names import Asking, ModelName, read_name
from kataribe.adapters.tokens import EstimateCounter
from kataribe.domain.context import ESTIMATE
from kataribe.domain.memory import Extraction, Usage
from kataribe.domain.story import RULES, Language
from kataribe.engine import AsyncKataribe, Engines
from kataribe.errors import FormatError, InputError, MissingExtraError
from kataribe.face import Kataribe
from kataribe.formats.policy import read_policy
from kataribe.ports import Clock, Embedder, Extractor, Source, Span, Telemetry, TokenCounter
from kataribe.ports.telemetry import UNWATCHED
from kataribe.settings import Settings, from_environment

DEFAULT_EMBEDDERS: dict[Language, str] = {"ja": "chive", "en": "wordllama"}
LEXICAL_EMBEDDER = "hash"
_REMOTE = "pydantic-ai"
"""The embedder that asks another machine; it is chosen by `provider:model`."""

_MODEL_EXTRACTOR = "kataribe.adapters.pydantic_ai.extractor"
"""The module that loads the vendor."""


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
    """Give the names of all embedders, installed or not; some take a model after a colon."""
    return tuple(sorted(_found("kataribe.embedders")))


def _embedder_kind(name: str, settings: Settings) -> tuple[Any, Wanted]:
    """Find who makes the embedder of a name: `wordllama`, `minilm:FOLDER`, `openai:MODEL`."""
    points = _found("kataribe.embedders")
    family, colon, rest = name.partition(":")
    point = _REMOTE if colon and family in EMBEDDING_PROVIDERS else family
    if point not in points or (colon and not rest.strip()):
        choices = ", ".join(name for name in sorted(points) if name != _REMOTE)
        raise InputError(
            f"there is no embedder {name!r}; choose from {choices}, "
            f"or a model as {', '.join(f'{one}:NAME' for one in EMBEDDING_PROVIDERS[:3])}"
        )
    kind: Any = points[point].load()
    if colon and not hasattr(kind, "named"):
        raise InputError(f"the embedder {family!r} has no choice of models; leave {':' + rest!r} out")
    wanted = Wanted(
        family=family,
        name=rest,
        folder=settings.minilm,
        base_url=settings.base_url,
        seconds=settings.model_seconds,
        keys=settings.keys,
    )
    return kind, wanted


def missing_line(name: str, settings: Settings | None = None) -> str | None:
    """Tell what to type to be able to use an embedder; None when it is ready.

    Raises `InputError` for a name nobody provides.
    """
    kind, wanted = _embedder_kind(name, settings or from_environment())
    line: str | None = kind.available_as(wanted) if hasattr(kind, "available_as") else kind.available()
    return line


class Embedders:
    """Embedders by name, each made once."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or from_environment()
        self._made: dict[str, Embedder] = {}
        self._lock = Lock()

    def get(self, name: str) -> Embedder:
        """Give an embedder; raise `MissingExtraError` with the line to type when it is not installed."""
        with self._lock:
            if name not in self._made:
                line = missing_line(name, self._settings)
                if line is not None:
                    raise MissingExtraError(
                        f"the embedder {name!r} is not installed; type: {line} "
                        f"(or choose another with --embedder, e.g. --embedder {LEXICAL_EMBEDDER})"
                    )
                kind, wanted = _embedder_kind(name, self._settings)
                self._made[name] = kind.named(wanted) if hasattr(kind, "named") else kind()
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


class ModelOnUse:
    """An extractor that asks a model, and loads what it takes to ask when a text is to be read.

    Its id is known before: opening a store needs neither the package nor a key.
    """

    def __init__(self, name: ModelName, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._made: Extractor | None = None
        self._lock = Lock()

    @property
    def extractor_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.extractor_id

    async def extract(self, source: Source) -> Extraction:
        """Ask the model. Raises `MissingExtraError`, `ModelError`, `ExtractionError`."""
        return await self._model().extract(source)

    def estimate(self, source: Source) -> Usage:
        """Guess what that would use. Raises `MissingExtraError`."""
        return self._model().estimate(source)

    def _model(self) -> Extractor:
        with self._lock:
            if self._made is None:
                if find_spec("pydantic_ai") is None:
                    raise MissingExtraError(
                        f"the model {self._name.full!r} needs a package that is not installed; "
                        f"type: pip install 'kataribe[model]' (or choose --model {RULES})"
                    )
                maker: Any = import_module(_MODEL_EXTRACTOR).ModelExtractor
                self._made = maker(
                    self._name,
                    Asking(
                        base_url=self._settings.base_url,
                        seconds=self._settings.model_seconds,
                        keys=self._settings.keys,
                    ),
                )
            return self._made


class Extractors:
    """Extractors by name (`rules`, or `provider:model`), each made once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: dict[str, Extractor] = {}
        self._lock = Lock()

    def get(self, name: str) -> Extractor:
        """Give an extractor; raise `InputError` for a name that is neither."""
        with self._lock:
            if name not in self._made:
                self._made[name] = (
                    default_extractor() if name == RULES else ModelOnUse(read_name(name), self._settings)
                )
            return self._made[name]


class TracingOnUse:
    """OpenTelemetry, where the program itself has loaded it: who has not set up no tracer."""

    def __init__(self, *, tells_texts: bool) -> None:
        self.tells_texts = tells_texts
        self._made: Telemetry | None = None

    @property
    def is_on(self) -> bool:
        """Whether a tracer provider is set up by now."""
        if "opentelemetry.trace" not in sys.modules:
            return False
        return self._tracing().is_on

    def span(self, name: str) -> AbstractContextManager[Span]:
        """Begin a span."""
        return self._tracing().span(name)

    def _tracing(self) -> Telemetry:
        if self._made is None:
            maker: Any = import_module("kataribe.adapters.otel").OtelTelemetry
            self._made = maker(tells_texts=self.tells_texts)
        return self._made or UNWATCHED


_TOKENIZER_COUNTER = "kataribe.adapters.tokens.tokenizer"
"""The module that loads the vendor."""


class Counters:
    """Token counters by name (`estimate`, or `tokenizer:PATH`), each made once."""

    def __init__(self) -> None:
        self._made: dict[str, TokenCounter] = {ESTIMATE: EstimateCounter()}
        self._lock = Lock()

    def get(self, name: str) -> TokenCounter:
        """Give a counter. Raises `InputError` for another name or file, `MissingExtraError`."""
        with self._lock:
            if name not in self._made:
                kind, _, path = name.partition(":")
                if kind != "tokenizer" or not path:
                    raise InputError(
                        f"there is no token counter {name!r}; "
                        f"choose {ESTIMATE}, or tokenizer:PATH of a tokenizer.json"
                    )
                if find_spec("tokenizers") is None:
                    raise MissingExtraError(
                        f"counting by a tokenizer needs a package that is not installed; "
                        f"type: pip install 'kataribe[tokens]' (or choose {ESTIMATE})"
                    )
                maker: Any = import_module(_TOKENIZER_COUNTER).TokenizerCounter
                self._made[name] = maker(path)
            return self._made[name]


def default_engines(clock: Clock | None = None, *, settings: Settings | None = None) -> Engines:
    """Put together what is used when nothing else is asked for."""
    chosen = settings or from_environment()
    return Engines(
        embedder=Embedders(chosen).get,
        default_embedder=default_embedder,
        extractor=Extractors(chosen).get,
        counter=Counters().get,
        clock=clock or SystemClock(),
        processes=LocalProcesses(),
        telemetry=TracingOnUse(tells_texts=chosen.trace_text),
    )


async def _check_policy(engine: AsyncKataribe, parts: Engines, file: str) -> None:
    """Refuse a policy for embedders of which this store knows none: it would silently do nothing."""
    used = {one.embedder_id for one in await engine.stories()}
    used |= {one.embedder_id for one in await engine.users()}
    if not used:
        return
    for embedder_id in parts.tuning.embedders:
        if embedder_id not in used:
            raise FormatError(
                f'embedders."{embedder_id}": nothing in this store is embedded by it, but by '
                f"{', '.join(sorted(used))}; calibrate anew, or remove this part",
                file=file,
            )


async def open_async(
    path: str | None = None,
    *,
    settings: Settings | None = None,
    engines: Engines | None = None,
    policy: str | None = None,
) -> AsyncKataribe:
    """Open a store for use in an event loop; see `open`."""
    chosen = settings or from_environment(path)
    parts = engines or default_engines(settings=chosen)
    tuned_by = policy or chosen.policy
    if tuned_by is not None:
        parts = replace(parts, tuning=read_policy(Path(tuned_by)))
    maker: Any = _found("kataribe.ledgers")["sqlite"].load()
    ledger = maker(
        chosen.path,
        parts.clock,
        busy_seconds=chosen.busy_seconds,
        full=chosen.durability == "full",
        arena_bytes=chosen.arena_bytes,
    )
    engine = AsyncKataribe(ledger, parts)
    try:
        await engine.adopt_extractor()
        if tuned_by is not None:
            await _check_policy(engine, parts, tuned_by)
    except BaseException:
        await engine.close()
        raise
    return engine


def open(  # noqa: A001 - `kataribe.open` is how it reads
    path: str | None = None,
    *,
    settings: Settings | None = None,
    engines: Engines | None = None,
    policy: str | None = None,
) -> Kataribe:
    """Open a store: a file, created when missing, or `:memory:`.

    Without `path` it is the environment's KATARIBE_DB, else ./kataribe.db. `policy` is a file that
    tunes recall, else KATARIBE_POLICY. Raises `StoreError` when the file is foreign, newer,
    locked or unreadable; it is left untouched then. Raises `InputError` when the policy is
    wrong or not for what is in this store.
    """
    return Kataribe.start(lambda: open_async(path, settings=settings, engines=engines, policy=policy))
