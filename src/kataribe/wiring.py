"""The only place that chooses: from settings to a working engine, through entry points."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from kataribe.adapters.embedding import EmbedderChoice
from kataribe.adapters.host import LocalProcesses
from kataribe.adapters.making import Maker, PartChoice, Registry
from kataribe.adapters.pydantic_ai.embedder import PROVIDERS as EMBEDDING_PROVIDERS
from kataribe.adapters.pydantic_ai.names import PROVIDERS, Asking, ModelName, read_name
from kataribe.adapters.pydantic_ai.on_use import (
    AnswererOnUse,
    ExtractorOnUse,
    JudgeOnUse,
    PlannerOnUse,
    ProofreaderOnUse,
    RerankerOnUse,
)
from kataribe.adapters.tokens import EstimateCounter
from kataribe.domain.recall.context import ESTIMATE
from kataribe.domain.story.folder import BookText
from kataribe.domain.terms import RULES, Language
from kataribe.domain.upgrade import Upgrade
from kataribe.engine import Engine, Services
from kataribe.errors import FormatError, InputError, MissingExtraError, StoreError, option
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.policy import read_policy
from kataribe.ports import (
    Answerer,
    Clock,
    Embedder,
    Extractor,
    Judge,
    Planner,
    Proofreader,
    Reranker,
    Span,
    Telemetry,
    TokenCounter,
    VectorIndex,
)
from kataribe.ports.telemetry import UNWATCHED
from kataribe.settings import Settings, behind_scheme, from_environment, scheme_of

DEFAULT_EMBEDDERS: dict[Language, str] = {"ja": "chive", "en": "wordllama"}
LEXICAL_EMBEDDER = "hash"
_REMOTE = "pydantic-ai"
"""The embedder that asks another machine; it is chosen by `provider:model`."""

Part = TypeVar("Part")


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        """Give the present moment."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


EMBEDDERS = Registry("kataribe.embedders", "embedder")
EXTRACTORS = Registry("kataribe.extractors", "extractor")
PLANNERS = Registry("kataribe.planners", "planner")
RERANKERS = Registry("kataribe.rerankers", "reranker")
JUDGES = Registry("kataribe.judges", "guard")
ANSWERERS = Registry("kataribe.answerers", "answerer")
PROOFREADERS = Registry("kataribe.proofreaders", "proofreader")
LEDGERS = Registry("kataribe.ledgers", "ledger")
INDEXES = Registry("kataribe.indexes", "index")
"""Every kind of part that is found by name: ours and strangers', through entry points."""


def _choice(settings: Settings, family: str, name: str = "", **options: object) -> PartChoice:
    return PartChoice(
        family=family,
        name=name,
        base_url=settings.base_url,
        seconds=settings.model_seconds,
        keys=settings.keys,
        options=options,
    )


def embedder_names() -> tuple[str, ...]:
    """Give the names of all embedders, installed or not; some take a model after a colon."""
    return EMBEDDERS.names()


def _embedder_kind(name: str, settings: Settings) -> tuple[Any, EmbedderChoice]:
    """Find who makes the embedder of a name: `wordllama`, `minilm:FOLDER`, `openai:MODEL`."""
    points = EMBEDDERS.points()
    family, colon, rest = name.partition(":")
    point = _REMOTE if colon and family in EMBEDDING_PROVIDERS else family
    if point not in points or (colon and not rest.strip()):
        choices = ", ".join(name for name in sorted(points) if name != _REMOTE)
        raise InputError(
            f"there is no embedder {name!r}; choose from {choices}, "
            f"or a model as {', '.join(f'{one}:NAME' for one in EMBEDDING_PROVIDERS[:3])}"
        )
    kind: Any = points[point].load()
    if colon and not hasattr(kind, "named") and not isinstance(kind, Maker):
        raise InputError(f"the embedder {family!r} has no choice of models; leave {':' + rest!r} out")
    wanted = EmbedderChoice(
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
    chosen = settings or from_environment()
    kind, wanted = _embedder_kind(name, chosen)
    if isinstance(kind, Maker):
        return kind.available(_choice(chosen, wanted.family, wanted.name))
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
                        f"(or choose another, e.g. {option('embedder', LEXICAL_EMBEDDER)})"
                    )
                self._made[name] = _made_embedder(name, self._settings)
            return self._made[name]


def _made_embedder(name: str, settings: Settings) -> Embedder:
    kind, wanted = _embedder_kind(name, settings)
    made: Embedder
    if isinstance(kind, Maker):
        made = kind.make(_choice(settings, wanted.family, wanted.name))
    else:
        made = kind.named(wanted) if hasattr(kind, "named") else kind()
    return made


