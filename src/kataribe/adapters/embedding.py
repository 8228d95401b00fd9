"""What the embedders that run on this machine share: each text by itself, models loaded on first use."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import ClassVar, Generic, Literal, TypeVar

from kataribe.domain.arrays import np
from kataribe.errors import EmbedderError, MissingExtraError
from kataribe.ports import Matrix, Vector

Model = TypeVar("Model")

Side = Literal["query", "document"]
"""What a text is embedded as (S4-98)."""


@lru_cache
def installed(package: str) -> str:
    """Give the version of a package; raise `PackageNotFoundError` when it is not installed.

    Kept, because an embedder's id is asked for at every recall, and a package's metadata is a file.
    """
    return version(package)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChoice:
    """What an embedder is made with that is chosen by name: see `Settings`.

    `name` is what stands after its family (`text-embedding-3-large`, a folder), empty for none;
    `family` what stands before. `folder` is the model folder of the settings.
    """

    family: str
    name: str = ""
    folder: str | None = None
    base_url: str | None = None
    seconds: float = 60.0
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)


class TextByText(ABC):
    """An embedder whose vectors depend on one text alone, never on its batch (P2)."""

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """Length of every vector."""

    @abstractmethod
    def _embed(self, text: str) -> Vector:
        """Embed a valid text."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed each text by itself, in order; shape (len(texts), dimensions).

        Raises `EmbedderError`, and `MissingExtraError` when a package is not installed.
        """
        return self._rows(texts)

    def _rows(self, texts: Sequence[str]) -> Matrix:
        matrix = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            matrix[row] = self._checked(text)
        return matrix

    async def embed_query(self, text: str) -> Vector:
        """Embed a question as if it were a document; shape (dimensions,). Raises as `embed_documents`."""
        return self._checked(text)

    def _checked(self, text: str) -> Vector:
        self._check(text)
        return self._embed(text)

    @staticmethod
    def _check(text: str) -> None:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise EmbedderError(
                f"a lone surrogate at character {error.start} is not valid text; leave it out"
            ) from error


class PackagedEmbedder(TextByText, Generic[Model]):
    """One whose model lies in an optional package: nothing is loaded before the first text.

    May be used from several threads.
    """

    title: ClassVar[str]
    """What the model is called in messages."""
    needed: ClassVar[tuple[str, ...]]
    """The packages that must be importable."""
    install: ClassVar[str]
    """The line to type when they are not."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Model | None = None

    @classmethod
    def available(cls) -> str | None:
        """Give None when it can be used, else the line to type; imports nothing."""
        return None if all(map(is_installed, cls.needed)) else cls.install

    @property
    def is_lexical(self) -> bool:
        """False: words of like meaning are near."""
        return False

    def _missing(self) -> bool:
        return self.available() is not None

    def _loaded(self, load: Callable[[], Model]) -> Model:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self._load(load)
        return self._model

    def _load(self, load: Callable[[], Model]) -> Model:
        missing = f"{self.title} needs packages that are not installed; type: {self.install}"
        if self._missing():
            raise MissingExtraError(missing)
        try:
            return load()
        except ImportError as error:
            raise MissingExtraError(missing) from error


def is_installed(name: str) -> bool:
    """Whether a package could be imported; it is not."""
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
