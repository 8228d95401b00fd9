"""What is read, once, out of the installed ja-ginza package. spaCy is never imported."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kataribe.adapters.chive.table import DIMENSIONS, WordTable
from kataribe.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Mapping

Floats = npt.NDArray[np.float64]

# Smooth inverse frequency (Arora et al. 2017): a word of probability p weighs A / (A + p).
# The probability is Zipf-Mandelbrot's, 1 / (rank + SHIFT): chiVe files its words by frequency.
_A = 1e-3
_SHIFT = 2.7


def _model_folder() -> Path:
    spec = find_spec("ja_ginza")
    for place in map(Path, (spec.submodule_search_locations or []) if spec else []):
        for found in sorted(place.glob("ja_ginza-*/vocab/key2row")):
            return found.parent
    raise EmbedderError(
        "the installed ja-ginza package holds no word vectors; reinstall it: pip install 'kataribe[ja]'"
    )


def _frequencies(words: int) -> Floats:
    """Guess each word's probability from its rank alone, never from a corpus; shape (words,)."""
    guess = 1.0 / (np.arange(words) + _SHIFT)
    return np.asarray(guess / guess.sum())


def _without_common(units: Floats, mass: Floats) -> Floats:
    """Take out of `units` the direction that all weighted words share.

    `units` has shape (rows, 300); `mass`, shape (rows,), is how much weight a row has in a
    text drawn from the vocabulary's own frequencies.
    """
    heavy = units * np.sqrt(mass)[:, None]
    # Rounded, so that the last bits of one machine's linear algebra do not show in a vector.
    common = np.linalg.eigh(heavy.T @ heavy).eigenvectors[:, -1].round(6)
    common /= np.sqrt(common @ common)
    return np.asarray(units - np.outer(units @ common, common))


def _unit(vectors: npt.NDArray[np.float32]) -> Floats:
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    return np.asarray(wide / np.where(lengths > 0, lengths, 1.0))


def _combine(key2row: Mapping[int, int], vectors: npt.NDArray[np.float32]) -> WordTable:
    keys = np.fromiter(key2row.keys(), dtype=np.uint64, count=len(key2row))
    rows = np.fromiter(key2row.values(), dtype=np.uint32, count=len(key2row))
    frequencies = _frequencies(len(keys))
    weights = _A / (_A + frequencies)
    mass = np.zeros(len(vectors))
    np.add.at(mass, rows, frequencies * weights)
    order = np.argsort(keys)
    return WordTable(
        keys=keys[order],
        weights=weights[order],
        rows=rows[order],
        vectors=_without_common(_unit(vectors), mass).astype(np.float32),
    )


def extract() -> WordTable:
    """Read ja-ginza's vectors into a table; takes about a second.

    Raises `EmbedderError` when the package is not as known, `ImportError` without msgpack.
    """
    import msgpack

    folder = _model_folder()
    try:
        key2row = msgpack.unpackb((folder / "key2row").read_bytes(), strict_map_key=False)
        vectors = np.load(folder / "vectors", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise EmbedderError(f"the word vectors in {folder} cannot be read; reinstall ja-ginza") from error
    fits = vectors.ndim == 2 and vectors.shape[1] == DIMENSIONS and max(key2row.values()) < len(vectors)
    if not fits:
        raise EmbedderError(
            f"the word vectors in {folder} have a shape that kataribe does not know: {vectors.shape}"
        )
    return _combine(key2row, vectors)