def default_embedder(language: Language, settings: Settings | None = None) -> str:
    """Name the embedder a language gets, or the one that is set; raise `MissingExtraError` without it."""
    if settings is not None and settings.embedder is not None:
        return settings.embedder
    name = DEFAULT_EMBEDDERS[language]
    line = missing_line(name)
    if line is not None:
        raise MissingExtraError(
            f"{option('language', language)} needs the embedder {name!r}, which is not installed; "
            f"type: {line} "
            f"(or choose a lexical one with {option('embedder', LEXICAL_EMBEDDER)})"
        )
    return name


def default_extractor() -> Extractor:
    """Make the extractor that needs no model."""
    made: Extractor = EXTRACTORS.make(PartChoice(family=RULES))
    return made


def default_planner() -> Planner:
    """Make the planner that needs no model."""
    made: Planner = PLANNERS.make(PartChoice(family=RULES))
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


_BOOKS = {
    ".docx": ("docx", "kataribe.adapters.books.word", "read_docx"),
    ".epub": ("lxml", "kataribe.adapters.books.epub", "read_epub"),
}
"""By the end of a file's name: the package that reads it, and our module and function that use it."""


def read_book(data: bytes, name: str) -> BookText:
    """Take the text out of a `.docx` or `.epub`.

    Raises `FormatError` for what is broken, encrypted or too large, and `MissingExtraError`.
    """
    package, module, function = _BOOKS[Path(name).suffix.lower()]
    if find_spec(package) is None:
        raise MissingExtraError(
            f"{name}: reading books needs packages that are not installed; "
            f"type: pip install 'kataribe[books]' (or save it as a .txt file in UTF-8)"
        )
    read: Callable[[bytes, str], BookText] = getattr(import_module(module), function)
    return read(data, name)


def rerankers() -> dict[str, Any]:
    """Give the kinds of rerankers that come as packages, by name; none of them is used unless it is named."""
    points = RERANKERS.points()
    return {name: points[name].load() for name in sorted(points)}


class Models:
    """What reads, plans, orders, chooses and answers, by name; asking a model waits for its first use.

    A name is one of an entry point (`rules`, `cross-encoder:FOLDER`, a stranger's), or
    `provider:model`. Each raises `InputError` for a name that is none, and `MissingExtraError` with the
    line to type.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._asking = Asking(
            base_url=settings.base_url,
            seconds=settings.model_seconds,
            keys=settings.keys,
            temperature=settings.temperature,
        )

    def _part(self, registry: Registry, name: str, by_model: Callable[[ModelName], Part]) -> Part:
        """Make what an entry point names, or else what asks a model; no entry point hides a provider."""
        family, _, rest = name.partition(":")
        if family in registry.points() and family not in PROVIDERS:
            made: Part = registry.make(_choice(self._settings, family, rest))
            return made
        return by_model(read_name(name, others=", ".join(registry.names())))

    def extractor(self, name: str) -> Extractor:
        """Make an extractor."""
        return self._part(EXTRACTORS, name, lambda model: ExtractorOnUse(model, self._asking))

    def planner(self, name: str) -> Planner:
        """Make a planner; a model's falls back on rules."""
        rules = default_planner()
        return self._part(PLANNERS, name, lambda model: PlannerOnUse(model, self._asking, fallback=rules))

    def reranker(self, name: str) -> Reranker:
        """Make a reranker."""
        return self._part(RERANKERS, name, lambda model: RerankerOnUse(model, self._asking))

    def judge(self, name: str) -> Judge:
        """Make a guard."""
        return self._part(JUDGES, name, lambda model: JudgeOnUse(model, self._asking))

    def answerer(self, name: str) -> Answerer:
        """Make an answerer."""
        return self._part(ANSWERERS, name, lambda model: AnswererOnUse(model, self._asking))

    def proofreader(self, name: str) -> Proofreader:
        """Make a proofreader."""
        return self._part(PROOFREADERS, name, lambda model: ProofreaderOnUse(model, self._asking))


def outside_index(settings: Settings) -> VectorIndex | None:
    """Make the index outside the store that is set, by the scheme of its URL; None where none is."""
    if settings.index is None:
        return None
    family = scheme_of(settings.index) or ""
    made: VectorIndex = INDEXES.make(_choice(settings, family, behind_scheme(settings.index)))
    return made


