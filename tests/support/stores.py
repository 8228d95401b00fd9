"""Stores for tests: quick to make, on files like real ones."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import kataribe
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from support.model import Model


@lru_cache(maxsize=1)
def services() -> Services:
    """Give the default engines, shared: models are read once a process."""
    return kataribe.default_services()


@lru_cache(maxsize=1)
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="kataribe-tests-"))
    path = folder / "empty.db"
    kataribe.open(str(path), services=services()).close()
    return path


def empty_store(path: Path) -> Path:
    """Put an empty store at `path`, without running the migrations again."""
    shutil.copyfile(_template(), path)
    return path


def sql_ledger(store: Kataribe) -> Any:
    """Give what lies below all that wraps the ledger of a store."""
    ledger: Any = store._of._engine._ledger
    while hasattr(ledger, "_ledger"):
        ledger = ledger._ledger
    return ledger


def fresh_copy(model: Model, folder: Path, story_id: str = "s") -> Path:
    """Give the path of a store made from the model's final inputs, all work synced."""
    store = empty_store(folder / "fresh.db")
    with kataribe.open(str(store), services=services()) as made:
        _bring_in(made, model, folder, story_id)
    return store


def _bring_in(made: Kataribe, model: Model, folder: Path, story_id: str) -> None:
    if model.live():
        made.story(story_id).import_folder(model.write(folder / "story"))
    else:
        made.story(story_id).create(
            language="ja" if model.language == "ja" else "en",
            embedder=model.embedder,
            audience=model.mode,
        )
        made.story(story_id).cast.put(tuple(model.cast.values()))
    made.story(story_id).sync()


@contextmanager
def fresh(model: Model, folder: Path, story_id: str = "s") -> Iterator[Kataribe]:
    """Give a store made from the model's final inputs, all work synced."""
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        store = empty_store(Path(inside) / "fresh.db")
        with kataribe.open(str(store), services=services()) as made:
            _bring_in(made, model, Path(inside), story_id)
            yield made
