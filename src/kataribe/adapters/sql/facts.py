"""Facts in the ledger: given ones, decisions on them, extractions, and what each version put into memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from kataribe.adapters.sql import memory_rows, queries, story_rows
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.adapters.sql.memory_writing import delta_of
from kataribe.domain.ids import digest
from kataribe.domain.memory import Extraction, Memory
from kataribe.domain.records import Delta
from kataribe.domain.space import episode_of, holder_of, story_space
from kataribe.domain.story.inputs import (
    Fact,
    Suppression,
)


class SqlFactsView(SqlPart):
    """What is read of facts."""

    def facts(self, story_id: str, episode_id: str | None = None) -> tuple[tuple[str, Fact], ...]:
        """Give supplied and hand-made facts."""
        if episode_id is None:
            rows = queries.ask(self._driver, queries.FACTS, (story_id,))
        else:
            rows = queries.ask(self._driver, queries.FACTS_OF_EPISODE, (story_id, episode_id))
        return tuple((row.episode_id, story_rows.fact_in(row)) for row in rows)

    def facts_called(self, story_id: str, fact_ids: Collection[str]) -> Mapping[str, tuple[str, Fact]]:
        """Give supplied and hand-made facts by id."""
        rows = queries.ask(self._driver, queries.FACTS_CALLED, (r.dump(sorted(fact_ids)), story_id))
        return {row.fact_id: (row.episode_id, story_rows.fact_in(row)) for row in rows}

    def fact(self, story_id: str, fact_id: str) -> tuple[str, Fact] | None:
        """Give one supplied or hand-made fact."""
        rows = queries.ask(self._driver, queries.FACT, (story_id, fact_id))
        return (rows[0].episode_id, story_rows.fact_in(rows[0])) if rows else None

    def suppressions(self, story_id: str, episode_id: str) -> tuple[Suppression, ...]:
        """Give what was struck out of an episode's extraction."""
        rows = queries.ask(self._driver, queries.SUPPRESSIONS, (story_id, episode_id))
        return tuple(Suppression(holder=row.holder, text_hash=row.text_hash) for row in rows)

    def pins(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give the pinned extracted facts of an episode."""
        return frozenset(
            row.fact_id for row in queries.ask(self._driver, queries.PINS, (story_id, episode_id))
        )

    def extraction(self, story_id: str, episode_id: str, fingerprint: str) -> Extraction | None:
        """Give a kept extraction; the fingerprint holds the text, so its spans are of the text as it is."""
        rows = queries.ask(self._driver, queries.EXTRACTION, (story_id, episode_id, fingerprint))
        return story_rows.extraction_in(rows[0]) if rows else None

    def deltas(self, story_id: str, episode_id: str) -> tuple[Delta, ...]:
        """Give what each version of an episode put into memory."""
        rows = queries.ask(self._driver, queries.DELTAS, (story_id, episode_id))
        return tuple(memory_rows.delta_in(row) for row in rows)


class SqlFactsTransaction(SqlWritingPart, SqlFactsView):
    """What is written of facts."""

    def put_facts(self, story_id: str, episode_id: str, given: Iterable[Fact]) -> None:
        """Add facts or replace those of the same id."""
        queries.insert(
            self._driver, "facts", [story_rows.fact_out(story_id, episode_id, f) for f in given], replace=True
        )

    def delete_facts(self, story_id: str, fact_ids: Iterable[str]) -> None:
        """Remove supplied or hand-made facts."""
        self._driver.executemany(queries.DELETE_FACT, [(story_id, fact_id) for fact_id in fact_ids])

    def put_suppressions(self, story_id: str, episode_id: str, given: Iterable[Suppression]) -> None:
        """Add suppressions."""
        rows = [
            {
                "story_id": story_id,
                "episode_id": episode_id,
                "holder": row.holder,
                "text_hash": row.text_hash,
            }
            for row in given
        ]
        queries.insert(self._driver, "suppressions", rows, replace=True)

    def set_pin(self, story_id: str, episode_id: str, fact_id: str, *, pinned: bool) -> None:
        """Pin or unpin an extracted fact."""
        row = {"story_id": story_id, "episode_id": episode_id, "fact_id": fact_id}
        if pinned:
            queries.insert(self._driver, "pins", [row], replace=True)
        else:
            self._driver.execute(queries.UNPIN, row)

    def put_extraction(
        self,
        story_id: str,
        episode_id: str,
        fingerprint: str,
        extraction: Extraction,
        *,
        text: str,
        beside: Collection[str] = (),
    ) -> None:
        """Keep an extraction beside those that models were asked for, and those that are wanted too."""
        self._driver.execute(queries.DROP_FREE_EXTRACTIONS, (story_id, episode_id, r.dump(sorted(beside))))
        row = {
            "story_id": story_id,
            "episode_id": episode_id,
            "fingerprint": fingerprint,
            "made_at": self._now(),
            **story_rows.extraction_out(extraction, text),
        }
        queries.insert(self._driver, "extractions", [row], replace=True)

    def put_deltas(
        self, story_id: str, episode_id: str, given: Sequence[Memory], *, holder: str | None = None
    ) -> None:
        """Record what an episode puts into memory now."""
        latest = max((one.version for one in given), default=0)
        share = self._share(story_id, episode_id, holder)
        self._driver.execute(queries.REPLACED_DELTAS, {**share, "latest": latest})
        self._driver.execute(queries.OLDER_DELTAS, {**share, "gone": self._now()})
        shares: dict[str, list[Memory]] = {}
        for one in given:
            if not one.in_review:
                shares.setdefault(delta_of(one), []).append(one)
        queries.insert(
            self._driver,
            "memory_deltas",
            [
                {
                    "story_id": story_id,
                    "delta_id": delta,
                    "episode_id": episode_id,
                    "version": theirs[0].version,
                    "scope": memory_rows.scope_of(theirs[0].holder),
                    "character_id": theirs[0].holder,
                    "facts": r.dump([[one.fact_id, one.text] for one in theirs]),
                    "hash": digest(theirs[0].holder, *(one.text_hash for one in theirs)),
                    "deleted_at": None,
                }
                for delta, theirs in shares.items()
            ],
        )

    def show_deltas(self, story_id: str, shown: Mapping[str, bool]) -> None:
        """Mark the latest deltas of these units as in memory, or as gone."""
        for unit, is_shown in shown.items():
            share = self._share(story_id, episode_of(unit), holder_of(unit))
            self._driver.execute(queries.SET_DELTAS, {**share, "gone": None if is_shown else self._now()})

    @staticmethod
    def _share(story_id: str, episode_id: str, holder: str | None) -> dict[str, object]:
        return {
            "story": story_id,
            "space": story_space(story_id),
            "episode": episode_id,
            "holder": holder,
        }
