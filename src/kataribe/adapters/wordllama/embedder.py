"""WordLlama's vectors without its package: importing that would load a network client."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kataribe.adapters.embedding import PackagedEmbedder, installed
from kataribe.domain.ids import normalise
from kataribe.errors import EmbedderError, MissingExtraError
from kataribe.ports import Vector

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSIONS = 256
INSTALL = "pip install 'kataribe[en]'"
_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
# Token vectors summed at once, so that a whole book needs no more memory than a page.
_BLOCK = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """`table` holds one vector a token, shape (tokens, 256), float16."""

    tokenizer: Tokenizer
    table: npt.NDArray[np.float16]

    def embed(self, text: str) -> Vector:
        """Sum the vectors of a text's tokens: a mean, as the length is made one anyway."""
        clean = normalise(text)
        total = np.zeros(DIMENSIONS)
        ids = self.tokenizer.encode(clean, add_special_tokens=False).ids if clean else []
        for start in range(0, len(ids), _BLOCK):
            # Along axis 0 numpy adds row after row: the order is the text's, on every machine.
            total += np.add.reduce(self.table[ids[start : start + _BLOCK]].astype(np.float64), axis=0)
        length = math.sqrt(math.fsum((total * total).tolist()))
        return (total / (length or 1.0)).astype(np.float32)


def _package_folder() -> Path:
    spec = find_spec("wordllama")
    places = list(spec.submodule_search_locations or []) if spec else []
    for place in map(Path, places):
        if (place / _WEIGHTS).is_file() and (place / _TOKENIZER).is_file():
            return place
    raise EmbedderError(
        f"the installed wordllama package lacks {_WEIGHTS} or {_TOKENIZER}; reinstall it: {INSTALL}"
    )


def _load() -> _Model:
    """Read tokenizer and table.

    Raises `ImportError`, and `EmbedderError` for a broken package.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = _package_folder()
    try:
        table = load_file(folder / _WEIGHTS)["embedding.weight"]
    except (OSError, KeyError, SafetensorError) as error:
        raise EmbedderError(f"{folder / _WEIGHTS} cannot be read; reinstall it: {INSTALL}") from error
    tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    # Either would let a text's vector depend on its batch or lose its end.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return _Model(tokenizer=tokenizer, table=table)


class WordLlamaEmbedder(PackagedEmbedder[_Model]):
    """The plain mean of WordLlama's token vectors (l2_supercat, 256), as its package makes it."""

    title = "WordLlama"
    needed = ("wordllama", "tokenizers", "safetensors")
    install = INSTALL

    @property
    def embedder_id(self) -> str:
        """Name the package, its version and the pooling. Raises `MissingExtraError`."""
        try:
            return f"wordllama-{installed('wordllama')}-l2-supercat-256-mean1"
        except PackageNotFoundError as error:
            raise MissingExtraError(f"WordLlama is not installed; type: {INSTALL}") from error

    @property
    def dimensions(self) -> int:
        """Length of every vector: 256."""
        return DIMENSIONS

    def _embed(self, text: str) -> Vector:
        return self._loaded(_load).embed(text)
