"""The table of word vectors, and the file it is mapped from."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kataribe.adapters.chive.murmur import murmur64

DIMENSIONS = 300
# Magic, then the number of words and the number of vectors, 8 bytes little-endian each.
_MAGIC = b"kataribe chive 1"
_HEAD = len(_MAGIC) + 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WordTable:
    """Words by their hash, sorted, and the vectors they share.

    `keys` (words,) uint64 ascending, `weights` (words,) float64 in (0, 1), `rows` (words,)
    uint32 into `vectors` (rows, 300) float32. Rare words borrow the row of a near common one.
    """

    keys: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.float64]
    rows: npt.NDArray[np.uint32]
    vectors: npt.NDArray[np.float32]

    def find(self, word: str) -> tuple[int, float] | None:
        """Give a word's row and weight, or None when it is not known."""
        key = np.uint64(murmur64(word.encode("utf-8")))
        place = int(self.keys.searchsorted(key))
        if place == len(self.keys) or self.keys[place] != key:
            return None
        return int(self.rows[place]), float(self.weights[place])


def cache_folder() -> Path | None:
    """Say where derived files go: `KATARIBE_CACHE`, else the user's cache folder; None without a home."""
    if chosen := os.environ.get("KATARIBE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the XDG rule: a relative path is to be ignored
        return Path(base, "kataribe")
    try:
        return Path.home() / ".cache" / "kataribe"
    except RuntimeError:
        return None


def open_table(path: Path) -> WordTable | None:
    """Map the table kept at `path`; None when there is none or it is not whole."""
    try:
        raw = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    except (OSError, ValueError):  # ValueError: the file is empty
        return None
    head = raw[:_HEAD].tobytes()
    if len(head) < _HEAD or not head.startswith(_MAGIC):
        return None
    words, vectors = (int(count) for count in np.frombuffer(head[len(_MAGIC) :], dtype="<u8"))
    ends = np.cumsum([_HEAD, 8 * words, 8 * words, 4 * words, 4 * DIMENSIONS * vectors]).tolist()
    if len(raw) != ends[-1]:
        return None
    return WordTable(
        keys=raw[ends[0] : ends[1]].view("<u8"),
        weights=raw[ends[1] : ends[2]].view("<f8"),
        rows=raw[ends[2] : ends[3]].view("<u4"),
        vectors=raw[ends[3] : ends[4]].view("<f4").reshape(vectors, DIMENSIONS),
    )


def save_table(table: WordTable, path: Path) -> None:
    """Write the table to `path`, whole or not at all, whoever else does the same.

    Raises `OSError` when the folder cannot be written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + np.array([len(table.keys), len(table.vectors)], dtype="<u8").tobytes())
            for part, kind in (
                (table.keys, "<u8"),
                (table.weights, "<f8"),
                (table.rows, "<u4"),
                (table.vectors, "<f4"),
            ):
                file.write(np.ascontiguousarray(part, dtype=kind).data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise
