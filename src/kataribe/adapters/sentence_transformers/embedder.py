"""Any model that sentence-transformers can load, on this machine."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kataribe.adapters.embedding import EmbedderChoice, PackagedEmbedder, Side
from kataribe.domain.ids import check_id, digest, normalise
from kataribe.errors import EmbedderError, InputError, MissingExtraError
from kataribe.ports import Matrix, Vector

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

INSTALL = "pip install 'kataribe[torch]'"
_PRINTED = ("modules.json", "config.json", "model.safetensors", "pytorch_model.bin", "tokenizer.json")


class SentenceTransformersEmbedder(PackagedEmbedder["SentenceTransformer"]):
    """A model by its name at the hub, or a folder that holds one.

    Questions and documents get the prompts the model was trained with, where it has any
    (S4-98). Each text runs alone: padding would let its vector depend on its batch (P2).
    """

    title = "sentence-transformers"
    needed = ("sentence_transformers", "torch")
    install = INSTALL

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._id: str | None = None

    @classmethod
    def named(cls, wanted: EmbedderChoice) -> SentenceTransformersEmbedder:
        """Make the one of a model. Raises `InputError` when none is named."""
        if not wanted.name:
            raise InputError("name a model: sentence-transformers:NAME, or :FOLDER for one on this machine")
        return cls(wanted.name)

    @property
    def embedder_id(self) -> str:
        """Name the model and the release of the library; a folder goes by the hash of its files.

        Raises `MissingExtraError`, `EmbedderError`.
        """
        if self._id is None:
            try:
                release = version("sentence-transformers").partition(".")[0]
            except PackageNotFoundError as error:
                raise MissingExtraError(f"{self.title} is not installed; type: {INSTALL}") from error
            folder = Path(self._name).expanduser()
            named = _print(folder) if folder.is_dir() else self._name.replace(":", "/").replace(",", "/")
            self._id = check_id(f"sentence-transformers-{release}-{named}", "model name")
        return self._id

    @property
    def dimensions(self) -> int:
        """Length of every vector, which the model tells: it is loaded for that."""
        model = self._loaded(self._read)
        # Later releases have it under a shorter name.
        tell = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        found = tell()
        if not found:
            raise EmbedderError(f"the model {self._name!r} does not tell how long its vectors are")
        return int(found)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed each text by itself, in order, off the event loop."""
        return await asyncio.to_thread(self._rows, texts)

    async def embed_query(self, text: str) -> Vector:
        """Embed a question with the model's prompt for questions, off the event loop."""
        return await asyncio.to_thread(self._ask, text)

    def _embed(self, text: str) -> Vector:
        return self._encode(text, "document")

    def _ask(self, text: str) -> Vector:
        self._check(text)
        return self._encode(text, "query")

    def _encode(self, text: str, side: Side) -> Vector:
        clean, model = normalise(text), self._loaded(self._read)
        if not clean:
            return np.zeros(self.dimensions, dtype=np.float32)
        # An empty prompt, or none of this side, is none.
        prompt = (model.prompts or {}).get(side) or None
        found = np.asarray(model.encode(clean, prompt=prompt, show_progress_bar=False), dtype=np.float64)
        length = math.sqrt(math.fsum((found * found).ravel().tolist()))
        if found.shape != (self.dimensions,) or not math.isfinite(length) or not length:
            raise EmbedderError(f"the model {self._name!r} gave no usable vector for a text")
        return (found / length).astype(np.float32)

    def _read(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer

        folder = Path(self._name).expanduser()
        try:
            # On the processor: a graphics card need not give the same bytes twice (P8).
            model = SentenceTransformer(str(folder) if folder.is_dir() else self._name, device="cpu")
        except (OSError, ValueError, RuntimeError) as error:
            raise EmbedderError(
                f"the model {self._name!r} cannot be loaded: {error}; name a model of the hub, "
                "or a folder that holds one"
            ) from error
        model.eval()
        return model


def _print(folder: Path) -> str:
    parts: list[str] = []
    for name in _PRINTED:
        if (folder / name).is_file():
            with (folder / name).open("rb") as file:
                parts += [name, hashlib.file_digest(file, "sha256").hexdigest()]
    if not parts:
        raise EmbedderError(f"there is no model of sentence-transformers in {folder}")
    return digest(*parts)[:16]
