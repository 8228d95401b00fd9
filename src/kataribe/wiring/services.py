"""What is used when nothing else is asked for."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from kataribe.adapters.host import LocalProcesses
from kataribe.adapters.parquet.tables import ParquetTables
from kataribe.engine import Services
from kataribe.ports import Archive, Clock, VectorIndex
from kataribe.ports.hooks import Webhook
from kataribe.settings import DEFAULT_ARCHIVE, Settings, behind_scheme, from_environment, scheme_of
from kataribe.wiring.clock import SystemClock
from kataribe.wiring.embedders import Embedders, default_embedder
from kataribe.wiring.models import Models
from kataribe.wiring.on_use import Counters, TracingOnUse, cron_times, read_book, read_document_of
from kataribe.wiring.registries import ARCHIVES, INDEXES, ByName, choice


def outside_index(settings: Settings) -> VectorIndex | None:
    """Make the index outside the store that is set, by the scheme of its URL; None where none is."""
    if settings.index is None:
        return None
    family = scheme_of(settings.index) or ""
    made: VectorIndex = INDEXES.make(choice(settings, family, behind_scheme(settings.index)))
    return made


def archive_of(named: str, settings: Settings) -> Archive:
    """Make the archive that is set, by the scheme of its URL, or in a folder; it loads nothing yet."""
    family = scheme_of(named) or DEFAULT_ARCHIVE
    made: Archive = ARCHIVES.make(choice(settings, family, behind_scheme(named)))
    return made


def webhook_of(settings: Settings) -> Webhook | None:
    """Make the webhook that is set; None where none is. Raises `InputError`."""
    if settings.webhook is None:
        return None
    made: Any = import_module("kataribe.adapters.webhook")
    hook: Webhook = made.HttpWebhook(settings.webhook, made.secrets_in(settings.webhook_secret or ""))
    return hook


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
        hook=webhook_of(chosen),
        extractor=ByName(models.extractor).get,
        planner=ByName(models.planner).get,
        reranker=ByName(models.reranker).get,
        judge=ByName(models.judge).get,
        answerer=ByName(models.answerer).get,
        proofreader=ByName(models.proofreader).get,
        summarizer=ByName(models.summarizer).get,
        counter=Counters().get,
        book=read_book,
        document=read_document_of,
        cron=cron_times,
        clock=clock or SystemClock(),
        processes=LocalProcesses(),
        tables=ParquetTables(),
        telemetry=TracingOnUse(tells_texts=chosen.trace_text),
        traces_kept=chosen.traces_kept,
    )
