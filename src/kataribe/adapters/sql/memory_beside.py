"""What stands beside a memory, and who speaks: asked of turns and of the sentences of a text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.memory_search import SqlSearchView
from kataribe.adapters.sql.traits import Beside
from kataribe.domain.gate import Gate, Slice

_NOTHING_BESIDE: Beside = (None, None, 0)
# From the keys to their rows and on by the index of sessions: what lies between is not looked at.
_BESIDE = """
SELECT a.key, (
    SELECT c.key FROM memories c INDEXED BY ix_memories_session
    WHERE c.space = :space AND c.session = a.session AND c.holder = :holder
      AND c.position <= a.position AND c.live = 1
      AND (c.position < a.position OR c.place < a.place OR c.place = a.place AND c.fact_id < a.fact_id)
    ORDER BY c.position DESC, c.place DESC, c.fact_id DESC LIMIT 1), (
    SELECT c.position || ':' || c.key FROM memories c INDEXED BY ix_memories_session
    WHERE c.space = :space AND c.session = a.session AND c.holder = :holder
      AND c.position >= a.position AND c.live = 1
      AND (c.position > a.position OR c.place > a.place OR c.place = a.place AND c.fact_id > a.fact_id)
    ORDER BY c.position, c.place, c.fact_id LIMIT 1)
FROM json_each(:keys) j CROSS JOIN memories a NOT INDEXED ON a.key = j.value
WHERE a.space = :space AND a.session IS NOT NULL
"""
_SPACES_OF = """
SELECT DISTINCT m.space FROM json_each(?) j CROSS JOIN memories m NOT INDEXED ON m.key = j.value
"""
_ORDER = """
SELECT m.key, m.position, m.place, m.fact_id
FROM json_each(?) j CROSS JOIN memories m NOT INDEXED ON m.key = j.value
"""
# From one speaker to the next by the index: how much each said is not looked at.
_VOICES = """
WITH RECURSIVE said (speaker) AS (
  SELECT min(speaker) FROM memories INDEXED BY ix_memories_speaker
  WHERE space = :space AND holder = :holder AND speaker IS NOT NULL
  UNION ALL
  SELECT (SELECT min(m.speaker) FROM memories m INDEXED BY ix_memories_speaker
          WHERE m.space = :space AND m.holder = :holder AND m.speaker > said.speaker)
  FROM said WHERE said.speaker IS NOT NULL
)
SELECT speaker, (
  SELECT m.position FROM memories m INDEXED BY ix_memories_speaker
  WHERE m.space = :space AND m.holder = :holder AND m.speaker = said.speaker AND m.live = 1
  ORDER BY m.position LIMIT 1) AS first
FROM said WHERE speaker IS NOT NULL
"""


class SqlBesideView(SqlSearchView):
    """What is read of what stands beside memories, inside a gate."""

    def neighbours(self, gate: Gate, keys: Collection[int]) -> Mapping[int, tuple[int, ...]]:
        """Give the keys of what stands before and after, inside the gate."""
        before: dict[int, list[int]] = {}
        after: dict[int, list[int]] = {}
        for part in self._slices_of(gate, keys):
            for key, beside in self._beside(part, keys).items():
                if beside is _NOTHING_BESIDE:
                    continue
                earlier, later, position = beside
                if earlier is not None:
                    before.setdefault(key, []).append(earlier)
                if later is not None and position <= part.upto:
                    after.setdefault(key, []).append(later)
        several = [ones for found in (before, after) for ones in found.values() if len(ones) > 1]
        order = self._order({one for ones in several for one in ones})
        nowhere = (0, 0, "")
        last = {key: max(ones, key=lambda k: order.get(k, nowhere)) for key, ones in before.items()}
        first = {key: min(ones, key=lambda k: order.get(k, nowhere)) for key, ones in after.items()}
        return {
            key: tuple(found[key] for found in (last, first) if key in found)
            for key in sorted(last.keys() | first.keys())
        }

    def _beside(self, part: Slice, keys: Collection[int]) -> Mapping[int, Beside]:
        """Give what stands beside these memories of a space at one holder, now or later."""
        cache = self._caches.traits
        known = {} if cache is None else cache.beside(self._feed, part.space, part.holder, keys)
        if missing := [key for key in keys if key not in known]:
            given = {"keys": r.dump(sorted(missing)), "space": part.space, "holder": part.holder}
            found = dict.fromkeys(missing, _NOTHING_BESIDE)
            for key, earlier, later in queries.tuples(self._driver, _BESIDE, given):
                if earlier is not None or later is not None:
                    position, _, named = (later or "").partition(":")
                    found[key] = (earlier, int(named) if named else None, int(position or 0))
            if cache is not None:
                cache.keep_beside(self._feed, part.space, part.holder, found)
            known |= found
        return known

    def _slices_of(self, gate: Gate, keys: Collection[int]) -> Sequence[Slice]:
        """Give the slices of the spaces these keys lie in: a gate may have very many."""
        if len({part.space for part in gate.slices}) < 3:
            return gate.slices
        spaces = {row[0] for row in queries.tuples(self._driver, _SPACES_OF, (r.dump(sorted(keys)),))}
        return [part for part in gate.slices if part.space in spaces]

    def _order(self, keys: Collection[int]) -> Mapping[int, tuple[int, int, str]]:
        """Give what turns of a session are sorted by."""
        if not keys:
            return {}
        rows = queries.tuples(self._driver, _ORDER, (r.dump(sorted(keys)),))
        return {key: (position, place, fact_id) for key, position, place, fact_id in rows}

    def voices(self, gate: Gate) -> Mapping[str, int]:
        """Give who speaks, and from when on."""
        found: dict[str, int] = {}
        for part in gate.slices:
            theirs = self._caches.voices(
                (part.space, part.holder), self._memories_revision(part.space), self._read_voices
            )
            for speaker, first in theirs.items():
                if first <= part.upto:
                    found[speaker] = min(first, found.get(speaker, first))
        return dict(sorted(found.items()))

    def _memories_revision(self, space: str) -> int:
        return self._feed.revision(space)

    def _read_voices(self, address: tuple[str, str]) -> Mapping[str, int]:
        given = {"space": address[0], "holder": address[1]}
        rows = queries.tuples(self._driver, _VOICES, given)
        return {speaker: first for speaker, first in rows if first is not None}
