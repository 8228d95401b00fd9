"""Stores for tests: quick to make, on files like real ones."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import kataribe
from kataribe.engine import Engines
from kataribe.face import Kataribe
from support.model import Model


@lru_cache(maxsize=1)
def engines() -> Engines:
    """Give the default engines, shared: models are read once a process."""
    return kataribe.default_engines()


@lru_cache(maxsize=1)
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="kataribe-tests-"))
    path = folder / "empty.db"
    kataribe.open(str(path), engines=engines()).close()
    return path


def empty_store(path: Path) -> Path:
    """Put an empty store at `path`, without running the migrations again."""
    shutil.copyfile(_template(), path)
    return path


@contextmanager
def fresh(model: Model, folder: Path, story_id: str = "s") -> Iterator[Kataribe]:
    """Give a store made from the model's final inputs, all work synced."""
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        store = empty_store(Path(inside) / "fresh.db")
        with kataribe.open(str(store), engines=engines()) as made:
            if model.live():
                made.import_story(model.write(Path(inside) / "story"), story_id=story_id)
            else:
                made.add_story(
                    story_id, language="ja" if model.language == "ja" else "en", embedder=model.embedder
                )
                made.put_cast(story_id, tuple(model.cast.values()))
            made.sync(story_id)
            yield made
