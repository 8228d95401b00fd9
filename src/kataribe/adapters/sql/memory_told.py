"""What a gate admits of what is told again: successors, the sentences of a text, places of facts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import BATCH, SqlPart
from kataribe.adapters.sql.where import Said
from kataribe.domain.around import StorySentence, TextStretch
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Place, Slice
from kataribe.domain.markup import same_words
from kataribe.domain.space import parse_space

_HAS_SUCCESSIONS = """
SELECT 1 FROM memories INDEXED BY ix_memories_supersedes
WHERE space = ? AND holder = ? AND supersedes IS NOT NULL LIMIT 1
"""
# By the index of sessions: of a sentence that was read its place is where it begins.
_READ_SENTENCES = """
SELECT fact_id, quote_start, quote_end, text, quote FROM memories INDEXED BY ix_memories_session
WHERE space = ? AND holder = ? AND session = ? AND position = ? AND place >= ? AND place < ?
  AND live = 1 AND quote_start = place
"""
# From the rows of the episode: there are few that were given in an episode that is read.
_GIVEN_SENTENCES = """
SELECT memories.fact_id, memories.quote_start, memories.quote_end, memories.text, memories.quote
FROM facts INDEXED BY ix_facts_episode
CROSS JOIN memories INDEXED BY ix_memories_fact ON memories.fact_id = facts.fact_id
WHERE facts.story_id = ? AND facts.episode_id = ? AND facts.quote IS NOT NULL
  AND memories.space = ? AND memories.holder = ? AND memories.position = ?
  AND memories.quote_start >= ? AND memories.quote_start < ?
  AND memories.live = 1 AND memories.origin != 'extracted'
"""
_HAS_GIVEN = "SELECT 1 FROM facts WHERE story_id = ? LIMIT 1"


class SqlToldView(SqlPart):
    """What is read of facts and sentences, inside a gate."""

    def successions(
        self, gate: Gate, *, of: Iterable[str] | None = None
    ) -> tuple[tuple[str, str, Place], ...]:
        """Give which admitted memories supersede which facts."""
        gate = Gate(tuple([part for part in gate.slices if self._has_successions(part)]))
        if gate.is_closed:
            return ()
        named: Said = (" AND supersedes IS NOT NULL", ())
        if of is not None:
            asked = "(SELECT value FROM json_each(?))"
            either = f" AND (supersedes IN {asked} OR fact_id IN {asked})"
            named = (named[0] + either, (r.dump(sorted(set(of))),) * 2)
        found: set[tuple[str, str, Place]] = set()
        for some in queries.in_parts(gate):
            sql, given = queries.from_gate(
                "fact_id, supersedes, position", some, extra=named, tables=queries.BY_SUPERSEDED
            )
            rows = queries.tuples(self._driver, sql, given)
            found.update((new, old, (part, position)) for new, old, position, part in rows)
        return tuple(sorted(found, key=lambda one: (one[2], one[0])))

    def _has_successions(self, part: Slice) -> bool:
        """Whether a holder remembers anything of a space, now or later, that supersedes another."""
        read = partial(queries.tuples, self._driver, _HAS_SUCCESSIONS, (part.space, part.holder))
        return bool(self.once(("supersedes", part.space, part.holder), read))

    def sentences(
        self, gate: Gate, stretches: Collection[TextStretch], *, where: Filter | None = None
    ) -> Mapping[TextStretch, tuple[StorySentence, ...]]:
        """Give the sentences the gate admits that begin in these stretches."""
        condition, values = queries.said(where)
        found: dict[TextStretch, tuple[StorySentence, ...]] = {}
        for here in stretches:
            told = [
                StorySentence(here.space, part.holder, here.position, here.episode_id, *row)
                for part in gate.slices
                if part.space == here.space and here.position <= part.upto
                for row in self._sentences(here, part.holder, f" AND {condition}", values)
            ]
            if told:
                found[here] = tuple(sorted(told, key=_in_text))
        return found

    def _sentences(
        self, here: TextStretch, holder: str, condition: str, values: Sequence[object]
    ) -> Iterator[tuple[str, int, int, str]]:
        """Read what was read of a text, then what files and people say in its words, of one holder.

        A statement for each holder and stretch: there are few, and to hand them over together costs more.
        """
        space, episode_id, position, start, end = here
        given: tuple[object, ...] = (space, holder, episode_id, position, start, end, *values)
        for *told, _ in queries.tuples(self._driver, _READ_SENTENCES + condition, given):
            yield tuple(told)
        story_id = parse_space(space).story or ""
        if self._has_given(story_id):
            given = (story_id, episode_id, space, holder, position, start, end, *values)
            for *told, quote in queries.tuples(self._driver, _GIVEN_SENTENCES + condition, given):
                if same_words(told[-1], quote):
                    yield tuple(told)

    def _has_given(self, story_id: str) -> bool:
        """Whether a story has any fact that a file or a hand gave."""
        read = partial(queries.tuples, self._driver, _HAS_GIVEN, (story_id,))
        return bool(self.once(("given", story_id), read))

    def admitted_facts(self, gate: Gate, fact_ids: Collection[str]) -> Mapping[str, Place]:
        """Give the places of those of these facts that the gate admits."""
        if not fact_ids:
            return {}
        found: dict[str, Place] = {}
        asked = sorted(fact_ids)
        for at in range(0, len(asked), BATCH):
            batch = asked[at : at + BATCH]
            named = (" AND fact_id IN (SELECT value FROM json_each(?))", (r.dump(batch),))
            for some in queries.in_parts(gate):
                sql, given = queries.from_gate("fact_id, position", some, extra=named, tables=queries.BY_FACT)
                rows = queries.tuples(self._driver, sql, given)
                found.update((fact_id, (part, position)) for fact_id, position, part in rows)
        return found


def _in_text(one: StorySentence) -> tuple[int, int, str, str]:
    """Sort sentences as they stand in a text."""
    return (one.start, one.end, one.fact_id, one.holder)
