"""Vectors in the ledger, and the step from one embedder's to another's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.adapters.sql.segments import cut, vectors_at
from kataribe.errors import ConflictError, StoreError

_TOGETHER = 512
"""Segments rewritten at a time: a large space need not lie in memory twice."""

_STAGED = """
SELECT text_hash, vector FROM embeddings
WHERE space = ? AND embedder_id = ? AND text_hash IN (SELECT value FROM json_each(?))
"""
_UNEMBEDDED = """
SELECT m.text_hash, min(m.fact_id) FROM memories m
WHERE m.space = :space AND m.live = 1
  AND NOT EXISTS (SELECT 1 FROM embeddings e
                  WHERE e.space = :space AND e.embedder_id = :embedder AND e.text_hash = m.text_hash)
  AND NOT EXISTS (SELECT 1 FROM memory_vectors v
                  WHERE v.space = :space AND v.embedder_id = :embedder AND v.text_hash = m.text_hash)
GROUP BY m.text_hash ORDER BY m.text_hash
"""
_PLACES = """
SELECT v.segment_key, v.text_hash
FROM memories m JOIN memory_vectors v ON v.memory_key = m.key
WHERE m.space = ? AND m.live = 1 ORDER BY v.segment_key, v.slot
"""
_LENGTHS = "SELECT key, length(lengths) / 4 FROM segments WHERE space = ? AND live = 1"
_KEYS = "SELECT key, memory_keys FROM segments WHERE space = ? AND live = 1"
_RECUT = "UPDATE segments SET lengths = ?, hashes = ?, rows = ?, counts = ? WHERE key = ?"
_REWRITE = "UPDATE segments SET vectors = ? WHERE key = ?"
_NAME = """
UPDATE memory_vectors SET embedder_id = ?
WHERE memory_key IN (SELECT key FROM memories WHERE space = ? AND live = 1)
"""


class SqlVectorsView(SqlPart):
    """What is read of vectors."""

    def known_vectors(
        self, spaces: Collection[str], embedder_id: str, text_hashes: Collection[str]
    ) -> Mapping[str, bytes]:
        """Give the vectors already made of texts with these hashes in these spaces."""
        found: dict[str, tuple[int, int]] = {}
        for space in spaces:
            if not (asked := sorted(set(text_hashes) - found.keys())):
                break
            given = {"hashes": r.dump(asked), "space": space, "embedder": embedder_id}
            rows = queries.tuples(self._driver, queries.KNOWN_VECTORS, given)
            found.update((hashed, (segment, slot)) for hashed, segment, slot in rows)
        return vectors_at(self._driver, found)

    def staged_vectors(
        self, space: str, embedder_id: str, text_hashes: Collection[str]
    ) -> Mapping[str, bytes]:
        """Give the vectors made ahead."""
        asked = r.dump(sorted(text_hashes))
        return dict(queries.tuples(self._driver, _STAGED, (space, embedder_id, asked)))

    def unembedded(self, space: str, embedder_id: str) -> Mapping[str, str]:
        """Give what has no vector of this embedder."""
        return dict(queries.tuples(self._driver, _UNEMBEDDED, {"space": space, "embedder": embedder_id}))


class SqlVectorsTransaction(SqlWritingPart, SqlVectorsView):
    """The step itself."""

    def stage_vectors(self, space: str, embedder_id: str, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors made ahead."""
        rows = [
            {"space": space, "embedder_id": embedder_id, "text_hash": hashed, "vector": vector}
            for hashed, vector in vectors.items()
        ]
        queries.insert(self._driver, "embeddings", rows, replace=True)

    def clear_staged(self, space: str, embedder_id: str) -> None:
        """Forget the vectors made ahead for this embedder."""
        self._driver.execute(
            "DELETE FROM embeddings WHERE space = ? AND embedder_id = ?", (space, embedder_id)
        )

    def switch_vectors(self, space: str, embedder_id: str, terms: Mapping[int, Sequence[str]]) -> int:
        """Put this embedder's vectors and these terms in the place of the old."""
        rows = queries.tuples(self._driver, _PLACES, (space,))
        packed = [(key, [row[1] for row in share]) for key, share in groupby(rows, lambda row: row[0])]
        lengths = dict(queries.tuples(self._driver, _LENGTHS, (space,)))
        if {key: len(hashes) for key, hashes in packed} != lengths:
            raise StoreError(f"the index of {space} is damaged; run `kataribe rebuild`")
        for some in _parts(packed):
            wanted = {hashed for _, hashes in some for hashed in hashes}
            ahead = self.staged_vectors(space, embedder_id, wanted)
            have = {**self.known_vectors((space,), embedder_id, wanted - ahead.keys()), **ahead}
            if missing := wanted - have.keys():
                raise ConflictError(
                    f"{len(missing)} texts of {space} have no vector of {embedder_id} yet; "
                    "run `kataribe reembed` again"
                )
            if len({len(vector) for vector in have.values()}) > 1:
                raise StoreError(f"vectors of {embedder_id} differ in length; clear them and start again")
            made = [(b"".join(have[hashed] for hashed in hashes), key) for key, hashes in some]
            self._driver.executemany(_REWRITE, made)
        held = queries.tuples(self._driver, _KEYS, (space,))
        self._driver.executemany(_RECUT, (cut(key, memory_keys, terms) for key, memory_keys in held))
        self._driver.execute(_NAME, (embedder_id, space))
        # Not unit by unit: whoever keeps a part of the old beside the new mixes two measures.
        self._changed(space, [""])
        return len(rows)


def _parts(packed: list[tuple[int, list[str]]]) -> Iterator[list[tuple[int, list[str]]]]:
    for at in range(0, len(packed), _TOGETHER):
        yield packed[at : at + _TOGETHER]
