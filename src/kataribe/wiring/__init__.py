"""The only place that chooses: from settings to a working engine, through entry points."""

from kataribe.wiring.clock import SystemClock
from kataribe.wiring.embedders import (
    DEFAULT_EMBEDDERS,
    LEXICAL_EMBEDDER,
    Embedders,
    default_embedder,
    embedder_names,
    missing_line,
)
from kataribe.wiring.models import Models, default_extractor, default_planner, rerankers
from kataribe.wiring.on_use import Counters, TracingOnUse, read_book, read_document_of
from kataribe.wiring.registries import ByName
from kataribe.wiring.restoring import check_backup, restore
from kataribe.wiring.scheduled import scheduled_backup
from kataribe.wiring.services import archive_of, default_services, outside_index
from kataribe.wiring.stores import (
    archive_problems,
    open,  # noqa: A004 - `kataribe.open` is how it reads
    open_async,
    upgrade,
)
from kataribe.wiring.upstream import upstream_of

__all__ = [
    "DEFAULT_EMBEDDERS",
    "LEXICAL_EMBEDDER",
    "ByName",
    "Counters",
    "Embedders",
    "Models",
    "SystemClock",
    "TracingOnUse",
    "archive_of",
    "archive_problems",
    "check_backup",
    "default_embedder",
    "default_extractor",
    "default_planner",
    "default_services",
    "embedder_names",
    "missing_line",
    "open",
    "open_async",
    "outside_index",
    "read_book",
    "read_document_of",
    "rerankers",
    "restore",
    "scheduled_backup",
    "upgrade",
    "upstream_of",
]