def default_services(clock: Clock | None = None, *, settings: Settings | None = None) -> Services:
    """Put together what is used when nothing else is asked for."""
    chosen = settings or from_environment()
    models = Models(chosen)
    return Services(
        embedder=Embedders(chosen).get,
        default_embedder=partial(default_embedder, settings=chosen),
        default_model=chosen.model,
        default_reranker=chosen.reranker,
        index=outside_index(chosen),
        extractor=ByName(models.extractor).get,
        planner=ByName(models.planner).get,
        reranker=ByName(models.reranker).get,
        judge=ByName(models.judge).get,
        answerer=ByName(models.answerer).get,
        proofreader=ByName(models.proofreader).get,
        counter=Counters().get,
        book=read_book,
        clock=clock or SystemClock(),
        processes=LocalProcesses(),
        telemetry=TracingOnUse(tells_texts=chosen.trace_text),
        traces_kept=chosen.traces_kept,
    )


async def _check_policy(engine: Engine, parts: Services, file: str) -> None:
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


def _ledger(chosen: Settings, clock: Clock) -> Any:
    options = {
        "clock": clock,
        "busy_seconds": chosen.busy_seconds,
        "full": chosen.durability == "full",
        "arena_bytes": chosen.arena_bytes,
    }
    return LEDGERS.make(_choice(chosen, chosen.ledger, chosen.path, **options))


_UPGRADES = "kataribe.adapters.sql.sqlite.upgrade"
"""The module that looks at a store's schema; it loads the driver."""


def _head() -> str:
    head: str = import_module(_UPGRADES).HEAD
    return head


def upgrade(path: str | None = None, *, dry_run: bool = False, settings: Settings | None = None) -> Upgrade:
    """Bring a store to the newest schema and look it over; a copy of it as it was is kept beside it.

    Opening an old store upgrades it too. With `dry_run` a copy is upgraded and thrown away: no byte
    of the store is changed. Without `path` it is the environment's KATARIBE_DB, else ./kataribe.db.
    Raises `StoreError` when there is no store, when it is foreign, newer, locked or unreadable, or
    when the copy cannot be written; it is left untouched then.
    """
    chosen = settings or from_environment(path)
    upgrades: Any = import_module(_UPGRADES)
    if not upgrades.is_store(chosen.path):
        raise StoreError(f"there is no store at {chosen.path}; name one with --db or KATARIBE_DB")
    if dry_run:
        tried: Upgrade = upgrades.try_upgrade(chosen.path)
        return tried
    ledger = _ledger(chosen, SystemClock())
    ledger.close()
    done: Upgrade = upgrades.looked_over(
        chosen.path, found=ledger.upgraded_from or upgrades.HEAD, kept=ledger.kept
    )
    return done


async def open_async(
    path: str | None = None,
    *,
    settings: Settings | None = None,
    services: Services | None = None,
    policy: str | None = None,
    upgraded: Callable[[Upgrade], None] | None = None,
) -> AsyncKataribe:
    """Open a store for use in an event loop; see `open`."""
    chosen = settings or from_environment(path)
    parts = services or default_services(settings=chosen)
    tuned_by = policy or chosen.policy
    if tuned_by is not None:
        parts = replace(parts, tuning=read_policy(Path(tuned_by)))
    ledger = _ledger(chosen, parts.clock)
    if upgraded is not None and getattr(ledger, "upgraded_from", None) is not None:
        kept = None if ledger.kept is None else str(ledger.kept)
        upgraded(Upgrade(path=chosen.path, found=ledger.upgraded_from, head=_head(), is_dry=False, copy=kept))
    engine = Engine(ledger, parts)
    try:
        await engine.adopt_extractor()
        if tuned_by is not None:
            await _check_policy(engine, parts, tuned_by)
    except BaseException:
        await engine.close()
        raise
    return AsyncKataribe(engine)


def open(  # noqa: A001 - `kataribe.open` is how it reads
    path: str | None = None,
    *,
    settings: Settings | None = None,
    services: Services | None = None,
    policy: str | None = None,
    upgraded: Callable[[Upgrade], None] | None = None,
) -> Kataribe:
    """Open a store: a file, created when missing, or `:memory:`.

    Without `path` it is the environment's KATARIBE_DB, else ./kataribe.db. `policy` is a file that
    tunes recall, else KATARIBE_POLICY. A store of an earlier version is copied beside itself and
    upgraded; `upgraded` is then called with what was done. Raises `StoreError` when the file is
    foreign, newer, locked or unreadable; it is left untouched then. Raises `InputError` when the policy is
    wrong or not for what is in this store.
    """
    return Kataribe._start(
        lambda: open_async(path, settings=settings, services=services, policy=policy, upgraded=upgraded)
    )
