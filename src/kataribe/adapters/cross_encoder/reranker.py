"""The reranker that reads question and memory together with a cross-encoder (S0-42, T-18)."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kataribe.errors import MissingExtraError, ModelError, withheld

MULTILINGUAL = "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"
"""The default: trained on questions in 14 languages, Japanese among them."""
ENGLISH = "cross-encoder/ms-marco-MiniLM-L-6-v2"
"""Half as large, and trained on English alone: of no use for Japanese."""
INSTALL = "pip install 'kataribe[torch]'"
BATCH = 16
"""Pairs read at once."""
MAX_TEXT = 4000
"""Signs of a question or text that are read; the model itself cuts at its own length."""
DECIMALS = 6

_PACKAGES = {"sentence_transformers": "sentence-transformers", "torch": "torch"}
"""Modules that must be importable, and what their packages are called."""
_NOT_FOR_IDS = re.compile(r"[^\w./+-]+")


class CrossEncoderReranker:
    """Scores pairs of question and text, 0 to 1, with a model by name or out of a folder.

    Nothing is loaded before the first pair; a name that is no folder is then looked up in the
    hub's cache and, when it is not there, downloaded by sentence-transformers. It computes on
    the processor, in a thread of its own, one question at a time. May be used from several
    threads.
    """

    def __init__(self, model: str = MULTILINGUAL, *, batch: int = BATCH) -> None:
        self._model = model
        self._batch = batch
        self._lock = threading.Lock()
        self._loaded: Any = None

    default_model = MULTILINGUAL

    @classmethod
    def available(cls) -> str | None:
        """Give None when its packages can be imported, else the line to type; imports nothing.

        Whether there is a model is another matter: no package brings one.
        """
        return INSTALL if any(seen is None for seen in cls.packages().values()) else None

    @classmethod
    def packages(cls) -> Mapping[str, str | None]:
        """Give the version of each package it needs: `?` where none is told, None where it is not there."""
        return {name: _version(module, name) for module, name in _PACKAGES.items()}

    @property
    def reranker_id(self) -> str:
        """The model's name (of a folder its last part) and the version of the package, if there is one."""
        name = Path(self._model).name if Path(self._model).is_absolute() else self._model
        try:
            made_by = version("sentence-transformers")
        except PackageNotFoundError:
            made_by = "none"
        return f"cross-encoder+{_NOT_FOR_IDS.sub('-', name)}+st-{made_by}"

    async def rerank(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Give a score for each text, 0 to 1 with 6 decimals, higher is better, in the order given.

        Raises `MissingExtraError` with the line to type, and `ModelError` when the model cannot
        be loaded or fails.
        """
        if not texts:
            return ()
        return await asyncio.to_thread(self._scores, question, tuple(texts))

    def _scores(self, question: str, texts: tuple[str, ...]) -> tuple[float, ...]:
        pairs = [(question[:MAX_TEXT], text[:MAX_TEXT]) for text in texts]
        # One at a time: the tokenizer of a model cannot be lent to two threads.
        with self._lock:
            model = self._ready()
            try:
                found = model.predict(pairs, batch_size=self._batch, show_progress_bar=False)
            except (RuntimeError, ValueError, IndexError) as error:
                said = withheld(error, type(error).__name__)
                raise ModelError(
                    f"the cross-encoder {self._model!r} failed: {said}; choose another, or none"
                ) from error
        if found.shape != (len(texts),):
            raise ModelError(
                f"{self._model!r} gives {found.shape[1:]} numbers for a pair where a reranker gives one; "
                f"choose a model made for ranking, e.g. {MULTILINGUAL}"
            )
        return tuple(round(float(score), DECIMALS) for score in found)

    def _ready(self) -> Any:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> Any:
        if self.available() is not None:
            raise MissingExtraError(f"the reranker cross-encoder is not installed; type: {INSTALL}")
        try:
            from sentence_transformers import CrossEncoder
            from torch.nn import Sigmoid
        except ImportError as error:
            raise MissingExtraError(
                f"the reranker cross-encoder is not installed whole ({error}); type: {INSTALL}"
            ) from error
        try:
            return CrossEncoder(self._model, device="cpu", activation_fn=Sigmoid())
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            said = " ".join(str(error).split())[:300]
            raise ModelError(
                f"the cross-encoder {self._model!r} cannot be loaded: {said}; "
                f"name one of the hub or a folder that holds one"
            ) from error


def _version(module: str, package: str) -> str | None:
    if find_spec(module) is None:
        return None
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"
