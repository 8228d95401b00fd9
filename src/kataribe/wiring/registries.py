"""Every kind of part that is found by name, and how one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from kataribe.adapters.making import PartChoice, Registry
from kataribe.settings import Settings

Part = TypeVar("Part")

EMBEDDERS = Registry("kataribe.embedders", "embedder")

EXTRACTORS = Registry("kataribe.extractors", "extractor")

PLANNERS = Registry("kataribe.planners", "planner")

RERANKERS = Registry("kataribe.rerankers", "reranker")

JUDGES = Registry("kataribe.judges", "guard")

ANSWERERS = Registry("kataribe.answerers", "answerer")

PROOFREADERS = Registry("kataribe.proofreaders", "proofreader")

SUMMARIZERS = Registry("kataribe.summarizers", "summarizer")

LEDGERS = Registry("kataribe.ledgers", "ledger")

ARCHIVES = Registry("kataribe.archives", "archive")

INDEXES = Registry("kataribe.indexes", "index")
"""Every kind of part that is found by name: ours and strangers', through entry points."""


def choice(settings: Settings, family: str, name: str = "", **options: object) -> PartChoice:
    """Say which part is wanted, with what the settings hold for every kind of part."""
    return PartChoice(
        family=family,
        name=name,
        base_url=settings.base_url,
        seconds=settings.model_seconds,
        keys=settings.keys,
        options=options,
    )


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
