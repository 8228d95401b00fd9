"""The step from one embedder's vectors to another's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Protocol

from kataribe.adapters.sql import hot
from kataribe.errors import ConflictError, StoreError

_TOGETHER = 512
"""Segments rewritten at a time: a large space need not lie in memory twice."""

# What is embedded of a turn is `Turn.words`: what was said, and what a picture showed in brackets.
_UNEMBEDDED = """
SELECT DISTINCT m.text_hash, coalesce(t.text || ' [' || t.caption || ']', m.text)
FROM memories m LEFT JOIN turns t ON t.user_id = m.user_id AND t.turn_id = m.fact_id
WHERE m.space = :space AND m.live = 1
  AND NOT EXISTS (SELECT 1 FROM embeddings e
                  WHERE e.embedder_id = :embedder AND e.text_hash = m.text_hash)
  AND NOT EXISTS (SELECT 1 FROM memory_vectors v
                  WHERE v.embedder_id = :embedder AND v.text_hash = m.text_hash)
ORDER BY m.text_hash
"""
_PLACES = """
SELECT v.segment_key, v.text_hash
FROM memories m JOIN memory_vectors v ON v.memory_key = m.key
WHERE m.space = ? AND m.live = 1 ORDER BY v.segment_key, v.slot
"""
_LENGTHS = "SELECT key, length(lengths) / 4 FROM segments WHERE space = ? AND live = 1"
_REWRITE = "UPDATE segments SET vectors = ? WHERE key = ?"
_NAME = """
UPDATE memory_vectors SET embedder_id = ?
WHERE memory_key IN (SELECT key FROM memories WHERE space = ? AND live = 1)
"""


class _Open(Protocol):
    """What this half needs of a transaction."""

    _driver: sqlite3.Connection

    def _changed(self, space: str, units: Iterable[str]) -> None: ...

    def embeddings(self, embedder_id: str, text_hashes: set[str], /) -> Mapping[str, bytes]: ...

    def known_vectors(self, embedder_id: str, text_hashes: set[str], /) -> Mapping[str, bytes]: ...


class SqlGenerationReading:
    """What is still to be made of a new generation."""

    _driver: sqlite3.Connection

    def unembedded(self, space: str, embedder_id: str) -> Mapping[str, str]:
        """Give what has no vector of this embedder."""
        return dict(hot.tuples(self._driver, _UNEMBEDDED, {"space": space, "embedder": embedder_id}))


class SqlGenerationWriting:
    """The step itself."""

    def switch_vectors(self: _Open, space: str, embedder_id: str) -> int:
        """Put this embedder's vectors in the place of the old."""
        rows = hot.tuples(self._driver, _PLACES, (space,))
        packed = [(key, [row[1] for row in share]) for key, share in groupby(rows, lambda row: row[0])]
        if {key: len(hashes) for key, hashes in packed} != dict(hot.tuples(self._driver, _LENGTHS, (space,))):
            raise StoreError(f"the index of {space} is damaged; run `kataribe rebuild`")
        for some in _parts(packed):
            wanted = {hashed for _, hashes in some for hashed in hashes}
            ahead = self.embeddings(embedder_id, wanted)
            have = {**self.known_vectors(embedder_id, wanted - ahead.keys()), **ahead}
            if missing := wanted - have.keys():
                raise ConflictError(
                    f"{len(missing)} texts of {space} have no vector of {embedder_id} yet; "
                    "run `kataribe reembed` again"
                )
            if len({len(vector) for vector in have.values()}) > 1:
                raise StoreError(f"vectors of {embedder_id} differ in length; clear them and start again")
            made = [(b"".join(have[hashed] for hashed in hashes), key) for key, hashes in some]
            self._driver.executemany(_REWRITE, made)
        self._driver.execute(_NAME, (embedder_id, space))
        # Not unit by unit: whoever keeps a part of the old beside the new mixes two measures.
        self._changed(space, [""])
        return len(rows)


def _parts(packed: list[tuple[int, list[str]]]) -> Iterator[list[tuple[int, list[str]]]]:
    for at in range(0, len(packed), _TOGETHER):
        yield packed[at : at + _TOGETHER]
